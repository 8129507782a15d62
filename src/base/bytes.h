/* SPDX-License-Identifier: MIT */
/* Reads and writes integers in network byte order, one byte at a time, so that alignment and
 * aliasing do not matter. */
#ifndef LT_BASE_BYTES_H
#define LT_BASE_BYTES_H

#include <stdint.h>

static inline uint16_t lt_read_be16(const uint8_t *p)
{
    return (uint16_t)((uint16_t)p[0] << 8 | p[1]);
}

static inline uint32_t lt_read_be32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static inline uint64_t lt_read_be64(const uint8_t *p)
{
    return (uint64_t)lt_read_be32(p) << 32 | lt_read_be32(p + 4);
}

static inline void lt_write_be16(uint8_t *p, uint16_t v)
{
    p[0] = (uint8_t)(v >> 8);
    p[1] = (uint8_t)v;
}

static inline void lt_write_be32(uint8_t *p, uint32_t v)
{
    lt_write_be16(p, (uint16_t)(v >> 16));
    lt_write_be16(p + 2, (uint16_t)v);
}

static inline void lt_write_be64(uint8_t *p, uint64_t v)
{
    lt_write_be32(p, (uint32_t)(v >> 32));
    lt_write_be32(p + 4, (uint32_t)v);
}

#endif
