/* SPDX-License-Identifier: MIT */
/* The "stats" property. */
#ifndef GST_LIVETCP_STATS_H
#define GST_LIVETCP_STATS_H

#include "gstlivetcpendpoint.h"

G_BEGIN_DECLS

/*
 * A structure "livetcp-stats": "state", "sessions" (currently open) and "sessions-total", the
 * totals of all sessions so far, and under "connections" a GValueArray of structures, one per
 * connection of each session. Fields unknown to the platform are absent, not zero. Times are in
 * microseconds ("-us"). The caller owns it.
 */
GstStructure *gst_livetcp_stats_new(GstLiveTcpEndpoint *endpoint);

G_END_DECLS

#endif
