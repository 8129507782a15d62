/* SPDX-License-Identifier: MIT */
/* Sessions as the library reports them, on its loop's thread. */
#include "gstlivetcppeers.h"

#include "gstlivetcpclockrates.h"
#include "gstlivetcpreport.h"
#include "gstlivetcpsignals.h"

#define GST_CAT_DEFAULT gst_livetcp_debug

static GstLiveTcpPeer *peer_new(GstLiveTcpEndpoint *endpoint, guint id, const gchar *remote)
{
    GstLiveTcpPeer *peer = g_new0(GstLiveTcpPeer, 1);
    peer->endpoint = endpoint;
    peer->id = id;
    peer->remote = g_strdup(remote);
    peer->ready = id == 0; /* what a caller sends before it is connected waits in its queue */
    return peer;
}

void gst_livetcp_peer_free(GstLiveTcpPeer *peer)
{
    livetcp_session_destroy(&peer->session);
    g_clear_object(&peer->address);
    g_free(peer->remote);
    g_free(peer);
}

/* With the lock held: takes a caller that has gone out of the list, unless closing did before. */
static gboolean take_caller(GstLiveTcpEndpoint *endpoint, GstLiveTcpPeer *peer)
{
    if (peer->id == 0 || !g_ptr_array_remove(endpoint->peers, peer)) {
        return FALSE;
    }
    livetcp_session_stats stats = {.struct_size = sizeof(stats)};
    livetcp_session_get_stats(peer->session, &stats);
    gst_livetcp_totals_add(&endpoint->ended_totals, &stats);
    return TRUE;
}

/* ---- session callbacks ---- */

static void on_packet(livetcp_session *session, const livetcp_packet *packet, void *user)
{
    (void)session;
    GstLiveTcpEndpoint *endpoint = ((GstLiveTcpPeer *)user)->endpoint;
    if (endpoint->hooks->packet != NULL) {
        endpoint->hooks->packet(endpoint, packet);
    }
}

/* Remembers an error. TRUE if the application should hear of it: the first of its kind since a
 * connection opened, for retries would repeat it for ever. */
static gboolean note_error(GstLiveTcpPeer *peer, const livetcp_error *error)
{
    GstLiveTcpEndpoint *endpoint = peer->endpoint;
    g_mutex_lock(&endpoint->lock);
    gboolean news = peer->warned != error->code && !endpoint->closing;
    endpoint->last_error = *error;
    peer->warned = error->code;
    g_mutex_unlock(&endpoint->lock);
    return news;
}

static gboolean is_connect_failure(livetcp_result result)
{
    switch (result) {
    case LIVETCP_ERR_RESOLVE:
    case LIVETCP_ERR_REFUSED:
    case LIVETCP_ERR_UNREACHABLE:
    case LIVETCP_ERR_HANDSHAKE_TIMEOUT:
    case LIVETCP_ERR_VERSION:
    case LIVETCP_ERR_TOO_MANY_SESSIONS:
        return TRUE;
    default:
        return FALSE;
    }
}

static void warn(GstLiveTcpPeer *peer, const livetcp_error *error)
{
    const gchar *what = "Lost a connection, trying again";
    if (peer->id != 0) {
        what = "Lost a connection, waiting for the peer to replace it";
    } else if (is_connect_failure(error->code)) {
        what = "Cannot connect yet, trying again";
    }
    gst_livetcp_post_warning(peer->endpoint->element, error, what, peer->remote);
}

static void on_connection(livetcp_session *session, unsigned connection,
                          livetcp_connection_state state, const livetcp_error *error, void *user)
{
    (void)session;
    GstLiveTcpPeer *peer = user;
    GstLiveTcpEndpoint *endpoint = peer->endpoint;

    if (state == LIVETCP_CONNECTION_OPEN) {
        peer->warned = LIVETCP_OK;
    } else if (error == NULL) {
        return;
    }
    gst_livetcp_post_connection(endpoint->element, peer->id, connection, state, peer->remote,
                                error);
    /* One that is closed for good goes with its session, which has a report of its own. */
    if (error != NULL && note_error(peer, error) && state != LIVETCP_CONNECTION_CLOSED) {
        warn(peer, error);
    }
}

