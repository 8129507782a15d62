/* SPDX-License-Identifier: MIT */
/*
 * DF-GLS, the test for a unit root of Elliott, Rothenberg and Stock (Econometrica 64(4), 1996),
 * with a constant. Its null hypothesis is that the series wanders off like a random walk; where it
 * is rejected the series has a steady state. A series that grows steadily, as delays do above the
 * attainable rate, does not count as stationary, which is why there is no variant with a trend.
 */
#ifndef LT_MODEL_UNIT_ROOT_H
#define LT_MODEL_UNIT_ROOT_H

#include <stdbool.h>
#include <stddef.h>

/* The shortest series that can be tested: the critical values hold from there on. */
#define LT_UNIT_ROOT_LEAST 20

typedef struct lt_unit_root {
    double statistic; /* -INFINITY for a series of one value */
    double critical;  /* of the 5 % level, for as many values as the last regression had */
    unsigned lags;    /* of the regression */
    bool stationary;  /* statistic < critical */
} lt_unit_root;

/* `count` >= LT_UNIT_ROOT_LEAST. False when memory ran out. */
bool lt_unit_root_test(const double *values, size_t count, lt_unit_root *result);

#endif
