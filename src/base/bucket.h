/* SPDX-License-Identifier: MIT */
/* Token bucket. Rate (tokens per second) and size are arguments, since both may follow settings
 * that change. */
#ifndef LT_BASE_BUCKET_H
#define LT_BASE_BUCKET_H

#include <livetcp/base.h>

typedef struct lt_bucket {
    double tokens;
    livetcp_usec filled_us;
} lt_bucket;

/* Number of tokens at `now`. */
static inline double lt_bucket_level(const lt_bucket *bucket, double rate, double size,
                                     livetcp_usec now)
{
    double tokens =
        bucket->tokens + rate * (double)(now - bucket->filled_us) / (double)LIVETCP_USEC_SEC;

    return tokens < size ? tokens : size;
}

/* Takes one token. The level does not fall below 0. */
static inline void lt_bucket_take(lt_bucket *bucket, double rate, double size, livetcp_usec now)
{
    double tokens = lt_bucket_level(bucket, rate, size, now) - 1;

    bucket->tokens = tokens > 0 ? tokens : 0;
    bucket->filled_us = now;
}

/* Time at which it holds a token; may be in the past. */
static inline livetcp_usec lt_bucket_ready_at(const lt_bucket *bucket, double rate)
{
    double missing = 1 - bucket->tokens;

    if (missing <= 0)
        return bucket->filled_us;
    return bucket->filled_us + 1 + (livetcp_usec)(missing / rate * (double)LIVETCP_USEC_SEC);
}

#endif
