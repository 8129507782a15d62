/* SPDX-License-Identifier: MIT */
/*
 * Importance of the packets of a session. Where livetcp_importance_of() sees one packet, this
 * remembers a little of each stream:
 *
 * - which picture its last packet began, so that the picture's other packets are equally important;
 * - the highest temporal layer, below which H.265's non-reference pictures are referred to;
 * - the number of malformed payloads: an encrypted stream is soon no longer classified.
 */
#ifndef LT_RTP_IMPORTANCE_IMPORTANCE_H
#define LT_RTP_IMPORTANCE_IMPORTANCE_H

#include <livetcp/rtp.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Video streams remembered, the least recently used is forgotten for a new one. */
#define LT_IMPORTANCE_STREAMS 8

typedef struct lt_importance_stream {
    uint64_t used; /* 0 = free */
    uint32_t ssrc;
    uint32_t timestamp; /* of the picture that `importance` is about */
    livetcp_importance importance;
    livetcp_codec codec;
    uint8_t top_layer;
    uint8_t distrust;
} lt_importance_stream;

/* Zeroes are a valid start; there is nothing to free. */
typedef struct lt_importance_state {
    lt_importance_stream streams[LT_IMPORTANCE_STREAMS];
    uint64_t uses;
} lt_importance_state;

/* True if a livetcp_packet_info, which may be NULL, is large enough to have the field. */
#define LT_INFO_HAS(info, field)                                                                   \
    ((info) && (info)->struct_size >= offsetof(livetcp_packet_info, field) + sizeof(info)->field)

/* Importance of the next packet that is sent, in the order of sending. `info` may be NULL, and is
 * read as far as its struct_size reaches; values that are none of the enumerations' count as
 * UNKNOWN. Any bytes will do for the packet. Never fails: UNKNOWN at worst. */
livetcp_importance lt_importance_next(lt_importance_state *state, const livetcp_packet_info *info,
                                      const void *packet, size_t size);

#endif
