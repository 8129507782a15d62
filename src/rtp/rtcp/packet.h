/* SPDX-License-Identifier: MIT */
/* The RTCP packets that we write and read: sender and receiver reports, SDES with a CNAME, and BYE
 * (RFC 3550, sections 6.4 to 6.6). */
#ifndef LT_RTP_RTCP_PACKET_H
#define LT_RTP_RTCP_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LT_RTCP_SR = 200,
    LT_RTCP_RR = 201,
    LT_RTCP_SDES = 202,
    LT_RTCP_BYE = 203,
    LT_RTCP_APP = 204
};

/* Maximum number of blocks of a report, and of sources of SDES or BYE: the field has five bits. */
#define LT_RTCP_COUNT_MAX 31

/* Maximum length of an SDES text, without a NUL. */
#define LT_RTCP_TEXT_MAX 255

/* Report block about one received source. */
typedef struct lt_rtcp_block {
    uint32_t ssrc;
    uint8_t fraction_lost;   /* in 1/256, since the previous report */
    int32_t cumulative_lost; /* -2^23..2^23-1; negative if duplicates were counted */
    uint32_t highest;        /* extended: number of wraps in the upper 16 bits */
    uint32_t jitter;         /* in units of the RTP timestamp */
    uint32_t lsr;            /* middle bits of the NTP time of its last SR; 0 = none */
    uint32_t dlsr;           /* time since that SR, in 1/65536 s */
} lt_rtcp_block;

/* Sender info of an SR. */
typedef struct lt_rtcp_sender_info {
    uint64_t ntp;
    uint32_t timestamp; /* RTP timestamp of the same moment */
    uint32_t packets;
    uint32_t octets; /* of payload */
} lt_rtcp_sender_info;

/* ---- writing ---- */

typedef struct lt_rtcp_writer {
    uint8_t *data;
    size_t size; /* capacity */
    size_t used;
} lt_rtcp_writer;

/* Each appends one packet, or returns false without space. `count` is at most LT_RTCP_COUNT_MAX.
 * With `info` the report is an SR, with NULL an RR. */
bool lt_rtcp_write_report(lt_rtcp_writer *writer, uint32_t ssrc, const lt_rtcp_sender_info *info,
                          const lt_rtcp_block *blocks, unsigned count);

/* The same CNAME, of 1..LT_RTCP_TEXT_MAX bytes, for all sources. */
bool lt_rtcp_write_cname(lt_rtcp_writer *writer, const uint32_t *ssrcs, unsigned count,
                         const char *cname);

bool lt_rtcp_write_bye(lt_rtcp_writer *writer, const uint32_t *ssrcs, unsigned count);

/* ---- reading ---- */

/* One packet of a compound; points into it. */
typedef struct lt_rtcp_part {
    uint8_t type;
    uint8_t count;       /* the five bits: number of blocks or sources, or the subtype */
    const uint8_t *body; /* after the four bytes of the header, */
    size_t size;         /* without padding */
} lt_rtcp_part;

typedef struct lt_rtcp_reader {
    const uint8_t *data;
    size_t left;
} lt_rtcp_reader;

typedef enum lt_rtcp_step { LT_RTCP_PART, LT_RTCP_END, LT_RTCP_MALFORMED } lt_rtcp_step;

/* Reads the next packet. MALFORMED: truncated, of another version, or padded without being the last
 * (A.2); the rest of the compound is not read. */
lt_rtcp_step lt_rtcp_read(lt_rtcp_reader *reader, lt_rtcp_part *part);

/* Reads the SSRC of an SR or RR, and *info of an SR. False if the part is too short for its type
 * and its number of blocks. */
bool lt_rtcp_read_report(const lt_rtcp_part *part, uint32_t *ssrc, lt_rtcp_sender_info *info);

/* Reads block `position` (below `count`) of a part that lt_rtcp_read_report() accepted. */
void lt_rtcp_read_block(const lt_rtcp_part *part, unsigned position, lt_rtcp_block *block);

#endif
