/* SPDX-License-Identifier: MIT */
#include "gstlivetcppeers.h"

#include "gstlivetcpcounters.h"
#include "gstlivetcpreport.h"
#include "gstlivetcprunning.h"

/* A connection that ends earlier counts as refused: the peer accepted and closed it. */
#define LASTED_US G_TIME_SPAN_SECOND

GstLiveTcpPeer *gst_livetcp_peer_new(GstLiveTcpEndpoint *endpoint, guint id, const gchar *remote)
{
    GstLiveTcpPeer *peer = g_new0(GstLiveTcpPeer, 1);
    peer->endpoint = endpoint;
    peer->id = id;
    peer->remote = g_strdup(remote);
    peer->ready = id == 0; /* a caller's packets are queued until it is connected */
    return peer;
}

void gst_livetcp_peer_free(GstLiveTcpPeer *peer)
{
    GMutex *lock = &peer->endpoint->lock;

    g_mutex_lock(lock);
    peer->orphaned = TRUE;
    gboolean held = peer->holders > 0;
    g_mutex_unlock(lock);
    if (held) {
        return;
    }
    livetcp_session_destroy(&peer->session);
    g_clear_object(&peer->address);
    g_free(peer->remote);
    g_free(peer);
}

/* With the lock held: applies settings that were changed while running to a session created with
 * `active`. */
static void apply_settings(const GstLiveTcpEndpoint *endpoint, livetcp_session *session)
{
    if (endpoint->order != endpoint->active.order) {
        livetcp_session_set_order(session, endpoint->order, NULL);
    }
    if (endpoint->lossless) {
        livetcp_session_set_max_send_delay(session, 0, NULL);
    }
}

void gst_livetcp_peers_add(GstLiveTcpEndpoint *endpoint, GstLiveTcpPeer *peer,
                           livetcp_session *session)
{
    peer->session = session;
    gst_livetcp_clock_rates_apply(&endpoint->clock_rates, session);
    gst_livetcp_running_apply(endpoint, session);
    apply_settings(endpoint, session);
    endpoint->sessions_total++;
    g_ptr_array_add(endpoint->peers, peer);
}

void gst_livetcp_peer_count(const GstLiveTcpPeer *peer)
{
    livetcp_session_stats stats = {.struct_size = sizeof(stats)};

    livetcp_session_get_stats(peer->session, &stats);
    gst_livetcp_counters_add(&peer->endpoint->ended_totals, &stats);
}

/* With the lock held: takes an ended caller out of the list, unless closing already has. */
static gboolean take_caller(GstLiveTcpEndpoint *endpoint, GstLiveTcpPeer *peer)
{
    if (peer->id == 0 || !g_ptr_array_remove(endpoint->peers, peer)) {
        return FALSE;
    }
    gst_livetcp_peer_count(peer);
    return TRUE;
}

/* With the lock held: counts unsent packets of an ended session. A peer of a listener left on its
 * own, so its packets do not count. */
static void note_never_sent(GstLiveTcpEndpoint *endpoint, const GstLiveTcpPeer *peer)
{
    livetcp_session_stats stats = {.struct_size = sizeof(stats)};

    if (peer->id != 0 || livetcp_session_get_stats(peer->session, &stats) != LIVETCP_OK) {
        return;
    }
    guint64 taken = stats.sent.accepted + stats.sent.resent;
    guint64 known = stats.sent.packets + stats.dropped.queue_full + stats.dropped.late +
                    stats.dropped.connection;
    endpoint->never_sent += taken > known ? taken - known : 0;
}

gboolean gst_livetcp_peers_any_open(GstLiveTcpEndpoint *endpoint)
{
    for (guint i = 0; i < endpoint->peers->len; i++) {
        if (((GstLiveTcpPeer *)g_ptr_array_index(endpoint->peers, i))->open) {
            return TRUE;
        }
    }
    return FALSE;
}

/* ---- sessions, on the loop's thread ---- */

static void on_packet(livetcp_session *session, const livetcp_packet *packet, void *user)
{
    (void)session;
    GstLiveTcpEndpoint *endpoint = ((GstLiveTcpPeer *)user)->endpoint;
    if (endpoint->hooks->packet != NULL) {
        endpoint->hooks->packet(endpoint, packet);
    }
}

/* Stores an error. TRUE if it should be reported: it is the first of its kind since a connection
 * has lasted. Retries would repeat it for ever. */
