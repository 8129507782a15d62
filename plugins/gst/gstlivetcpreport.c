/* SPDX-License-Identifier: MIT */
/* Reports errors to the application by messages, changes by element messages, and callers by
 * signals. */
#include "gstlivetcpreport.h"

GstResourceError gst_livetcp_resource_error(livetcp_result result, gboolean sending)
{
    switch (result) {
    case LIVETCP_ERR_INVALID_ARGUMENT:
    case LIVETCP_ERR_ADDRESS_INVALID:
    case LIVETCP_ERR_UNKNOWN_POLICY:
    case LIVETCP_ERR_UNKNOWN_SETTING:
    case LIVETCP_ERR_NOT_SUPPORTED:
    case LIVETCP_ERR_BAD_URI:
        return GST_RESOURCE_ERROR_SETTINGS;
    case LIVETCP_ERR_RESOLVE:
    case LIVETCP_ERR_REFUSED:
    case LIVETCP_ERR_UNKNOWN_SESSION:
        return GST_RESOURCE_ERROR_NOT_FOUND;
    case LIVETCP_ERR_ADDRESS_IN_USE:
    case LIVETCP_ERR_TOO_MANY_SESSIONS:
    case LIVETCP_ERR_SESSION_EXISTS:
    case LIVETCP_ERR_INDEX_IN_USE:
        return GST_RESOURCE_ERROR_BUSY;
    case LIVETCP_ERR_PERMISSION:
    case LIVETCP_ERR_BAD_PROOF:
        return GST_RESOURCE_ERROR_NOT_AUTHORIZED;
    case LIVETCP_ERR_UNREACHABLE:
    case LIVETCP_ERR_HANDSHAKE_TIMEOUT:
    case LIVETCP_ERR_VERSION:
        return sending ? GST_RESOURCE_ERROR_OPEN_WRITE : GST_RESOURCE_ERROR_OPEN_READ;
    case LIVETCP_ERR_NO_MEMORY:
        return GST_RESOURCE_ERROR_NO_SPACE_LEFT;
    case LIVETCP_ERR_SYSTEM:
    case LIVETCP_ERR_BAD_STATE:
        return GST_RESOURCE_ERROR_FAILED;
    default: /* an established session has ended, or the peer has violated the protocol */
        return sending ? GST_RESOURCE_ERROR_WRITE : GST_RESOURCE_ERROR_READ;
    }
}

const gchar *gst_livetcp_session_state_name(livetcp_session_state state)
{
    switch (state) {
    case LIVETCP_SESSION_CONNECTING:
        return "connecting";
    case LIVETCP_SESSION_OPEN:
        return "open";
    case LIVETCP_SESSION_CLOSED:
        return "closed";
    }
    return "unknown";
}

const gchar *gst_livetcp_connection_state_name(livetcp_connection_state state)
{
    switch (state) {
    case LIVETCP_CONNECTION_IDLE:
        return "idle";
    case LIVETCP_CONNECTION_CONNECTING:
        return "connecting";
    case LIVETCP_CONNECTION_JOINING:
        return "joining";
    case LIVETCP_CONNECTION_OPEN:
        return "open";
    case LIVETCP_CONNECTION_CLOSED:
        return "closed";
    }
    return "unknown";
}

static void set_details(GstStructure *details, const livetcp_error *error, const gchar *remote)
{
    if (remote != NULL) {
        gst_structure_set(details, "remote", G_TYPE_STRING, remote, NULL);
    }
    if (error != NULL) {
        gst_structure_set(details, "reason", G_TYPE_STRING, livetcp_result_name(error->code),
                          "code", G_TYPE_INT, (gint)error->code, "errno", G_TYPE_INT,
                          error->system_errno, "message", G_TYPE_STRING, error->message, NULL);
    }
}

static gboolean ends_sentence(const gchar *text)
{
    return g_str_has_suffix(text, ".") || g_str_has_suffix(text, "?");
}

static void post(GstElement *element, GstMessageType type, const livetcp_error *error,
                 const gchar *what, const gchar *remote)
{
    GstStructure *details = gst_structure_new_empty("details");
    set_details(details, error, remote);
    gboolean sending = GST_OBJECT_FLAG_IS_SET(element, GST_ELEMENT_FLAG_SINK);
    gst_element_message_full_with_details(
        element, type, GST_RESOURCE_ERROR, gst_livetcp_resource_error(error->code, sending),
        g_strdup_printf("%s%s%s%s", what != NULL ? what : "", what != NULL ? ": " : "",
                        error->message, ends_sentence(error->message) ? "" : "."),
        g_strdup_printf("%s: %s (%s, errno %d)", livetcp_result_name(error->code),
                        livetcp_result_text(error->code), remote != NULL ? remote : "no peer",
                        error->system_errno),
        __FILE__, GST_FUNCTION, __LINE__, details);
}

