/* SPDX-License-Identifier: MIT */
#include "playout/delay_quantiles.h"

#include <math.h>

#define FIRST_US 250.0
#define GROWTH   1.0625

/* Growth of the weight per packet: the last 2000 packets (40 s of speech) have half of the total
 * weight. */
#define GAIN 1.00035

/* Weights are scaled down above this, before they lose precision. */
#define WEIGHT_MAX 1e9

static unsigned bin_of(livetcp_usec delay_us)
{
    double bin;

    if ((double)delay_us <= FIRST_US)
        return 0;
    bin = ceil(log((double)delay_us / FIRST_US) / log(GROWTH));
    return bin < LT_DELAY_QUANTILES_BINS - 1 ? (unsigned)bin : LT_DELAY_QUANTILES_BINS - 1;
}

static void scale(lt_delay_quantiles *quantiles, double factor)
{
    for (unsigned i = 0; i < LT_DELAY_QUANTILES_BINS; i++)
        quantiles->weights[i] *= factor;
    quantiles->sum *= factor;
    quantiles->next *= factor;
}

void lt_delay_quantiles_add(lt_delay_quantiles *quantiles, livetcp_usec delay_us)
{
    if (!(quantiles->next > 0))
        quantiles->next = 1;
    quantiles->weights[bin_of(delay_us)] += quantiles->next;
    quantiles->sum += quantiles->next;
    quantiles->next *= GAIN;
    if (quantiles->next > WEIGHT_MAX)
        scale(quantiles, 1 / quantiles->next);
}

double lt_delay_quantiles_count(const lt_delay_quantiles *quantiles)
{
    return quantiles->next > 0 ? quantiles->sum / quantiles->next : 0;
}

livetcp_usec lt_delay_quantiles_delay(const lt_delay_quantiles *quantiles, double share)
{
    double beyond = 0, allowed = share * quantiles->sum;
    unsigned bin = LT_DELAY_QUANTILES_BINS;

    while (bin > 0 && beyond + quantiles->weights[bin - 1] <= allowed)
        beyond += quantiles->weights[--bin];
    return bin ? (livetcp_usec)(FIRST_US * pow(GROWTH, bin - 1)) : 0;
}
