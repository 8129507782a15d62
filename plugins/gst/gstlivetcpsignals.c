/* SPDX-License-Identifier: MIT */
/* caller-connecting, caller-added, caller-removed and caller-rejected. */
#include "gstlivetcpsignals.h"

static gboolean accept_everyone(GstElement *element, GSocketAddress *address)
{
    (void)element;
    (void)address;
    return TRUE;
}

/* The first handler that says FALSE decides. */
static gboolean all_accept(GSignalInvocationHint *hint, GValue *result, const GValue *answer,
                           gpointer data)
{
    (void)hint;
    (void)data;
    gboolean accept = g_value_get_boolean(answer);
    g_value_set_boolean(result, accept);
    return accept;
}

void gst_livetcp_signals_install(GstElementClass *klass)
{
    GType type = G_TYPE_FROM_CLASS(klass);

    /**
     * GstLiveTcpSink::caller-connecting:
     * @element: the element
     * @address: the #GSocketAddress of the peer
     *
     * A peer wants to open a session; in listener mode only. A handler must not block.
     *
     * Returns: %FALSE to turn it away
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
     * A connection was turned away: silence, garbage, an unknown session, a wrong proof, too many
     * sessions, or a handler of #GstLiveTcpSink::caller-connecting that said no.
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
