/* SPDX-License-Identifier: MIT */
/* Times, and how they are spread. */
#ifndef TV_MEASURE_H
#define TV_MEASURE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define MEASURE_STEP_US 100
#define MEASURE_STEPS   100000 /* of them: up to 10 s, more counts as that */

/* A histogram; starts as zeroes. */
typedef struct measure {
    uint32_t *steps;
    uint64_t count;
    int64_t least_us, most_us;
    double sum_us;
} measure;

void measure_add(measure *m, int64_t us);
void measure_free(measure *m);

/* The time that this share (0..1) stays below, in ms; -1 without any. */
double measure_ms(const measure *m, double share);

/* {"count": 3, "min": 1.0, "p50": 2.0, ...} in ms */
void measure_print(const measure *m, FILE *out);

#endif
