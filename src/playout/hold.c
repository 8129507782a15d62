/* SPDX-License-Identifier: MIT */
#include "playout/hold.h"

#define PART_US (LT_HOLD_US / LT_HOLD_PARTS)

/* Goes on to the part that `now` is in. */
static void advance(lt_hold *hold, livetcp_usec now)
{
    livetcp_usec parts = (now - hold->begin_us) / PART_US;

    hold->begin_us += parts * PART_US;
    for (livetcp_usec i = 0; i < parts && i < LT_HOLD_PARTS; i++) {
        hold->present = (hold->present + 1) % LT_HOLD_PARTS;
        hold->most[hold->present] = 0;
    }
}

livetcp_usec lt_hold_need(lt_hold *hold, livetcp_usec need_us, livetcp_usec now)
{
    livetcp_usec most = 0;

    if (!hold->started)
        *hold = (lt_hold){.started = true, .begin_us = now};
    advance(hold, now);
    if (need_us > hold->most[hold->present])
        hold->most[hold->present] = need_us;
    for (unsigned i = 0; i < LT_HOLD_PARTS; i++)
        if (hold->most[i] > most)
            most = hold->most[i];
    return most;
}
