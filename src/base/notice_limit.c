/* SPDX-License-Identifier: MIT */
#include "base/notice_limit.h"

#include <stdio.h>
#include <string.h>

static unsigned find(const lt_notice_limit *limit, const char *key)
{
    unsigned i = 0;

    while (i < limit->count && strncmp(limit->items[i].key, key, LT_NOTICE_KEY_SIZE - 1) != 0)
        i++;
    return i;
}

static unsigned find_oldest(const lt_notice_limit *limit)
{
    unsigned oldest = 0;

    for (unsigned i = 1; i < limit->count; i++)
        if (limit->items[i].reported_us < limit->items[oldest].reported_us)
            oldest = i;
    return oldest;
}

bool lt_notice_limit_allow(lt_notice_limit *limit, const char *key, livetcp_usec pause_us,
                           livetcp_usec now, unsigned *suppressed)
{
    unsigned i = find(limit, key);

    *suppressed = 0;
    if (i < limit->count && now - limit->items[i].reported_us < pause_us) {
        limit->items[i].suppressed++;
        return false;
    }
    if (i < limit->count) {
        *suppressed = limit->items[i].suppressed;
    } else {
        if (limit->count == LT_NOTICE_KEYS_MAX)
            i = find_oldest(limit);
        else
            limit->count++;
        snprintf(limit->items[i].key, LT_NOTICE_KEY_SIZE, "%s", key);
    }
    limit->items[i].reported_us = now;
    limit->items[i].suppressed = 0;
    return true;
}
