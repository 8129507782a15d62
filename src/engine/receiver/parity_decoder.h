/* SPDX-License-Identifier: MIT */
/* Receiver of parity: keeps the packets of protected streams, and rebuilds the missing packet of a
 * group (RFC 8627, section 6.3) as soon as it is the only one. It has no clock and delivers
 * nothing: the caller handles rebuilt packets like received ones. */
#ifndef LT_ENGINE_RECEIVER_PARITY_DECODER_H
#define LT_ENGINE_RECEIVER_PARITY_DECODER_H

#include "engine/memory.h"
#include "engine/packet.h"
#include "rtp/rtp.h"

#include <livetcp/base.h>

/* Bounds on the memory that a peer can cause. */

/* Protected streams, of at most 1.25 MiB each. A session has one each for audio and video, some
 * have one per layer. Beyond the limit, the stream whose parity came least recently is replaced.
 * Several parity streams may protect one media stream. */
#define LT_PARITY_STREAMS 8

/* Bytes that each session may hold; more only from memory shared with other sessions. */
#define LT_PARITY_OWN (256 * 1024)

/* Packets kept per stream: 600 ms of 10 Mbit/s in packets of 1448 bytes. Parity is useful until TCP
 * delivers the packet itself, after a round trip, or a retransmission timeout of 200 ms or more. A
 * power of two, above LT_PARITY_SPAN. */
#define LT_PARITY_HISTORY       512
#define LT_PARITY_HISTORY_BYTES (1024 * 1024)

/* Parity packets that wait for packets of their group: the same time in groups of four. */
#define LT_PARITY_WAITING       128
#define LT_PARITY_WAITING_BYTES (256 * 1024)

/* Older packets no longer belong to a group: their number may mean another packet, since numbers
 * wrap after 65,536, and a sender may restart them. */
#define LT_PARITY_AGE_US (10 * LIVETCP_USEC_SEC)

typedef struct lt_parity_decoder lt_parity_decoder;

/* Memory of all streams of a session. */
typedef struct lt_parity_memory {
    size_t held;
    lt_memory *shared; /* NULL: not shared with other sessions */
    uint64_t lookups;
} lt_parity_memory;

typedef struct lt_parity_stats {
    uint64_t received; /* parity packets */
    uint64_t rebuilt;  /* packets rebuilt from them */
    uint64_t invalid;  /* parity packets that are malformed, protect another stream than announced,
                          or contradict its packets */
} lt_parity_stats;

/* `max_packet`: longer packets are not rebuilt. NULL without memory. */
lt_parity_decoder *lt_parity_decoder_create(size_t max_packet);
void lt_parity_decoder_destroy(lt_parity_decoder **decoder);

/* Bytes beyond LT_PARITY_OWN are taken from `memory`, which must outlive the decoder. */
void lt_parity_decoder_share(lt_parity_decoder *decoder, lt_memory *memory);

/* From now on, packets with this SSRC and payload type are parity of `media_ssrc`. May be repeated;
 * the last values apply. Errors: LIVETCP_ERR_NO_MEMORY, with nothing changed. */
livetcp_result lt_parity_decoder_announce(lt_parity_decoder *decoder, uint32_t parity_ssrc,
                                          uint32_t media_ssrc, uint8_t payload_type);

/* Takes an RTP packet whose header was parsed; copies only packets of protected streams. Returns
 * true if it is parity, which is not delivered. A packet that cannot be copied for lack of memory
 * may be missing later. Call lt_parity_decoder_next() until it returns NULL. */
bool lt_parity_decoder_take(lt_parity_decoder *decoder, const uint8_t *data, size_t size,
                            const lt_rtp_header *header, livetcp_usec now);

/* Returns the next packet that can be rebuilt, with one reference, and sets its RTP header; NULL if
 * there is none. Its `ssrc` and `sequence` are set, and enqueued_us = now. */
lt_packet *lt_parity_decoder_next(lt_parity_decoder *decoder, livetcp_usec now,
                                  lt_rtp_header *header);

const lt_parity_stats *lt_parity_decoder_get_stats(const lt_parity_decoder *decoder);

/* Bytes of the packets that it holds. */
size_t lt_parity_decoder_held(const lt_parity_decoder *decoder);

/* Number of group members looked up so far, which measures the work that a peer causes. */
uint64_t lt_parity_decoder_lookups(const lt_parity_decoder *decoder);

#endif
