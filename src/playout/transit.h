/* SPDX-License-Identifier: MIT */
/* The minimum transit time: that of a packet that waits for nothing. Transit times are arrival
 * minus media time, so they contain the unknown offset of two clocks; only differences mean
 * anything. */
#ifndef LT_PLAYOUT_TRANSIT_H
#define LT_PLAYOUT_TRANSIT_H

#include "playout/skew.h"

#include <livetcp/base.h>

#include <stdbool.h>

#define LT_TRANSIT_SECONDS 8

/* The minimum transit time of a second of arrivals, and the media time of its packet. */
typedef struct lt_transit_second {
    livetcp_usec media_us, transit_us;
} lt_transit_second;

/* The minimum over the latest quarters of a second, for the standing queue. */
typedef struct lt_transit_floor {
    livetcp_usec begin_us;
    livetcp_usec min_us, before_us; /* of this quarter and of the one before */
    bool has_before;
} lt_transit_floor;

typedef struct lt_transit {
    bool started;
    livetcp_usec origin_us; /* media time of the first packet */
    lt_skew skew;

    lt_transit_second ring[LT_TRANSIT_SECONDS]; /* the latest seconds that touched the base */
    unsigned count, newest;
    lt_transit_second now; /* the second under way */
    livetcp_usec now_begin_us;
    livetcp_usec touched_us; /* media time when the base was last touched */
    unsigned above;          /* seconds with packets since then, all of which were queueing */
    livetcp_usec known_us;   /* media time over which the base has been touched since it moved */

    lt_transit_floor floor;
    livetcp_usec last_arrival_us, last_media_us;
    livetcp_usec gap_us, gap_arrival_us; /* extra lateness of an arrival after a pause; 0 = none */
} lt_transit;

/* Effect of a packet on the base. */
typedef enum lt_transit_move {
    LT_TRANSIT_SAME,
    LT_TRANSIT_LOWER,  /* lower than the base by more than clocks drift */
    LT_TRANSIT_HIGHER, /* a queue that stood for so long counts as the path */
} lt_transit_move;

/* Starts anew with the next packet; the learnt skew stays. */
void lt_transit_restart(lt_transit *transit);

/* Takes in a packet that arrived. */
lt_transit_move lt_transit_add(lt_transit *transit, livetcp_usec media_us, livetcp_usec arrival_us);

/* The minimum transit time at a media time. Requires at least one added packet. */
livetcp_usec lt_transit_base(const lt_transit *transit, livetcp_usec media_us);

/* The queueing delay common to all packets of the last quarters of a second; 0 if negligible. */
livetcp_usec lt_transit_standing_queue(const lt_transit *transit);

#endif
