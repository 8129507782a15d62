/* SPDX-License-Identifier: MIT */
/* A listener with an adaptive playout delay: plays a measured stream with livetcp/playout.h, in
 * virtual time. */
#ifndef LT_LAB_BENCH_LISTENER_H
#define LT_LAB_BENCH_LISTENER_H

#include "lab/bench/playout.h"

/* One packet in the order of sending. */
typedef struct lt_spoken {
    livetcp_usec due;     /* scheduled time of sending */
    livetcp_usec arrival; /* LT_DELAY_NEVER if lost */
    livetcp_usec copy;    /* arrival of its first secondary; LT_DELAY_NEVER = none */
    bool plays;           /* false: left out, and the next packet starts a new talkspurt */
    bool counts;          /* false: played, but not measured */
} lt_spoken;

/* Plays a stream with this minimum delay and adds the result to `playout`. Call
 * lt_listener_finish() after the last stream. */
livetcp_result lt_listener_play(const lt_spoken *packets, uint32_t count, livetcp_usec min_delay_us,
                                lt_playout *playout, livetcp_error *error);

/* Minimum playout delay for redundant streams: until the last packet that repeats a frame
 * arrives. */
livetcp_usec lt_listener_min_delay(unsigned redundancy, livetcp_usec interval);

/* Computes the delay from sending to playing, the mean over talkspurts. */
void lt_listener_finish(lt_playout *playout);

#endif
