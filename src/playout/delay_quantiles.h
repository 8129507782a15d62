/* SPDX-License-Identifier: MIT */
/* The delays of recent packets as a distribution: which delay leaves a given share of them late. */
#ifndef LT_PLAYOUT_DELAY_QUANTILES_H
#define LT_PLAYOUT_DELAY_QUANTILES_H

#include <livetcp/base.h>

/* Bins grow by a sixteenth from 0.25 ms to over ten seconds. */
#define LT_DELAY_QUANTILES_BINS 180

/* Zero is empty. */
typedef struct lt_delay_quantiles {
    double weights[LT_DELAY_QUANTILES_BINS];
    double sum;
    double next; /* weight of the next one: later packets weigh more */
} lt_delay_quantiles;

void lt_delay_quantiles_add(lt_delay_quantiles *quantiles, livetcp_usec delay_us);

/* Packets that count, up to a few thousand. */
double lt_delay_quantiles_count(const lt_delay_quantiles *quantiles);

/* The smallest delay (rounded up to a bin) beyond which no more than `share` of the packets are. */
livetcp_usec lt_delay_quantiles_delay(const lt_delay_quantiles *quantiles, double share);

#endif
