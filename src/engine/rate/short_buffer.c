/* SPDX-License-Identifier: MIT */
#include "engine/rate/short_buffer.h"

#include <math.h>

/* So many segments, and this part of all, lost in a period. */
#define PERIOD_US (2 * LIVETCP_USEC_SEC)
#define SEGMENTS  4
#define PART      0.025

/* Losses of before are still repaired for this time and two round trips. */
#define SETTLES_US 500000
#define TRIPS      2

/* With less under way no more than this part of the losses is left, or of the segments. */
#define LEFT 0.5
#define FEW  0.01

#define VAIN_US  (30 * LIVETCP_USEC_SEC)
#define AGAIN_US (20 * LIVETCP_USEC_SEC) /* until all is under way again */

void lt_short_buffer_init(lt_short_buffer *buffer)
{
    *buffer = (lt_short_buffer){.spare = 1, .vain_us = INT64_MIN / 2};
}

static void begin_period(lt_short_buffer *b, const lt_congestion_sample *s, livetcp_usec after)
{
    b->since_us = s->now_us + after;
    lt_loss_count_begin(&b->period, s);
}

/* The lost part of the segments in a period that has ended; < 0 = it goes on. */
static double count(lt_short_buffer *b, const lt_congestion_sample *s)
{
    double lost, all;

    if (s->now_us < b->since_us)
        lt_loss_count_begin(&b->period, s);
    if (s->now_us < b->since_us + PERIOD_US)
        return -1;
    lost = lt_loss_count_lost(&b->period, s);
    all = lost + lt_loss_count_delivered(&b->period, s);
    begin_period(b, s, 0);
    return lost >= SEGMENTS ? lost / all : 0;
}

void lt_short_buffer_update(lt_short_buffer *b, const lt_congestion_sample *s, bool ours)
{
    livetcp_usec settles = SETTLES_US + TRIPS * s->base_us;
    double time = b->at_us ? (double)(s->now_us - b->at_us) : 0;

    b->at_us = s->now_us;
    b->tries = b->tries && ours;
    if (!b->tries)
        b->spare = fmin(b->spare + time / (double)AGAIN_US, 1);
    if (!ours) {
        begin_period(b, s, settles);
        return;
    }

    double lost = count(b, s);
    if (lost < 0)
        return;
    if (b->tries) {
        bool vain = lost > LEFT * b->before && lost > FEW;
        b->tries = false;
        if (vain) {
            b->vain_us = s->now_us;
            b->spare = 1;
        }
    } else if (lost >= PART && s->now_us >= b->vain_us + VAIN_US) {
        b->tries = b->spare >= 1;
        b->before = lost;
        b->spare = 0;
        begin_period(b, s, settles);
    }
}
