/* SPDX-License-Identifier: MIT */
/*
 * When all connections of a LiveTCP session are open (docs/reference/wire-format.md, Handshake).
 * The papers' models end with TCP's handshake; ours goes on with exchanges of a message and its
 * answer, each a segment that is to be acknowledged: CREATE and ACCEPT on the first connection, and
 * then, on every other that has connected by itself meanwhile, JOIN and CHALLENGE, PROOF and
 * JOINED.
 */
#ifndef LT_LAB_MODEL_STARTUP_SESSION_OPEN_H
#define LT_LAB_MODEL_STARTUP_SESSION_OPEN_H

#include "lab/model/startup/timeouts.h"

/* Without timeouts: 2 round trips for one connection, 4 for more. */
double lt_session_open_base(double rtt, unsigned connections);

/* The time of the whole session above that. `connected` and `exchange` are the timeouts of one
 * handshake of TCP and of one message with its answer. All have the same steps; `open` is
 * initialised. */
livetcp_result lt_session_open_solve(lt_times *open, const lt_times *connected,
                                     const lt_times *exchange, double rtt, unsigned connections,
                                     livetcp_error *error);

#endif
