/* SPDX-License-Identifier: MIT */
#include "lab/model/startup/cardwell.h"

#include <math.h>

double lt_slow_start(double data, double w, double runs, double rtt)
{
    double ratio = 1 + 1 / LT_SEGMENTS_PER_ACK; /* r: growth of the window per round trip */
    double phases = runs + 1;                   /* v */
    double each = data / phases;                /* e */

    return phases * rtt * log(each * (ratio - 1) / w + 1) / log(ratio);
}

double lt_cardwell_timeouts(double data, double p, double t0, double *runs)
{
    double lost = data * p / (1 - p); /* l */
    double timeout =                  /* Q(p): probability that a loss leads to a timeout */
        p > 0 ? fmin(1, 3 / sqrt(8 / (3 * LT_SEGMENTS_PER_ACK * p))) : 0;
    double run =
        t0 *
        (1 + p + 2 * pow(p, 2) + 4 * pow(p, 3) + 8 * pow(p, 4) + 16 * pow(p, 5) + 32 * pow(p, 6)) /
        (1 - p);

    *runs = lost * timeout * (1 - p);
    return *runs * run;
}
