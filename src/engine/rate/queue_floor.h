/* SPDX-License-Identifier: MIT */
/*
 * Is the queue of others in truth a longer route? The queue of a flow that fills the buffer comes
 * and goes, with its losses or, over BBR, every ten seconds. The least that packets meet in a
 * longer route stays the same, period after period, however little the session sends.
 */
#ifndef LT_ENGINE_RATE_QUEUE_FLOOR_H
#define LT_ENGINE_RATE_QUEUE_FLOOR_H

#include <livetcp/base.h>

#define LT_QUEUE_FLOORS 5

typedef struct lt_queue_floor {
    livetcp_usec since_us;
    livetcp_usec min_us;                  /* of this period, */
    unsigned samples;                     /*   and how many there were */
    livetcp_usec floors[LT_QUEUE_FLOORS]; /* minima of the last periods, a ring, */
    unsigned count;                       /*   and of how many periods so far */
} lt_queue_floor;

/* Others have been found beside the session. */
void lt_queue_floor_begin(lt_queue_floor *floor, livetcp_usec now);

/* `excess_us`: of a round trip over the route's; NEVER = none has ended. By how much the route has
 * become longer; 0 = that is not known. */
livetcp_usec lt_queue_floor_update(lt_queue_floor *floor, livetcp_usec excess_us, livetcp_usec now);

#endif
