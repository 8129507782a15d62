/* SPDX-License-Identifier: MIT */
/* One end of one scheme's flows, in a process of its own: sends its streams on schedule, and
 * records the arrivals of the other end's packets. */
#ifndef LT_LAB_BENCH_ENDPOINT_H
#define LT_LAB_BENCH_ENDPOINT_H

#include "lab/bench/shared.h"
#include "lab/emulate/path.h"

typedef struct lt_endpoint_job {
    const lt_scheme *scheme;
    const lt_plan *plan;
    lt_shared *shared;
    lt_end end;
    const char *far_address;
    uint64_t seed;
    int control; /* to the coordinator */
} lt_endpoint_job;

/* The process, from entering its namespace to its exit code. */
int lt_endpoint_main(const lt_endpoint_job *job);

#endif
