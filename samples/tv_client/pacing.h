/* SPDX-License-Identifier: MIT */
/* Keeps sound on time although server and loudspeaker have different clocks: sound that is slightly
 * early is stretched, slightly late sound is shortened, inaudibly. Sound that is far off waits, or
 * is skipped. No clock, no I/O. */
#ifndef TV_PACING_H
#define TV_PACING_H

#include <stdbool.h>
#include <stdint.h>

typedef struct pacing {
    bool begun;
    double early_us; /* mean of the last second */
} pacing;

typedef struct pacing_step {
    bool left_out;
    int64_t silence_us; /* silence to play before it */
    double stretch_ppm; /* stretch for this sound */
} pacing_step;

/* For a sound of `length_us` that would be heard `early_us` too early if played now (negative: too
 * late). `skew_ppm` is the playout's estimate of the server's clock (livetcp_playout_stats). */
pacing_step pacing_next(pacing *p, int64_t early_us, int64_t length_us, double skew_ppm);

/* Call when the sound changes. */
void pacing_reset(pacing *p);

#endif
