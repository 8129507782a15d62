/* SPDX-License-Identifier: MIT */
/*
 * The excess of round trips that is no queue, as pushes of the window have shown: jitter, or a
 * route that has changed unseen. It counts as the route's, fades, and becomes less as the minimum
 * round trip grows.
 */
#ifndef LT_ENGINE_RATE_SLACK_H
#define LT_ENGINE_RATE_SLACK_H

#include "engine/rate/delay_history.h"

typedef struct lt_slack { /* begins zeroed */
    double us;
    livetcp_usec at_us;   /* as of this time, */
    livetcp_usec base_us; /*   over this minimum round trip */
} lt_slack;

/* A push has shown that so much of the round trips of `sample` is no queue, too. */
void lt_slack_add(lt_slack *slack, const lt_congestion_sample *sample, livetcp_usec excess_us);

/* Moves the slack from the queues of the sample to its round trip. */
void lt_slack_take(lt_slack *slack, lt_congestion_sample *sample);

#endif
