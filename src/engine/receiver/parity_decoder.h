/* SPDX-License-Identifier: MIT */
/* Receiver of parity: keeps the packets of the streams that parity protects, and rebuilds a group's
 * missing packet (RFC 8627 section 6.3) as soon as it is the only one. No clock, no delivery: the
 * caller handles rebuilt packets like packets that arrived. */
#ifndef LT_ENGINE_RECEIVER_PARITY_DECODER_H
#define LT_ENGINE_RECEIVER_PARITY_DECODER_H

#include "engine/memory.h"
#include "engine/packet.h"
#include "rtp/rtp.h"

#include <livetcp/base.h>

/* Bounds, whatever the peer sends. */

/* Protected streams, of 1.25 MiB each at most. A session has one for audio and one for video, some
 * for each layer; over this, the one whose parity came least recently is forgotten. A media stream
 * has one of them, whatever number of parity streams protect it. */
#define LT_PARITY_STREAMS 8

/* What a session may hold in any case; more only from memory that it shares with others. */
#define LT_PARITY_OWN (256 * 1024)

/* Packets kept of a stream: 600 ms of 10 Mb/s in packets of 1448 bytes. Parity is good for as long
 * as TCP needs to bring a packet itself, which is a round trip, or a retransmission timeout of 200
 * ms and more. A power of two, and above LT_PARITY_SPAN. */
#define LT_PARITY_HISTORY       512
#define LT_PARITY_HISTORY_BYTES (1024 * 1024)

/* Parity packets that wait for more of their group: with groups of four, the same time. */
#define LT_PARITY_WAITING       128
#define LT_PARITY_WAITING_BYTES (256 * 1024)

/* After this, a packet is no member of a group any more: its number may mean another one, since the
 * numbers start over after 65536 and whenever the sender likes. */
#define LT_PARITY_AGE_US (10 * LIVETCP_USEC_SEC)

typedef struct lt_parity_decoder lt_parity_decoder;

/* What the streams of a session hold together. */
typedef struct lt_parity_memory {
    size_t held;
    lt_memory *shared; /* NULL: there are no others */
    uint64_t lookups;
} lt_parity_memory;

typedef struct lt_parity_stats {
    uint64_t received; /* parity packets */
    uint64_t rebuilt;  /* packets made from them */
    uint64_t invalid;  /* parity packets that were malformed, protect another stream than was
                          announced, or do not fit its packets */
} lt_parity_stats;

/* `max_packet`: longer packets are not rebuilt. NULL if memory is out. */
lt_parity_decoder *lt_parity_decoder_create(size_t max_packet);
void lt_parity_decoder_destroy(lt_parity_decoder **decoder);

/* Bytes beyond LT_PARITY_OWN are taken from `memory`, which must outlive the decoder. */
void lt_parity_decoder_share(lt_parity_decoder *decoder, lt_memory *memory);

/* From now on, packets of that SSRC and payload type are parity of `media_ssrc`. Again is fine;
 * with other values, these hold. Errors: LIVETCP_ERR_NO_MEMORY, everything is as before. */
livetcp_result lt_parity_decoder_announce(lt_parity_decoder *decoder, uint32_t parity_ssrc,
                                          uint32_t media_ssrc, uint8_t payload_type);

/* Takes an RTP packet whose header was parsed, parity or not; keeps copies of packets of protected
 * streams only. Returns true if it is parity, not to be delivered. When memory is out, it may be
 * missed later. Call next() after it, until that returns NULL. */
bool lt_parity_decoder_take(lt_parity_decoder *decoder, const uint8_t *data, size_t size,
                            const lt_rtp_header *header, livetcp_usec now);

/* The next packet that can be rebuilt now, with one reference, and its RTP header; NULL if there is
 * none. It has `ssrc`, `sequence` and enqueued_us = now. */
lt_packet *lt_parity_decoder_next(lt_parity_decoder *decoder, livetcp_usec now,
                                  lt_rtp_header *header);

const lt_parity_stats *lt_parity_decoder_get_stats(const lt_parity_decoder *decoder);

/* Bytes of the packets that it keeps now. */
size_t lt_parity_decoder_held(const lt_parity_decoder *decoder);

/* Members of groups looked up so far: the work that grows with what a peer sends. */
uint64_t lt_parity_decoder_lookups(const lt_parity_decoder *decoder);

#endif
