/* SPDX-License-Identifier: MIT */
#include "engine/rate/deadline.h"

#include <math.h>

#define SECOND  ((double)LIVETCP_USEC_SEC)
#define SEGMENT 1500

/* Bytes are overdue after a round trip and a part of the limit. Some always are, since losses are
 * repaired. Soon, as a source that begins overruns a short buffer within 0.1 s. */
#define OVERDUE        0.05
#define OVERDUE_MIN_US 20000 /* for the usual jitter, */
#define OVERDUE_MOST   0.25  /*   but no more than this part */
#define SOME           (2 * SEGMENT)

/* Bytes under way: what is delivered in a round trip and a part of the limit, and no less than the
 * packets that show it. */
#define PART  0.5
#define LEAST (3 * SEGMENT)

/* The rate is measured over this time and a round trip. */
#define RATE_US 300000

static livetcp_usec overdue_us(const lt_congestion_sample *s)
{
    double limit = (double)s->limit_us;

    return s->base_us +
           (livetcp_usec)fmax(OVERDUE * limit, fmin(OVERDUE_MIN_US, OVERDUE_MOST * limit));
}

static bool is_overdue(const lt_delay_history *history, const lt_congestion_sample *s)
{
    livetcp_usec time = overdue_us(s);
    lt_delay_window window = lt_delay_history_window(history, s->now_us, time);
    uint64_t written = s->delivered + s->undelivered, before = window.delivered + window.in_flight;

    return window.span_us >= time && s->undelivered + before > written + SOME;
}

double lt_deadline_window(const lt_delay_history *history, const lt_congestion_sample *s)
{
    double rate;

    if (!s->limit_us || !s->base_us || !is_overdue(history, s))
        return HUGE_VAL;
    rate = lt_delay_history_rate(history, s->now_us, RATE_US + s->base_us);
    return fmax(rate * ((double)s->base_us + PART * (double)s->limit_us) / SECOND, LEAST);
}
