/* SPDX-License-Identifier: MIT */
/* livetcp relay: routes on one loop, until a signal or a requested end. */
#ifndef LT_RELAY_RELAY_H
#define LT_RELAY_RELAY_H

#include "relay/journal.h"
#include "relay/listeners.h"
#include "relay/plan/plan.h"

typedef struct lt_relay_options {
    const char *config; /* file with routes; NULL: `plan` */
    lt_relay_plan plan; /* taken over */
    lt_relay_journal journal;
    bool once;               /* end when the first session has ended */
    livetcp_usec timeout_us; /* end after so long without a packet; LIVETCP_NEVER: do not */
    livetcp_usec stats_us;   /* interval of JSON lines on standard output; 0: none */
    const char *metrics;     /* HOST:PORT of the metrics; NULL: none */
    const char *on_open, *on_close;
    const char *pcap; /* file; NULL: none */
    const char *json; /* file for the summary; NULL: none */

    /* Authorization of callers, and a check that a listener can carry it; NULL: none. */
    lt_relay_admit *admit;
    lt_relay_check *check;
    void *admit_user;
} lt_relay_options;

/* Runs until it ends, and returns the exit code; *error is set for LT_EXIT_USAGE and
 * LT_EXIT_FAILED. */
int lt_relay_run(lt_relay_options *options, livetcp_error *error);

/* Reads routes from a file. */
livetcp_result lt_relay_read_config(const char *path, lt_relay_plan *plan, livetcp_error *error);

#endif
