/* SPDX-License-Identifier: MIT */
/*
 * Spreads the frames of a session beside others. Others keep the buffer nearly full: a frame that
 * is sent at once loses more packets there than an acknowledgement-clocked flow, so it is spread
 * over half of its interval.
 */
#ifndef LT_ENGINE_RATE_PACER_H
#define LT_ENGINE_RATE_PACER_H

#include "engine/rate/delay_history.h"

typedef struct lt_pacer { /* begins zeroed */
    double credit;        /* bytes that may be sent now */
    uint64_t sent;
    livetcp_usec at_us;
} lt_pacer;

/* Bytes that may be sent now by a session with this share in bytes per second. */
uint64_t lt_pacer_update(lt_pacer *pacer, const lt_congestion_sample *sample, double share);

#endif
