/* SPDX-License-Identifier: MIT */
/* From the playout to the loudspeaker: decodes Opus, conceals gaps, and compensates for the
 * difference of three clocks: the peer's microphone, this computer's, and the loudspeaker's. */
#ifndef VOIP_CALL_HEARING_H
#define VOIP_CALL_HEARING_H

#include "echo.h"
#include "sound.h"

#include "../common/stretch.h"

#include <livetcp/playout.h>

#include <opus.h>
#include <uv.h>

typedef struct hearing {
    livetcp_playout *playout; /* not owned */
    uv_mutex_t *lock; /* of the playout, into which the session puts packets on another thread */
    sound *out;
    echo *echo;

    OpusDecoder *decoder;
    stretch stretch;

    /* Samples in the loudspeaker's queue when a packet arrives: the minimum since measured_us, and
     * in the second before that. */
    long min_queued, last_min_queued;
    livetcp_usec measured_us;

    /* End of the last packet or gap, and the next item. */
    livetcp_usec end_us;
    uint16_t next_sequence;

    int peak;             /* of the samples since it was last read */
    uint64_t packets;     /* decoded */
    uint64_t corrected;   /* gaps filled from the next packet, */
    uint64_t concealed;   /* and concealed by Opus, pauses included */
    uint64_t undecodable; /* packets that are not Opus */
    int payload_type;     /* of the last undecodable packet; -1 = none */
} hearing;

/* False, with a message for the user. */
bool hearing_start(hearing *h, char *message, size_t size);
void hearing_end(hearing *h);

/* Plays all that is due, and packets that are due before the next frame of the microphone, to save
 * wake-ups. Call it at hearing_next(), or earlier. */
void hearing_play(hearing *h, livetcp_usec now);
livetcp_usec hearing_next(hearing *h, livetcp_usec now);

/* Delay from a packet's time to play to the ear: queue and blocks of the loudspeaker. */
livetcp_usec hearing_delay(const hearing *h);

#endif
