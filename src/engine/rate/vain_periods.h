/* SPDX-License-Identifier: MIT */
/*
 * Periods in which sending less was in vain. While our own queue stands, the delivered rate is the
 * bottleneck's and does not fall with our sending rate. If it falls and the queue stays, either the
 * queue is another's or the bottleneck has become slower. The latter happens once and not in
 * successive periods, and our own queue drains then within seconds. Nor is a queue our own that
 * stays for longer, or while the session sends next to nothing.
 */
#ifndef LT_ENGINE_RATE_VAIN_PERIODS_H
#define LT_ENGINE_RATE_VAIN_PERIODS_H

#include "engine/rate/delay_history.h"

typedef struct lt_vain_periods {
    livetcp_usec since_us;   /* start of the present period; LIVETCP_NEVER = none */
    livetcp_usec queue_us;   /* the queue then, */
    double limit;            /*   and the rate */
    unsigned count;          /* successive periods in which the rate fell and the queue stayed */
    double before;           /* the rate before them */
    livetcp_usec stood_us;   /* a queue has stood since; LIVETCP_NEVER = none stands */
    double highest;          /* the rate since then, maximum, */
    livetcp_usec highest_us; /* and when that was */
    livetcp_usec little_us;  /* a queue stands, and little is sent since; NEVER = it is not so */
} lt_vain_periods;

void lt_vain_periods_init(lt_vain_periods *vain);

/* The present period is no evidence. */
void lt_vain_periods_stop(lt_vain_periods *vain);

/* True if the queue is another's. `limit`: delivered bytes per second; `own_us`: a queue that we
 * may keep ourselves. */
bool lt_vain_periods_update(lt_vain_periods *vain, const lt_congestion_sample *sample,
                            const lt_delay_window *window, double limit, livetcp_usec own_us);

#endif
