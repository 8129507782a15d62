/* SPDX-License-Identifier: MIT */
/*
 * The runs test for independence (Gibbons and Chakraborti, Nonparametric Statistical Inference, 4th
 * ed., section 3.2): the number of runs of values on one side of the median. Dependent values have
 * fewer.
 */
#ifndef LT_LAB_MODEL_SERVICE_CURVE_RUNS_TEST_H
#define LT_LAB_MODEL_SERVICE_CURVE_RUNS_TEST_H

#include <stdbool.h>
#include <stddef.h>

typedef struct lt_runs_test {
    size_t runs;
    size_t above, below; /* values on each side; those at the median count to the smaller side */
    double z;            /* of the normal approximation; 0 if one side is empty */
    double p;            /* two-sided */
    bool independent;    /* p >= 0.05 */
} lt_runs_test;

/* `sorted` holds the same values in ascending order. `count` >= 1. */
void lt_runs_test_run(const double *values, const double *sorted, size_t count,
                      lt_runs_test *result);

#endif
