/* SPDX-License-Identifier: MIT */
#include "pacing.h"

#define LATE_US       40000 /* sound may be this late, */
#define EARLY_US      20000 /* or this early, without a correction */
#define SANE_US       2000000
#define MEAN_US       1000000.0
#define CORRECTION_US 1000000.0 /* time constant of the correction, in microseconds */
#define MAX_PPM       5000.0    /* half a percent: inaudible in music */

void pacing_reset(pacing *p)
{
    *p = (pacing){0};
}

static double within(double value, double max)
{
    return value > max ? max : value < -max ? -max : value;
}

pacing_step pacing_next(pacing *p, int64_t early_us, int64_t length_us, double skew_ppm)
{
    pacing_step step = {0};
    const double part = (double)length_us / MEAN_US;

    if (early_us < -LATE_US) {
        step.left_out = true;
        pacing_reset(p);
        return step;
    }
    if (!p->begun || (early_us > EARLY_US && early_us < SANE_US)) {
        step.silence_us = early_us > 0 && early_us < SANE_US ? early_us : 0;
        p->early_us = early_us < 0 ? (double)early_us : 0;
        p->begun = true;
    } else {
        p->early_us += (part < 1 ? part : 1) * ((double)early_us - p->early_us);
    }
    step.stretch_ppm = within(skew_ppm + p->early_us * 1e6 / CORRECTION_US, MAX_PPM);
    return step;
}
