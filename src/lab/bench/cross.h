/* SPDX-License-Identifier: MIT */
/* Cross traffic as in Goel et al. (section 4.1): mice, which are consecutive TCP connections of 20
 * kB, and UDP at a constant bit rate; and the load of Zhang et al. (section 3.1.1): UDP packets of
 * 512 bytes at random intervals. All of it goes forward. Runs on threads of the background
 * processes. */
#ifndef LT_LAB_BENCH_CROSS_H
#define LT_LAB_BENCH_CROSS_H

#include "lab/bench/load.h"
#include "lab/bench/shared.h"
#include "lab/emulate/path.h"

#include <pthread.h>
#include <stdatomic.h>

/* The caller sets the fields above `start`, both descriptors to -1, and the rest to 0. */
typedef struct lt_cross {
    const lt_load *load;
    const lt_plan *plan;
    lt_shared *shared;
    lt_end end;
    const char *far_address;
    uint64_t seed;
    livetcp_usec start; /* of the run */
    atomic_bool stop;
    int listener, udp; /* -1 = none */
    pthread_t threads[3];
    unsigned thread_count;
} lt_cross;

/* Far end: opens its ports. */
livetcp_result lt_cross_open(lt_cross *cross, livetcp_error *error);

/* Starts the threads of this end. */
livetcp_result lt_cross_start(lt_cross *cross, livetcp_usec start, livetcp_error *error);

void lt_cross_close(lt_cross *cross);

#endif
