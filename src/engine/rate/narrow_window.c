/* SPDX-License-Identifier: MIT */
#include "engine/rate/narrow_window.h"

#define SECOND ((double)LIVETCP_USEC_SEC)

/* PROBE_RTT's window. The path holds more than PARTS times that, or it is no less than needed. */
#define SEGMENTS 4
#define SEGMENT  1460
#define PARTS    4

#define AFTER_US 500000

void lt_narrow_window_init(lt_narrow_window *narrow)
{
    *narrow = (lt_narrow_window){.at_us = INT64_MIN / 2};
}

void lt_narrow_window_update(lt_narrow_window *n, const lt_congestion_sample *s)
{
    double window = (double)s->one_window, held = s->carried * (double)s->base_us / SECOND;

    n->is = s->connections == 1 && window > 0 && window <= SEGMENTS * SEGMENT &&
            held > PARTS * SEGMENTS * SEGMENT;
    if (n->is)
        n->at_us = s->now_us;
}

bool lt_narrow_window_was(const lt_narrow_window *n, const lt_congestion_sample *s)
{
    return s->now_us < n->at_us + s->base_us + AFTER_US;
}
