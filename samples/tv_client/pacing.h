/* SPDX-License-Identifier: MIT */
/* Keeps sound at its time although server and loudspeaker count their own: what comes a little too
 * early is made longer, what comes a little too late shorter, so that nobody hears it; what is far
 * off waits, or is left out. No clock, no I/O. */
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
    int64_t silence_us; /* before it */
    double stretch_ppm; /* how much longer it is to become */
} pacing_step;

/* For a sound of `length_us` that would be heard so much too early (negative: too late) if it was
 * played now. `skew_ppm`: what the playout knows of the server's clock (livetcp_playout_stats). */
pacing_step pacing_next(pacing *p, int64_t early_us, int64_t length_us, double skew_ppm);

/* Something else is heard from now on. */
void pacing_reset(pacing *p);

#endif
