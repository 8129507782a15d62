/* SPDX-License-Identifier: MIT */
#include "base/repeats.h"

#include <stdio.h>
#include <string.h>

static unsigned find(const lt_repeats *repeats, const char *key)
{
    unsigned i = 0;

    while (i < repeats->count && strncmp(repeats->items[i].key, key, LT_REPEATS_KEY - 1) != 0)
        i++;
    return i;
}

static unsigned find_oldest(const lt_repeats *repeats)
{
    unsigned oldest = 0;

    for (unsigned i = 1; i < repeats->count; i++)
        if (repeats->items[i].told_us < repeats->items[oldest].told_us)
            oldest = i;
    return oldest;
}

bool lt_repeats_tell(lt_repeats *repeats, const char *key, livetcp_usec pause_us, livetcp_usec now,
                     unsigned *untold)
{
    unsigned i = find(repeats, key);

    *untold = 0;
    if (i < repeats->count && now - repeats->items[i].told_us < pause_us) {
        repeats->items[i].untold++;
        return false;
    }
    if (i < repeats->count) {
        *untold = repeats->items[i].untold;
    } else {
        if (repeats->count == LT_REPEATS_MAX)
            i = find_oldest(repeats);
        else
            repeats->count++;
        snprintf(repeats->items[i].key, LT_REPEATS_KEY, "%s", key);
    }
    repeats->items[i].told_us = now;
    repeats->items[i].untold = 0;
    return true;
}
