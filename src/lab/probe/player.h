/* SPDX-License-Identifier: MIT */
/* Sends the recorded stream over the path that was probed. */
#ifndef LT_LAB_PROBE_PLAYER_H
#define LT_LAB_PROBE_PLAYER_H

#include "base/rng.h"
#include "lab/probe/clock_sync.h"
#include "lab/probe/findings.h"
#include "lab/probe/progress.h"

typedef struct lt_player {
    lt_probe_findings *findings;
    lt_probe_connection *connection;
    lt_clock_sync *sync;
    lt_probe_progress *progress;
    lt_rng *rng;
    livetcp_usec length, left; /* of one play, and of all remaining ones */
} lt_player;

/* As often as the options require, into findings->video.plays. Ends early on a signal. The first
 * five fields of the player are the caller's. */
livetcp_result lt_player_run(lt_player *player, livetcp_error *error);

#endif
