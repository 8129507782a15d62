/* SPDX-License-Identifier: MIT */
/*
 * Heavy losses that a smaller window does not end. A session that keeps its own part of the queue
 * short loses nothing by it. If many of its segments are lost all the same while packets wait for
 * its window, other flows overrun the path that losses do not slow, as BBR's first version. Repairs
 * keep a small window full, and less and less gets through: a source at a fixed rate needs that of
 * such a flow.
 *
 * Source of the window: Cardwell et al., "BBR: Congestion-Based Congestion Control", 2016.
 */
#ifndef LT_ENGINE_RATE_HEAVY_LOSSES_H
#define LT_ENGINE_RATE_HEAVY_LOSSES_H

#include "engine/rate/loss_count.h"

typedef struct lt_heavy_losses {
    livetcp_usec since_us; /* start of the present period */
    lt_loss_count period;
    bool are;               /* the last period had heavy losses */
    unsigned count;         /* successive periods with heavy losses */
    double part;            /* lost part of the segments, average */
    livetcp_usec flowed_us; /* when no packet last waited for the window */
    livetcp_usec vain_us;   /* when a sufficient window last did not end that */
    double rate;            /* bytes per second delivered in a period, maximum; decaying */
} lt_heavy_losses;

void lt_heavy_losses_init(lt_heavy_losses *losses);

/* While the session counts as alone. True if they are others'. `ours`: this queue may be our own.
 */
bool lt_heavy_losses_found(lt_heavy_losses *losses, const lt_congestion_sample *sample, bool ours);

/* From now on the session is beside others. */
void lt_heavy_losses_begin(lt_heavy_losses *losses, const lt_congestion_sample *sample);

/* Beside others, where `rate` bytes per second are delivered. */
void lt_heavy_losses_update(lt_heavy_losses *losses, const lt_congestion_sample *sample,
                            double rate);

/* True while many segments are lost, and the source needs a window for it. */
bool lt_heavy_losses_last(const lt_heavy_losses *losses);

/* Then, bytes per second that the path has recently carried for the session; 0 otherwise. */
double lt_heavy_losses_carried(const lt_heavy_losses *losses);

/* Then, bytes that may be in flight; 0 otherwise. */
double lt_heavy_losses_window(const lt_heavy_losses *losses, livetcp_usec base_us);

#endif
