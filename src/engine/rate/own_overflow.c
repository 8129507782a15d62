/* SPDX-License-Identifier: MIT */
#include "engine/rate/own_overflow.h"

/* The rate is that of RATE_US, and the path's if it is WHOLE of what that has carried. */
#define RATE_US 200000
#define WHOLE   0.8

/* Losses follow each other within a round trip and NEXT_US. They are a queue's if there are so many
 * over LASTING_US, and as large a part of the segments. */
#define NEXT_US    100000
#define LASTING_US 100000
#define LOSSES     4
#define LOST_PART  0.04

void lt_own_overflow_init(lt_own_overflow *overflow)
{
    *overflow = (lt_own_overflow){.lost_us = INT64_MIN / 2};
}

static bool is_over(const lt_own_overflow *o, const lt_congestion_sample *s)
{
    return s->now_us - o->lost_us > s->base_us + NEXT_US;
}

void lt_own_overflow_update(lt_own_overflow *o, const lt_delay_history *history,
                            const lt_congestion_sample *s)
{
    bool one = s->connections == 1 && s->carried > 0, lost = s->retransmitted > o->retransmitted;

    o->rate = one ? lt_delay_history_rate(history, s->now_us, RATE_US) : 0;
    if (o->rate < WHOLE * s->carried)
        o->rate = 0;
    if (lost && is_over(o, s)) {
        o->since_us = s->now_us;
        o->period = (lt_loss_count){s->delivered, o->retransmitted};
    }
    if (lost)
        o->lost_us = s->now_us;
    o->retransmitted = s->retransmitted;
}

bool lt_own_overflow_is_likely(const lt_own_overflow *o)
{
    return o->rate > 0;
}

double lt_own_overflow_rate(const lt_own_overflow *o, const lt_congestion_sample *s)
{
    double lost = lt_loss_count_lost(&o->period, s);
    bool many = lost >= LOSSES && lost >= LOST_PART * lt_loss_count_delivered(&o->period, s);
    bool lasts = !is_over(o, s) && o->lost_us - o->since_us >= LASTING_US;

    return lasts && many ? o->rate : 0;
}
