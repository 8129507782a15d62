/* SPDX-License-Identifier: MIT */
#include "lab/bench/stats.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    livetcp_usec x = *(const livetcp_usec *)a;
    livetcp_usec y = *(const livetcp_usec *)b;
    return (x > y) - (x < y);
}

livetcp_usec lt_percentile(const livetcp_usec *sorted, size_t count, unsigned permille)
{
    if (count == 0)
        return LT_DELAY_NEVER;
    size_t rank = (count * permille + 999) / 1000;
    return sorted[rank > 0 ? rank - 1 : 0];
}

/* Number of leading values up to `limit`. */
static size_t count_within(const livetcp_usec *sorted, size_t count, livetcp_usec limit)
{
    size_t low = 0;
    while (low < count) {
        size_t middle = low + (count - low) / 2;
        if (sorted[middle] <= limit)
            low = middle + 1;
        else
            count = middle;
    }
    return low;
}

void lt_delay_summarize(livetcp_usec *delays, size_t count, lt_delay_summary *out)
{
    *out = (lt_delay_summary){.sent = count};
    if (count)
        qsort(delays, count, sizeof *delays, compare);
    size_t arrived = count_within(delays, count, LT_DELAY_NEVER - 1);
    out->lost = count - arrived;
    double sum = 0;
    for (size_t i = 0; i < arrived; i++)
        sum += (double)delays[i];
    if (arrived) {
        out->mean = sum / (double)arrived;
        out->min = delays[0];
        out->max = delays[arrived - 1];
    }
    out->p50 = lt_percentile(delays, count, 500);
    out->p90 = lt_percentile(delays, count, 900);
    out->p95 = lt_percentile(delays, count, 950);
    out->p99 = lt_percentile(delays, count, 990);
    out->p999 = lt_percentile(delays, count, 999);
    if (count) {
        out->within_200ms = (double)count_within(delays, count, 200000) / (double)count;
        out->within_500ms = (double)count_within(delays, count, 500000) / (double)count;
    }
}

livetcp_usec lt_delay_excess(livetcp_usec delay, livetcp_usec base)
{
    return delay == LT_DELAY_NEVER ? LT_DELAY_NEVER : delay - base;
}

double lt_delay_reduction(livetcp_usec reference, livetcp_usec value)
{
    if (reference <= 0 || reference == LT_DELAY_NEVER)
        return NAN;
    if (value == LT_DELAY_NEVER)
        return -INFINITY;
    return 100.0 * (1.0 - (double)value / (double)reference);
}
