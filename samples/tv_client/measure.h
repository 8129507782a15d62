/* SPDX-License-Identifier: MIT */
/* Distributions of times. */
#ifndef TV_MEASURE_H
#define TV_MEASURE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define MEASURE_STEP_US 100
#define MEASURE_STEPS   100000 /* covers 10 s; longer times count as 10 s */

/* A histogram; zero-initialized. */
typedef struct measure {
    uint32_t *steps;
    uint64_t count;
    int64_t min_us, max_us;
    double sum_us;
} measure;

void measure_add(measure *m, int64_t us);
void measure_free(measure *m);

/* The quantile of `share` (0..1) in ms; -1 without values. */
double measure_ms(const measure *m, double share);

/* Prints {"count": 3, "min": 1.0, "p50": 2.0, ...} in ms. */
void measure_print(const measure *m, FILE *out);

#endif
