/* SPDX-License-Identifier: MIT */
/* Sends a source's packets when they are due, and hands back the delays of the samples. */
#ifndef LT_LAB_PROBE_TRANSFER_H
#define LT_LAB_PROBE_TRANSFER_H

#include "lab/probe/clock_sync.h"
#include "lab/probe/findings.h"
#include "lab/probe/source.h"

typedef struct lt_transfer_config {
    lt_probe_connection *connection;
    lt_clock_sync *sync;
    lt_probe_source *source;
    livetcp_usec delay_limit; /* 0: none */

    /* One sample, in the order in which they were sent; also one that is not there yet and is late
     * beyond the limit already, with the delay so far. False ends the transfer. */
    bool (*on_sample)(void *user, const lt_probe_sample *sample);
    void (*on_tick)(void *user, livetcp_usec elapsed); /* now and then */
    void *user;
} lt_transfer_config;

typedef struct lt_transfer_result {
    uint64_t packets;
    livetcp_usec latest; /* maximum of the sender's own lateness */
} lt_transfer_result;

/* Until the source has ended and all samples are back, on_sample() returns false, or a signal
 * comes. lt_transfer_drain() finishes a partial write. */
livetcp_result lt_transfer_run(const lt_transfer_config *config, lt_transfer_result *result,
                               livetcp_error *error);

/* Waits until all written bytes have been acknowledged, for `most` at most. */
livetcp_result lt_transfer_drain(lt_probe_connection *connection, livetcp_usec most,
                                 livetcp_error *error);

/* Between transfers: drains, for two minutes at most, and compares the clocks while the path is
 * idle. */
livetcp_result lt_transfer_pause(lt_probe_connection *connection, lt_clock_sync *sync,
                                 livetcp_error *error);

#endif
