/* SPDX-License-Identifier: MIT */
#include "engine/rate/overshoot.h"

#include "base/usec.h"

#define AVERAGE_US 2000000.0
#define LATELY_US  600000.0
#define SENT_US    1000000 /* what was sent is counted over this time */
#define GAP_US     500000  /* all but the excess begins anew after it */

/* A change by more than a small one is answered after this time, and counts from then on: at the
 * start, and when the link becomes slower, encoders send more than they are told for a moment. */
#define SMALL     0.05
#define ANSWER_US 250000

/* A small part of what has been told is chance, by the sizes of frames; and no more is taken off
 * than a large part of what would be told else. */
#define LEAST 0.05
#define MOST  0.5

/* The same, for a source that is just being told less. */
#define SHOWN 1.18

/* It is in vain if a source that is told TOLD times as much sends more than SENT times as much. It
 * is tried again after this time. */
#define TOLD     0.8
#define SENT     0.92
#define AGAIN_US 10000000

void lt_overshoot_init(lt_overshoot *o)
{
    *o = (lt_overshoot){.updated_us = INT64_MIN / 2, .vain_us = INT64_MIN / 2};
}

static void average(double *average, double value, double time_us, double over_us)
{
    *average += (time_us < over_us ? time_us / over_us : 1) * (value - *average);
}

static bool is_answered(lt_overshoot *o, double told, livetcp_usec now)
{
    if (told > (1 + SMALL) * o->steady || told < (1 - SMALL) * o->steady) {
        o->steady = told;
        o->steady_us = lt_usec_max(o->steady_us, now);
    }
    return now - o->steady_us >= ANSWER_US;
}

static bool is_in_vain(lt_overshoot *o, bool ignored, livetcp_usec now)
{
    if (o->bits <= 0 || o->told > o->told_at_first) {
        o->told_at_first = o->told;
        o->sent_at_first = o->sent;
    }
    if (ignored || (o->told < TOLD * o->told_at_first && o->sent > SENT * o->sent_at_first))
        o->vain_us = now;
    return now - o->vain_us < AGAIN_US;
}

void lt_overshoot_update(lt_overshoot *o, double told, double sent, bool ignored, bool stands,
                         livetcp_usec now)
{
    double time = (double)(now - o->updated_us), all = told + o->bits, bits;

    o->updated_us = now;
    if (time > GAP_US) {
        o->lately = o->told = o->steady = told;
        o->sent = sent;
        o->steady_us = now + SENT_US;
    }
    average(&o->lately, told, time, LATELY_US);
    average(&o->told, told, time, AVERAGE_US);
    average(&o->sent, sent, time, AVERAGE_US);
    if (is_in_vain(o, ignored, now)) {
        o->bits = o->excess = 0;
        return;
    }
    if (is_answered(o, told, now))
        average(&o->excess, sent - o->lately, time, AVERAGE_US);
    if (o->excess < LEAST * (o->told > all ? o->told : all))
        bits = 0;
    else
        bits = o->excess < MOST * all ? o->excess : MOST * all;
    /* It does no harm while no queue stands. */
    if (stands || bits < o->bits)
        o->bits = bits;
}

bool lt_overshoot_shows(const lt_overshoot *o, double sent)
{
    return o->lately > 0 && sent > SHOWN * o->lately;
}
