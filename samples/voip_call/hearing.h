/* SPDX-License-Identifier: MIT */
/* From the playout to the loudspeaker: decodes Opus, fills gaps, and makes up for the difference of
 * three clocks: the peer's microphone, this computer, and the loudspeaker. */
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
    uv_mutex_t *lock;         /* of the playout: the session puts packets in on another thread */
    sound *out;
    echo *echo;

    OpusDecoder *decoder;
    stretch stretch;

    /* Samples in the loudspeaker's queue when a packet comes: the least since measured_us, and of
     * the second before that. */
    long spare, usual;
    livetcp_usec measured_us;

    /* The end of the last packet or gap, and what follows it. */
    livetcp_usec end_us;
    uint16_t next_sequence;

    int peak;             /* of the samples since somebody looked */
    uint64_t packets;     /* decoded */
    uint64_t corrected;   /* gaps filled from the next packet, */
    uint64_t concealed;   /*   and by Opus' guess, pauses included */
    uint64_t undecodable; /* packets that are not this call's Opus */
    int payload_type;     /* of the last of these; -1 = none */
} hearing;

/* False with a message for a person. */
bool hearing_start(hearing *h, char *message, size_t size);
void hearing_end(hearing *h);

/* Plays all that is due, and what is there already and due before the next frame of the microphone:
 * for most packets the thread need not wake up again. Call it at hearing_next(), or earlier. */
void hearing_play(hearing *h, livetcp_usec now);
livetcp_usec hearing_next(hearing *h, livetcp_usec now);

/* From a packet's time to play to the ear: the loudspeaker's queue and blocks. */
livetcp_usec hearing_delay(const hearing *h);

#endif
