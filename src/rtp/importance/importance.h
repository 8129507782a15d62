/* SPDX-License-Identifier: MIT */
/*
 * Importance of the packets of a session. livetcp_importance_of() sees one packet; this adds some
 * state per stream:
 *
 * - the picture of the last packet, so that the picture's other packets get the same importance;
 * - the highest temporal layer, below which H.265's non-reference pictures are referred to;
 * - the number of malformed payloads, so that an encrypted stream is soon no longer classified;
 * - the timestamps of a stream whose codec is UNKNOWN, which tell audio from video.
 */
#ifndef LT_RTP_IMPORTANCE_IMPORTANCE_H
#define LT_RTP_IMPORTANCE_IMPORTANCE_H

#include "rtp/importance/audio.h"

#include <livetcp/rtp.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Maximum number of streams; the least recently used one is replaced. */
#define LT_IMPORTANCE_STREAMS 16

typedef struct lt_importance_stream {
    uint64_t used; /* 0 = free */
    uint32_t ssrc;
    uint32_t timestamp; /* of the picture to which `importance` belongs */
    livetcp_importance importance;
    livetcp_codec codec;
    uint8_t top_layer;
    uint8_t distrust;
    lt_audio_rhythm rhythm;
} lt_importance_stream;

/* Begins zeroed; there is nothing to free. */
typedef struct lt_importance_state {
    lt_importance_stream streams[LT_IMPORTANCE_STREAMS];
    uint64_t uses;
} lt_importance_state;

/* True if a livetcp_packet_info, which may be NULL, is large enough for the field. */
#define LT_INFO_HAS(info, field)                                                                   \
    ((info) && (info)->struct_size >= offsetof(livetcp_packet_info, field) + sizeof(info)->field)

/* Importance of the next packet, in the order of sending. `info` may be NULL; it is read up to its
 * struct_size, and values outside the enumerations count as UNKNOWN. `header` is the packet's; NULL
 * if it is not RTP. Never fails; UNKNOWN at worst. */
livetcp_importance lt_importance_next(lt_importance_state *state, const livetcp_packet_info *info,
                                      const lt_rtp_header *header, const void *packet, size_t size);

#endif
