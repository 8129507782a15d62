/* SPDX-License-Identifier: MIT */
/*
 * A route that has become longer looks like a queue: round trips are above their minimum and stay
 * there. A window made for the shorter one then delivers less, which looks like a slower
 * bottleneck, and makes the window smaller still. But a queue of ours drains when little is sent,
 * and one of others varies: what does neither is the route.
 */
#ifndef LT_ENGINE_RATE_ROUTE_STEP_H
#define LT_ENGINE_RATE_ROUTE_STEP_H

#include "engine/rate/delay_history.h"

typedef struct lt_route_step {
    livetcp_usec since_us;       /* the excess has been flat since; LIVETCP_NEVER = there is none */
    livetcp_usec min_us, max_us; /* of it */
    unsigned samples;
    uint64_t delivered; /* when it began */
    double before;      /* bytes per second that got through before there was any */

    livetcp_usec last_us, last_at_us;     /* the excess before this one */
    livetcp_usec jumped_us, jumped_at_us; /* the excess that came at once; 0 = none did */
} lt_route_step;

void lt_route_step_init(lt_route_step *step);

/* Takes a sample and the rate that is known to get through, bytes per second (0 = not known).
 * Returns by how much the route has become longer; 0 = nothing shows that it has. */
livetcp_usec lt_route_step_update(lt_route_step *step, const lt_congestion_sample *sample,
                                  double rate);

/* True while the excess came at once, as no queue does, and it will be known soon: it is not to be
 * taken for another's queue yet. */
bool lt_route_step_is_likely(const lt_route_step *step, livetcp_usec now);

/* True if the delay has not varied for some time: it will be known soon. */
bool lt_route_step_is_open(const lt_route_step *step, livetcp_usec now);

#endif
