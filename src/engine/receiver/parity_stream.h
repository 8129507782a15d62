/* SPDX-License-Identifier: MIT */
/* One protected stream at the receiver: its last packets, and the parity packets whose groups lack
 * more than one. */
#ifndef LT_ENGINE_RECEIVER_PARITY_STREAM_H
#define LT_ENGINE_RECEIVER_PARITY_STREAM_H

#include "engine/receiver/parity_decoder.h"
#include "wire/parity.h"

/* A parity packet whose group is not complete. */
typedef struct lt_parity_waiting {
    lt_packet *packet; /* enqueued_us is its arrival */
    size_t header_size;
    lt_parity_cover cover;
    unsigned missing; /* packets of the group that are not in the history */
} lt_parity_waiting;

/* Parity streams of one media stream, such as rows and columns. Beyond the limit, the one announced
 * first is replaced. */
#define LT_PARITY_SOURCES 4

typedef struct lt_parity_source {
    uint32_t ssrc;
    uint8_t payload_type;
} lt_parity_source;

typedef struct lt_parity_stream {
    uint32_t media_ssrc;
    lt_parity_source sources[LT_PARITY_SOURCES]; /* in order of announcement */
    unsigned source_count;
    uint64_t used; /* value of the decoder's clock at the last parity packet; the stream with the
                      lowest is replaced */

    lt_packet *history[LT_PARITY_HISTORY]; /* by sequence number; enqueued_us is the arrival */
    uint16_t newest;                       /* highest number in the history */
    size_t history_bytes;

    lt_parity_waiting waiting[LT_PARITY_WAITING]; /* oldest first */
    unsigned waiting_count;
    size_t waiting_bytes;
    bool changed; /* a waiting group may lack one packet or none now */

    lt_parity_memory *memory; /* shared by all streams of the session */
} lt_parity_stream;

/* NULL without memory. `memory` must outlive the stream. */
lt_parity_stream *lt_parity_stream_create(uint32_t media_ssrc, lt_parity_memory *memory);
void lt_parity_stream_destroy(lt_parity_stream **stream);

/* Adds a parity stream; removes one; finds one, or NULL. */
void lt_parity_stream_announced(lt_parity_stream *stream, uint32_t parity_ssrc,
                                uint8_t payload_type);
void lt_parity_stream_withdraw(lt_parity_stream *stream, uint32_t parity_ssrc);
const lt_parity_source *lt_parity_stream_source(const lt_parity_stream *stream,
                                                uint32_t parity_ssrc);

/* Copies a media packet. */
void lt_parity_stream_add_media(lt_parity_stream *stream, const uint8_t *data, size_t size,
                                uint16_t sequence, livetcp_usec now);

/* Copies a parity packet accepted by lt_parity_parse(), unless its group is complete. */
void lt_parity_stream_add_parity(lt_parity_stream *stream, const uint8_t *data, size_t size,
                                 size_t header_size, const lt_parity_cover *cover,
                                 livetcp_usec now);

/* Processes the next group that lacks one packet; false if there is none. On true, *packet is the
 * rebuilt packet with one reference, and *header its header; or NULL if parity and group contradict
 * each other. The caller adds the packet to the history. */
bool lt_parity_stream_next(lt_parity_stream *stream, size_t max_packet, livetcp_usec now,
                           lt_packet **packet, lt_rtp_header *header);

#endif
