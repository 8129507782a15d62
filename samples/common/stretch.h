/* SPDX-License-Identifier: MIT */
/* Makes sound a little longer or shorter, so that it keeps step with a clock that is not its own:
 * speexdsp's resampler between rates that are nearly the same. 48 kHz, mono. No clock, no I/O. */
#ifndef SAMPLES_STRETCH_H
#define SAMPLES_STRETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <speex/speex_resampler.h>

#define STRETCH_RATE    48000
#define STRETCH_MAX_PPM 20000 /* a fiftieth: nobody hears it in speech */

/* Samples that `count` become at most. */
#define STRETCH_ROOM(count) ((count) + (count) / 25 + 1)

typedef struct stretch {
    SpeexResamplerState *resampler;
    int ppm; /* how much longer its output is than its input */
} stretch;

/* False with a message for a person. */
bool stretch_start(stretch *s, char *message, size_t size);
void stretch_end(stretch *s);

/* From now on sounds become so much longer, kept within STRETCH_MAX_PPM. */
void stretch_set(stretch *s, double ppm);

/* Returns how many samples they have become; `out` has STRETCH_ROOM(count). */
size_t stretch_apply(stretch *s, const int16_t *samples, size_t count, int16_t *out);

#endif
