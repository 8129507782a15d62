/* SPDX-License-Identifier: MIT */
/* The sound of one call: a thread that speaks and listens every few milliseconds, so that neither
 * the network nor a terminal ever disturbs it. */
#ifndef VOIP_CALL_VOICE_H
#define VOIP_CALL_VOICE_H

#include "recorder.h"
#include "sound.h"

#include <livetcp/session.h>

#include <uv.h>

typedef struct voice_settings {
    livetcp_session *session; /* not owned, nor are the others; they outlive the voice */
    livetcp_playout *playout;
    uv_mutex_t *lock; /* of the playout */
    sound *sound;
    recorder *recorder; /* NULL: nothing is recorded */
    int max_bitrate;    /* of Opus, bit/s */
    bool dtx;           /* silence is not sent */
    bool cancel_echo;
} voice_settings;

/* A copy of what the thread knows. */
typedef struct voice_state {
    livetcp_usec start_us;        /* of the sound: the first sample of a recording; 0 = not yet */
    livetcp_usec spoken_delay_us; /* from the mouth to send(): a frame, Opus' look ahead, blocks */
    livetcp_usec heard_delay_us;  /* from a packet's time to play to the ear */
    int spoken_peak, heard_peak;  /* 0..32768, since the state before */
    int bitrate, complexity, loss_percent, stretch_ppm;
    uint64_t packets, silent;                            /* sent; not sent, since nobody spoke */
    uint64_t decoded, corrected, concealed, undecodable; /* see hearing.h */
    int payload_type; /* of the last that cannot be decoded; -1 */
    const char *gone; /* "microphone", "loudspeaker" or NULL */
} voice_state;

typedef struct voice voice;

/* NULL with a message for a person. */
voice *voice_start(const voice_settings *settings, char *message, size_t size);

/* Ends the thread: after that it does not use the session any more. */
void voice_stop(voice **v);

/* Any thread. */
void voice_get_state(voice *v, voice_state *state);
void voice_mute(voice *v, bool muted);
void voice_adapt(voice *v, uint32_t bitrate, double loss); /* see speaking_adapt() */

#endif
