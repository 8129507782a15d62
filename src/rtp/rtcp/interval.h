/* SPDX-License-Identifier: MIT */
/* Schedule of reports: RFC 3550, sections 6.2 and 6.3, A.7, for a session of two members. */
#ifndef LT_RTP_RTCP_INTERVAL_H
#define LT_RTP_RTCP_INTERVAL_H

#include <livetcp/base.h>

#include <stdbool.h>
#include <stddef.h>

/* Bounds of the interval, before the random factor. */
#define LT_RTCP_INTERVAL_MAX_US (5 * (livetcp_usec)LIVETCP_USEC_SEC)
#define LT_RTCP_INTERVAL_MIN_US (500 * (livetcp_usec)LIVETCP_USEC_MSEC)

/* Interval before the random factor: 5 % of `media_rate` (bytes per second, both directions
 * together) shared by two members with reports of `report_size` bytes; at least the reduced minimum
 * of section 6.2, 360 s divided by the rate in kbit/s, within the bounds above. */
livetcp_usec lt_rtcp_interval(uint64_t media_rate, size_t report_size);

/* Applies the random factor, 0.5 to 1.5; `uniform` is in [0, 1). Two members need no timer
 * reconsideration, and so no compensation for it. */
livetcp_usec lt_rtcp_interval_spread(livetcp_usec interval, double uniform);

#endif
