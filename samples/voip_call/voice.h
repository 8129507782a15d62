/* SPDX-License-Identifier: MIT */
/* The sound of one call, in a thread of its own: neither the network nor the terminal can disturb
 * it. */
#ifndef VOIP_CALL_VOICE_H
#define VOIP_CALL_VOICE_H

#include "recorder.h"
#include "sound.h"

#include <livetcp/session.h>

#include <uv.h>

typedef struct voice_settings {
    livetcp_session *session; /* not owned, like the others; they outlive the voice */
    livetcp_playout *playout;
    uv_mutex_t *lock; /* of the playout */
    sound *sound;
    recorder *recorder; /* NULL: no recording */
    int max_bitrate;    /* of Opus, bit/s */
    bool dtx;           /* silence is not sent */
    bool cancel_echo;
} voice_settings;

/* A snapshot of the thread's state. */
typedef struct voice_state {
    livetcp_usec start_us; /* start of the sound and of a recording; 0 = not yet */
    livetcp_usec
        spoken_delay_us; /* from the mouth to send(): a frame, Opus' look-ahead, device blocks */
    livetcp_usec heard_delay_us; /* from a packet's time to play to the ear */
    int spoken_peak, heard_peak; /* 0..32768, since the last snapshot */
    int bitrate, complexity, loss_percent, stretch_ppm;
    uint64_t packets, silent;                            /* sent; not sent because of silence */
    uint64_t decoded, corrected, concealed, undecodable; /* see hearing.h */
    int payload_type; /* of the last undecodable packet; -1 = none */
    const char *gone; /* "microphone", "loudspeaker" or NULL */
} voice_state;

typedef struct voice voice;

/* NULL, with a message for the user. */
voice *voice_start(const voice_settings *settings, char *message, size_t size);

/* Ends the thread, which does not use the session after this. */
void voice_stop(voice **v);

/* Any thread. */
void voice_get_state(voice *v, voice_state *state);
void voice_mute(voice *v, bool muted);
void voice_adapt(voice *v, uint32_t bitrate, double loss); /* see speaking_adapt() */

#endif
