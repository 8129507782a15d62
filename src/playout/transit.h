/* SPDX-License-Identifier: MIT */
/* The least transit time: what a packet takes when it waits for nothing. Transit times are arrival
 * minus media time, so they contain the unknown offset of two clocks; only differences mean
 * anything. */
#ifndef LT_PLAYOUT_TRANSIT_H
#define LT_PLAYOUT_TRANSIT_H

#include "playout/skew.h"

#include <livetcp/time.h>

#include <stdbool.h>

#define LT_TRANSIT_SECONDS 8

/* The least transit time of a second of arrivals, and the media time of its packet. */
typedef struct lt_transit_second {
    livetcp_usec media_us, transit_us;
} lt_transit_second;

/* The least over the latest quarters of a second, for the standing queue. */
typedef struct lt_transit_floor {
    livetcp_usec begin_us;
    livetcp_usec least_us, before_us; /* of this quarter and of the one before */
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
    livetcp_usec gap_us, gap_arrival_us; /* what an arrival was late by after a pause; 0 = none */
} lt_transit;

/* What a packet did to the base. */
typedef enum lt_transit_move {
    LT_TRANSIT_SAME,
    LT_TRANSIT_LOWER,  /* less than thought by more than clocks drift */
    LT_TRANSIT_HIGHER, /* a queue that stood for so long is taken for the path */
} lt_transit_move;

/* Starts anew with the next packet; the skew that was learnt stays. */
void lt_transit_restart(lt_transit *transit);

/* Takes in a packet that arrived. */
lt_transit_move lt_transit_add(lt_transit *transit, livetcp_usec media_us, livetcp_usec arrival_us);

/* The least transit time at a media time. At least one packet must have been added. */
livetcp_usec lt_transit_base(const lt_transit *transit, livetcp_usec media_us);

/* What every packet of the last quarters of a second waited for; 0 if that is not worth speaking
 * of. */
livetcp_usec lt_transit_standing_queue(const lt_transit *transit);

#endif
