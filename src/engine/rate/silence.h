/* SPDX-License-Identifier: MIT */
/*
 * Times without a round trip that is a sample of the network. While all wait for repairs, Little's
 * law gives the delay; while nothing is delivered, the length of the silence does. With one
 * connection all bytes in flight wait for its own repair and show no queue. Nor do the repairs of
 * our own extra bytes: behind a policer a window for such a queue keeps media waiting that would
 * have got through.
 */
#ifndef LT_ENGINE_RATE_SILENCE_H
#define LT_ENGINE_RATE_SILENCE_H

#include "engine/rate/delay_history.h"

typedef struct lt_silence {
    uint64_t delivered;       /* bytes at the last update that delivered any, */
    livetcp_usec progress_us; /*   and its time, or when bytes were under way again */
    bool idle;                /* none were at the last update */
    livetcp_usec sampled_us;  /* the last sample of the network */
} lt_silence;

void lt_silence_init(lt_silence *silence);

/* The sample, with a queue derived from silence where it has none. */
lt_congestion_sample lt_silence_update(lt_silence *silence, const lt_delay_history *history,
                                       const lt_congestion_sample *sample);

/* Nothing has been delivered for longer than a repair takes. */
bool lt_silence_is_stall(const lt_silence *silence, const lt_congestion_sample *sample);

/* Nothing has been delivered for a moment: no rate is measured across it. */
bool lt_silence_is_pause(const lt_silence *silence, livetcp_usec now);

#endif