static void bitrate_changed(GstLiveTcpEndpoint *endpoint)
{
    if (endpoint->hooks->bitrate != NULL) {
        endpoint->hooks->bitrate(endpoint);
    }
}

static void session_opened(GstLiveTcpPeer *peer, livetcp_session *session)
{
    GstLiveTcpEndpoint *endpoint = peer->endpoint;

    if (peer->open) {
        return;
    }
    if (endpoint->hooks->opened != NULL) {
        endpoint->hooks->opened(endpoint, peer, session);
    }
    g_mutex_lock(&endpoint->lock);
    peer->open = peer->ready = TRUE;
    peer->opened_us = g_get_monotonic_time();
    g_cond_broadcast(&endpoint->cond);
    g_mutex_unlock(&endpoint->lock);
    bitrate_changed(endpoint);
}

static void session_ended(GstLiveTcpPeer *peer, const livetcp_error *error)
{
    GstLiveTcpEndpoint *endpoint = peer->endpoint;

    g_mutex_lock(&endpoint->lock);
    gboolean closing = endpoint->closing;
    peer->open = peer->ready = FALSE;
    peer->ended = TRUE;
    if (!closing) {
        endpoint->last_error = *error;
    }
    /* The peer that we called stays, so that its statistics can still be read. */
    gboolean ours = take_caller(endpoint, peer);
    g_cond_broadcast(&endpoint->cond);
    g_mutex_unlock(&endpoint->lock);

    if (!closing && endpoint->hooks->ended != NULL) {
        endpoint->hooks->ended(endpoint, peer, error);
    }
    if (ours) {
        gst_livetcp_signal_caller_removed(endpoint->element, peer->id, peer->address);
        gst_livetcp_peer_free(peer);
    }
    if (!closing) {
        bitrate_changed(endpoint);
    }
}

static void on_state(livetcp_session *session, livetcp_session_state state,
                     const livetcp_error *error, void *user)
{
    static const livetcp_error unknown = {LIVETCP_ERR_CLOSED, 0, "the session ended"};
    GstLiveTcpPeer *peer = user;
    GstLiveTcpEndpoint *endpoint = peer->endpoint;
    GstElement *element = endpoint->element;

    gst_livetcp_post_session(element, peer->id, state, peer->remote, error);
    switch (state) {
    case LIVETCP_SESSION_OPEN:
        session_opened(peer, session);
        break;
    case LIVETCP_SESSION_CONNECTING:
        g_mutex_lock(&endpoint->lock);
        peer->open = FALSE;
        g_mutex_unlock(&endpoint->lock);
        if (error != NULL && note_error(peer, error)) {
            warn(peer, error);
        }
        break;
    case LIVETCP_SESSION_CLOSED:
        session_ended(peer, error != NULL ? error : &unknown); /* may free peer */
        break;
    }
    g_object_notify(G_OBJECT(element), "state");
}

static void on_drained(livetcp_session *session, void *user)
{
    GstLiveTcpPeer *peer = user;
    GstLiveTcpEndpoint *endpoint = peer->endpoint;
    if (endpoint->hooks->drained != NULL) {
        endpoint->hooks->drained(endpoint, peer, session);
    }
    g_mutex_lock(&endpoint->lock);
    g_cond_broadcast(&endpoint->cond);
    g_mutex_unlock(&endpoint->lock);
}

static void on_keyframe_wanted(livetcp_session *session, uint32_t ssrc, void *user)
{
    GstLiveTcpEndpoint *endpoint = ((GstLiveTcpPeer *)user)->endpoint;
    (void)session;
    if (endpoint->hooks->keyframe_wanted != NULL) {
        endpoint->hooks->keyframe_wanted(endpoint, ssrc);
    }
}

static void on_bitrate(livetcp_session *session, uint32_t bitrate, void *user)
{
    (void)session;
    (void)bitrate;
    bitrate_changed(((GstLiveTcpPeer *)user)->endpoint);
}

