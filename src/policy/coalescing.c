/* SPDX-License-Identifier: MIT */
#include "policy/coalescing.h"

#include "policy/builtin.h"

/* A queue of so many intervals: less is the packet that is being sent, and hardly another. */
#define QUEUE 1.5
#define LATE  1.25 /* intervals: the next packet is not to be expected any more */

#define LOSS    0.05                                 /* of the segments, */
#define LOST_US (1 * (livetcp_usec)LIVETCP_USEC_SEC) /*   and some of late */
#define ROOM_US (2 * (livetcp_usec)LIVETCP_USEC_SEC) /* without extra bytes */

#define SEGMENT    1400
#define FRAMING    16
#define AT_ONCE_US LIVETCP_USEC_MSEC

/* Two of this size fit in a segment. */
static bool fits_twice(size_t size)
{
    return 2 * (size + FRAMING) <= SEGMENT;
}

bool lt_coalescing_suits(const livetcp_policy_view *view)
{
    return view->largest_packet && fits_twice(view->largest_packet);
}

static bool is_small(const livetcp_packet_view *packet)
{
    return !packet->rtcp && !packet->parity && fits_twice(packet->size);
}

/* Packets are lost now, without extra bytes: `group_loss` is that of ten seconds. */
static bool loses_now(lt_coalescing *coalescing, const livetcp_policy_view *view)
{
    uint64_t lost = 0;
    bool room = !coalescing->room_us;

    for (unsigned i = 0; i < view->path_count; i++) {
        const livetcp_path *path = livetcp_view_path(view, i);
        lost += path->retransmitted_segments;
        room = room || (path->usable && path->link_room);
    }
    if (room)
        coalescing->room_us = view->now_us;
    if (lost > coalescing->lost)
        coalescing->lost_us = view->now_us;
    coalescing->lost = lost;
    return coalescing->lost_us && view->now_us - coalescing->lost_us < LOST_US &&
           view->now_us - coalescing->room_us > ROOM_US;
}

/* What most connections meet, a queue or losses, is the link's. */
static bool is_full(lt_coalescing *coalescing, const livetcp_policy_view *view,
                    livetcp_usec queue_us)
{
    bool loses = loses_now(coalescing, view);
    unsigned known = 0, full = 0;

    for (unsigned i = 0; i < view->path_count; i++) {
        const livetcp_path *path = livetcp_view_path(view, i);
        if (!path->usable || !(path->known & LIVETCP_PATH_RTT) ||
            !(path->known & LIVETCP_PATH_GROUP) || !path->group_rtt_us)
            continue;
        known++;
        full += path->rtt_us - path->group_rtt_us > queue_us || (loses && path->group_loss > LOSS);
    }
    return known && 2 * full >= known;
}

bool lt_coalescing_loses(lt_coalescing *coalescing, const livetcp_policy_view *view)
{
    return is_full(coalescing, view, LIVETCP_NEVER);
}

livetcp_usec lt_coalescing_wait(lt_coalescing *coalescing, const livetcp_policy_view *view,
                                const livetcp_packet_view *packet, livetcp_usec interval_us)
{
    livetcp_usec until = packet->enqueued_us + (livetcp_usec)(LATE * (double)interval_us);

    return is_small(packet) && view->queue_packets < 2 && view->now_us < until &&
                   is_full(coalescing, view, (livetcp_usec)(QUEUE * (double)interval_us))
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
    coalescing->connection = connection;
    coalescing->placed_us = now;
    coalescing->bytes = connection && is_small(packet) ? packet->size + FRAMING : 0;
}
