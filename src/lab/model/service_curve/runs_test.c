/* SPDX-License-Identifier: MIT */
#include "lab/model/service_curve/runs_test.h"

#include <math.h>

#define SIGNIFICANCE     0.05
#define SMALL_SAMPLE     50 /* below, a continuity correction improves the approximation */
#define EXACT_AT_MAX     20 /* maximum size of the smaller side for the exact distribution */
#define LOG_CHOOSE(n, k) (lgamma((n) + 1.0) - lgamma((k) + 1.0) - lgamma((n) - (k) + 1.0))

static double median(const double *sorted, size_t count)
{
    return count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

static void count_runs(const double *values, size_t count, double cut, bool at_is_above,
                       lt_runs_test *r)
{
    bool before = false;

    *r = (lt_runs_test){0};
    for (size_t i = 0; i < count; i++) {
        bool above = at_is_above ? values[i] >= cut : values[i] > cut;
        r->runs += !i || above != before;
        r->above += above;
        before = above;
    }
    r->below = count - r->above;
}

static double normal_approximation(const lt_runs_test *r)
{
    double n1 = (double)r->above, n2 = (double)r->below, n = n1 + n2, twice = 2 * n1 * n2;
    double distance = (double)r->runs - (twice / n + 1);

    if (n < SMALL_SAMPLE)
        distance = fabs(distance) > 0.5 ? distance - copysign(0.5, distance) : 0;
    return distance / sqrt(twice * (twice - n) / (n * n * (n - 1)));
}

/* P[R = runs] for n1 and n2 values in random order (theorem 3.2.2 there). */
static double probability(double n1, double n2, double runs)
{
    double all = LOG_CHOOSE(n1 + n2, n1), k = floor(runs / 2);

    if (fmod(runs, 2) == 0)
        return k > n1 || k > n2
                   ? 0
                   : 2 * exp(LOG_CHOOSE(n1 - 1, k - 1) + LOG_CHOOSE(n2 - 1, k - 1) - all);
    double p = 0;
    if (k + 1 <= n1 && k <= n2)
        p += exp(LOG_CHOOSE(n1 - 1, k) + LOG_CHOOSE(n2 - 1, k - 1) - all);
    if (k <= n1 && k + 1 <= n2)
        p += exp(LOG_CHOOSE(n1 - 1, k - 1) + LOG_CHOOSE(n2 - 1, k) - all);
    return p;
}

static double exact_p(const lt_runs_test *r)
{
    double n1 = (double)r->above, n2 = (double)r->below, low = 0, high = 0;
    double max_runs = 2 * fmin(n1, n2) + 1;

    for (double runs = 2; runs <= max_runs; runs++) {
        double p = probability(n1, n2, runs);
        low += runs <= (double)r->runs ? p : 0;
        high += runs >= (double)r->runs ? p : 0;
    }
    return fmin(1, 2 * fmin(low, high));
}

void lt_runs_test_run(const double *values, const double *sorted, size_t count,
                      lt_runs_test *result)
{
    lt_runs_test *r = result;
    double cut = median(sorted, count);

    /* Many equal delays (packets without queueing) put the median at the edge. */
    count_runs(values, count, cut, true, r);
    if (!r->below)
        count_runs(values, count, cut, false, r);
    r->p = 1;
    if (r->above && r->below) {
        r->z = normal_approximation(r);
        r->p = (r->above < r->below ? r->above : r->below) <= EXACT_AT_MAX
                   ? exact_p(r)
                   : erfc(fabs(r->z) / sqrt(2));
    }
    r->independent = r->p >= SIGNIFICANCE;
}
