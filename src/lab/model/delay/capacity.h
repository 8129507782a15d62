/* SPDX-License-Identifier: MIT */
/* Throughput of the chain's connection when it always has data to send. */
#ifndef LT_LAB_MODEL_DELAY_CAPACITY_H
#define LT_LAB_MODEL_DELAY_CAPACITY_H

#include "lab/model/delay/params.h"

/* In packets per second; infinite without loss. A slower source has finite delays; a faster one has
 * an unbounded backlog (Foster's criterion: with a large backlog the window moves independently of
 * it, and the backlog drifts by the difference of the rates). */
livetcp_result lt_delay_capacity(const lt_delay_params *params, double *packets_per_s,
                                 livetcp_error *error);

#endif
