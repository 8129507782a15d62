/* SPDX-License-Identifier: MIT */
/*
 * Time until all connections of a LiveTCP session are open (docs/reference/wire-format.md,
 * Handshake). The papers' models end with TCP's handshake; ours adds exchanges of a message and its
 * answer, each a segment to be acknowledged: CREATE and ACCEPT on the first connection; then JOIN
 * and CHALLENGE, PROOF and JOINED on each of the others, which connect in parallel.
 */
#ifndef LT_LAB_MODEL_STARTUP_SESSION_OPEN_H
#define LT_LAB_MODEL_STARTUP_SESSION_OPEN_H

#include "lab/model/startup/timeouts.h"

/* Without timeouts: 2 round trips for one connection, 4 for several. */
double lt_session_open_base(double rtt, unsigned connections);

/* Time of the whole session beyond that. `connected` and `exchange` are the timeouts of one TCP
 * handshake, and of one message with its answer. All have the same steps; `open` is initialised. */
livetcp_result lt_session_open_solve(lt_times *open, const lt_times *connected,
                                     const lt_times *exchange, double rtt, unsigned connections,
                                     livetcp_error *error);

#endif
