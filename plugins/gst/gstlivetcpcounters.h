/* SPDX-License-Identifier: MIT */
/* Totals over all sessions of an element, and a bit rate that suits most peers. */
#ifndef GST_LIVETCP_COUNTERS_H
#define GST_LIVETCP_COUNTERS_H

#include <glib.h>
#include <livetcp/livetcp.h>

G_BEGIN_DECLS

/* Adds a session's counters to `totals`; momentary values, such as the packets in its queue, are
 * left out. */
void gst_livetcp_counters_add(livetcp_session_stats *totals, const livetcp_session_stats *stats);

/* The bit rate that all peers but a share of `quantile` carry without queueing. Peers far below the
 * median are ignored, since dropping serves them; with quantile 0 it is the slowest peer's. Sorts
 * `rates`, which must not be 0. Returns 0 if there are none. */
guint gst_livetcp_rate_for_all(guint *rates, guint count, gdouble quantile);

G_END_DECLS

#endif
