/* SPDX-License-Identifier: MIT */
/* End times of transmissions at a bottleneck: at a constant rate, or by the opportunities of a
 * trace. Times are nanoseconds of the link's clock. Pure. */
#ifndef LT_LAB_EMULATE_TRANSMITTER_H
#define LT_LAB_EMULATE_TRANSMITTER_H

#include "lab/emulate/trace.h"

#include <stdbool.h>

typedef struct lt_transmitter {
    const lt_rate_trace *trace; /* NULL = constant rate; owned by the caller */
    livetcp_usec origin;        /* start of the trace */
    uint64_t opportunity;       /* of the trace: the next unused one */
    unsigned left;              /* unused bytes of the opportunity before it */
    uint64_t rate;              /* bit/s without a trace; 0: transmission takes no time */
    uint64_t carry; /* numerator, over rate, of the fraction missing in the last end time */
} lt_transmitter;

/* End time of a packet whose transmission starts at `start`, which is the end of the previous one
 * unless `idle`. */
int64_t lt_transmitter_send(lt_transmitter *transmitter, int64_t start, bool idle, size_t size);

#endif
