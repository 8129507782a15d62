/* SPDX-License-Identifier: MIT */
/* The streaming thread waits for the peers of an endpoint. All return early while the endpoint is
 * flushing; meanwhile a caller whose session ended calls again, where that is due. */
#ifndef GST_LIVETCP_WAIT_H
#define GST_LIVETCP_WAIT_H

#include "gstlivetcpendpoint.h"

G_BEGIN_DECLS

/* Waits until a session is open; FALSE when interrupted by flushing or a failure. */
gboolean gst_livetcp_wait_open(GstLiveTcpEndpoint *endpoint);

/* Waits until every peer has been sent everything due or has ended, but no longer than the timeout;
 * returns early when flushing. FALSE: timeout. */
gboolean gst_livetcp_wait_drained(GstLiveTcpEndpoint *endpoint, guint timeout_ms);

/* Waits until every peer's send queue has space for packets of that total size, so that nothing is
 * dropped; a listener also waits for the first peer. FALSE when interrupted by flushing or a
 * failure. */
gboolean gst_livetcp_wait_room(GstLiveTcpEndpoint *endpoint, gsize size);

G_END_DECLS

#endif
