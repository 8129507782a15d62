/* SPDX-License-Identifier: MIT */
/*
 * Small packets share a segment where the link is full. Headers of TCP and IP are a quarter of what
 * a packet of speech takes there (the small-packet problem, RFC 896). A single connection's kernel
 * joins packets that wait for its window, so that an overload ends. Several connections have one
 * packet each, and repeat what the queue, or a policer, drops in segments as small. Here, unlike in
 * RFC 896, a packet waits for the next one, and not for an acknowledgement.
 */
#ifndef LT_POLICY_COALESCING_H
#define LT_POLICY_COALESCING_H

#include <livetcp/policy.h>

typedef struct lt_coalescing {
    uint64_t lost;          /* segments, */
    livetcp_usec lost_us;   /*   and when that last grew; 0 = never */
    livetcp_usec room_us;   /* when a link last had room for extra bytes; 0 = never asked */
    uint32_t connection;    /* bit: took packets that others may join */
    livetcp_usec placed_us; /*   at this time, */
    size_t bytes;           /*   of so many bytes; 0 = none */
} lt_coalescing;

/* True if two of the largest packets of late fit in a segment, as of speech. An encoder that is
 * told little is none: it had larger ones. */
bool lt_coalescing_suits(const livetcp_policy_view *view);

/* True while most connections lose much, and no extra bytes of ours, which the link has not taken
 * for some time. */
bool lt_coalescing_loses(lt_coalescing *coalescing, const livetcp_policy_view *view);

/* Time until which the packet waits for the next one, which follows after about `interval_us`; 0 =
 * it does not. For links that are hardly faster than the media, or lose it. */
livetcp_usec lt_coalescing_wait(lt_coalescing *coalescing, const livetcp_policy_view *view,
                                const livetcp_packet_view *packet, livetcp_usec interval_us);

/* The connection whose segment the packet joins, as a bit; 0 = none. */
uint32_t lt_coalescing_joins(lt_coalescing *coalescing, const livetcp_policy_view *view,
                             const livetcp_packet_view *packet);

/* The packet was placed on `connection` after it may have waited; the next ones join it. */
void lt_coalescing_placed(lt_coalescing *coalescing, const livetcp_packet_view *packet,
                          uint32_t connection, livetcp_usec now);

#endif
