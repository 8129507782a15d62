/* SPDX-License-Identifier: MIT */
/*
 * Bits per second that a source sends beyond what it is told: an encoder that misses its rate, or
 * audio that the application does not count. A queue then stands for as long as that lasts, since
 * what is told is a part of what gets through, and so is the excess.
 */
#ifndef LT_ENGINE_RATE_OVERSHOOT_H
#define LT_ENGINE_RATE_OVERSHOOT_H

#include <livetcp/base.h>
#include <stdbool.h>

/* Rates are in bit/s. */
typedef struct lt_overshoot {
    double bits;            /* to take off what is told */
    double excess;          /* average; less than 0 = the source sends less than it is told */
    double lately;          /* average of what was told, over the time in which `sent` is counted */
    double steady;          /* what is told, but for small changes, */
    livetcp_usec steady_us; /*   since then */
    double told, sent;      /* averages, */
    double told_at_first, sent_at_first; /*   and those when there was nothing to take off */
    livetcp_usec vain_us;                /* when it last was in vain */
    livetcp_usec updated_us;
} lt_overshoot;

void lt_overshoot_init(lt_overshoot *overshoot);

/* The source is told `told`, and sent `sent` in the last second. `ignored`: it sends that whatever
 * it is told. `stands`: a queue stands. */
void lt_overshoot_update(lt_overshoot *overshoot, double told, double sent, bool ignored,
                         bool stands, livetcp_usec now);

/* True if a source that sends this much exceeds what it was told lately. */
bool lt_overshoot_shows(const lt_overshoot *overshoot, double sent);

#endif
