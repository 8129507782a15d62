/* SPDX-License-Identifier: MIT */
/*
 * A buffer that is hardly longer than our own queue. It overflows all the time, and no round trip
 * tells: a queue of 30 ms is one that we want. Losses say so, if they end with a shorter queue of
 * ours; those at random do not. So where many segments are lost, less is kept under way, and if
 * that does not end the losses, not again for some time.
 *
 * Source: BBR's third version bounds what is in flight where more than two in a hundred are lost
 * (draft-ietf-ccwg-bbr, "inflight_longterm"); the test whether that helps is our own.
 */
#ifndef LT_ENGINE_RATE_SHORT_BUFFER_H
#define LT_ENGINE_RATE_SHORT_BUFFER_H

#include "engine/rate/loss_count.h"

typedef struct lt_short_buffer {
    double spare;          /* the part of what our queue has to spare that may be under way */
    livetcp_usec at_us;    /* last sample; 0 = none yet */
    livetcp_usec since_us; /* start of the present period */
    lt_loss_count period;
    bool tries;           /* asks whether less under way ends the losses, */
    double before;        /*   which were this part of the segments */
    livetcp_usec vain_us; /* when it last did not */
} lt_short_buffer;

void lt_short_buffer_init(lt_short_buffer *buffer);

/* `ours`: no queue but our own is known. */
void lt_short_buffer_update(lt_short_buffer *buffer, const lt_congestion_sample *sample, bool ours);

#endif
