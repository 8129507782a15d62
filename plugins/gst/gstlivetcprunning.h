/* SPDX-License-Identifier: MIT */
/* Settings that can change while the element is open; they apply to current and future sessions. */
#ifndef GST_LIVETCP_RUNNING_H
#define GST_LIVETCP_RUNNING_H

#include "gstlivetcpendpoint.h"

G_BEGIN_DECLS

/* TRUE if this is one of them. */
gboolean gst_livetcp_running_has(const gchar *setting);

/* Call after a setting of endpoint->config was changed while the endpoint is open. Without the
 * lock. If it contradicts other settings, or a session refuses it, a WARNING is posted and the old
 * value stays in effect. */
void gst_livetcp_running_change(GstLiveTcpEndpoint *endpoint, const gchar *setting);

/* With the lock held: applies all changes since the endpoint was opened to a new session. */
void gst_livetcp_running_apply(GstLiveTcpEndpoint *endpoint, livetcp_session *session);

G_END_DECLS

#endif
