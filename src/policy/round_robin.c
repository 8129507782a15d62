/* SPDX-License-Identifier: MIT */
/*
 * round-robin: connections in turn, regardless of their state.
 *
 * Source: Brosh et al., section 7.2, the 'blind' (delay-agnostic) scheme. Deviation: a connection
 * with a full send buffer loses its turn. The paper's sender would block there, which a live stream
 * cannot.
 */
#include "policy/builtin.h"

typedef struct round_robin {
    unsigned next;
} round_robin;

static void place(void *state, const livetcp_policy_view *view, const livetcp_packet_view *packet,
                  livetcp_decision *decision)
{
    round_robin *turn = state;
    (void)packet;
    for (unsigned tried = 0; tried < view->path_count; tried++) {
        unsigned i = (turn->next + tried) % view->path_count;
        if (livetcp_view_path(view, i)->ready) {
            turn->next = i + 1;
            decision->connections = lt_bit(i);
            return;
        }
    }
}

const livetcp_policy lt_policy_round_robin = {
    .struct_size = sizeof(livetcp_policy),
    .name = "round-robin",
    .summary = "connections in turn, blind to their state (Brosh: 'blind')",
    .state_size = sizeof(round_robin),
    .place = place,
};
