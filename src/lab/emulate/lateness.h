/* SPDX-License-Identifier: MIT */
/* Histogram of lateness in microseconds: 1/64 relative resolution, fixed size and no allocation, so
 * that a real-time thread can write it. */
#ifndef LT_LAB_EMULATE_LATENESS_H
#define LT_LAB_EMULATE_LATENESS_H

#include <livetcp/base.h>

#include <stdint.h>

enum {
    LT_LATENESS_SUB_BITS = 6,
    /* Exact below 2^7 us, then 64 buckets per power of two, up to 2^31 us. */
    LT_LATENESS_BUCKETS = (1 << (LT_LATENESS_SUB_BITS + 1)) +
                          (31 - LT_LATENESS_SUB_BITS - 1) * (1 << LT_LATENESS_SUB_BITS),
};

typedef struct lt_lateness {
    uint64_t count;
    livetcp_usec max;
    uint64_t buckets[LT_LATENESS_BUCKETS];
} lt_lateness;

/* A zeroed histogram is empty. Negative values count as 0, values above 2^31 - 1 as that. */
void lt_lateness_add(lt_lateness *lateness, livetcp_usec value);

/* The smallest value that a share of at least `share` (0 to 1) does not exceed, rounded up to the
 * end of its bucket, at most the maximum; 0 if the histogram is empty. */
livetcp_usec lt_lateness_quantile(const lt_lateness *lateness, double share);

#endif
