/* SPDX-License-Identifier: MIT */
#include "lag.h"

#include "sound.h"

#include <limits.h>

#define WINDOW_US (200 * LIVETCP_USEC_MSEC) /* a device gives its blocks more often */
#define DRIFT     0.0005                    /* clocks differ by less */

static void begin_window(lag *l, livetcp_usec now)
{
    l->window_us = now;
    l->least = LONG_MAX;
    l->most = LONG_MIN;
}

/* Blocks come at once: only the least of a window is behind, only the most is ahead. */
static long missing(const lag *l)
{
    const double behind = (double)l->least - l->usual, ahead = l->usual - (double)l->most;

    if (behind >= FRAME)
        return (long)behind / FRAME * FRAME;
    if (ahead >= FRAME && l->stood >= FRAME)
        return -((long)ahead < l->stood ? (long)ahead : l->stood) / FRAME * FRAME;
    return 0;
}

long lag_update(lag *l, livetcp_usec now, long behind)
{
    long change = 0;

    if (l->window_us == 0)
        begin_window(l, now);
    l->least = behind < l->least ? behind : l->least;
    l->most = behind > l->most ? behind : l->most;
    if (now - l->window_us < WINDOW_US)
        return 0;
    if (l->begun)
        change = missing(l);
    else
        l->usual = (double)l->least;
    l->begun = true;
    l->usual += DRIFT * SAMPLE_RATE * (double)(now - l->window_us) / LIVETCP_USEC_SEC;
    if ((double)l->least < l->usual &&
        (l->stood < FRAME || l->usual - (double)l->least < FRAME)) /* else it is to be dropped */
        l->usual = (double)l->least;
    l->stood += change;
    begin_window(l, now);
    return change;
}
