/* SPDX-License-Identifier: MIT */
/* Waiting of the streaming thread for the peers of an endpoint. All functions return early while
 * the endpoint is flushing; a caller reconnects meanwhile when that is due. */
#ifndef GST_LIVETCP_WAIT_H
#define GST_LIVETCP_WAIT_H

#include "gstlivetcpendpoint.h"

G_BEGIN_DECLS

/* Waits until a session is open; FALSE if interrupted by flushing or a failure. */
gboolean gst_livetcp_wait_open(GstLiveTcpEndpoint *endpoint);

/* Waits until each peer has been sent all due packets or has ended, but no longer than the
 * time-out; returns early when flushing. FALSE: time-out. */
gboolean gst_livetcp_wait_drained(GstLiveTcpEndpoint *endpoint, guint timeout_ms);

/* Waits until each peer's send queue has space for packets of that total size, so that nothing
 * is dropped; a listener also waits for the first peer. FALSE if interrupted by flushing or a
 * failure. */
gboolean gst_livetcp_wait_space(GstLiveTcpEndpoint *endpoint, gsize size);

G_END_DECLS

#endif
