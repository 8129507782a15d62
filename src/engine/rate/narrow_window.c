/* SPDX-License-Identifier: MIT */
#include "engine/rate/narrow_window.h"

#define SECOND ((double)LIVETCP_USEC_SEC)

/* PROBE_RTT's window, in bytes. */
#define NARROW (4 * 1460.0)

/* It lasts for 200 ms and two round trips: a window that is small for longer is made so by losses,
 * and does not grow as long as little is sent. */
#define LASTS_US 500000
#define TRIPS    2

#define AFTER_US 500000

void lt_narrow_window_init(lt_narrow_window *narrow)
{
    *narrow = (lt_narrow_window){.since_us = INT64_MIN / 2, .at_us = INT64_MIN / 2};
}

void lt_narrow_window_update(lt_narrow_window *n, const lt_congestion_sample *s)
{
    double window = (double)s->one_window, held = s->carried * (double)s->base_us / SECOND;
    bool one = s->connections == 1 && s->may_follow; /* others are told nothing */
    bool small = one && window > 0 && window <= NARROW && held > NARROW;

    if (!small)
        n->since_us = s->now_us;
    n->is = small && s->now_us - n->since_us < LASTS_US + TRIPS * s->base_us;
    if (n->is)
        n->at_us = s->now_us;
}

bool lt_narrow_window_was(const lt_narrow_window *n, const lt_congestion_sample *s)
{
    return s->now_us < n->at_us + s->base_us + AFTER_US;
}
