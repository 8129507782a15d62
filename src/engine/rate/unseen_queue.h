/* SPDX-License-Identifier: MIT */
/*
 * A queue that some round trips never meet. Fair queueing (FQ-CoDel, CAKE) serves a connection at
 * once that has sent nothing for a moment, and makes the others wait, each in a queue of its own. A
 * session of several connections then always has round trips without a queue, however much it
 * sends. The bytes under way show the queue: they are more than the path holds at the rate that it
 * delivers, all the time.
 *
 * Sources: Little's law (Little, 1961); RFC 8290, section 4.2, for the new flows.
 */
#ifndef LT_ENGINE_RATE_UNSEEN_QUEUE_H
#define LT_ENGINE_RATE_UNSEEN_QUEUE_H

#include "engine/rate/delay_history.h"

typedef struct lt_unseen_queue { /* begins zeroed */
    bool found;
    livetcp_usec found_us; /* when it was last long */
} lt_unseen_queue;

/* The queue that stood all through the window; 0 = none, or it is not known. `limit`: bytes per
 * second that the path has carried while a queue stood. */
livetcp_usec lt_unseen_queue_update(lt_unseen_queue *queue, const lt_congestion_sample *sample,
                                    const lt_delay_window *window, double limit);

#endif
