/* SPDX-License-Identifier: MIT */
#include "engine/rate/pacer.h"

#define SECOND  ((double)LIVETCP_USEC_SEC)
#define SEGMENT 1500

/* The rate as a multiple of the share, and the burst. */
#define PACE    2.0
#define PACE_US 10000

uint64_t lt_pacer_update(lt_pacer *pacer, const lt_congestion_sample *s, double share)
{
    uint64_t sent = s->delivered + s->undelivered;
    double rate = PACE * share, burst = rate * PACE_US / SECOND;
    double time = (double)(s->now_us - pacer->at_us) / SECOND;

    burst = burst > 2 * SEGMENT ? burst : 2 * SEGMENT;
    pacer->credit += rate * (time < 1 ? time : 1) - (double)(sent - pacer->sent);
    if (pacer->credit > burst)
        pacer->credit = burst;
    if (pacer->credit < -burst)
        pacer->credit = -burst;
    pacer->at_us = s->now_us;
    pacer->sent = sent;
    return pacer->credit > 0 ? (uint64_t)pacer->credit : 0;
}
