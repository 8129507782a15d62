/* SPDX-License-Identifier: MIT */
/* Sends a source's packets on schedule, and returns the delays of the samples. */
#ifndef LT_LAB_PROBE_TRANSFER_H
#define LT_LAB_PROBE_TRANSFER_H

#include "lab/probe/clock_sync.h"
#include "lab/probe/findings.h"
#include "lab/probe/source.h"

typedef struct lt_transfer_config {
    lt_probe_connection *connection;
    lt_clock_sync *sync;
    lt_probe_source *source;
    livetcp_usec delay_limit; /* 0: no limit */

    /* A sample, in sending order; also one that has not arrived and exceeds the limit, with its
     * delay so far. False ends the transfer. */
    bool (*on_sample)(void *user, const lt_probe_sample *sample);
    void (*on_tick)(void *user, livetcp_usec elapsed); /* called regularly */
    void *user;
} lt_transfer_config;

typedef struct lt_transfer_result {
    uint64_t packets;
    livetcp_usec latest; /* maximum lateness of the sender itself */
} lt_transfer_result;

/* Runs until the source has ended and all samples are reported, on_sample() returns false, or a
 * signal. lt_transfer_drain() completes a partial write. */
livetcp_result lt_transfer_run(const lt_transfer_config *config, lt_transfer_result *result,
                               livetcp_error *error);

/* Waits until all written bytes are acknowledged, for `max` at most. */
livetcp_result lt_transfer_drain(lt_probe_connection *connection, livetcp_usec max,
                                 livetcp_error *error);

/* Between transfers: drains, for at most two minutes, and compares the clocks on the idle path. */
livetcp_result lt_transfer_pause(lt_probe_connection *connection, lt_clock_sync *sync,
                                 livetcp_error *error);

#endif
