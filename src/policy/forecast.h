/* SPDX-License-Identifier: MIT */
/* Assumptions of livetcp_path_forecast(), for code that waits for its result. */
#ifndef LT_POLICY_FORECAST_H
#define LT_POLICY_FORECAST_H

#include <livetcp/policy.h>

/* Acknowledgements are seen within a millisecond or two of their arrival. */
#define LT_ACK_SEEN_US (2 * (livetcp_usec)LIVETCP_USEC_MSEC)

/* Round trip assumed while none is known. */
#define LT_TYPICAL_RTT_US (100 * (livetcp_usec)LIVETCP_USEC_MSEC)

/* Time from the write of a packet to its expected acknowledgement, on a path with a known round
 * trip. */
static inline livetcp_usec lt_ack_due(const livetcp_path *path)
{
    return path->rtt_us + 2 * path->rtt_variation_us + LT_ACK_SEEN_US;
}

/* Serialization time of so many bytes at the bottleneck of the path's group; 0 = not known. */
static inline livetcp_usec lt_packet_time(const livetcp_path *path, size_t size)
{
    bool known = path->known & LIVETCP_PATH_GROUP && path->group_rate;

    return known ? (livetcp_usec)(size * LIVETCP_USEC_SEC / path->group_rate) : 0;
}

/* True if what was written at `oldest_us` (LIVETCP_NEVER = nothing) should have been acknowledged
 * by now; false on a path without a known round trip. */
bool lt_path_overdue(const livetcp_path *path, livetcp_usec oldest_us, livetcp_usec now);

/* Time for which the congestion window delays a packet of `size` bytes written now, behind the
 * unsent bytes; with 0, the last packet written. Unknown parts count as zero. */
livetcp_usec lt_path_window_wait(const livetcp_path *path, size_t size);

/* livetcp_path_forecast(), which also sees a message of the engine's own that should have been
 * acknowledged: TCP holds up everything behind it, too. The public function cannot read the field,
 * since the path may be that of a policy compiled before. */
livetcp_usec lt_path_forecast(const livetcp_path *path, size_t size, livetcp_usec now);

#endif
