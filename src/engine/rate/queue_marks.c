/* SPDX-License-Identifier: MIT */
#include "engine/rate/queue_marks.h"

#include <math.h>

#define RECENT_US 50000

/* The rate is that of RATE_US. With less than this part of what the path has carried, or of its
 * link, the queue is another's. */
#define RATE_US 500000
#define MUCH    0.6

void lt_queue_marks_init(lt_queue_marks *m)
{
    *m = (lt_queue_marks){.marked_us = INT64_MIN / 2};
}

void lt_queue_marks_update(lt_queue_marks *m, const lt_congestion_sample *s)
{
    if (s->marked > m->marked)
        m->marked_us = s->now_us;
    m->marked = s->marked;
}

double lt_queue_marks_rate(const lt_queue_marks *m, const lt_delay_history *history,
                           const lt_congestion_sample *s)
{
    double rate;

    if (s->now_us - m->marked_us >= RECENT_US)
        return 0;
    rate = lt_delay_history_rate(history, s->now_us, RATE_US);
    return rate > MUCH * fmax(s->carried, s->link_rate) ? rate : 0;
}
