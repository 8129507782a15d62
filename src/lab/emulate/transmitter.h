/* SPDX-License-Identifier: MIT */
/* When a bottleneck has sent a packet: at a constant rate, or by the opportunities of a trace.
 * Times are nanoseconds of the link's clock. Pure. */
#ifndef LT_LAB_EMULATE_TRANSMITTER_H
#define LT_LAB_EMULATE_TRANSMITTER_H

#include "lab/emulate/trace.h"

#include <stdbool.h>

typedef struct lt_transmitter {
    const lt_rate_trace *trace; /* or NULL; the caller's */
    livetcp_usec origin;        /* when the trace began */
    uint64_t opportunity;       /* of the trace: the next that is free */
    unsigned left;              /* bytes left of the one before that */
    uint64_t rate;              /* bit/s without a trace; 0: takes no time */
    uint64_t carry; /* numerator, over rate, of the fraction missing from the last end */
} lt_transmitter;

/* The end of a packet that begins at `start`, which is the end of the one before unless `idle`. */
int64_t lt_transmitter_send(lt_transmitter *transmitter, int64_t start, bool idle, size_t size);

#endif
