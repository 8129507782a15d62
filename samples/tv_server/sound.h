/* SPDX-License-Identifier: MIT */
/* The sound of a channel, Opus in packets of 20 ms: a WAV file that begins again at its end, or the
 * test tone, which beeps when the test picture's number is a whole second's. */
#ifndef TV_SOUND_H
#define TV_SOUND_H

#include "unit.h"

#define SOUND_FRAME_US 20000
#define SOUND_KBITS    32

typedef struct sound sound;

/* `file` may be NULL for the test tone. NULL with a message for a person. */
sound *sound_open(const char *file, unsigned channel, char *message, size_t size);
void sound_close(sound **s);

/* A file begins again with the next 20 ms. */
void sound_rewind(sound *s);

/* The next 20 ms; NULL without memory. */
unit *sound_next(sound *s, int64_t pts_us);

#endif
