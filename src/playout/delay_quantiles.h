/* SPDX-License-Identifier: MIT */
/* Distribution of the delays of recent packets: the delay that leaves a given share of them late.
 */
#ifndef LT_PLAYOUT_DELAY_QUANTILES_H
#define LT_PLAYOUT_DELAY_QUANTILES_H

#include <livetcp/base.h>

/* Bins grow by 1/16, from 0.25 ms to over ten seconds. */
#define LT_DELAY_QUANTILES_BINS 180

/* Empty when zeroed. */
typedef struct lt_delay_quantiles {
    double weights[LT_DELAY_QUANTILES_BINS];
    double sum;
    double next; /* weight of the next packet; later packets weigh more */
} lt_delay_quantiles;

void lt_delay_quantiles_add(lt_delay_quantiles *quantiles, livetcp_usec delay_us);

/* Number of packets counted, up to a few thousand. */
double lt_delay_quantiles_count(const lt_delay_quantiles *quantiles);

/* The smallest delay, rounded up to a bin, that at most `share` of the packets exceed. */
livetcp_usec lt_delay_quantiles_delay(const lt_delay_quantiles *quantiles, double share);

#endif
