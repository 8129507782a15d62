/* SPDX-License-Identifier: MIT */
/* Admission of callers to an endpoint in listener mode, at once or later. The signal
 * caller-connecting asks the application on the loop's thread; a later answer may come from any
 * thread. */
#ifndef GST_LIVETCP_CALLERS_H
#define GST_LIVETCP_CALLERS_H

#include "gstlivetcpendpoint.h"

G_BEGIN_DECLS

/* For the endpoint's listener; `user` is the endpoint. */
extern G_GNUC_INTERNAL const livetcp_listener_callbacks gst_livetcp_caller_callbacks;

/* Within a handler of caller-connecting: sets code and text for the caller, if it is refused. */
void gst_livetcp_callers_prepare_rejection(GstLiveTcpEndpoint *endpoint, guint code,
                                           const gchar *text);

/* Within a handler of caller-connecting: defers the answer. Returns the number of the caller's
 * session, or 0 if it cannot wait. */
guint gst_livetcp_callers_defer(GstLiveTcpEndpoint *endpoint);

/* Answer a waiting caller. Any thread. FALSE if the caller is gone or was answered already. */
gboolean gst_livetcp_callers_admit(GstLiveTcpEndpoint *endpoint, guint session);
gboolean gst_livetcp_callers_reject(GstLiveTcpEndpoint *endpoint, guint session, guint code,
                                    const gchar *text);

G_END_DECLS

#endif
