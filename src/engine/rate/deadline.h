/* SPDX-License-Identifier: MIT */
/*
 * The window of a session whose packets are late after a time: `max-send-delay`. Written
 * packets cannot be dropped any more, and a path that becomes slow makes all of them late.
 * Therefore once bytes are overdue, no more are under way than the path delivers in half of the
 * limit, whoever caused the queue. The other half is for the wait in the send queue.
 */
#ifndef LT_ENGINE_RATE_DEADLINE_H
#define LT_ENGINE_RATE_DEADLINE_H

#include "engine/rate/delay_history.h"

/* Bytes; HUGE_VAL = no limit. */
double lt_deadline_window(const lt_delay_history *history, const lt_congestion_sample *sample);

#endif
