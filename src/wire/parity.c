/* SPDX-License-Identifier: MIT */
/* FEC header of RFC 8627, section 4.2.2.1, and the XOR (section 6.2). */
#include "wire/parity.h"

#include "base/bytes.h"
#include "rtp/rtp.h"

#include <string.h>

#define CSRC_AT     12
#define FEC_AT      LT_PARITY_RECOVERY_AT /* the recovery fields are first */
#define BASE_AT     (FEC_AT + LT_PARITY_RECOVERY)
#define MASK_AT     (BASE_AT + 2)
#define MASK_MORE   UINT16_C(0x8000) /* k bit: another block of the mask follows */
#define MASK_MORE_2 UINT32_C(0x80000000)

/* First byte of the RTP header: no padding, no extension, one CSRC. */
#define FIRST_BYTE 0x81

/* Bits R and F of the FEC header's first byte. */
#define FEC_VARIANT 0xc0

/* The mask has three blocks, of bits 0..14, 15..45 and 46..109. */
static uint16_t block_0(const uint64_t *mask)
{
    return (uint16_t)(mask[0] >> 49);
}

static uint32_t block_1(const uint64_t *mask)
{
    return (uint32_t)(mask[0] >> 18) & 0x7fffffff;
}

static uint64_t block_2(const uint64_t *mask)
{
    return mask[0] << 46 | mask[1] >> 18;
}

size_t lt_parity_header_size(const lt_parity_cover *cover)
{
    if (block_2(cover->mask))
        return LT_PARITY_HEADER_MAX;
    return LT_PARITY_HEADER_MIN + (block_1(cover->mask) ? 4 : 0);
}

void lt_parity_write_cover(uint8_t *packet, const lt_parity_cover *cover)
{
    size_t size = lt_parity_header_size(cover);
    bool second = size > LT_PARITY_HEADER_MIN, third = size == LT_PARITY_HEADER_MAX;

    lt_write_be32(packet + CSRC_AT, cover->media_ssrc);
    lt_write_be16(packet + BASE_AT, cover->base);
    lt_write_be16(packet + MASK_AT, block_0(cover->mask) | (second ? MASK_MORE : 0));
    if (second)
        lt_write_be32(packet + MASK_AT + 2, block_1(cover->mask) | (third ? MASK_MORE_2 : 0));
    if (third)
        lt_write_be64(packet + MASK_AT + 6, block_2(cover->mask));
}

/* Reads the mask; returns the offset of the first byte after it, or 0 if it is truncated. */
static size_t read_mask(const uint8_t *packet, size_t size, uint64_t *mask)
{
    uint16_t first = lt_read_be16(packet + MASK_AT);
    uint32_t second;
    uint64_t third;

    mask[0] = (uint64_t)(first & ~MASK_MORE) << 49;
    mask[1] = 0;
    if (!(first & MASK_MORE))
        return LT_PARITY_HEADER_MIN;
    if (size < LT_PARITY_HEADER_MIN + 4)
        return 0;
    second = lt_read_be32(packet + MASK_AT + 2);
    mask[0] |= (uint64_t)(second & ~MASK_MORE_2) << 18;
    if (!(second & MASK_MORE_2))
        return LT_PARITY_HEADER_MIN + 4;
    if (size < LT_PARITY_HEADER_MAX)
        return 0;
    third = lt_read_be64(packet + MASK_AT + 6);
    mask[0] |= third >> 46;
    mask[1] = third << 18;
    return LT_PARITY_HEADER_MAX;
}

size_t lt_parity_parse(const uint8_t *packet, size_t size, lt_parity_cover *cover)
{
    size_t header_size;

    if (size < LT_PARITY_HEADER_MIN || packet[0] != FIRST_BYTE || packet[FEC_AT] & FEC_VARIANT)
        return 0;
    cover->media_ssrc = lt_read_be32(packet + CSRC_AT);
    cover->base = lt_read_be16(packet + BASE_AT);
    header_size = read_mask(packet, size, cover->mask);
    return cover->mask[0] || cover->mask[1] ? header_size : 0;
}

void lt_parity_fold_header(uint8_t *recovery, const uint8_t *packet, size_t size)
{
    uint8_t fields[LT_PARITY_RECOVERY];

    fields[0] = packet[0] & (uint8_t)~FEC_VARIANT; /* R and F are in the place of RTP's version */
    fields[1] = packet[1];
    lt_write_be16(fields + 2, (uint16_t)(size - LT_RTP_MIN_SIZE));
    memcpy(fields + 4, packet + 4, 4);
    lt_parity_fold(recovery, fields, sizeof fields);
}

void lt_parity_fold(uint8_t *into, const uint8_t *from, size_t size)
{
    size_t i = 0;

    for (; i + sizeof(uint64_t) <= size; i += sizeof(uint64_t)) {
        uint64_t a, b;
        memcpy(&a, into + i, sizeof a);
        memcpy(&b, from + i, sizeof b);
        a ^= b;
        memcpy(into + i, &a, sizeof a);
    }
    for (; i < size; i++)
        into[i] ^= from[i];
}
