/* SPDX-License-Identifier: MIT */
/* Detects a standing queue on the path, where loss is congestion, and copies would add to it. */
#ifndef LT_POLICY_STANDING_QUEUE_H
#define LT_POLICY_STANDING_QUEUE_H

#include <livetcp/policy.h>

typedef struct lt_standing_queue {
    livetcp_usec base_us[LIVETCP_MAX_CONNECTIONS]; /* round trip without a queue; 0 = unknown */
    livetcp_usec began_us;                         /* when the queue was first seen, */
    livetcp_usec seen_us;                          /*   and last */
    livetcp_usec hold_us; /* time for which it counts after that; 0 = none was seen */
    bool looked;
    livetcp_usec looked_us; /* time of the last look */
    livetcp_usec placed_us; /* when the last packet was placed, */
    double burst;           /*   bytes placed together with it so far, */
    double ahead;           /*   and of these, ahead of a packet, on average */
} lt_standing_queue;

/* A packet of so many bytes has been placed. */
void lt_standing_queue_placed(lt_standing_queue *queue, size_t size, livetcp_usec now);

/* Takes the current path info. True while a queue stands, and for some seconds after. */
bool lt_standing_queue_update(lt_standing_queue *queue, const livetcp_policy_view *view);

#endif
