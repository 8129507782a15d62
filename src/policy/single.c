/* SPDX-License-Identifier: MIT */
/*
 * single: all packets on one connection, as applications do today. The baseline of all comparisons.
 *
 * Source: Brosh et al., section 3 (a CBR source over one TCP connection). Deviation: if a
 * listener's session has several connections, the usable one with the lowest index is taken, so
 * that a lost connection does not end the stream.
 */
#include "policy/builtin.h"

static void place(void *state, const livetcp_policy_view *view, const livetcp_packet_view *packet,
                  livetcp_decision *decision)
{
    (void)state;
    (void)packet;
    for (unsigned i = 0; i < view->path_count; i++) {
        if (!livetcp_view_path(view, i)->usable)
            continue;
        if (livetcp_view_path(view, i)->ready)
            decision->connections = lt_bit(i);
        return;
    }
}

const livetcp_policy lt_policy_single = {
    .struct_size = sizeof(livetcp_policy),
    .name = "single",
    .summary = "everything on one connection",
    .max_connections = 1,
    .place = place,
};
