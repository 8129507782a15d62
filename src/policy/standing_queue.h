/* SPDX-License-Identifier: MIT */
/* Whether the path has a standing queue: then loss is congestion, and copies would add to it. */
#ifndef LT_POLICY_STANDING_QUEUE_H
#define LT_POLICY_STANDING_QUEUE_H

#include <livetcp/policy.h>

typedef struct lt_standing_queue {
    livetcp_usec base_us; /* smallest round trip of the session; 0 = none known */
    livetcp_usec seen_us; /* when a queue was last seen; 0 = never */
    bool was_seen;
} lt_standing_queue;

/* Takes in the facts of a moment. True while a queue stands, and for some seconds after. */
bool lt_standing_queue_update(lt_standing_queue *queue, const livetcp_policy_view *view);

#endif
