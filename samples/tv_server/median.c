/* SPDX-License-Identifier: MIT */
#include "median.h"

#include "sound.h"

#include <stdlib.h>

#define SHARE      0.8 /* of the estimate: the rest is for framing, repair and changes */
#define MOST_KBITS 1000000

static int ascending(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

int median_kbits(uint32_t *rates, size_t count)
{
    if (count == 0)
        return 0;
    for (size_t i = 0; i < count; i++)
        rates[i] = rates[i] ? rates[i] : UINT32_MAX;
    qsort(rates, count, sizeof *rates, ascending);
    const double kbits = rates[count / 2] * SHARE / 1000 - SOUND_KBITS;
    return kbits > MOST_KBITS ? MOST_KBITS : kbits > 1 ? (int)kbits : 1;
}
