/* SPDX-License-Identifier: MIT */
/* One protected stream at the receiving end: its last packets, and the parity that still lacks more
 * than one. */
#ifndef LT_ENGINE_RECEIVER_PARITY_STREAM_H
#define LT_ENGINE_RECEIVER_PARITY_STREAM_H

#include "engine/receiver/parity_decoder.h"
#include "wire/parity.h"

/* A parity packet whose group is not complete. */
typedef struct lt_parity_waiting {
    lt_packet *packet; /* enqueued_us is when it came */
    size_t header_size;
    lt_parity_cover cover;
    unsigned missing; /* members that are not in the history */
} lt_parity_waiting;

/* Parity streams of one media stream, such as rows and columns; the one announced first makes room
 * for another. */
#define LT_PARITY_SOURCES 4

typedef struct lt_parity_source {
    uint32_t ssrc;
    uint8_t payload_type;
} lt_parity_source;

typedef struct lt_parity_stream {
    uint32_t media_ssrc;
    lt_parity_source sources[LT_PARITY_SOURCES]; /* announced first first */
    unsigned source_count;
    uint64_t used; /* grows with every parity packet: the lowest is forgotten first */

    lt_packet *history[LT_PARITY_HISTORY]; /* by sequence number; enqueued_us is when it came */
    uint16_t newest;                       /* number that history goes up to */
    size_t history_bytes;

    lt_parity_waiting waiting[LT_PARITY_WAITING]; /* oldest first */
    unsigned waiting_count;
    size_t waiting_bytes;
    bool changed; /* a group that waits may lack one packet, or none */

    lt_parity_memory *memory; /* of all streams of the session */
} lt_parity_stream;

/* NULL if memory is out. `memory` must outlive the stream. */
lt_parity_stream *lt_parity_stream_create(uint32_t media_ssrc, lt_parity_memory *memory);
void lt_parity_stream_destroy(lt_parity_stream **stream);

/* Parity comes with that SSRC and payload type from now on; that SSRC is parity of it no more; it
 * has parity with that SSRC. */
void lt_parity_stream_announced(lt_parity_stream *stream, uint32_t parity_ssrc,
                                uint8_t payload_type);
void lt_parity_stream_withdraw(lt_parity_stream *stream, uint32_t parity_ssrc);
const lt_parity_source *lt_parity_stream_source(const lt_parity_stream *stream,
                                                uint32_t parity_ssrc);

/* Copies a packet of the media. */
void lt_parity_stream_add_media(lt_parity_stream *stream, const uint8_t *data, size_t size,
                                uint16_t sequence, livetcp_usec now);

/* Copies a parity packet that lt_parity_parse() took, if its group lacks something. */
void lt_parity_stream_add_parity(lt_parity_stream *stream, const uint8_t *data, size_t size,
                                 size_t header_size, const lt_parity_cover *cover,
                                 livetcp_usec now);

/* Takes up the next group that lacks one packet. Returns true with that packet, rebuilt, its
 * reference and its header, or with NULL where the parity does not fit the group; false if there is
 * none. The packet is not in the history: the caller adds it. */
bool lt_parity_stream_next(lt_parity_stream *stream, size_t max_packet, livetcp_usec now,
                           lt_packet **packet, lt_rtp_header *header);

#endif
