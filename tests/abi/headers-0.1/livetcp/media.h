/* SPDX-License-Identifier: MIT */
/*
 * What a packet is worth to the receiver: what goes first when something must be dropped, and what
 * goes last. The application says so with each packet, or names the codec and lets LiveTCP look at
 * the RTP payload.
 */
#ifndef LIVETCP_MEDIA_H
#define LIVETCP_MEDIA_H

#include <livetcp/export.h>

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Ascending: what is worth more has the larger value. */
typedef enum livetcp_importance {
    LIVETCP_IMPORTANCE_UNKNOWN = 0, /* nobody can tell; treated as DELTA */
    LIVETCP_IMPORTANCE_DROPPABLE,   /* nothing refers to it: losing it harms one picture only */
    LIVETCP_IMPORTANCE_DELTA,       /* later pictures refer to it: losing it harms them, too */
    LIVETCP_IMPORTANCE_AUDIO,       /* audio: few bytes, and every gap is heard */
    LIVETCP_IMPORTANCE_KEY          /* key frames and parameter sets: nothing plays without them */
} livetcp_importance;

/* Whose payload format an RTP packet has. */
typedef enum livetcp_codec {
    LIVETCP_CODEC_UNKNOWN = 0,
    LIVETCP_CODEC_H264, /* RFC 6184 */
    LIVETCP_CODEC_H265, /* RFC 7798 */
    LIVETCP_CODEC_VP8,  /* RFC 7741 */
    LIVETCP_CODEC_VP9,  /* RFC 9628 */
    LIVETCP_CODEC_AV1,  /* RTP Payload Format For AV1 1.0 (Alliance for Open Media) */
    LIVETCP_CODEC_AUDIO /* any: Opus, G.711... Every packet is audio. */
} livetcp_codec;

/* What the application says about a packet. `importance` wins; where it is UNKNOWN the payload is
 * read as `codec` says; where that is UNKNOWN, or the payload does not tell, the packet is treated
 * as DELTA. */
typedef struct livetcp_packet_info {
    size_t struct_size; /* sizeof(livetcp_packet_info) */
    livetcp_importance importance;
    livetcp_codec codec;
    unsigned repeats; /* it also carries the frames of so many packets of its SSRC before it (RFC
                         2198, livetcp/redundancy.h), 0..3, and goes on another connection than
                         they, as far as one can take it; more counts as 3 */
} livetcp_packet_info;

/* The codec of an RTP encoding name (SDP's a=rtpmap, encoding-name of GStreamer's caps), for
 * example "H264", "vp8", "OPUS", "PCMU"; case does not matter. UNKNOWN for NULL, for other names,
 * and for formats that may carry audio or video (MPEG4-GENERIC, RED): use AUDIO when you know.
 * Any thread. */
LIVETCP_API livetcp_codec livetcp_codec_from_name(const char *encoding_name);

/*
 * Importance of one RTP packet, as far as its payload alone tells. Never fails: UNKNOWN for
 * whatever cannot be told, be it RTCP, garbage, or a packet that continues a picture whose first
 * packet alone says what it is (VP8, VP9, AV1). A session that is given the codec of every packet
 * remembers that first packet, and so knows more.
 *
 * - H.264: IDR slices and parameter sets are KEY; slices with nal_ref_idc 0 are DROPPABLE.
 * - H.265: IRAP slices and parameter sets are KEY; sub-layer non-reference pictures DROPPABLE. With
 *   several temporal layers that holds for the highest one: a session learns which that is.
 * - VP8: key frames, and the descriptor's N bit for DROPPABLE.
 * - VP9: pictures without inter prediction are KEY, frames that refresh no reference DROPPABLE.
 * - AV1: key frames and sequence headers are KEY. What is DROPPABLE is not told.
 *
 * An encrypted payload (SRTP) looks like garbage, most of which is found out, but not all: a
 * session stops believing such a stream after a few packets, this function cannot. Whoever encrypts
 * says the importance himself or leaves the codec UNKNOWN. AUDIO does not look at the payload.
 *
 * Any thread; reads nothing but its arguments. `rtp_packet` may be NULL when `size` is 0.
 */
LIVETCP_API livetcp_importance livetcp_importance_of(livetcp_codec codec, const void *rtp_packet,
                                                     size_t size);

#ifdef __cplusplus
}
#endif

#endif
