/* SPDX-License-Identifier: MIT */
/* Values with units: "50ms", "1%", "30mbit", "100p", "150kB". Each function parses the whole text;
 * it returns false if the text is not such a value, and *out is unchanged then. */
#ifndef LT_LAB_UNITS_H
#define LT_LAB_UNITS_H

#include <livetcp/base.h>

#include <stdbool.h>
#include <stdint.h>

typedef enum lt_limit_unit {
    LT_LIMIT_NONE, /* no limit */
    LT_LIMIT_PACKETS,
    LT_LIMIT_BYTES,
} lt_limit_unit;

typedef struct lt_limit {
    lt_limit_unit unit;
    uint64_t value;
} lt_limit;

/* True if `packets` with `bytes` in total exceed the limit. */
static inline bool lt_limit_exceeded(const lt_limit *limit, uint64_t packets, uint64_t bytes)
{
    switch (limit->unit) {
    case LT_LIMIT_PACKETS:
        return packets > limit->value;
    case LT_LIMIT_BYTES:
        return bytes > limit->value;
    default:
        return false;
    }
}

bool lt_parse_duration(const char *text, livetcp_usec *out); /* 0, or us, ms, s; at most 1 hour */
bool lt_parse_time(const char *text, livetcp_usec max, livetcp_usec *out); /* as that, to `max` */
bool lt_parse_share(const char *text, double *out);                        /* 1% or 0.01; 0 to 1 */
bool lt_parse_rate(const char *text, uint64_t *out);  /* off, or bit, kbit, mbit, gbit */
bool lt_parse_limit(const char *text, lt_limit *out); /* off, or p, B, kB, MB; above 0 */
bool lt_parse_number(const char *text, double *out);  /* a plain number >= 0 */

#endif