void gst_livetcp_post_error(GstElement *element, const livetcp_error *error, const gchar *what,
                            const gchar *remote)
{
    post(element, GST_MESSAGE_ERROR, error, what, remote);
}

void gst_livetcp_post_warning(GstElement *element, const livetcp_error *error, const gchar *what,
                              const gchar *remote)
{
    post(element, GST_MESSAGE_WARNING, error, what, remote);
}

void gst_livetcp_post_session(GstElement *element, guint session, livetcp_session_state state,
                              const gchar *remote, const livetcp_error *error)
{
    GstStructure *structure =
        gst_structure_new("livetcp-session", "session", G_TYPE_UINT, session, "state",
                          G_TYPE_STRING, gst_livetcp_session_state_name(state), NULL);
    set_details(structure, error, remote);
    gst_element_post_message(element, gst_message_new_element(GST_OBJECT(element), structure));
}

void gst_livetcp_post_connection(GstElement *element, guint session, guint connection,
                                 livetcp_connection_state state, const gchar *remote,
                                 const livetcp_error *error)
{
    GstStructure *structure = gst_structure_new(
        "livetcp-connection", "session", G_TYPE_UINT, session, "connection", G_TYPE_UINT,
        connection, "state", G_TYPE_STRING, gst_livetcp_connection_state_name(state), NULL);
    set_details(structure, error, remote);
    gst_element_post_message(element, gst_message_new_element(GST_OBJECT(element), structure));
}

/* ---- signals ---- */

static gboolean accept_everyone(GstElement *element, GSocketAddress *address)
{
    (void)element;
    (void)address;
    return TRUE;
}

/* The first handler that returns FALSE decides. */
static gboolean all_accept(GSignalInvocationHint *hint, GValue *result, const GValue *answer,
                           gpointer data)
{
    (void)hint;
    (void)data;
    gboolean accept = g_value_get_boolean(answer);
    g_value_set_boolean(result, accept);
    return accept;
}

/* Action signals, which the application emits. */
static void install_actions(GType type, const GstLiveTcpActions *actions)
{
    const GSignalFlags flags = G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION;

    /**
     * GstLiveTcpSink::reject-caller:
     * @element: the element
     * @code: as HTTP's, at most 65535; after 1 to 499 the caller does not call again
     * @text: (nullable): one sentence for the caller, of at most 120 bytes
     *
     * Within a handler of #GstLiveTcpSink::caller-connecting that returns %FALSE: sets the reason
     * that the caller receives. A calling element posts it as its ERROR.
     */
    g_signal_new_class_handler("reject-caller", type, flags, G_CALLBACK(actions->reject_caller),
                               NULL, NULL, NULL, G_TYPE_NONE, 2, G_TYPE_UINT, G_TYPE_STRING);
    /**
     * GstLiveTcpSink::admit-caller-later:
     * @element: the element
     *
     * Within a handler of #GstLiveTcpSink::caller-connecting that returns %TRUE: defers the
     * decision, for example until a server has answered. Decide by
     * #GstLiveTcpSink::admit-waiting-caller or #GstLiveTcpSink::reject-waiting-caller, within
     * admission-timeout. Until then the caller waits, and counts towards max-sessions. If it
     * leaves, or the time is over, #GstLiveTcpSink::caller-rejected is emitted and the element
     * message "livetcp-session" is posted.
     *
     * Returns: the number that the session has, or 0 if this caller cannot wait (a plain peer)
     */
    g_signal_new_class_handler("admit-caller-later", type, flags,
                               G_CALLBACK(actions->admit_caller_later), NULL, NULL, NULL,
                               G_TYPE_UINT, 0);
    /**
     * GstLiveTcpSink::admit-waiting-caller:
     * @element: the element
     * @session: the number that #GstLiveTcpSink::admit-caller-later has returned
     *
     * Admits a waiting caller. Any thread; do not hold a lock that a handler takes.
     *
     * Returns: %FALSE if the caller is gone, or was answered already
     */
    g_signal_new_class_handler("admit-waiting-caller", type, flags,
                               G_CALLBACK(actions->admit_waiting_caller), NULL, NULL, NULL,
                               G_TYPE_BOOLEAN, 1, G_TYPE_UINT);
    /**
     * GstLiveTcpSink::reject-waiting-caller:
     * @element: the element
     * @session: the number that #GstLiveTcpSink::admit-caller-later has returned
     * @code: as of #GstLiveTcpSink::reject-caller
     * @text: (nullable): as of #GstLiveTcpSink::reject-caller
     *
     * Refuses a waiting caller. Any thread; do not hold a lock that a handler takes.
     *
     * Returns: %FALSE if the caller is gone, or was answered already
     */
    g_signal_new_class_handler("reject-waiting-caller", type, flags,
                               G_CALLBACK(actions->reject_waiting_caller), NULL, NULL, NULL,
                               G_TYPE_BOOLEAN, 3, G_TYPE_UINT, G_TYPE_UINT, G_TYPE_STRING);
}

