/* SPDX-License-Identifier: MIT */
/* Background traffic, in a process of its own at each end: greedy TCP flows ("FTP"), one that is
 * counted separately (the peer), and web flows as in the papers (Brosh et al. 5.3): 512 bytes at
 * exponentially distributed intervals with a mean of 50 ms, over TCP. They have the direction of
 * the media. For mice and UDP see cross.h. */
#ifndef LT_LAB_BENCH_BACKGROUND_H
#define LT_LAB_BENCH_BACKGROUND_H

#include "lab/bench/load.h"
#include "lab/bench/shared.h"
#include "lab/emulate/path.h"

enum { LT_WEB_PACKET = 512, LT_WEB_MEAN_US = 50000 };

typedef struct lt_background_job {
    const lt_load *load;
    const lt_plan *plan;
    lt_shared *shared;
    lt_end end;
    const char *far_address;
    uint64_t seed;
    int control; /* to the coordinator */
} lt_background_job;

/* The process, from entering its namespace to its exit code. */
int lt_background_main(const lt_background_job *job);

#endif
