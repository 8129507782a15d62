/* SPDX-License-Identifier: MIT */
#include "engine/rate/unseen_queue.h"

#define SECOND ((double)LIVETCP_USEC_SEC)

/* Packets beyond the path's content: one that is being sent, and one whose acknowledgement waits.
 */
#define PACKETS 2
#define SEGMENT 1500

/* A queue of LONG_US is one, and for FOUND_US from then on one of SHORT_US, if round trips meet
 * MET_US on average. */
#define LONG_US  20000
#define SHORT_US 8000
#define FOUND_US 10000000
#define MET_US   10000

/* With less than this part of what the path has carried nothing of ours queues. */
#define MUCH 0.7

/* While it delivers more and more, what is under way now is delivered at a higher rate. */
#define FASTER 1.05

livetcp_usec lt_unseen_queue_update(lt_unseen_queue *q, const lt_congestion_sample *s,
                                    const lt_delay_window *window, double limit)
{
    double rate = lt_delay_window_rate(window, s), queue_us;
    bool found = q->found && s->now_us < q->found_us + FOUND_US;

    if (s->connections == 1 || !s->base_us || window->average_us < MET_US)
        return 0;
    if (rate <= 0 || s->carried <= 0 || rate < MUCH * s->carried || rate > FASTER * limit)
        return 0;
    queue_us = ((double)window->least - PACKETS * SEGMENT) / rate * SECOND - (double)s->base_us;
    if (queue_us >= LONG_US) {
        q->found = found = true;
        q->found_us = s->now_us;
    }
    return found && queue_us >= SHORT_US ? (livetcp_usec)queue_us : 0;
}
