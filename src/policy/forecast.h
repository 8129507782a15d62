/* SPDX-License-Identifier: MIT */
/* What livetcp_path_forecast() takes for granted, for those who wait for it. */
#ifndef LT_POLICY_FORECAST_H
#define LT_POLICY_FORECAST_H

#include <livetcp/policy.h>

/* Acknowledgements are seen within a millisecond or two of their arrival. */
#define LT_ACK_SEEN_US (2 * (livetcp_usec)LIVETCP_USEC_MSEC)

/* A round trip where none is known yet. */
#define LT_TYPICAL_RTT_US (100 * (livetcp_usec)LIVETCP_USEC_MSEC)

/* How long after it was written a packet should have been acknowledged, on a path whose round trip
 * is known. */
static inline livetcp_usec lt_ack_due(const livetcp_path *path)
{
    return path->rtt_us + 2 * path->rtt_variation_us + LT_ACK_SEEN_US;
}

/* How long the congestion window keeps back a packet of `size` bytes that is written now, behind
 * what is unsent already; with 0, the last one that was. What is not known counts as nothing. */
livetcp_usec lt_path_window_wait(const livetcp_path *path, size_t size);

#endif
