/* SPDX-License-Identifier: MIT */
/*
 * earliest-delivery: the connection with the earliest forecast delivery of the packet.
 *
 * Source: our own, in place of the smallest send queue of Brosh et al., section 7.2. The length of
 * a queue is not its waiting time: the same bytes are sent at once through an open window, and
 * after a round trip behind a loss. forecast.c has the components.
 */
#include "policy/builtin.h"

static void place(void *state, const livetcp_policy_view *view, const livetcp_packet_view *packet,
                  livetcp_decision *decision)
{
    (void)state;
    decision->connections = lt_pick_earliest(view, packet, 1);
}

const livetcp_policy lt_policy_earliest_delivery = {
    .struct_size = sizeof(livetcp_policy),
    .name = "earliest-delivery",
    .summary = "the connection that is forecast to deliver first",
    .wants = LIVETCP_WANTS_PATHS | LIVETCP_WANTS_TAIL_PROBES,
    .place = place,
};
