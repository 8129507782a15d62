/* SPDX-License-Identifier: MIT */
/* RTP timestamps as points in time of the sender's media clock. */
#ifndef LT_PLAYOUT_TIMELINE_H
#define LT_PLAYOUT_TIMELINE_H

#include <livetcp/base.h>

#include <stdbool.h>
#include <stdint.h>

/* A stretch of arrivals over which timestamps and our clock are compared. */
typedef struct lt_timeline_stretch {
    bool begun;
    livetcp_usec media_us, arrival_us;
    double ratio; /* media time per time of ours in the stretch before; 0 = there was none */
} lt_timeline_stretch;

typedef struct lt_timeline {
    uint32_t clock_rate;
    bool started;
    int64_t timestamp;                 /* extended timestamp of the latest packet by sequence */
    livetcp_usec media_us, arrival_us; /* its times */
    lt_timeline_stretch stretch;
    uint32_t measured_rate; /* Hz; 0 = clock_rate is right */
} lt_timeline;

/* Begins with a packet. */
void lt_timeline_start(lt_timeline *timeline, uint32_t timestamp, livetcp_usec arrival_us);

/* The extended timestamp nearest to that of the latest packet, and its media time. */
int64_t lt_timeline_extend(const lt_timeline *timeline, uint32_t timestamp);
livetcp_usec lt_timeline_media(const lt_timeline *timeline, int64_t timestamp);

/* True if the next packet by sequence cannot have this timestamp: it is more than a second back, or
 * more than a second ahead of the time passed since the latest packet plus `queueing_us`, the
 * queueing delay of that packet. */
bool lt_timeline_jumps(const lt_timeline *timeline, int64_t timestamp, livetcp_usec arrival_us,
                       livetcp_usec queueing_us);

/* Takes in the next packet by sequence. Returns true when it becomes clear that timestamps do not
 * run at clock_rate, or run at another rate than was measured before. */
bool lt_timeline_advance(lt_timeline *timeline, int64_t timestamp, livetcp_usec arrival_us);

#endif
