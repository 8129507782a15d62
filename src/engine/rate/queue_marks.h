/* SPDX-License-Identifier: MIT */
/*
 * Marks (ECN, RFC 3168) of a router that would otherwise have dropped: the queue there stands,
 * whether round trips show it or not. TCP answers to a mark with a smaller window, of the one
 * connection that was marked, and BBR not at all; the session can send less.
 *
 * Linux counts a mark on everything that is delivered until the receiver has heard that the window
 * was reduced, about a round trip. So how many there are tells little, and that there are some is
 * what counts.
 */
#ifndef LT_ENGINE_RATE_QUEUE_MARKS_H
#define LT_ENGINE_RATE_QUEUE_MARKS_H

#include "engine/rate/delay_history.h"

typedef struct lt_queue_marks {
    uint64_t marked; /* segments, at the last sample */
    livetcp_usec marked_us;
} lt_queue_marks;

void lt_queue_marks_init(lt_queue_marks *marks);

void lt_queue_marks_update(lt_queue_marks *marks, const lt_congestion_sample *sample);

/* Bytes per second that the path carries, if marks show that the session's own queue stands; 0 =
 * they do not. */
double lt_queue_marks_rate(const lt_queue_marks *marks, const lt_delay_history *history,
                           const lt_congestion_sample *sample);

#endif
