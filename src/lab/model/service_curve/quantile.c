/* SPDX-License-Identifier: MIT */
/* The number of samples, out of n, below a quantile is binomial, so the interval between two of
 * them in order covers it with a probability that does not depend on their distribution (Gibbons
 * and Chakraborti, section 5.2). */
#include "lab/model/service_curve/quantile.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#define TAIL 0.025 /* on either side of the interval */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void lt_sort_delays(double *values, size_t count)
{
    qsort(values, count, sizeof *values, ascending);
}

static double binomial(size_t n, size_t k, double p)
{
    double choose = lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1);
    return exp(choose + (double)k * log(p) + (double)(n - k) * log1p(-p));
}

static size_t rank_of(size_t count, double share)
{
    double rank = ceil((double)count * share - 1e-9); /* 200 * 0.95 is a little above 190 */
    return rank < 1 ? 1 : rank > (double)count ? count : (size_t)rank;
}

lt_quantile lt_quantile_of(const double *sorted, size_t count, double share)
{
    lt_quantile q = {sorted[rank_of(count, share) - 1], sorted[0], INFINITY};
    double below = 0; /* P[at most k samples are below the quantile] */

    if (share >= 1)
        return (lt_quantile){q.value, q.value, INFINITY};
    for (size_t k = 0; k < count; k++) {
        below += binomial(count, k, share);
        if (below <= TAIL)
            q.low = sorted[k];
        if (below >= 1 - TAIL) {
            q.high = sorted[k];
            break;
        }
    }
    return q;
}

size_t lt_quantile_samples(double share)
{
    return share >= 1 ? SIZE_MAX : (size_t)ceil(log(TAIL) / log(share));
}
