/* SPDX-License-Identifier: MIT */
#include "engine/rate/heavy_losses.h"

#include <math.h>

#define SECOND ((double)LIVETCP_USEC_SEC)

/* So many segments, and this part of all, in so many periods in a row, while packets wait. */
#define PART     0.06
#define SEGMENTS 3
#define PERIODS  2
#define MIN_US   400000
#define TRIPS    2
#define WAIT_US  50000
#define GAIN     0.25

/* Packets that wait for so long in spite of the window show that the path does not carry the
 * source: the losses may be our own, and such a window is not tried again for some time. */
#define PATIENCE_US 6000000
#define VAIN_US     30000000

/* The window: a multiple of the maximum rate by the minimum round trip, and segments that are
 * acknowledged together. The maximum decays in a period, and begins with more than the source's
 * rate, since packets wait. */
#define WINDOW_GAIN     2.0
#define WINDOW_SEGMENTS 3
#define PROBE           1.25
#define DECAY           0.9

void lt_heavy_losses_init(lt_heavy_losses *losses)
{
    *losses = (lt_heavy_losses){.vain_us = INT64_MIN / 2};
}

static void begin_period(lt_heavy_losses *l, const lt_congestion_sample *s)
{
    l->since_us = s->now_us;
    lt_loss_count_begin(&l->period, s);
}

/* An encoder that follows sends less, one connection is a flow of its own, and a path that does not
 * carry the source although the window suffices, or has not carried it before, is overloaded by it.
 */
static bool needs_window(const lt_heavy_losses *l, const lt_congestion_sample *s)
{
    return !s->follows && !s->overloads && s->connections > 1 && s->now_us > l->vain_us + VAIN_US;
}

/* True if a period has ended. */
static bool count(lt_heavy_losses *l, const lt_congestion_sample *s)
{
    double segments, lost;

    if (s->now_us - l->since_us < MIN_US + TRIPS * s->base_us)
        return false;
    segments = lt_loss_count_delivered(&l->period, s);
    lost = lt_loss_count_lost(&l->period, s);
    l->are = lost >= SEGMENTS && lost >= PART * segments;
    if (lost > 0)
        lost /= lost + segments;
    if (s->now_us > l->flowed_us + PATIENCE_US && l->part > 0)
        l->vain_us = s->now_us;
    l->part = needs_window(l, s) ? l->part + GAIN * (lost - l->part) : 0;
    l->rate *= DECAY;
    begin_period(l, s);
    return true;
}

bool lt_heavy_losses_found(lt_heavy_losses *l, const lt_congestion_sample *s, bool ours)
{
    l->flowed_us = s->now_us;
    if (s->connections == 1 || s->wait_us < WAIT_US || s->own_losses ||
        (ours && (s->follows || s->overloads))) {
        begin_period(l, s);
        l->count = 0;
        l->part = l->rate = 0;
    } else if (count(l, s)) {
        l->count = l->are ? l->count + 1 : 0;
    }
    return !ours && l->count >= PERIODS;
}

/* No more was delivered than our window let through, which was made for a short queue. */
void lt_heavy_losses_begin(lt_heavy_losses *l, const lt_congestion_sample *s)
{
    if (l->count >= PERIODS) {
        l->part = needs_window(l, s) ? 2 * PART : 0;
        l->rate = fmax(l->rate, PROBE * s->offered);
    }
    l->count = 0;
}

void lt_heavy_losses_update(lt_heavy_losses *l, const lt_congestion_sample *s, double rate)
{
    if (s->wait_us < WAIT_US)
        l->flowed_us = s->now_us;
    count(l, s);
    l->rate = fmax(l->rate, rate);
}

bool lt_heavy_losses_last(const lt_heavy_losses *l)
{
    return l->part >= PART;
}

double lt_heavy_losses_carried(const lt_heavy_losses *l)
{
    return lt_heavy_losses_last(l) ? l->rate : 0;
}

double lt_heavy_losses_window(const lt_heavy_losses *l, livetcp_usec base_us)
{
    double bytes = WINDOW_GAIN * lt_heavy_losses_carried(l) * (double)base_us / SECOND;

    return bytes > 0 ? bytes + WINDOW_SEGMENTS * LT_LOSS_COUNT_SEGMENT : 0;
}
