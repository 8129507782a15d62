/* SPDX-License-Identifier: MIT */
/*
 * parity: one XOR packet for each group of `parity-group` packets, on another connection.
 *
 * Source: our own; docs/reference/wire-format.md has the format. For streams where twice the bytes
 * are too many and a round trip is too long: a packet that is lost or blocked is rebuilt as soon as
 * the rest of its group and the parity packet arrive. This requires that the packets of a group do
 * not wait behind the same loss, so they alternate over the connections, and the parity packet
 * takes one without packets of the group, if possible.
 */
#include "policy/builtin.h"

static double cost(const livetcp_config *config)
{
    return 1.0 / config->parity_group;
}

static void place(void *state, const livetcp_policy_view *view, const livetcp_packet_view *packet,
                  livetcp_decision *decision)
{
    (void)state;
    decision->connections = lt_pick_earliest(view, packet, 1);
    decision->protect = !packet->rtcp && !packet->parity;
}

const livetcp_policy lt_policy_parity = {
    .struct_size = sizeof(livetcp_policy),
    .name = "parity",
    .summary = "one parity packet for every group of 'parity-group' packets",
    .min_connections = 2,
    .wants = LIVETCP_WANTS_PATHS | LIVETCP_WANTS_TAIL_PROBES | LIVETCP_WANTS_PARITY,
    .cost = cost,
    .place = place,
};
