/* SPDX-License-Identifier: MIT */
/* Stretches or shrinks sound slightly, to follow another clock: speexdsp's resampler between almost
 * equal rates. 48 kHz, mono. No clock, no I/O. */
#ifndef SAMPLES_STRETCH_H
#define SAMPLES_STRETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <speex/speex_resampler.h>

#define STRETCH_RATE    48000
#define STRETCH_MAX_PPM 20000 /* 2 %: inaudible in speech */

/* Maximum number of samples that `count` samples become. */
#define STRETCH_ROOM(count) ((count) + (count) / 25 + 1)

typedef struct stretch {
    SpeexResamplerState *resampler;
    int ppm; /* output length relative to input, minus 1, in parts per million */
} stretch;

/* False, with a message for the user. */
bool stretch_start(stretch *s, char *message, size_t size);
void stretch_end(stretch *s);

/* Sets the stretch, limited to STRETCH_MAX_PPM. */
void stretch_set(stretch *s, double ppm);

/* Returns the number of samples in `out`, which has space for STRETCH_ROOM(count). */
size_t stretch_apply(stretch *s, const int16_t *samples, size_t count, int16_t *out);

#endif
