/* SPDX-License-Identifier: MIT */
/* Reports to the application: LiveTCP's results as GStreamer errors, in WARNING and ERROR messages
 * with details; element messages about sessions and connections; and the signals of a listener, the
 * same on both elements and named like those of srtsink. */
#ifndef GST_LIVETCP_REPORT_H
#define GST_LIVETCP_REPORT_H

#include <gio/gio.h>
#include <gst/gst.h>
#include <livetcp/livetcp.h>

G_BEGIN_DECLS

/* The GstResourceError of a result; `sending`: of a sink. */
GstResourceError gst_livetcp_resource_error(livetcp_result result, gboolean sending);

/* Post an ERROR (the element cannot continue) or a WARNING. `what` is one sentence for the user, or
 * NULL; the library's sentence follows it. The details have "reason" (such as "refused"), "code",
 * "errno" and, unless `remote` is NULL, "remote". */
void gst_livetcp_post_error(GstElement *element, const livetcp_error *error, const gchar *what,
                            const gchar *remote);
void gst_livetcp_post_warning(GstElement *element, const livetcp_error *error, const gchar *what,
                              const gchar *remote);

/* Post the element message "livetcp-session" or "livetcp-connection"; the latter adds
 * "connection". Both have "session" (the number the signals give, 0 for a caller), "state",
 * "remote", and after a failure "reason", "code", "errno" and "message". `error` may be NULL. */
void gst_livetcp_post_session(GstElement *element, guint session, livetcp_session_state state,
                              const gchar *remote, const livetcp_error *error);
void gst_livetcp_post_connection(GstElement *element, guint session, guint connection,
                                 livetcp_connection_state state, const gchar *remote,
                                 const livetcp_error *error);

const gchar *gst_livetcp_session_state_name(livetcp_session_state state);
const gchar *gst_livetcp_connection_state_name(livetcp_connection_state state);

/* ---- signals ---- */

/* Handlers of the action signals. */
typedef struct GstLiveTcpActions {
    void (*reject_caller)(GstElement *element, guint code, const gchar *text);
    guint (*admit_caller_later)(GstElement *element);
    gboolean (*admit_waiting_caller)(GstElement *element, guint session);
    gboolean (*reject_waiting_caller)(GstElement *element, guint session, guint code,
                                      const gchar *text);
} GstLiveTcpActions;

/* Defines such a table; `endpoint_of` returns the endpoint of an element. */
#define GST_LIVETCP_ACTIONS(name, endpoint_of)                                                     \
    static void name##_reject(GstElement *element, guint code, const gchar *text)                  \
    {                                                                                              \
        gst_livetcp_callers_prepare_rejection(endpoint_of(element), code, text);                   \
    }                                                                                              \
    static guint name##_admit_later(GstElement *element)                                           \
    {                                                                                              \
        return gst_livetcp_callers_defer(endpoint_of(element));                                    \
    }                                                                                              \
    static gboolean name##_admit_waiting(GstElement *element, guint session)                       \
    {                                                                                              \
        return gst_livetcp_callers_admit(endpoint_of(element), session);                           \
    }                                                                                              \
    static gboolean name##_reject_waiting(GstElement *element, guint session, guint code,          \
                                          const gchar *text)                                       \
    {                                                                                              \
        return gst_livetcp_callers_reject(endpoint_of(element), session, code, text);              \
    }                                                                                              \
    static const GstLiveTcpActions name = {                                                        \
        .reject_caller = name##_reject,                                                            \
        .admit_caller_later = name##_admit_later,                                                  \
        .admit_waiting_caller = name##_admit_waiting,                                              \
        .reject_waiting_caller = name##_reject_waiting,                                            \
    };

void gst_livetcp_signals_install(GstElementClass *klass, const GstLiveTcpActions *actions);

/* Emit the signals; called on the loop's thread. Without a handler every peer is admitted. */
gboolean gst_livetcp_signal_caller_connecting(GstElement *element, GSocketAddress *address);
void gst_livetcp_signal_caller_added(GstElement *element, guint id, GSocketAddress *address);
void gst_livetcp_signal_caller_removed(GstElement *element, guint id, GSocketAddress *address);
void gst_livetcp_signal_caller_rejected(GstElement *element, GSocketAddress *address,
                                        const gchar *reason);

/* Parses "1.2.3.4:5" or "[::1]:5"; NULL for anything else. The caller owns it. */
GSocketAddress *gst_livetcp_parse_address(const gchar *text);

G_END_DECLS

#endif
