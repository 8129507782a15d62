/* SPDX-License-Identifier: MIT */
/*
 * A route that has become longer looks like a queue: round trips are above their minimum and stay
 * there. A window made for the shorter one then delivers less, which looks like a slower
 * bottleneck, and makes the window smaller still. But a queue of ours drains when little is sent,
 * and one of others varies: what does neither is the route.
 */
#ifndef LT_ENGINE_RATE_ROUTE_STEP_H
#define LT_ENGINE_RATE_ROUTE_STEP_H

#include "engine/rate/loss_count.h"

typedef struct lt_route_step {
    livetcp_usec since_us;       /* the excess has been flat since; LIVETCP_NEVER = no excess */
    livetcp_usec min_us, max_us; /* of it */
    unsigned samples;            /* since then, */
    unsigned beside;             /*   and those of them that are beside it */
    uint64_t delivered;          /* when it began */
    double before;               /* delivered bytes per second before the excess */

    lt_loss_count calm;   /* since there was no excess, */
    livetcp_usec calm_us; /*   which was then; LIVETCP_NEVER = this one is no route's */

    /* Minima of successive periods, since it came at once. */
    livetcp_usec part_us, part_min_us; /* the present one began, and its minimum so far */
    unsigned part_samples;
    livetcp_usec least_us; /* of those before; LIVETCP_NEVER = none */

    livetcp_usec last_us, last_at_us;     /* the excess before this one */
    livetcp_usec jumped_us, jumped_at_us; /* an excess that came at once; 0 = none did */
} lt_route_step;

void lt_route_step_init(lt_route_step *step);

/* Takes a sample and the known delivery rate, bytes per second (0 = not known). Returns the
 * increase of the route's round trip; 0 = none found. */
livetcp_usec lt_route_step_update(lt_route_step *step, const lt_congestion_sample *sample,
                                  double rate);

/* True while an excess that came at once, as no queue does, is undecided: it does not count as a
 * queue of others yet. */
bool lt_route_step_is_likely(const lt_route_step *step, livetcp_usec now);

/* True while a flat excess is undecided. */
bool lt_route_step_is_open(const lt_route_step *step, livetcp_usec now);

#endif
