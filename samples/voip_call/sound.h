/* SPDX-License-Identifier: MIT */
/* Microphone and loudspeaker: devices by SDL, a WAV file that is spoken, or nothing. All sound of
 * the call is 48 kHz, mono, 16 bit. Without a device the caller's clock counts: sample n of a
 * file is spoken, or heard, n / 48000 s after the start.
 *
 * Not thread-safe: one thread uses a sound after sound_start(). */
#ifndef VOIP_CALL_SOUND_H
#define VOIP_CALL_SOUND_H

#include <livetcp/base.h>

#include <stdbool.h>
#include <stddef.h>

#define SAMPLE_RATE 48000
#define FRAME       960 /* samples of 20 ms, a packet's */
#define NOBODY      "none"

/* What to open. */
typedef struct sound_choice {
    const char *microphone;  /* name of a device, NULL = the system's choice, NOBODY = silence */
    const char *loudspeaker; /* the same; NOBODY: nobody listens */
    const char *play;        /* WAV file that is spoken instead, over and over; NULL = none */
} sound_choice;

typedef struct sound sound;

/* Opens both; they stand still until sound_start(). NULL with a message for a person. */
sound *sound_open(const sound_choice *choice, char *message, size_t size);
void sound_close(sound **s);

/* A call begins: sound_pause() at its end. `now` is on the clock of the functions below. */
void sound_start(sound *s, livetcp_usec now);
void sound_pause(sound *s);

/* Samples that the microphone has, and the next FRAME of them, if it has so many. */
long sound_captured(sound *s, livetcp_usec now);
bool sound_read(sound *s, livetcp_usec now, int16_t frame[FRAME]);

/* Samples that the loudspeaker has not played yet. Negative: so many were missing. */
long sound_queued(sound *s, livetcp_usec now);
void sound_write(sound *s, const int16_t *samples, size_t count);

/* When there will be another frame; of a device not before. */
livetcp_usec sound_next_frame(sound *s, livetcp_usec now);

/* Samples that a device takes at once, and so are always on their way; 0 for files. */
int sound_capture_block(const sound *s);
int sound_play_block(const sound *s);

/* Names a device that is gone, or NULL. */
const char *sound_gone(sound *s);

/* Prints the devices' names. False, with a message, if there is no sound system. */
bool sound_list(char *message, size_t size);

#endif