static gboolean note_error(GstLiveTcpPeer *peer, const livetcp_error *error)
{
    GstLiveTcpEndpoint *endpoint = peer->endpoint;
    g_mutex_lock(&endpoint->lock);
    if (peer->connected_us != 0 && g_get_monotonic_time() - peer->connected_us > LASTED_US) {
        peer->warned = LIVETCP_OK;
    }
    peer->connected_us = 0;
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
    case LIVETCP_ERR_NOT_SUPPORTED:
    case LIVETCP_ERR_GARBAGE:
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
    } else if (peer->opened_us == 0 || is_connect_failure(error->code)) {
        what = "Cannot connect yet, trying again";
    } else if (error->code == LIVETCP_ERR_CLOSED) {
        what = "The peer has left, calling it again";
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
        peer->connected_us = g_get_monotonic_time();
    } else if (error == NULL) {
        return;
    }
    gst_livetcp_post_connection(endpoint->element, peer->id, connection, state, peer->remote,
                                error);
    /* A connection that is closed for good ends with its session, which is reported itself. */
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

/* The application has admitted a waiting caller. */
static void let_in(GstLiveTcpPeer *peer)
{
    GstLiveTcpEndpoint *endpoint = peer->endpoint;

    g_mutex_lock(&endpoint->lock);
    gboolean news = peer->undecided;
    peer->undecided = FALSE;
    g_mutex_unlock(&endpoint->lock);
    if (news) {
        gst_livetcp_signal_caller_added(endpoint->element, peer->id, peer->address);
    }
}

void gst_livetcp_peer_opened(GstLiveTcpPeer *peer, livetcp_session *session)
{
    GstLiveTcpEndpoint *endpoint = peer->endpoint;

    if (peer->open) {
        return;
    }
    let_in(peer);
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

/* A caller that left without sending a packet does not end the stream, since it may be a stranger.
 * One whose first bytes were not RTP, on a plain wire, was not a caller. */
static void notice_stranger(GstLiveTcpPeer *peer, const livetcp_error *error)
{
    livetcp_session_stats stats = {.struct_size = sizeof(stats)};

    if (peer->id == 0 || livetcp_session_get_stats(peer->session, &stats) != LIVETCP_OK ||
        stats.received.packets != 0) {
        return;
    }
    peer->stranger = TRUE;
    if (gst_livetcp_is_wrong_end(error->code) &&
        gst_livetcp_strangers_is_news(&peer->endpoint->strangers, peer->address, error->code)) {
        gst_livetcp_post_warning(peer->endpoint->element, error, "Turned a peer away",
                                 peer->remote);
    }
}

static void session_ended(GstLiveTcpPeer *peer, const livetcp_error *error)
{
    GstLiveTcpEndpoint *endpoint = peer->endpoint;

    notice_stranger(peer, error);
    g_mutex_lock(&endpoint->lock);
    gboolean closing = endpoint->closing;
    gboolean undecided = peer->undecided;
    peer->open = peer->ready = peer->undecided = FALSE;
    peer->ended = TRUE;
    if (!closing) {
        endpoint->last_error = *error;
        note_never_sent(endpoint, peer);
    }
    /* A caller's peer stays, so that its statistics can still be read. */
    gboolean ours = take_caller(endpoint, peer);
    g_cond_broadcast(&endpoint->cond);
    g_mutex_unlock(&endpoint->lock);

    if (!closing && endpoint->hooks->ended != NULL) {
        endpoint->hooks->ended(endpoint, peer, error);
    }
    if (ours && undecided) {
        gst_livetcp_signal_caller_rejected(endpoint->element, peer->address, error->message);
    } else if (ours) {
        gst_livetcp_signal_caller_removed(endpoint->element, peer->id, peer->address);
    }
    if (ours) {
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
        gst_livetcp_peer_opened(peer, session);
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
    g_mutex_lock(&endpoint->lock);
    g_cond_broadcast(&endpoint->cond); /* the queue has space */
    g_mutex_unlock(&endpoint->lock);
    if (endpoint->hooks->drained != NULL) {
        endpoint->hooks->drained(endpoint, peer, session);
    }
}

static void on_sent(livetcp_session *session, void *user)
{
    GstLiveTcpPeer *peer = user;
    GstLiveTcpEndpoint *endpoint = peer->endpoint;

    (void)session;
    g_mutex_lock(&endpoint->lock);
    peer->sent = peer->asked;
    peer->asked = 0;
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

/* Others go to the debug log: the elements say in their own words what is lost. */
static void on_warning(livetcp_session *session, const livetcp_error *warning, void *user)
{
    (void)session;
    GstLiveTcpPeer *peer = user;

    if (warning->code == LIVETCP_ERR_TLS || warning->code == LIVETCP_ERR_CONNECTION_LOST) {
        gst_livetcp_post_warning(peer->endpoint->element, warning, NULL, peer->remote);
    }
}

const livetcp_session_callbacks gst_livetcp_peer_callbacks = {
    .struct_size = sizeof(gst_livetcp_peer_callbacks),
    .on_packet = on_packet,
    .on_state = on_state,
    .on_connection = on_connection,
    .on_drained = on_drained,
    .on_warning = on_warning,
    .on_keyframe_wanted = on_keyframe_wanted,
    .on_bitrate = on_bitrate,
    .on_sent = on_sent,
};
