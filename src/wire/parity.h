/* SPDX-License-Identifier: MIT */
/* Parity packets: RFC 8627 (FlexFEC) with a flexible mask (R = 0, F = 0) and one protected SSRC,
 * and their XOR. docs/reference/wire-format.md has the layout, docs/adr/0006-parity.md the reasons.
 */
#ifndef LT_WIRE_PARITY_H
#define LT_WIRE_PARITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Payload type of the parity stream. Any dynamic one is possible, since it is announced; media
 * rarely uses the last. */
#define LT_PARITY_PAYLOAD_TYPE 127

/* Number of consecutive sequence numbers that the longest mask covers: 15 + 31 + 64. */
#define LT_PARITY_SPAN 110

/* Bytes of the XOR of the RTP headers: the first 8 of the FEC header. */
#define LT_PARITY_RECOVERY 8

/* Their offset in a parity packet: after an RTP header with one CSRC. */
#define LT_PARITY_RECOVERY_AT 16

/* Bytes before the repair payload: an RTP header with one CSRC, and a FEC header with a mask of 15,
 * 46 or 110 bits. */
#define LT_PARITY_HEADER_MIN (LT_PARITY_RECOVERY_AT + 12)
#define LT_PARITY_HEADER_MAX (LT_PARITY_RECOVERY_AT + 24)

/* Maximum size of a parity packet beyond that of the largest packet that it protects. */
#define LT_PARITY_OVERHEAD (LT_PARITY_HEADER_MAX - 12)

/* The packets that a parity packet protects: base + i for each bit i that is set. Bit 0 is the most
 * significant one of mask[0], bit 64 that of mask[1]. */
typedef struct lt_parity_cover {
    uint32_t media_ssrc;
    uint16_t base;
    uint64_t mask[2];
} lt_parity_cover;

static inline void lt_parity_cover_add(lt_parity_cover *cover, unsigned bit)
{
    cover->mask[bit / 64] |= UINT64_C(1) << (63 - bit % 64);
}

/* True if base + bit is protected, for any `bit`. */
static inline bool lt_parity_covers(const lt_parity_cover *cover, unsigned bit)
{
    return bit < LT_PARITY_SPAN && (cover->mask[bit / 64] >> (63 - bit % 64) & 1);
}

/* Bytes before the repair payload, with the shortest mask for `cover`. */
size_t lt_parity_header_size(const lt_parity_cover *cover);

/* Writes the CSRC and the FEC header without its recovery fields, between the 12 bytes of the RTP
 * header and the repair payload: lt_parity_header_size() bytes in total. */
void lt_parity_write_cover(uint8_t *packet, const lt_parity_cover *cover);

/* Parses an RTP packet as a parity packet. Returns the bytes before its repair payload, or 0 if it
 * is not one of ours: more or less than one CSRC, padding, an extension, retransmission (R), a
 * fixed mask (F), truncated, or nothing protected. */
size_t lt_parity_parse(const uint8_t *packet, size_t size, lt_parity_cover *cover);

/* XORs the header of an RTP packet (at least 12 bytes) into the recovery fields: P, X, CC, M, PT,
 * length and timestamp (RFC 8627, section 6.2). */
void lt_parity_fold_header(uint8_t *recovery, const uint8_t *packet, size_t size);

/* XORs `size` bytes into others: an RTP packet after its first 12 bytes into a repair payload. */
void lt_parity_fold(uint8_t *into, const uint8_t *from, size_t size);

#endif
