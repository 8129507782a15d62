/* SPDX-License-Identifier: MIT */
/*
 * Offset of the peer's clock ahead of ours.
 *
 * Nothing arrives before it was sent, so each message and its answer bound the offset from above
 * and from below. Of all lines that keep within these bounds, the one in the middle is taken,
 * farthest from the nearest: that is half of the minimum round trip for each direction, as with
 * NTP, but the minimum delays there and back need not be of the same ping. Behind a queue that
 * others keep full, they hardly ever are. (Moon, Skelly, Towsley, "Estimation and removal of clock
 * skew from network delay measurements", 1999, do so for one direction.)
 */
#ifndef LT_LAB_PROBE_CLOCK_SYNC_H
#define LT_LAB_PROBE_CLOCK_SYNC_H

#include "lab/probe/connection.h"

#define LT_CLOCK_SYNC_WINDOWS 256

/* The tightest bounds of a span of time, each with when it was found. */
typedef struct lt_clock_window {
    livetcp_usec most, most_at;
    livetcp_usec least, least_at;
} lt_clock_window;

typedef struct lt_clock_sync {
    bool known;
    livetcp_usec least_rtt;
    livetcp_usec offset; /* peer's clock minus ours, at `at` */
    livetcp_usec at;     /* of our clock */
    double drift;        /* by how much the offset changes; 0 until that is known */
    lt_clock_window windows[LT_CLOCK_SYNC_WINDOWS];
    unsigned count;
    livetcp_usec window_began, window_length;
} lt_clock_sync;

/* A round of pings over an idle connection; the first takes longer where they find a queue. */
livetcp_result lt_clock_sync_round(lt_clock_sync *sync, lt_probe_connection *connection,
                                   livetcp_error *error);

/* Times of one ping, or of an answered packet: sent and answered by our clock, received and
 * answered by the peer's. */
void lt_clock_sync_take(lt_clock_sync *sync, livetcp_usec sent, livetcp_usec came,
                        livetcp_usec peer_came, livetcp_usec peer_sent);

/* A time of the peer on our clock. */
livetcp_usec lt_clock_sync_ours(const lt_clock_sync *sync, livetcp_usec peers);

#endif
