/* SPDX-License-Identifier: MIT */
/*
 * DF-GLS, the test for a unit root of Elliott, Rothenberg and Stock (Econometrica 64(4), 1996),
 * with a constant, as Elliott has it for a series whose first value may lie anywhere
 * (International Economic Review 40(3), 1999). Its null hypothesis is that the series wanders off
 * like a random walk; where it is rejected the series has a steady state. A series that grows
 * steadily, as delays do above the attainable rate, does not count as stationary, which is why
 * there is no variant with a trend.
 *
 * The test of 1996 takes the first value for the level, nearly: a series that begins far from its
 * mean is then never distinguished from a random walk, however long it is (Müller and Elliott,
 * Econometrica 71(4), 2003). A train begins so, with a backlog from before the window had opened:
 * 8 Mbit/s beside nine greedy flows had a first delay of 3 s and a mean of 0.5 s, and after 800 s,
 * some 200 times as long as the delays depend on each other, a statistic of -1.0. Here it is -6.4.
 */
#ifndef LT_LAB_MODEL_SERVICE_CURVE_UNIT_ROOT_H
#define LT_LAB_MODEL_SERVICE_CURVE_UNIT_ROOT_H

#include <stdbool.h>
#include <stddef.h>

/* Minimum length of a series: the critical values hold from there on. */
#define LT_UNIT_ROOT_MIN 20

typedef struct lt_unit_root {
    double statistic; /* -INFINITY for a series with one distinct value */
    double critical;  /* at the 5 % level, for the number of values of the last regression */
    unsigned lags;    /* of the regression */
    bool stationary;  /* statistic < critical */
} lt_unit_root;

/* `count` >= LT_UNIT_ROOT_MIN. False if memory is out. */
bool lt_unit_root_test(const double *values, size_t count, lt_unit_root *result);

#endif
