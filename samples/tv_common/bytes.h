/* SPDX-License-Identifier: MIT */
/* Integers in network byte order. */
#ifndef TV_BYTES_H
#define TV_BYTES_H

#include <stdint.h>

static inline void tv_put16(uint8_t *at, uint16_t value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static inline void tv_put32(uint8_t *at, uint32_t value)
{
    tv_put16(at, (uint16_t)(value >> 16));
    tv_put16(at + 2, (uint16_t)value);
}

static inline uint16_t tv_get16(const uint8_t *at)
{
    return (uint16_t)(at[0] << 8 | at[1]);
}

static inline uint32_t tv_get32(const uint8_t *at)
{
    return (uint32_t)tv_get16(at) << 16 | tv_get16(at + 2);
}

#endif
