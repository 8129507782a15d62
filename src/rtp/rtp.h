/* SPDX-License-Identifier: MIT */
/* Reading RTP and RTCP headers, and writing RTP's fixed header (RFC 3550), multiplexed on one
 * stream (RFC 5761). */
#ifndef LT_RTP_RTP_H
#define LT_RTP_RTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LT_RTP_MIN_SIZE  12
#define LT_RTCP_MIN_SIZE 4

typedef enum lt_rtp_kind {
    LT_RTP_INVALID = 0, /* neither */
    LT_RTP_MEDIA,       /* RTP */
    LT_RTP_CONTROL      /* RTCP: second byte 192..223 (RFC 5761, section 4) */
} lt_rtp_kind;

typedef struct lt_rtp_header {
    uint32_t ssrc;
    uint32_t timestamp;
    uint16_t sequence;
    uint8_t payload_type;
    bool marker;
    size_t header_size; /* fixed header, CSRCs and extension */
} lt_rtp_header;

/* Classifies a packet by the parts that SRTP and SRTCP (RFC 3711) leave readable: an RTP header
 * with CSRCs and extension, or the header and length of the first RTCP packet. Padding and the rest
 * of an RTCP compound may be encrypted; the application checks them. */
lt_rtp_kind lt_rtp_classify(const uint8_t *data, size_t size);

/* lt_rtp_classify(), and reads the header: of RTP all fields, of RTCP the SSRC of its first packet
 * (0 if it has none), with the rest zero. *header is unchanged for an invalid packet. */
lt_rtp_kind lt_rtp_read(const uint8_t *data, size_t size, lt_rtp_header *header);

/* Reads an RTP header. False, with *header unchanged, if it is not one or is truncated. */
bool lt_rtp_parse(const uint8_t *data, size_t size, lt_rtp_header *header);

/* Writes a fixed header of LT_RTP_MIN_SIZE bytes without padding, extension and CSRCs; header_size
 * is ignored. */
void lt_rtp_write(uint8_t *data, const lt_rtp_header *header);

/* True if the first packet of an RTCP compound has version 2 and ends within `size` (RFC 3550, A.2;
 * reduced-size compounds, RFC 5506, are allowed). */
bool lt_rtcp_check(const uint8_t *data, size_t size);

/* SSRC of the first RTCP packet; 0 if it has none (an empty BYE). */
uint32_t lt_rtcp_ssrc(const uint8_t *data, size_t size);

#endif
