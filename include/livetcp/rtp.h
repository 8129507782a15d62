/* SPDX-License-Identifier: MIT */
/* RTP packets: headers, importance (the order in which packets are dropped), redundant audio. */
#ifndef LIVETCP_RTP_H
#define LIVETCP_RTP_H

#include <livetcp/base.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * ---- headers ----
 *
 * The header of an RTP packet (RFC 3550, section 5.1), for applications without an RTP stack:
 *
 *     livetcp_rtp_header header = {.payload_type = 0, .ssrc = ssrc};
 *     uint8_t packet[LIVETCP_RTP_HEADER_SIZE + 160];
 *     livetcp_rtp_header_write(&header, packet, sizeof packet, NULL);
 *     memcpy(packet + header.header_size, payload, 160);
 *     livetcp_session_send(session, packet, sizeof packet);
 *     header.sequence++;
 *     header.timestamp += 160;
 *
 * Draw the SSRC, the first sequence number and the first timestamp at random.
 */

enum {
    LIVETCP_RTP_HEADER_SIZE = 12, /* bytes without CSRCs and extension */
    LIVETCP_RTP_MAX_CSRCS = 15
};

/* All fields of an RTP header. This struct does not grow. */
typedef struct livetcp_rtp_header {
    uint8_t payload_type; /* 0..127 without 64..95 (RFC 5761) */
    bool marker;
    bool padding;       /* the packet's last byte is the number of padding bytes, itself included;
                           encrypted with SRTP */
    bool has_extension; /* the three fields for it are valid */
    uint16_t sequence;
    uint16_t extension_profile; /* RFC 8285: 0xbede */
    uint32_t timestamp;         /* units of the payload type's clock rate */
    uint32_t ssrc;
    unsigned csrc_count; /* 0..LIVETCP_RTP_MAX_CSRCS */
    uint32_t csrcs[LIVETCP_RTP_MAX_CSRCS];
    const void *extension; /* without profile and length; when reading, within the packet */
    size_t extension_size; /* bytes, a multiple of 4, 0..262140 */
    size_t header_size;    /* set by both functions: offset of the payload */
} livetcp_rtp_header;

/* Reads the header of a packet. Any thread. Errors, on which *header is unchanged:
 * LIVETCP_ERR_NOT_RTP for other bytes, RTCP included, and for a packet that ends within its header;
 * LIVETCP_ERR_INVALID_ARGUMENT for NULL. */
LIVETCP_API livetcp_result livetcp_rtp_header_read(livetcp_rtp_header *header, const void *packet,
                                                   size_t size, livetcp_error *error);

/* Writes the header to the first header_size bytes of a buffer of `size` bytes, and sets
 * header_size. Any thread. Errors, on which nothing is written: LIVETCP_ERR_INVALID_ARGUMENT, with
 * a message that names the field, also for a buffer that is too small. */
LIVETCP_API livetcp_result livetcp_rtp_header_write(livetcp_rtp_header *header, void *packet,
                                                    size_t size, livetcp_error *error);

/*
 * ---- importance ----
 *
 * Importance of packets for the receiver, which determines the order in which they are dropped. The
 * application passes it with each packet; or it passes the codec, and LiveTCP parses the RTP
 * payload.
 */

/* In ascending order of importance. */
typedef enum livetcp_importance {
    LIVETCP_IMPORTANCE_UNKNOWN = 0, /* treated as DELTA */
    LIVETCP_IMPORTANCE_DROPPABLE, /* no other picture refers to it: its loss affects one picture */
    LIVETCP_IMPORTANCE_DELTA,     /* later pictures refer to it: its loss affects them, too */
    LIVETCP_IMPORTANCE_AUDIO,     /* few bytes, and every gap is audible */
    LIVETCP_IMPORTANCE_KEY /* key frames and parameter sets, without which nothing is decodable */
} livetcp_importance;

/* Payload format of an RTP packet. */
typedef enum livetcp_codec {
    LIVETCP_CODEC_UNKNOWN = 0,
    LIVETCP_CODEC_H264, /* RFC 6184 */
    LIVETCP_CODEC_H265, /* RFC 7798 */
    LIVETCP_CODEC_VP8,  /* RFC 7741 */
    LIVETCP_CODEC_VP9,  /* RFC 9628 */
    LIVETCP_CODEC_AV1,  /* RTP Payload Format For AV1 1.0 (Alliance for Open Media) */
    LIVETCP_CODEC_AUDIO /* any: Opus, G.711... Every packet is audio. */
} livetcp_codec;

/* Per-packet metadata from the application. `importance` has precedence. If it is UNKNOWN, the
 * payload is parsed as `codec`. If that is UNKNOWN, too, a session recognizes audio by its headers:
 * by a static payload type (RFC 3551), or by small packets whose timestamps advance in even steps,
 * as audio has them. If nothing is known, the packet is treated as DELTA. */
