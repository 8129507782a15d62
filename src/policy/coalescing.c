/* SPDX-License-Identifier: MIT */
#include "policy/coalescing.h"

#include "policy/builtin.h"

/* A queue of so many intervals: less is the packet that is being sent, and hardly another. */
#define QUEUE 1.5
#define LATE  1.25 /* intervals: the next packet is not to be expected any more */

#define SEGMENT    1400
#define FRAMING    16
#define AT_ONCE_US LIVETCP_USEC_MSEC

static bool is_small(const livetcp_packet_view *packet)
{
    return !packet->rtcp && !packet->parity && 2 * (packet->size + FRAMING) <= SEGMENT;
}

/* A queue on most connections is the link's. */
static bool is_full(const livetcp_policy_view *view, livetcp_usec interval_us)
{
    unsigned known = 0, full = 0;

    for (unsigned i = 0; i < view->path_count; i++) {
        const livetcp_path *path = livetcp_view_path(view, i);
        if (!path->usable || !(path->known & LIVETCP_PATH_RTT) ||
            !(path->known & LIVETCP_PATH_GROUP) || !path->group_rtt_us)
            continue;
        known++;
        full += (double)(path->rtt_us - path->group_rtt_us) > QUEUE * (double)interval_us;
    }
    return known && 2 * full >= known;
}

livetcp_usec lt_coalescing_wait(const livetcp_policy_view *view, const livetcp_packet_view *packet,
                                livetcp_usec interval_us)
{
    livetcp_usec until = packet->enqueued_us + (livetcp_usec)(LATE * (double)interval_us);

    return is_small(packet) && view->queue_packets < 2 && view->now_us < until &&
                   is_full(view, interval_us)
               ? until
               : 0;
}

uint32_t lt_coalescing_joins(lt_coalescing *coalescing, const livetcp_policy_view *view,
                             const livetcp_packet_view *packet)
{
    size_t bytes = coalescing->bytes + packet->size + FRAMING;

    if (!coalescing->bytes || view->now_us - coalescing->placed_us > AT_ONCE_US ||
        bytes > SEGMENT || !is_small(packet) ||
        !livetcp_view_path(view, lt_first(coalescing->connection))->ready) {
        coalescing->bytes = 0;
        return 0;
    }
    coalescing->bytes = bytes;
    return coalescing->connection;
}

void lt_coalescing_placed(lt_coalescing *coalescing, const livetcp_packet_view *packet,
                          uint32_t connection, livetcp_usec now)
{
    *coalescing =
        (lt_coalescing){.connection = connection,
                        .placed_us = now,
                        .bytes = connection && is_small(packet) ? packet->size + FRAMING : 0};
}
