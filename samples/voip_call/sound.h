/* SPDX-License-Identifier: MIT */
/* Microphone and loudspeaker: SDL devices, a WAV file as microphone, or none. All sound is 48 kHz,
 * mono, 16 bit. Without a device the caller's clock drives it: sample n is read or played n / 48000
 * s after the start.
 *
 * Not thread-safe: one thread uses a sound after sound_start(). */
#ifndef VOIP_CALL_SOUND_H
#define VOIP_CALL_SOUND_H

#include <livetcp/base.h>

#include <stdbool.h>
#include <stddef.h>

#define SAMPLE_RATE 48000
#define FRAME       960 /* samples of a packet: 20 ms */
#define NOBODY      "none"

/* The devices and the file to open. */
typedef struct sound_choice {
    const char *microphone;  /* device name; NULL = the system's default, NOBODY = silence */
    const char *loudspeaker; /* device name, likewise; NOBODY = discards */
    const char *play;        /* WAV file in a loop instead of a microphone; NULL = none */
} sound_choice;

typedef struct sound sound;

/* Opens both, stopped until sound_start(). NULL, with a message for the user. */
sound *sound_open(const sound_choice *choice, char *message, size_t size);
void sound_close(sound **s);

/* Starts a call; sound_pause() ends it. `now` is on the same clock as below. */
void sound_start(sound *s, livetcp_usec now);
void sound_pause(sound *s);

/* Returns the number of samples from the microphone, and writes the next FRAME of them if there are
 * so many. */
long sound_captured(sound *s, livetcp_usec now);
bool sound_read(sound *s, livetcp_usec now, int16_t frame[FRAME]);

/* Samples not yet played by the loudspeaker. Negative: an underrun of that many. */
long sound_queued(sound *s, livetcp_usec now);
void sound_write(sound *s, const int16_t *samples, size_t count);

/* Time of the next frame; from a device not earlier than that. */
livetcp_usec sound_next_frame(sound *s, livetcp_usec now);

/* Samples per block of a device, which always adds this delay; 0 for files. */
int sound_capture_block(const sound *s);
int sound_play_block(const sound *s);

/* Name of a disconnected device, or NULL. */
const char *sound_gone(sound *s);

/* Prints the devices' names. False, with a message, without a sound system. */
bool sound_list(char *message, size_t size);

#endif