typedef struct livetcp_packet_info {
    size_t struct_size; /* sizeof(livetcp_packet_info) */
    livetcp_importance importance;
    livetcp_codec codec;
    unsigned repeats; /* number of preceding packets of its SSRC whose frames it repeats (RFC 2198,
                         livetcp/rtp.h), 0..3; more counts as 3. It takes another connection than
                         these if possible */
    uint32_t unused;  /* padding in programs built before */
    bool more; /* another packet follows at once, for example of the same video frame: the library
                  may wait for it, and write both in one call */
} livetcp_packet_info;

/* The codec of an RTP encoding name (SDP's a=rtpmap, encoding-name of GStreamer's caps), for
 * example "H264", "vp8", "OPUS", "PCMU"; case-insensitive. UNKNOWN for NULL, for other names, and
 * for formats of audio or video (MPEG4-GENERIC, RED), for which AUDIO may be set if it applies. Any
 * thread. */
LIVETCP_API livetcp_codec livetcp_codec_from_name(const char *encoding_name);

/*
 * Importance of one RTP packet from its payload alone. Never fails: UNKNOWN for RTCP, for garbage,
 * and for a packet that continues a picture (VP8, VP9 and AV1 describe a picture in its first
 * packet only). A session that gets the codec with every packet stores the result of that first
 * packet.
 *
 * - H.264: IDR slices and parameter sets are KEY; slices with nal_ref_idc 0 are DROPPABLE.
 * - H.265: IRAP slices and parameter sets are KEY; sub-layer non-reference pictures are DROPPABLE.
 *   With several temporal layers this holds for the highest one, which a session detects.
 * - VP8: key frames are KEY; the descriptor's N bit means DROPPABLE.
 * - VP9: pictures without inter prediction are KEY; frames that refresh no reference are DROPPABLE.
 * - AV1: key frames and sequence headers are KEY. DROPPABLE frames are not recognized.
 *
 * An encrypted payload (SRTP) looks like garbage, which is not always detected: a session ignores
 * the payloads of such a stream after a few packets, but this function cannot. Programs that
 * encrypt set the importance themselves, or leave the codec UNKNOWN. AUDIO ignores the payload.
 *
 * Pure function; any thread. NULL is UNKNOWN.
 */
LIVETCP_API livetcp_importance livetcp_importance_of(livetcp_codec codec, const void *rtp_packet,
                                                     size_t size);

/*
 * ---- redundant audio ----
 *
 * Redundant audio, RFC 2198 ("RED"): each packet repeats the frames of preceding packets, possibly
 * in an encoding with fewer bytes, so that a frame whose own packet is late or lost is played from
 * the next one. This helps if the next packet takes another connection: set
 * livetcp_packet_info.repeats.
 *
 *     livetcp_redundancy_encode(encoder, rtp, rtp_size, NULL, &red, &red_size, NULL);
 *     info.repeats = config.depth;
 *     livetcp_session_send_with(session, red, red_size, &info);
 *
 * At the other end livetcp_redundancy_decode() returns the frames for livetcp_playout_put(), the
 * redundant ones with LIVETCP_PLAYOUT_REDUNDANT.
 *
 * An object serves one stream, and one thread at a time. No clock, no I/O.
 */

enum {
    LIVETCP_REDUNDANCY_MAX_DEPTH = 3,
    LIVETCP_REDUNDANCY_MAX_FRAMES = 9 /* in a decoded packet, the primary included */
};

/* Configuration of an encoder or a decoder. */
typedef struct livetcp_redundancy_config {
    size_t struct_size;    /* set by livetcp_redundancy_config_init() */
    unsigned payload_type; /* of RED packets, as in SDP ("a=rtpmap:63 red/48000/2"): 0..127
                              without 64..95, which RFC 5761 excludes. Default 63 */
    unsigned depth; /* encoder: number of preceding frames that a packet repeats, 1..3. Default 1 */
    size_t max_packet; /* maximum bytes of a RED packet, 64..65535. Default 1400, so that a packet
                          fits one segment; a decoder rejects longer packets */
} livetcp_redundancy_config;

/* The macro passes the caller's size; the function of that name is for programs built with 0.1. */
LIVETCP_API void livetcp_redundancy_config_init(livetcp_redundancy_config *config);
LIVETCP_API void livetcp_redundancy_config_init_sized(livetcp_redundancy_config *config,
                                                      size_t size);
#define livetcp_redundancy_config_init(config)                                                     \
    livetcp_redundancy_config_init_sized((config), sizeof *(config))

/* ---- encoder ---- */

/* Makes the RED packets of one stream. */
typedef struct livetcp_redundancy_encoder livetcp_redundancy_encoder;

/* On success the caller owns *encoder; on failure it is NULL. Errors:
 * LIVETCP_ERR_INVALID_ARGUMENT, with a message that names the setting, LIVETCP_ERR_NO_MEMORY. */
LIVETCP_API livetcp_result
livetcp_redundancy_encoder_create(const livetcp_redundancy_config *config,
                                  livetcp_redundancy_encoder **encoder, livetcp_error *error);

/* Frees the encoder and clears *encoder, which may be NULL. */
LIVETCP_API void livetcp_redundancy_encoder_destroy(livetcp_redundancy_encoder **encoder);

