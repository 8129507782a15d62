/* SPDX-License-Identifier: MIT */
/*
 * Redundant audio, RFC 2198 ("RED"): each packet repeats the frames of those before it, perhaps in
 * a cheaper encoding, so that a frame whose own packet is late or lost is played from the next. It
 * helps when the next packet takes another way: say so with livetcp_packet_info.repeats.
 *
 *     livetcp_redundancy_encode(encoder, rtp, rtp_size, NULL, &red, &red_size, NULL);
 *     info.repeats = config.depth;
 *     livetcp_session_send_with(session, red, red_size, &info);
 *
 * and at the other end livetcp_redundancy_decode(), whose frames go to livetcp_playout_put(), the
 * redundant ones with LIVETCP_PLAYOUT_REDUNDANT.
 *
 * One object is for one stream and one thread at a time. No clock, no I/O.
 */
#ifndef LIVETCP_REDUNDANCY_H
#define LIVETCP_REDUNDANCY_H

#include <livetcp/export.h>
#include <livetcp/result.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    LIVETCP_REDUNDANCY_MAX_DEPTH = 3,
    LIVETCP_REDUNDANCY_MAX_FRAMES = 9 /* in a packet that is decoded, the primary one included */
};

typedef struct livetcp_redundancy_config {
    size_t struct_size;    /* set by livetcp_redundancy_config_init() */
    unsigned payload_type; /* of RED packets, as in SDP ("a=rtpmap:63 red/48000/2"): 0..127 without
                              64..95, which RFC 5761 forbids. Default 63 */
    unsigned depth;        /* encoder: frames before the present one that a packet repeats, 1..3.
                              Default 1 */
    size_t max_packet;     /* bytes of a RED packet, 64..65535. Default 1400 for what is encoded to
                              stay in one segment; a decoder refuses what is longer */
} livetcp_redundancy_config;

LIVETCP_API void livetcp_redundancy_config_init(livetcp_redundancy_config *config);

/* ---- encoder ---- */

typedef struct livetcp_redundancy_encoder livetcp_redundancy_encoder;

/* On success the caller owns *encoder; on failure it is NULL. Errors:
 * LIVETCP_ERR_INVALID_ARGUMENT, with a message that names the setting, LIVETCP_ERR_NO_MEMORY. */
LIVETCP_API livetcp_result
livetcp_redundancy_encoder_create(const livetcp_redundancy_config *config,
                                  livetcp_redundancy_encoder **encoder, livetcp_error *error);

/* Frees it and clears *encoder, which may be NULL already. */
LIVETCP_API void livetcp_redundancy_encoder_destroy(livetcp_redundancy_encoder **encoder);

/* A frame in another encoding, for later packets to repeat. */
typedef struct livetcp_redundancy_block {
    unsigned payload_type; /* 0..127 without 64..95 */
    const void *payload;
    size_t size; /* 0: the frame is not to be repeated */
} livetcp_redundancy_block;

/*
 * Makes a RED packet of the RTP packet `primary`, with its header, its payload, and the frames of
 * the packets before it, oldest first. `secondary` is what later packets repeat of this one; NULL:
 * its own payload. On success *red is `*red_size` bytes that stay as they are until the next call.
 *
 * Receivers count back from the packet's sequence number, so what is repeated is always an unbroken
 * run up to the packet before. A frame that does not fit ends it and is counted: longer than 1023
 * bytes, more than 16383 timestamp units ago, or no room in max_packet. After a gap in the
 * sequence numbers, or a new SSRC, there is nothing to repeat.
 *
 * Errors: LIVETCP_ERR_NOT_RTP; LIVETCP_ERR_PACKET_TOO_LARGE, if the primary alone is longer than
 * max_packet; LIVETCP_ERR_INVALID_ARGUMENT for a payload type out of range. Nothing is remembered
 * of the packet then.
 */
LIVETCP_API livetcp_result livetcp_redundancy_encode(livetcp_redundancy_encoder *encoder,
                                                     const void *primary, size_t size,
                                                     const livetcp_redundancy_block *secondary,
                                                     const void **red, size_t *red_size,
                                                     livetcp_error *error);

typedef struct livetcp_redundancy_encoder_stats {
    size_t struct_size; /* set it to sizeof before the call */
    uint64_t packets;
    uint64_t repeated;          /* frames */
    uint64_t repeated_bytes;    /* of these, block headers included */
    uint64_t left_out_length;   /* frames not repeated: longer than 1023 bytes, */
    uint64_t left_out_age;      /* too long ago for the 14 bits of the timestamp offset, */
    uint64_t left_out_room;     /* no room in max_packet, */
    uint64_t left_out_unbroken; /* behind one of these */
} livetcp_redundancy_encoder_stats;

LIVETCP_API void livetcp_redundancy_encoder_get_stats(const livetcp_redundancy_encoder *encoder,
                                                      livetcp_redundancy_encoder_stats *stats);

/* ---- decoder ---- */

typedef struct livetcp_redundancy_decoder livetcp_redundancy_decoder;

/* As livetcp_redundancy_encoder_create(). */
LIVETCP_API livetcp_result
livetcp_redundancy_decoder_create(const livetcp_redundancy_config *config,
                                  livetcp_redundancy_decoder **decoder, livetcp_error *error);

LIVETCP_API void livetcp_redundancy_decoder_destroy(livetcp_redundancy_decoder **decoder);

/* An RTP packet of its own. */
typedef struct livetcp_redundancy_frame {
    const void *packet;
    size_t size;
    bool redundant; /* repeated by a later packet: to be played only if the primary is not there */
    bool seen;      /* redundant, and the primary was decoded before */
} livetcp_redundancy_frame;

/*
 * Takes an RTP packet apart. `frames` has room for LIVETCP_REDUNDANCY_MAX_FRAMES; on success
 * *count of them are filled in, oldest first, the primary last. They stay as they are until the
 * next call. A packet of another payload type is one frame, the packet itself: streams may mix the
 * two.
 *
 * RFC 2198 gives a redundant frame no sequence number. It gets that of the primary with its
 * timestamp, if that came; else one between the neighbours that came, by the frame length where
 * that is regular, and else by its place in the packet. A frame for which that is impossible is
 * left out and counted as unplaced.
 *
 * Errors, all counted as malformed, with *count 0: LIVETCP_ERR_NOT_RTP;
 * LIVETCP_ERR_PACKET_TOO_LARGE, longer than max_packet; LIVETCP_ERR_INVALID_ARGUMENT, with a
 * message that says what is wrong with the blocks.
 */
LIVETCP_API livetcp_result livetcp_redundancy_decode(livetcp_redundancy_decoder *decoder,
                                                     const void *packet, size_t size,
                                                     livetcp_redundancy_frame *frames,
                                                     size_t *count, livetcp_error *error);

typedef struct livetcp_redundancy_decoder_stats {
    size_t struct_size; /* set it to sizeof before the call */
    uint64_t packets;   /* taken apart, those without redundancy included */
    uint64_t redundant; /* frames given out, */
    uint64_t seen;      /*   of these, whose primary had been decoded before */
    uint64_t unplaced;  /* frames left out */
    uint64_t malformed; /* packets refused */
} livetcp_redundancy_decoder_stats;

LIVETCP_API void livetcp_redundancy_decoder_get_stats(const livetcp_redundancy_decoder *decoder,
                                                      livetcp_redundancy_decoder_stats *stats);

#ifdef __cplusplus
}
#endif

#endif
