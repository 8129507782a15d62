/* SPDX-License-Identifier: MIT */
/* 16-bit RTP sequence numbers: order, and extension across wraps (the extended sequence number of
 * RFC 3550 A.1). */
#ifndef LT_BASE_SEQ_H
#define LT_BASE_SEQ_H

#include <stdint.h>

/* Steps from `from` to `to` the short way round: -32768..32767, negative if `to` is before. */
static inline int lt_seq_distance(uint16_t from, uint16_t to)
{
    uint16_t ahead = (uint16_t)(to - from);
    return ahead < 0x8000 ? (int)ahead : (int)ahead - 0x10000;
}

/* The extended number that ends in `sequence` and is nearest to `reference`, which must be at
 * least 32768. */
static inline uint64_t lt_seq_extend(uint64_t reference, uint16_t sequence)
{
    return reference + (uint64_t)(int64_t)lt_seq_distance((uint16_t)reference, sequence);
}

#endif
