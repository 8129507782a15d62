/* SPDX-License-Identifier: MIT */
/*
 * The opening of a window in an overload. Packets wait there with any window, and one that is full
 * and meets no queue seems to be too small. Behind fair queueing some connection always meets
 * none, however many bytes are under way, and the others lose packets to CoDel. So if a window that
 * has opened gets no more through, the opening is taken back.
 *
 * Source: BBR's plateau in the delivery rate (draft-cardwell-iccrg-bbr-congestion-control-00,
 * section 4.3.2.2), for steps of a window instead of a start-up.
 */
#ifndef LT_ENGINE_RATE_WINDOW_OPENING_H
#define LT_ENGINE_RATE_WINDOW_OPENING_H

#include "engine/rate/delay_history.h"

typedef struct lt_window_opening { /* begins zeroed */
    double rate, capacity;  /* bytes per second delivered, and assumed, when it began; 0 = it has
                               not */
    livetcp_usec opened_us; /* when it last was less than a step */
    livetcp_usec vain_us;   /* when it brought nothing; 0 = never */
} lt_window_opening;

/* True if the window may open; always if there is no overload. `capacity`: bytes per second that it
 * is made for; if opening brought nothing, it becomes what it was before. */
bool lt_window_opening_may(lt_window_opening *opening, const lt_delay_history *history,
                           const lt_congestion_sample *sample, bool overload, double *capacity);

#endif
