/* SPDX-License-Identifier: MIT */
/* 16-bit RTP sequence numbers: distance, and extension across wraps (the extended sequence number
 * of RFC 3550, A.1). */
#ifndef LT_BASE_SEQ_H
#define LT_BASE_SEQ_H

#include <stdint.h>

/* Distance from `from` to `to` modulo 2^16, -32768..32767; negative if `to` is before `from`. */
static inline int lt_seq_distance(uint16_t from, uint16_t to)
{
    uint16_t ahead = (uint16_t)(to - from);
    return ahead < 0x8000 ? (int)ahead : (int)ahead - 0x10000;
}

/* The extended number with the low 16 bits `sequence` that is nearest to `reference`, which must be
 * at least 32768. */
static inline uint64_t lt_seq_extend(uint64_t reference, uint16_t sequence)
{
    return reference + (uint64_t)(int64_t)lt_seq_distance((uint16_t)reference, sequence);
}

#endif
