/* SPDX-License-Identifier: MIT */
/* A microphone that falls behind. One that stumbles, or counts its own time (SDL's disk and dummy
 * drivers do), gives fewer samples than time has passed, and each word after that would be late
 * for ever. So silence stands for what is missing. What differs by so little as clocks do is left
 * to the other end, whose playout follows it.
 *
 * No clock, no device. */
#ifndef VOIP_CALL_LAG_H
#define VOIP_CALL_LAG_H

#include <livetcp/base.h>

#include <stdbool.h>

typedef struct lag {
    bool begun;
    double usual; /* samples by which it is always behind: what is in the device */
    long stood;   /* samples of silence that stand for missing ones */
    livetcp_usec window_us;
    long least, most; /* within the window */
} lag;

/* `behind`: samples that should have come by now, less those that have, less `stood`. Returns how
 * many more silence is to stand for; negative: so many are there after all, and are to be dropped.
 * `stood` has them already. Whole frames. */
long lag_update(lag *l, livetcp_usec now, long behind);

#endif
