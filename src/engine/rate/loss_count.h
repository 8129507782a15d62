/* SPDX-License-Identifier: MIT */
/* Segments that were lost since a moment, and delivered. */
#ifndef LT_ENGINE_RATE_LOSS_COUNT_H
#define LT_ENGINE_RATE_LOSS_COUNT_H

#include "engine/rate/delay_history.h"

#define LT_LOSS_COUNT_SEGMENT 1448.0

typedef struct lt_loss_count {
    uint64_t delivered, retransmitted; /* of the session, then */
} lt_loss_count;

static inline void lt_loss_count_begin(lt_loss_count *count, const lt_congestion_sample *sample)
{
    *count = (lt_loss_count){sample->delivered, sample->retransmitted};
}

/* A connection that is closed takes its number with it. */
static inline double lt_loss_count_lost(const lt_loss_count *count,
                                        const lt_congestion_sample *sample)
{
    bool more = sample->retransmitted > count->retransmitted;

    return more ? (double)(sample->retransmitted - count->retransmitted) : 0;
}

static inline double lt_loss_count_delivered(const lt_loss_count *count,
                                             const lt_congestion_sample *sample)
{
    return (double)(sample->delivered - count->delivered) / LT_LOSS_COUNT_SEGMENT;
}

#endif
