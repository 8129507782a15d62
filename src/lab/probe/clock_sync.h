/* SPDX-License-Identifier: MIT */
/*
 * Offset of the peer's clock from ours (peer's minus ours).
 *
 * A message arrives after it was sent, so each message and its answer bound the offset from above
 * and below. Of all lines within these bounds the one farthest from the nearest bounds is taken:
 * that assigns half of the minimum round trip to each direction, as NTP does, but the minimum
 * delays of both directions may come from different pings. Behind a queue that other traffic keeps
 * full they almost always do. (Moon, Skelly, Towsley, "Estimation and removal of clock skew from
 * network delay measurements", 1999, for one direction.)
 */
#ifndef LT_LAB_PROBE_CLOCK_SYNC_H
#define LT_LAB_PROBE_CLOCK_SYNC_H

#include "lab/probe/connection.h"

#define LT_CLOCK_SYNC_WINDOWS 256

/* The tightest bounds in a span of time, with the times at which they were found. */
typedef struct lt_clock_window {
    livetcp_usec max, max_at;
    livetcp_usec min, min_at;
} lt_clock_window;

typedef struct lt_clock_sync {
    bool known;
    livetcp_usec min_rtt;
    livetcp_usec offset; /* peer's clock minus ours, at `at` */
    livetcp_usec at;     /* on our clock */
    double drift;        /* change of the offset over time; 0 until it is known */
    lt_clock_window windows[LT_CLOCK_SYNC_WINDOWS];
    unsigned count;
    livetcp_usec window_began, window_length;
} lt_clock_sync;

/* A round of pings over an idle connection; the first round takes longer if there is a queue. */
livetcp_result lt_clock_sync_round(lt_clock_sync *sync, lt_probe_connection *connection,
                                   livetcp_error *error);

/* Adds the four times of a ping or answered packet: sent and answered on our clock, received and
 * answered on the peer's. */
void lt_clock_sync_take(lt_clock_sync *sync, livetcp_usec sent, livetcp_usec came,
                        livetcp_usec peer_came, livetcp_usec peer_sent);

/* Converts a time of the peer's clock to ours. */
livetcp_usec lt_clock_sync_ours(const lt_clock_sync *sync, livetcp_usec peers);

#endif
