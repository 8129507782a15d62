/* SPDX-License-Identifier: MIT */
/*
 * A window can be too small for good: it is made for the rate that gets through it, and for a
 * minimum round trip that jitter, or a route that has changed unseen, keeps too short. So where
 * packets wait for it, it is sometimes made larger for two round trips. A bottleneck delivers no
 * more then, and its queue grows; otherwise the window was the limit, and the excess of the round
 * trips is not a queue (BBR's PROBE_BW asks the same; Cardwell et al., 2016). That excess, the
 * slack, counts as the route's; it fades, and becomes less as the minimum round trip grows.
 */
#ifndef LT_ENGINE_RATE_WINDOW_PUSH_H
#define LT_ENGINE_RATE_WINDOW_PUSH_H

#include "engine/rate/delay_history.h"

/* The window is so many times as large. */
#define LT_PUSH_GAIN 1.3

typedef struct lt_window_push {
    livetcp_usec waits_us;  /* packets have waited since; LIVETCP_NEVER = they do not */
    livetcp_usec next_us;   /* not before */
    unsigned failed;        /* pushes in a row */
    livetcp_usec since_us;  /* of the present one; LIVETCP_NEVER = none */
    livetcp_usec half_us;   /* its effect shows from then on, */
    livetcp_usec end_us;    /*   until then */
    uint64_t delivered;     /* at half_us; 0 = not yet */
    livetcp_usec queue_us;  /* minimum excess since then */
    double before;          /* bytes per second delivered before */
    livetcp_usec before_us; /* and the excess */
    struct {
        double us;
        livetcp_usec at_us;   /* as of this time, */
        livetcp_usec base_us; /*   over this minimum round trip */
    } slack;
} lt_window_push;

void lt_window_push_init(lt_window_push *push);

/* Ends the present push, and begins anew with the waits between two. The slack stays. */
void lt_window_push_stop(lt_window_push *push);

/* Moves the slack from the queues of the sample to its round trip. */
void lt_window_push_take_slack(lt_window_push *push, lt_congestion_sample *sample);

/* `rate`: bytes per second delivered of late. Returns the excess of round trips that is no queue,
 * and adds it to the slack; 0 = none has been found now. */
livetcp_usec lt_window_push_update(lt_window_push *push, const lt_congestion_sample *sample,
                                   const lt_delay_window *window, double rate, bool may_begin);

static inline bool lt_window_push_is_under_way(const lt_window_push *push)
{
    return push->since_us != LIVETCP_NEVER;
}

#endif
