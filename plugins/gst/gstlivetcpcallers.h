/* SPDX-License-Identifier: MIT */
/* Callers of an endpoint that listens: who is let in, at once or later. The application is asked by
 * caller-connecting, on the loop's thread; later answers may come from any. */
#ifndef GST_LIVETCP_CALLERS_H
#define GST_LIVETCP_CALLERS_H

#include "gstlivetcpendpoint.h"

G_BEGIN_DECLS

/* Of the endpoint's listener; `user` is the endpoint. */
extern G_GNUC_INTERNAL const livetcp_listener_callbacks gst_livetcp_caller_callbacks;

/* Within a handler of caller-connecting: what the caller is told if it is turned away. */
void gst_livetcp_callers_prepare_rejection(GstLiveTcpEndpoint *endpoint, guint code,
                                           const gchar *text);

/* Within a handler of caller-connecting: the answer comes later. The number of the caller's
 * session, or 0 if it cannot wait. */
guint gst_livetcp_callers_defer(GstLiveTcpEndpoint *endpoint);

/* The answer to a caller that waits. Any thread. FALSE if it is gone, or has its answer. */
gboolean gst_livetcp_callers_admit(GstLiveTcpEndpoint *endpoint, guint session);
gboolean gst_livetcp_callers_reject(GstLiveTcpEndpoint *endpoint, guint session, guint code,
                                    const gchar *text);

G_END_DECLS

#endif
