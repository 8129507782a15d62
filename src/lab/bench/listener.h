/* SPDX-License-Identifier: MIT */
/* A listener with an adaptive playout delay: a stream that was measured is played by
 * livetcp/playout.h, in virtual time. */
#ifndef LT_LAB_BENCH_LISTENER_H
#define LT_LAB_BENCH_LISTENER_H

#include "lab/bench/playout.h"

/* One packet in the order of sending. */
typedef struct lt_spoken {
    livetcp_usec due;     /* when it was to be sent */
    livetcp_usec arrival; /* LT_DELAY_NEVER if it never came */
    livetcp_usec copy; /* arrival of the first secondary of it; LT_DELAY_NEVER if there is none */
    bool plays;        /* or it is left out, and the next packet does not continue the one before */
    bool counts;       /* or it is played, but not measured */
} lt_spoken;

/* Plays a stream with this minimum delay and adds the result to `playout`: after the last stream,
 * call lt_listener_finish(). */
livetcp_result lt_listener_hear(const lt_spoken *packets, uint32_t count, livetcp_usec least,
                                lt_playout *playout, livetcp_error *error);

/* Minimum wait of a listener where packets repeat those before them: a frame comes for the second
 * time when the last packet that repeats it does. */
livetcp_usec lt_listener_least(unsigned redundancy, livetcp_usec interval);

/* The delay from sending to playing is the mean over talkspurts. */
void lt_listener_finish(lt_playout *playout);

#endif
