/* SPDX-License-Identifier: MIT */
#include "lab/model/delay/histogram.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>

/* A few MB of memory, and 10 us resolution within the half second of most delays. */
enum { BINS = 100000 };
static const double NARROWEST = 10e-6;

livetcp_result lt_histogram_init(lt_histogram *h, double max, livetcp_error *error)
{
    double width = fmax(max / (BINS - 1), NARROWEST);

    *h = (lt_histogram){.width = width, .count = (size_t)(max / width) + 2};
    h->bins = calloc(h->count, sizeof *h->bins);
    if (h->bins)
        return LIVETCP_OK;
    return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "out of memory for the distribution");
}

void lt_histogram_clear(lt_histogram *h)
{
    free(h->bins);
    *h = (lt_histogram){0};
}

void lt_histogram_add(lt_histogram *h, double value, double weight)
{
    /* A bin is centred at index * width, so that multiples of the width are not split by
     * rounding. */
    double place = value / h->width + 0.5;
    size_t index = place < (double)h->count ? (place > 0 ? (size_t)place : 0) : h->count - 1;

    if (!(weight > 0))
        return;
    h->bins[index].weight += weight;
    h->bins[index].sum += weight * value;
    h->total += weight;
    h->first += weight * value;
    h->second += weight * value * value;
    h->largest = value > h->largest ? value : h->largest;
}

double lt_histogram_mean(const lt_histogram *h)
{
    return h->first / h->total;
}

double lt_histogram_deviation(const lt_histogram *h)
{
    double mean = lt_histogram_mean(h);

    return sqrt(fmax(0, h->second / h->total - mean * mean));
}
