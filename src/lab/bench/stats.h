/* SPDX-License-Identifier: MIT */
/* Delay statistics, exact over all samples of a run. Percentiles are never averaged or
 * interpolated; a lost packet is later than any that arrived. */
#ifndef LT_LAB_BENCH_STATS_H
#define LT_LAB_BENCH_STATS_H

#include <livetcp/base.h>

#include <stddef.h>
#include <stdint.h>

/* The delay of a packet that never arrived. */
#define LT_DELAY_NEVER INT64_MAX

typedef struct lt_delay_summary {
    uint64_t sent;    /* samples, arrived or not */
    uint64_t lost;    /* of these, lost */
    double mean;      /* µs, of those that arrived; 0 if none did */
    livetcp_usec min; /* of those that arrived; 0 if none did */
    livetcp_usec p50; /* nearest rank over all sent; LT_DELAY_NEVER if that one was lost */
    livetcp_usec p90;
    livetcp_usec p95;
    livetcp_usec p99;
    livetcp_usec p999;
    livetcp_usec max;    /* of those that arrived */
    double within_200ms; /* share of all sent, 0 to 1 */
    double within_500ms;
} lt_delay_summary;

/* Sorts `delays` (µs, LT_DELAY_NEVER = lost) in place and describes them. */
void lt_delay_summarize(livetcp_usec *delays, size_t count, lt_delay_summary *out);

/* The nearest-rank percentile of sorted values: the smallest value that at least `permille`
 * thousandths of all do not exceed. `permille` is 1..1000; without values LT_DELAY_NEVER. */
livetcp_usec lt_percentile(const livetcp_usec *sorted, size_t count, unsigned permille);

/* `delay` minus `base`; lost stays lost. */
livetcp_usec lt_delay_excess(livetcp_usec delay, livetcp_usec base);

/* Percentage by which `value` is below `reference`; negative if above. NaN if the reference is zero
 * or less, or was lost; -INFINITY if only `value` was lost. */
double lt_delay_reduction(livetcp_usec reference, livetcp_usec value);

#endif
