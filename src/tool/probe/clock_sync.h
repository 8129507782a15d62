/* SPDX-License-Identifier: MIT */
/* How far the peer's clock is ahead of ours, from pings over an idle connection. As with NTP, half
 * of the round trip is taken for each direction. */
#ifndef LT_PROBE_CLOCK_SYNC_H
#define LT_PROBE_CLOCK_SYNC_H

#include "tool/probe/connection.h"

typedef struct lt_clock_sync {
    bool known;
    livetcp_usec least_rtt;
    livetcp_usec offset; /* peer's clock minus ours, at `at` */
    livetcp_usec at;
    livetcp_usec first_offset, first_at;
} lt_clock_sync;

/* A round of pings: those with the least round trips count. A round whose pings all had to wait is
 * passed over, unless it is the first. */
livetcp_result lt_clock_sync_round(lt_clock_sync *sync, lt_probe_connection *connection,
                                   livetcp_error *error);

/* What one ping says: sent and answered by our clock, received and answered by the peer's. */
void lt_clock_sync_take(lt_clock_sync *sync, livetcp_usec sent, livetcp_usec came,
                        livetcp_usec peer_came, livetcp_usec peer_sent);

/* By how much the offset changes, over the time since the first round; 0 if that is too short to
 * tell. */
double lt_clock_sync_drift(const lt_clock_sync *sync);

/* A time of the peer on our clock. */
livetcp_usec lt_clock_sync_ours(const lt_clock_sync *sync, livetcp_usec peers);

#endif
