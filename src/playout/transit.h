/* SPDX-License-Identifier: MIT */
/* Minimum transit time: that of a packet without queueing. Transit times are arrival minus media
 * time; they include the unknown offset between two clocks, so only differences are meaningful. */
#ifndef LT_PLAYOUT_TRANSIT_H
#define LT_PLAYOUT_TRANSIT_H

#include "playout/skew.h"

#include <livetcp/base.h>

#include <stdbool.h>

#define LT_TRANSIT_SECONDS 8

/* Minimum transit time of one second of arrivals, and the media time of that packet. */
typedef struct lt_transit_second {
    livetcp_usec media_us, transit_us;
} lt_transit_second;

/* Minimum over quarters of a second, for the standing queue. */
typedef struct lt_transit_floor {
    livetcp_usec begin_us;
    livetcp_usec min_us, before_us; /* of the current quarter, and of the previous one */
    bool has_before;
} lt_transit_floor;

typedef struct lt_transit {
    bool started;
    livetcp_usec origin_us; /* media time of the first packet */
    lt_skew skew;

    lt_transit_second ring[LT_TRANSIT_SECONDS]; /* the last seconds that updated the base */
    unsigned count, newest;
    lt_transit_second now; /* the current second */
    livetcp_usec now_begin_us;
    livetcp_usec updated_us; /* media time of the last update of the base */
    unsigned above;          /* seconds with packets since then; all were queueing */
    livetcp_usec known_us;   /* media time for which the base has been updated since it moved */

    lt_transit_floor floor;
    livetcp_usec last_arrival_us, last_media_us;
    livetcp_usec gap_us, gap_arrival_us; /* additional lateness after a pause; 0 = none */
} lt_transit;

/* Effect of a packet on the base. */
typedef enum lt_transit_move {
    LT_TRANSIT_SAME,
    LT_TRANSIT_LOWER,  /* lower than the base by more than clock drift */
    LT_TRANSIT_HIGHER, /* a queue that stood for so long that it counts as the path */
} lt_transit_move;

/* Restarts with the next packet; the skew is kept. */
void lt_transit_restart(lt_transit *transit);

/* Adds a packet. */
lt_transit_move lt_transit_add(lt_transit *transit, livetcp_usec media_us, livetcp_usec arrival_us);

/* Minimum transit time at a media time. Requires at least one added packet. */
livetcp_usec lt_transit_base(const lt_transit *transit, livetcp_usec media_us);

/* Queueing delay common to all packets of the last quarters of a second; 0 if negligible. */
livetcp_usec lt_transit_standing_queue(const lt_transit *transit);

#endif
