/* SPDX-License-Identifier: MIT */
/* Throughput of the chain's connection when it always has data to send. */
#ifndef LT_LAB_MODEL_DELAY_CAPACITY_H
#define LT_LAB_MODEL_DELAY_CAPACITY_H

#include "lab/model/delay/params.h"

/* Packets per second; infinite without loss. A source that is slower is carried with a delay that
 * stays finite; one that is not is late without bound (Foster's criterion: with a large backlog the
 * window moves on its own, and the backlog drifts by the difference). */
livetcp_result lt_delay_capacity(const lt_delay_params *params, double *packets_per_s,
                                 livetcp_error *error);

#endif