static const livetcp_session_callbacks session_callbacks = {
    .struct_size = sizeof(session_callbacks),
    .on_packet = on_packet,
    .on_state = on_state,
    .on_connection = on_connection,
    .on_drained = on_drained,
    .on_keyframe_wanted = on_keyframe_wanted,
    .on_bitrate = on_bitrate,
};

livetcp_result gst_livetcp_peers_call(GstLiveTcpEndpoint *endpoint, livetcp_error *error)
{
    const livetcp_config *config = &endpoint->active;
    gboolean v6 = strchr(config->host, ':') != NULL;
    gchar *remote = g_strdup_printf(v6 ? "[%s]:%u" : "%s:%u", config->host, config->port);
    GstLiveTcpPeer *peer = peer_new(endpoint, 0, remote);
    g_free(remote);

    livetcp_session *session = NULL;
    livetcp_result result = livetcp_session_connect(endpoint->context, config, &session_callbacks,
                                                    peer, &session, error);
    if (result != LIVETCP_OK) {
        gst_livetcp_peer_free(peer);
        return result;
    }
    g_mutex_lock(&endpoint->lock);
    peer->session = session;
    gst_livetcp_clock_rates_tell(endpoint, session);
    endpoint->sessions_total++;
    g_ptr_array_add(endpoint->peers, peer);
    g_mutex_unlock(&endpoint->lock);
    return LIVETCP_OK;
}

/* ---- listener callbacks ---- */

/* NULL, or why the caller may not come in. */
static const gchar *refusal(GstLiveTcpEndpoint *endpoint, GSocketAddress *address)
{
    if (address == NULL) {
        return "its address cannot be read";
    }
    if (!gst_livetcp_signal_caller_connecting(endpoint->element, address)) {
        return "a handler of caller-connecting said no";
    }
    g_mutex_lock(&endpoint->lock);
    gboolean over = endpoint->closing || endpoint->over;
    g_mutex_unlock(&endpoint->lock);
    return over ? "the stream is over" : NULL;
}

static bool on_session(livetcp_listener *listener, livetcp_session *session, const char *remote,
                       void *user)
{
    (void)listener;
    GstLiveTcpEndpoint *endpoint = user;
    GSocketAddress *address = gst_livetcp_parse_address(remote);
    const gchar *why_not = refusal(endpoint, address);
    if (why_not != NULL) {
        GST_WARNING_OBJECT(endpoint->element, "turned %s away: %s", remote, why_not);
        if (address != NULL) {
            gst_livetcp_signal_caller_rejected(endpoint->element, address, why_not);
            g_object_unref(address);
        }
        return false;
    }

    GstLiveTcpPeer *peer = peer_new(endpoint, endpoint->next_id++, remote);
    peer->session = session;
    peer->address = address;
    livetcp_session_set_callbacks(session, &session_callbacks, peer);
    g_mutex_lock(&endpoint->lock);
    gst_livetcp_clock_rates_tell(endpoint, session);
    endpoint->sessions_total++;
    g_ptr_array_add(endpoint->peers, peer);
    g_mutex_unlock(&endpoint->lock);
    gst_livetcp_signal_caller_added(endpoint->element, peer->id, address);
    if (livetcp_session_get_state(session) == LIVETCP_SESSION_OPEN) {
        session_opened(peer, session);
    }
    return true;
}

static void on_rejected(livetcp_listener *listener, const char *remote, const livetcp_error *error,
                        void *user)
{
    (void)listener;
    GstLiveTcpEndpoint *endpoint = user;
    GST_WARNING_OBJECT(endpoint->element, "turned %s away: %s", remote, error->message);
    GSocketAddress *address = gst_livetcp_parse_address(remote);
    if (address != NULL) {
        gst_livetcp_signal_caller_rejected(endpoint->element, address, error->message);
        g_object_unref(address);
    }
}

const livetcp_listener_callbacks gst_livetcp_listener_callbacks = {
    .struct_size = sizeof(gst_livetcp_listener_callbacks),
    .on_session = on_session,
    .on_rejected = on_rejected,
};
