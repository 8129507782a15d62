/* SPDX-License-Identifier: MIT */
/*
 * A route that becomes longer. Its excess looks like a standing queue, and is one if it drains
 * (engine/rate/drain_test.h) or moves (engine/rate/route_step.h). Measurements against the
 * shorter route say nothing: the rate of before counts.
 */
#ifndef LT_ENGINE_RATE_ROUTE_CHANGE_H
#define LT_ENGINE_RATE_ROUTE_CHANGE_H

#include "engine/rate/drain_test.h"
#include "engine/rate/route_step.h"

typedef struct lt_route_change {
    livetcp_usec longer_us;  /* increase of the route's round trip at this update; 0 = none */
    livetcp_usec changed_us; /* the last such update; INT64_MIN = none */
    livetcp_usec shorter_us; /* a base below this soon after shows that it was a queue; 0 = none */
    lt_drain_test drain;
    double before_drain; /* the rate when the tested excess came */
    lt_route_step step;
} lt_route_change;

void lt_route_change_init(lt_route_change *change);

/* An update begins: no change is known yet. */
static inline void lt_route_change_begin(lt_route_change *change)
{
    change->longer_us = 0;
}

/* True while an excess counts as a longer route's, and when one was found. `rate`: bytes per second
 * that the path has carried, 0 = not known; `may_test`: an excess that comes now is tested.
 * `*before` becomes the rate before the excess. */
bool lt_route_change_update(lt_route_change *change, const lt_congestion_sample *sample,
                            double rate, bool may_test, double *before);

/* An excess that was taken for others' queue is a longer route's. Nothing was asked of the path:
 * lt_route_change_was_none() tells when the longer route was none. */
void lt_route_change_presume(lt_route_change *change, const lt_congestion_sample *sample,
                             livetcp_usec longer_us);

/* True if the route that was presumed longer is short again so soon that it was a queue of others.
 */
bool lt_route_change_was_none(lt_route_change *change, const lt_congestion_sample *sample);

/* Excesses are others' from now on. */
void lt_route_change_stop(lt_route_change *change);

/* True while an excess of round trips may be a longer route's. */
bool lt_route_change_is_judged(const lt_route_change *change, livetcp_usec now);

#endif
