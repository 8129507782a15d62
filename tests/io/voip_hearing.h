/* SPDX-License-Identifier: MIT */
/* samples/voip_call/hearing.c in virtual time: the voice's thread, a microphone, packets of a peer.
 */
#ifndef LT_TESTS_IO_VOIP_HEARING_H
#define LT_TESTS_IO_VOIP_HEARING_H

#include <livetcp/base.h>

/* Instead of a time on the way. */
#define NOT_SENT (-1) /* a pause */
#define LOST     (-2)

#define LATENCY_US (30 * LIVETCP_USEC_MSEC) /* of the playout */

typedef struct heard {
    unsigned sent, wakeups; /* while the peer speaks, without the first half second */
    uint64_t decoded, corrected, concealed;
    long emptiest, fullest; /* samples in the loudspeaker's queue after a wake-up */
    livetcp_usec delay_us;  /* hearing_delay() at the end */
} heard;

/* So many frames of 20 ms, each so long on its way. A frame of the microphone is there `phase_us`
 * after one of the peer's. */
heard hear_call(unsigned frames, livetcp_usec phase_us, livetcp_usec (*way)(unsigned frame));

#endif