void gst_livetcp_signals_install(GstElementClass *klass, const GstLiveTcpActions *actions)
{
    GType type = G_TYPE_FROM_CLASS(klass);

    install_actions(type, actions);

    /**
     * GstLiveTcpSink::caller-connecting:
     * @element: the element
     * @address: the #GSocketAddress of the peer
     *
     * A peer wants to open a session; in listener mode only. A handler must not block. The property
     * connecting-caller has the other properties of the peer: the stream that it requests, its
     * role, its token, and its TLS certificate.
     *
     * Returns: %FALSE to refuse it, optionally after #GstLiveTcpSink::reject-caller; %TRUE to admit
     * it, or, after #GstLiveTcpSink::admit-caller-later, to let it wait
     */
    g_signal_new_class_handler("caller-connecting", type, G_SIGNAL_RUN_LAST,
                               G_CALLBACK(accept_everyone), all_accept, NULL, NULL, G_TYPE_BOOLEAN,
                               1, G_TYPE_SOCKET_ADDRESS);
    /**
     * GstLiveTcpSink::caller-added:
     * @element: the element
     * @session: the number of the session, from 1 upwards
     * @address: the #GSocketAddress of the peer
     *
     * A session with a new peer began; in listener mode only.
     */
    g_signal_new("caller-added", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 2,
                 G_TYPE_UINT, G_TYPE_SOCKET_ADDRESS);
    /**
     * GstLiveTcpSink::caller-removed:
     * @element: the element
     * @session: the number of the session
     * @address: the #GSocketAddress of the peer
     *
     * The session with a peer ended; in listener mode only.
     */
    g_signal_new("caller-removed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 2,
                 G_TYPE_UINT, G_TYPE_SOCKET_ADDRESS);
    /**
     * GstLiveTcpSink::caller-rejected:
     * @element: the element
     * @address: the #GSocketAddress of the peer
     * @reason: one sentence
     *
     * A connection was refused: a handshake time-out, another protocol, an unknown session, a wrong
     * authenticator, too many sessions, a handler of #GstLiveTcpSink::caller-connecting that
     * returned %FALSE, or a waiting caller that left or was refused.
     */
    g_signal_new("caller-rejected", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 2,
                 G_TYPE_SOCKET_ADDRESS, G_TYPE_STRING);
}

gboolean gst_livetcp_signal_caller_connecting(GstElement *element, GSocketAddress *address)
{
    gboolean accept = TRUE;
    g_signal_emit_by_name(element, "caller-connecting", address, &accept);
    return accept;
}

void gst_livetcp_signal_caller_added(GstElement *element, guint id, GSocketAddress *address)
{
    g_signal_emit_by_name(element, "caller-added", id, address);
}

void gst_livetcp_signal_caller_removed(GstElement *element, guint id, GSocketAddress *address)
{
    g_signal_emit_by_name(element, "caller-removed", id, address);
}

void gst_livetcp_signal_caller_rejected(GstElement *element, GSocketAddress *address,
                                        const gchar *reason)
{
    g_signal_emit_by_name(element, "caller-rejected", address, reason);
}

GSocketAddress *gst_livetcp_parse_address(const gchar *text)
{
    const gchar *colon = text != NULL ? strrchr(text, ':') : NULL;
    guint64 port = 0;
    if (colon == NULL || !g_ascii_string_to_unsigned(colon + 1, 10, 0, G_MAXUINT16, &port, NULL)) {
        return NULL;
    }
    gsize length = (gsize)(colon - text);
    gboolean bracketed = length >= 2 && text[0] == '[' && text[length - 1] == ']';
    gchar *host = bracketed ? g_strndup(text + 1, length - 2) : g_strndup(text, length);
    GSocketAddress *address = g_inet_socket_address_new_from_string(host, (guint)port);
    g_free(host);
    return address;
}
