/* SPDX-License-Identifier: MIT */
/*
 * shortest-queue: the connection with the smallest send queue, never one in timeout.
 *
 * Source: Brosh et al., section 7.2, the 'intelligent' (delay-aware) scheme: "selects a connection
 * for packet transmission that has the smallest TCP send queue and is not in the timeout state".
 * The send queue is the kernel's: unsent and unacknowledged bytes, so a connection that repairs a
 * loss keeps its bytes longer, and is skipped until the repair.
 *
 * The paper does not say how ties are broken: among equal queues the connection written to least
 * recently is taken. This spreads an uncongested stream over all connections; and if the queues are
 * equal because a segment was lost, the packet follows it, so that RACK detects the loss after one
 * round trip instead of a timeout (docs/adr/0003-ties-of-shortest-queue.md has the measurement). If
 * every connection is in timeout, the packet stays in the session's send queue, and the first
 * connection that recovers gets it, rather than one that may recover last. A connection without
 * path info counts as having an empty queue, which makes this policy round-robin there.
 */
#include "policy/builtin.h"

static uint32_t queue_of(const livetcp_path *path)
{
    return path->known & LIVETCP_PATH_QUEUED ? path->queued_bytes : 0;
}

static bool is_better(const livetcp_path *path, const livetcp_path *best)
{
    if (queue_of(path) != queue_of(best))
        return queue_of(path) < queue_of(best);
    return path->last_write_us < best->last_write_us;
}

static void place(void *state, const livetcp_policy_view *view, const livetcp_packet_view *packet,
                  livetcp_decision *decision)
{
    const livetcp_path *best = NULL;
    (void)state;
    (void)packet;
    for (unsigned i = 0; i < view->path_count; i++) {
        const livetcp_path *path = livetcp_view_path(view, i);
        if (!path->ready || path->tcp_state == LIVETCP_TCP_TIMEOUT)
            continue;
        if (!best || is_better(path, best))
            best = path;
    }
    if (best)
        decision->connections = lt_bit(best->connection);
}

const livetcp_policy lt_policy_shortest_queue = {
    .struct_size = sizeof(livetcp_policy),
    .name = "shortest-queue",
    .summary = "the smallest send queue, never a connection in timeout (Brosh: 'intelligent')",
    .wants = LIVETCP_WANTS_PATHS | LIVETCP_WANTS_TAIL_PROBES,
    .place = place,
};
