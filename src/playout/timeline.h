/* SPDX-License-Identifier: MIT */
/* Maps RTP timestamps to time on the sender's media clock. */
#ifndef LT_PLAYOUT_TIMELINE_H
#define LT_PLAYOUT_TIMELINE_H

#include <livetcp/base.h>

#include <stdbool.h>
#include <stdint.h>

/* An interval of arrivals over which timestamps are compared with our clock. */
typedef struct lt_timeline_interval {
    bool started;
    livetcp_usec media_us, arrival_us;
    double ratio; /* media time over our time, in the previous interval; 0 = none */
} lt_timeline_interval;

typedef struct lt_timeline {
    uint32_t clock_rate;
    bool started;
    int64_t timestamp;                 /* extended timestamp of the latest packet in sequence */
    livetcp_usec media_us, arrival_us; /* of that packet */
    lt_timeline_interval stretch;
    uint32_t measured_rate; /* Hz; 0 = clock_rate is correct */
} lt_timeline;

/* Starts with a packet. */
void lt_timeline_start(lt_timeline *timeline, uint32_t timestamp, livetcp_usec arrival_us);

/* The extended timestamp nearest to that of the latest packet; and the media time of one. */
int64_t lt_timeline_extend(const lt_timeline *timeline, uint32_t timestamp);
livetcp_usec lt_timeline_media(const lt_timeline *timeline, int64_t timestamp);

/* True if the next packet in sequence cannot have this timestamp: it is more than a second back, or
 * more than a second ahead of the time since the latest packet plus `queueing_us`, the queueing
 * delay of that packet. */
bool lt_timeline_jumps(const lt_timeline *timeline, int64_t timestamp, livetcp_usec arrival_us,
                       livetcp_usec queueing_us);

/* Adds the next packet in sequence. Returns true when it is certain that timestamps run at another
 * rate than clock_rate, or than the one measured before. */
bool lt_timeline_advance(lt_timeline *timeline, int64_t timestamp, livetcp_usec arrival_us);

#endif
