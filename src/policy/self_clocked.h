/* SPDX-License-Identifier: MIT */
/* Detects a self-clocked source: it makes a packet when the previous one has left, not by a clock.
 */
#ifndef LT_POLICY_SELF_CLOCKED_H
#define LT_POLICY_SELF_CLOCKED_H

#include <livetcp/policy.h>

/* Begins zeroed. */
typedef struct lt_self_clocked {
    livetcp_usec left_us; /* when the previous packet was placed */
    unsigned score;
} lt_self_clocked;

/* The packet, the oldest of the send queue, is placed now. */
void lt_self_clocked_placed(lt_self_clocked *source, const livetcp_packet_view *packet,
                            livetcp_usec now);

bool lt_self_clocked_is(const lt_self_clocked *source);

#endif
