/* SPDX-License-Identifier: MIT */
#include "lab/emulate/lateness.h"

#include <math.h>

#define MAX_VALUE ((INT64_C(1) << 31) - 1)

enum { SUB = 1 << LT_LATENESS_SUB_BITS };

static unsigned bucket_of(uint64_t value)
{
    if (value < 2 * SUB)
        return (unsigned)value;
    unsigned shift = 63 - (unsigned)__builtin_clzll(value) - LT_LATENESS_SUB_BITS;
    return 2 * SUB + (shift - 1) * SUB + (unsigned)((value >> shift) - SUB);
}

/* The largest value in the bucket. */
static livetcp_usec bucket_end(unsigned bucket)
{
    if (bucket < 2 * SUB)
        return bucket;
    unsigned shift = (bucket - 2 * SUB) / SUB + 1;
    uint64_t sub = (bucket - 2 * SUB) % SUB + SUB;
    return (livetcp_usec)(((sub + 1) << shift) - 1);
}

void lt_lateness_add(lt_lateness *lateness, livetcp_usec value)
{
    if (value < 0)
        value = 0;
    if (value > MAX_VALUE)
        value = MAX_VALUE;
    lateness->count++;
    lateness->buckets[bucket_of((uint64_t)value)]++;
    if (value > lateness->max)
        lateness->max = value;
}

livetcp_usec lt_lateness_quantile(const lt_lateness *lateness, double share)
{
    uint64_t wanted = (uint64_t)ceil(share * (double)lateness->count);
    uint64_t seen = 0;
    for (unsigned i = 0; i < LT_LATENESS_BUCKETS; i++) {
        seen += lateness->buckets[i];
        if (seen >= wanted && seen > 0) {
            livetcp_usec end = bucket_end(i);
            return end < lateness->max ? end : lateness->max;
        }
    }
    return lateness->max;
}
