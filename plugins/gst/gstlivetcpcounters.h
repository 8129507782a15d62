/* SPDX-License-Identifier: MIT */
/* One figure for all sessions of an element: sums, and the bit rate that suits most. */
#ifndef GST_LIVETCP_COUNTERS_H
#define GST_LIVETCP_COUNTERS_H

#include <glib.h>
#include <livetcp/livetcp.h>

G_BEGIN_DECLS

/* Adds the counters of a session to `totals`; what is true at a moment only, as the packets in its
 * queue, is left out. */
void gst_livetcp_counters_add(livetcp_session_stats *totals, const livetcp_session_stats *stats);

/* The bit rate that all peers but a part of `quantile` carry without queueing. Those far below the
 * median are left out, they are served by dropping; with quantile 0 it is the slowest's. Sorts
 * `rates`, none of which is 0. 0 if there is none. */
guint gst_livetcp_rate_for_all(guint *rates, guint count, gdouble quantile);

G_END_DECLS

#endif
