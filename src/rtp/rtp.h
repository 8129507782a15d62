/* SPDX-License-Identifier: MIT */
/* Reading RTP and RTCP headers, and writing RTP's fixed part (RFC 3550), muxed on one stream (RFC
 * 5761). */
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
    LT_RTP_CONTROL      /* RTCP: second byte 192..223 (RFC 5761 section 4) */
} lt_rtp_kind;

typedef struct lt_rtp_header {
    uint32_t ssrc;
    uint32_t timestamp;
    uint16_t sequence;
    uint8_t payload_type;
    bool marker;
    size_t header_size; /* fixed part, CSRCs and extension */
} lt_rtp_header;

/* Classifies a frame, as far as SRTP and SRTCP (RFC 3711) leave it readable: an RTP header with its
 * CSRCs and extension, or an RTCP packet whose first header and length fit. Padding and the rest of
 * an RTCP compound may be encrypted; checking them is left to the application. */
lt_rtp_kind lt_rtp_classify(const uint8_t *data, size_t size);

/* The same, and reads the header on the way: of RTP all of it, of RTCP the SSRC of its first packet
 * (0 when it has none), the rest is zero. *header is untouched if it is neither. */
lt_rtp_kind lt_rtp_read(const uint8_t *data, size_t size, lt_rtp_header *header);

/* Reads an RTP header. Returns false, *header untouched, if it is not one or is cut short. */
bool lt_rtp_parse(const uint8_t *data, size_t size, lt_rtp_header *header);

/* Writes the LT_RTP_MIN_SIZE bytes of a header without padding, extension and CSRCs; header_size is
 * not looked at. */
void lt_rtp_write(uint8_t *data, const lt_rtp_header *header);

/* True if the first packet of an RTCP compound is version 2 and ends within `size` (RFC 3550 A.2;
 * reduced-size compounds, RFC 5506, are fine). */
bool lt_rtcp_check(const uint8_t *data, size_t size);

/* SSRC of the first RTCP packet; 0 when it has none (an empty BYE). */
uint32_t lt_rtcp_ssrc(const uint8_t *data, size_t size);

#endif
