/* SPDX-License-Identifier: MIT */
/* Sound of a channel, Opus in packets of 20 ms: a WAV file in a loop, or the test tone, which beeps
 * at each full second of the test picture. */
#ifndef TV_SOUND_H
#define TV_SOUND_H

#include "unit.h"

#define SOUND_FRAME_US 20000
#define SOUND_KBITS    32

typedef struct sound sound;

/* `file` NULL: the test tone. NULL, with a message for the user. */
sound *sound_open(const char *file, unsigned channel, char *message, size_t size);
void sound_close(sound **s);

/* A file begins again with the next 20 ms. */
void sound_rewind(sound *s);

/* The next 20 ms; NULL without memory. */
unit *sound_next(sound *s, int64_t pts_us);

#endif
