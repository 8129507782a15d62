/* SPDX-License-Identifier: MIT */
/* A distribution of delays: weights in narrow bins, and the sums for its moments. */
#ifndef LT_LAB_MODEL_DELAY_HISTOGRAM_H
#define LT_LAB_MODEL_DELAY_HISTOGRAM_H

#include <livetcp/base.h>

#include <stddef.h>

typedef struct lt_bin {
    double weight;
    double sum; /* sum of weight times value: gives the mean of the bin's values */
} lt_bin;

typedef struct lt_histogram {
    double width; /* of a bin */
    size_t count; /* the last bin includes all larger values */
    lt_bin *bins;
    double total, first, second; /* sums of weight, weight x, weight x^2 */
    double largest;
} lt_histogram;

/* For values from 0 to `max`. */
livetcp_result lt_histogram_init(lt_histogram *histogram, double max, livetcp_error *error);
void lt_histogram_clear(lt_histogram *histogram);

void lt_histogram_add(lt_histogram *histogram, double value, double weight);

double lt_histogram_mean(const lt_histogram *histogram);
double lt_histogram_deviation(const lt_histogram *histogram);

#endif
