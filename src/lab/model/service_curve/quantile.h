/* SPDX-License-Identifier: MIT */
/* A quantile and how sure it is, from the order of the samples alone: no distribution is assumed.
 */
#ifndef LT_LAB_MODEL_SERVICE_CURVE_QUANTILE_H
#define LT_LAB_MODEL_SERVICE_CURVE_QUANTILE_H

#include <stddef.h>

typedef struct lt_quantile {
    double value;     /* the smallest sample that a share of `share` does not exceed */
    double low, high; /* 95 % confidence interval; high is INFINITY where samples are too few */
} lt_quantile;

/* Into ascending order. */
void lt_sort_delays(double *values, size_t count);

/* Of `count` >= 1 independent samples in ascending order; 0 < share <= 1, 1 is the largest sample.
 */
lt_quantile lt_quantile_of(const double *sorted, size_t count, double share);

/* The fewest samples for which `high` is finite. SIZE_MAX for 1. */
size_t lt_quantile_samples(double share);

#endif
