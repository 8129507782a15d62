/* SPDX-License-Identifier: MIT */
#include "stretch.h"

#include <stdio.h>

#define QUALITY  3   /* of 0 to 10; inaudible in speech */
#define STEP_PPM 100 /* smaller ratios are left to the queue; a ratio of 1 costs least */
/* The ratio is STEPS to STEPS + n. speexdsp multiplies such numbers in 32 bits. */
#define STEPS (1000000 / STEP_PPM)

bool stretch_start(stretch *s, char *message, size_t size)
{
    int error = 0;

    s->ppm = 0;
    s->resampler = speex_resampler_init(1, STRETCH_RATE, STRETCH_RATE, QUALITY, &error);
    if (!s->resampler)
        snprintf(message, size, "speexdsp cannot resample: %s", speex_resampler_strerror(error));
    return s->resampler;
}

void stretch_end(stretch *s)
{
    if (s->resampler)
        speex_resampler_destroy(s->resampler);
    s->resampler = NULL;
}

void stretch_set(stretch *s, double ppm)
{
    if (ppm > STRETCH_MAX_PPM)
        ppm = STRETCH_MAX_PPM;
    if (ppm < -STRETCH_MAX_PPM)
        ppm = -STRETCH_MAX_PPM;
    const int steps = (int)(ppm / STEP_PPM);
    if (steps * STEP_PPM == s->ppm)
        return;
    s->ppm = steps * STEP_PPM;
    speex_resampler_set_rate_frac(s->resampler, STEPS, (spx_uint32_t)(STEPS + steps), STRETCH_RATE,
                                  STRETCH_RATE);
}

size_t stretch_apply(stretch *s, const int16_t *samples, size_t count, int16_t *out)
{
    spx_uint32_t taken = (spx_uint32_t)count, made = (spx_uint32_t)STRETCH_ROOM(count);

    speex_resampler_process_int(s->resampler, 0, samples, &taken, out, &made);
    return made;
}
