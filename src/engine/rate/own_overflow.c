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
#define SEGMENT    1448.0

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
    double rate = lt_delay_history_rate(history, s->now_us, RATE_US);
    bool whole = s->connections == 1 && s->carried > 0 && rate >= WHOLE * s->carried;

    o->rate = whole ? rate : 0;
    if (s->retransmitted <= o->retransmitted)
        return;
    if (is_over(o, s)) {
        o->period.since_us = s->now_us;
        o->period.retransmitted = o->retransmitted;
        o->period.delivered = s->delivered;
    }
    o->retransmitted = s->retransmitted;
    o->lost_us = s->now_us;
}

bool lt_own_overflow_is_likely(const lt_own_overflow *o)
{
    return o->rate > 0;
}

double lt_own_overflow_rate(const lt_own_overflow *o, const lt_congestion_sample *s)
{
    double lost = (double)(o->retransmitted - o->period.retransmitted);
    double segments = (double)(s->delivered - o->period.delivered) / SEGMENT;
    bool lasts = !is_over(o, s) && o->lost_us - o->period.since_us >= LASTING_US;

    return lasts && lost >= LOSSES && lost >= LOST_PART * segments ? o->rate : 0;
}
