/* SPDX-License-Identifier: MIT */
/*
 * A session whose only connection may send no more than a few segments in a round trip: as BBR's,
 * which is so for 200 ms every ten seconds (PROBE_RTT), or after a timeout. The rate delivered then
 * is not the path's, and packets that had to wait overflow the queue when the window is wide again:
 * no other flow does it.
 *
 * Source: Cardwell et al., draft-cardwell-iccrg-bbr-congestion-control-00, section 4.3.5.
 */
#ifndef LT_ENGINE_RATE_NARROW_WINDOW_H
#define LT_ENGINE_RATE_NARROW_WINDOW_H

#include "engine/rate/delay_history.h"

typedef struct lt_narrow_window {
    bool is;
    livetcp_usec since_us; /* when it was last not small */
    livetcp_usec at_us;    /* when it last was narrow */
} lt_narrow_window;

void lt_narrow_window_init(lt_narrow_window *narrow);

void lt_narrow_window_update(lt_narrow_window *narrow, const lt_congestion_sample *sample);

/* True if it is narrow, or was within a round trip and the time in which a rate is measured. */
bool lt_narrow_window_was(const lt_narrow_window *narrow, const lt_congestion_sample *sample);

#endif