/* A frame in another encoding, for later packets to repeat. */
typedef struct livetcp_redundancy_block {
    unsigned payload_type; /* 0..127 without 64..95 */
    const void *payload;
    size_t size; /* 0: the frame is not repeated */
} livetcp_redundancy_block;

/*
 * Makes a RED packet from the RTP packet `primary`: its header, the frames of preceding packets,
 * oldest first, and its payload. Later packets repeat `secondary` in place of this one's payload;
 * NULL = the payload. On success *red has `*red_size` bytes, valid until the next call.
 *
 * Receivers count back from the packet's sequence number, so the repeated frames are always a
 * contiguous run up to the previous packet. A frame that cannot be repeated ends the run and is
 * counted: longer than 1023 bytes, more than 16383 timestamp units old, or no space in max_packet.
 * After a gap in the sequence numbers, or a new SSRC, no frames are repeated.
 *
 * Errors, on which the packet is not stored: LIVETCP_ERR_NOT_RTP; LIVETCP_ERR_PACKET_TOO_LARGE if
 * the primary alone exceeds max_packet; LIVETCP_ERR_INVALID_ARGUMENT for a payload type out of
 * range.
 */
LIVETCP_API livetcp_result livetcp_redundancy_encode(livetcp_redundancy_encoder *encoder,
                                                     const void *primary, size_t size,
                                                     const livetcp_redundancy_block *secondary,
                                                     const void **red, size_t *red_size,
                                                     livetcp_error *error);

/* Statistics of an encoder. */
typedef struct livetcp_redundancy_encoder_stats {
    size_t struct_size; /* set it to sizeof before the call */
    uint64_t packets;
    uint64_t repeated;          /* frames */
    uint64_t repeated_bytes;    /* of these, block headers included */
    uint64_t left_out_length;   /* frames not repeated: longer than 1023 bytes, */
    uint64_t left_out_age;      /* too old for the 14 bits of the timestamp offset, */
    uint64_t left_out_room;     /* no space in max_packet, */
    uint64_t left_out_unbroken; /* older than one of these */
} livetcp_redundancy_encoder_stats;

/* Fills in the fields within `stats->struct_size`. Errors: LIVETCP_ERR_INVALID_ARGUMENT. */
LIVETCP_API livetcp_result livetcp_redundancy_encoder_get_stats(
    const livetcp_redundancy_encoder *encoder, livetcp_redundancy_encoder_stats *stats);

/* ---- decoder ---- */

/* Decodes the RED packets of one stream. */
typedef struct livetcp_redundancy_decoder livetcp_redundancy_decoder;

/* As livetcp_redundancy_encoder_create(). */
LIVETCP_API livetcp_result
livetcp_redundancy_decoder_create(const livetcp_redundancy_config *config,
                                  livetcp_redundancy_decoder **decoder, livetcp_error *error);

/* Frees the decoder and clears *decoder, which may be NULL. */
LIVETCP_API void livetcp_redundancy_decoder_destroy(livetcp_redundancy_decoder **decoder);

/* A decoded frame, as an RTP packet. */
typedef struct livetcp_redundancy_frame {
    const void *packet;
    size_t size;
    bool redundant; /* repeated by a later packet: play it only if the primary is missing */
    bool seen;      /* redundant, and its primary was decoded before */
} livetcp_redundancy_frame;

/*
 * Decodes an RTP packet. `frames` has LIVETCP_REDUNDANCY_MAX_FRAMES elements; on success *count of
 * them are filled in, oldest first, the primary last. They are valid until the next call. A packet
 * with another payload type is one frame, the packet itself: streams may mix the two.
 *
 * RFC 2198 has no sequence numbers for redundant frames. A frame gets that of the primary with its
 * timestamp, if it was received; otherwise one between the received neighbours, by the frame
 * duration if that is constant, and else by its position in the packet. A frame for which that is
 * impossible is omitted and counted as unplaced.
 *
 * Errors, all counted as malformed, with *count 0: LIVETCP_ERR_NOT_RTP;
 * LIVETCP_ERR_PACKET_TOO_LARGE for a packet longer than max_packet; LIVETCP_ERR_INVALID_ARGUMENT,
 * with a message that names the error in the blocks.
 */
LIVETCP_API livetcp_result livetcp_redundancy_decode(livetcp_redundancy_decoder *decoder,
                                                     const void *packet, size_t size,
                                                     livetcp_redundancy_frame *frames,
                                                     size_t *count, livetcp_error *error);

/* Statistics of a decoder. */
typedef struct livetcp_redundancy_decoder_stats {
    size_t struct_size; /* set it to sizeof before the call */
    uint64_t packets;   /* decoded, those without redundancy included */
    uint64_t redundant; /* redundant frames returned, */
    uint64_t seen;      /* and of these, with a primary decoded before */
    uint64_t unplaced;  /* frames omitted */
    uint64_t malformed; /* packets rejected */
} livetcp_redundancy_decoder_stats;

/* As livetcp_redundancy_encoder_get_stats(). */
LIVETCP_API livetcp_result livetcp_redundancy_decoder_get_stats(
    const livetcp_redundancy_decoder *decoder, livetcp_redundancy_decoder_stats *stats);

#ifdef __cplusplus
}
#endif

#endif
