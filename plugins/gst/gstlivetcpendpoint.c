/* SPDX-License-Identifier: MIT */
/* The endpoint inside an element: it calls a peer or listens, and keeps the resulting sessions.
 * Sessions report on the loop's thread; the streaming thread waits, sends and calls again. */
#include "gstlivetcpendpoint.h"

#include "gstlivetcpcounters.h"
#include "gstlivetcpdebug.h"
#include "gstlivetcpreport.h"
#include "gstlivetcprunning.h"

#define GST_CAT_DEFAULT gst_livetcp_session_debug

/* A connection that ends sooner does not count: the peer accepted and closed. */
#define LASTED_US G_TIME_SPAN_SECOND

/* Minimum interval between reports of the same stranger; maximum number of remembered addresses. */
#define TELL_PAUSE_US (10 * G_TIME_SPAN_SECOND)
#define STRANGERS_MAX 64

/* Maximum time that closing waits for the peers to be notified. */
#define GOODBYE_US (200 * G_TIME_SPAN_MILLISECOND)

/* ---- clock rates ---- */

/* With the lock held: passes all known clock rates to a session. */
static void tell_clock_rates(GstLiveTcpEndpoint *endpoint, livetcp_session *session)
{
    for (gint payload = LIVETCP_ANY_PAYLOAD; payload < GST_LIVETCP_PAYLOADS; payload++) {
        guint32 rate = endpoint->clock_rates[payload - LIVETCP_ANY_PAYLOAD];
        if (rate != 0) {
            livetcp_session_set_clock_rate(session, payload, rate);
        }
    }
}

static gboolean read_caps(const GstCaps *caps, gint *payload, gint *rate)
{
    if (caps == NULL || gst_caps_is_any(caps) || gst_caps_is_empty(caps)) {
        return FALSE;
    }
    const GstStructure *structure = gst_caps_get_structure(caps, 0);
    *payload = LIVETCP_ANY_PAYLOAD;
    gst_structure_get_int(structure, "payload", payload);
    return gst_structure_get_int(structure, "clock-rate", rate) && *rate > 0 &&
           *payload >= LIVETCP_ANY_PAYLOAD && *payload < GST_LIVETCP_PAYLOADS;
}

void gst_livetcp_endpoint_set_caps(GstLiveTcpEndpoint *endpoint, const GstCaps *caps)
{
    gint payload, rate;

    if (!read_caps(caps, &payload, &rate)) {
        return;
    }
    g_mutex_lock(&endpoint->lock);
    endpoint->clock_rates[payload - LIVETCP_ANY_PAYLOAD] = (guint32)rate;
    for (guint i = 0; i < endpoint->peers->len; i++) {
        GstLiveTcpPeer *peer = g_ptr_array_index(endpoint->peers, i);
        if (peer->session != NULL) {
            livetcp_session_set_clock_rate(peer->session, payload, (guint32)rate);
        }
    }
    g_mutex_unlock(&endpoint->lock);
}

/* ---- settings that change while sessions run ---- */

/* With the lock held: applies them to a session that was made with the settings in `active`. */
static void apply_settings(const GstLiveTcpEndpoint *endpoint, livetcp_session *session)
{
    if (endpoint->order != endpoint->active.order) {
        livetcp_session_set_order(session, endpoint->order, NULL);
    }
    if (endpoint->lossless) {
        livetcp_session_set_max_send_delay(session, 0, NULL);
    }
}

void gst_livetcp_endpoint_set_order(GstLiveTcpEndpoint *endpoint, livetcp_order order)
{
    g_mutex_lock(&endpoint->lock);
    for (guint i = 0; endpoint->order != order && i < endpoint->peers->len; i++) {
        const GstLiveTcpPeer *peer = g_ptr_array_index(endpoint->peers, i);
        if (peer->session != NULL) {
            livetcp_session_set_order(peer->session, order, NULL);
        }
    }
    endpoint->order = order;
    g_mutex_unlock(&endpoint->lock);
}

void gst_livetcp_endpoint_set_lossless(GstLiveTcpEndpoint *endpoint, gboolean lossless)
{
    g_mutex_lock(&endpoint->lock);
    livetcp_usec limit = lossless ? 0 : endpoint->active.max_send_delay_us;
    for (guint i = 0; endpoint->lossless != lossless && i < endpoint->peers->len; i++) {
        const GstLiveTcpPeer *peer = g_ptr_array_index(endpoint->peers, i);
        if (peer->session != NULL) {
            livetcp_session_set_max_send_delay(peer->session, limit, NULL);
        }
    }
    endpoint->lossless = lossless;
    g_mutex_unlock(&endpoint->lock);
}

/* ---- peers ---- */

static GstLiveTcpPeer *peer_new(GstLiveTcpEndpoint *endpoint, guint id, const gchar *remote)
{
    GstLiveTcpPeer *peer = g_new0(GstLiveTcpPeer, 1);
    peer->endpoint = endpoint;
    peer->id = id;
    peer->remote = g_strdup(remote);
    peer->ready = id == 0; /* a caller's packets wait in its queue until it is connected */
    return peer;
}

/* Ends the peer's session and frees both, now or once nobody answers it any more. The peer must be
 * out of the list already. */
static void peer_free(GstLiveTcpPeer *peer)
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

/* With the lock held: takes a caller that has ended out of the list, unless closing did before. */
static gboolean take_caller(GstLiveTcpEndpoint *endpoint, GstLiveTcpPeer *peer)
{
    if (peer->id == 0 || !g_ptr_array_remove(endpoint->peers, peer)) {
        return FALSE;
    }
    livetcp_session_stats stats = {.struct_size = sizeof(stats)};
    livetcp_session_get_stats(peer->session, &stats);
    gst_livetcp_counters_add(&endpoint->ended_totals, &stats);
    return TRUE;
}

/* With the lock held: counts the unsent packets of a session that ended. A peer that called us and
 * left did not want them. */
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

void gst_livetcp_endpoint_totals(GstLiveTcpEndpoint *endpoint, livetcp_session_stats *totals)
{
    g_mutex_lock(&endpoint->lock);
    *totals = endpoint->ended_totals;
    for (guint i = 0; i < endpoint->peers->len; i++) {
        const GstLiveTcpPeer *peer = g_ptr_array_index(endpoint->peers, i);
        livetcp_session_stats stats = {.struct_size = sizeof(stats)};
        if (livetcp_session_get_stats(peer->session, &stats) == LIVETCP_OK) {
            gst_livetcp_counters_add(totals, &stats);
            totals->sent.queue_packets += stats.sent.queue_packets;
        }
    }
    g_mutex_unlock(&endpoint->lock);
}

/* With the lock held. */
static gboolean any_open(GstLiveTcpEndpoint *endpoint)
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

/* Remembers an error. TRUE if the application should be notified: it is the first of its kind since
 * a connection was open for a while. Retries would repeat it for ever. */
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
    /* A connection that is closed for good goes with its session, which has a report of its own. */
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

/* The application has admitted a caller that waited. */
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

static void session_opened(GstLiveTcpPeer *peer, livetcp_session *session)
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

/* The peer is no caller for this listener: whoever set up either end should read it. */
static gboolean is_wrong_end(livetcp_result result)
{
    return result == LIVETCP_ERR_GARBAGE || result == LIVETCP_ERR_PROTOCOL ||
           result == LIVETCP_ERR_FRAME_TOO_LARGE || result == LIVETCP_ERR_VERSION;
}

/* TRUE if this address was not reported for this reason lately. */
static gboolean is_news(GstLiveTcpEndpoint *endpoint, GSocketAddress *from, livetcp_result reason)
{
    GInetAddress *host = g_inet_socket_address_get_address(G_INET_SOCKET_ADDRESS(from));
    gchar *address = g_inet_address_to_string(host);
    gchar *key = g_strdup_printf("%s %d", address, (gint)reason);
    gint64 now = g_get_monotonic_time();
    const gint64 *told = g_hash_table_lookup(endpoint->strangers, key);

    g_free(address);
    if (told != NULL && now - *told < TELL_PAUSE_US) {
        g_free(key);
        return FALSE;
    }
    if (g_hash_table_size(endpoint->strangers) >= STRANGERS_MAX) {
        g_hash_table_remove_all(endpoint->strangers);
    }
    g_hash_table_replace(endpoint->strangers, key, g_memdup2(&now, sizeof(now)));
    return TRUE;
}

/* A caller that left without having sent a packet ends no stream: it may be anybody. One whose
 * first bytes were not RTP, on a plain wire, was never a caller. */
static void notice_stranger(GstLiveTcpPeer *peer, const livetcp_error *error)
{
    livetcp_session_stats stats = {.struct_size = sizeof(stats)};

    if (peer->id == 0 || livetcp_session_get_stats(peer->session, &stats) != LIVETCP_OK ||
        stats.received.packets != 0) {
        return;
    }
    peer->stranger = TRUE;
    if (is_wrong_end(error->code) && is_news(peer->endpoint, peer->address, error->code)) {
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
    /* The peer that we called stays, so that its statistics can still be read. */
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
        peer_free(peer);
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

static const livetcp_session_callbacks session_callbacks = {
    .struct_size = sizeof(session_callbacks),
    .on_packet = on_packet,
    .on_state = on_state,
    .on_connection = on_connection,
    .on_drained = on_drained,
    .on_keyframe_wanted = on_keyframe_wanted,
    .on_bitrate = on_bitrate,
    .on_sent = on_sent,
};

/* ---- who calls, on the loop's thread ---- */

void gst_livetcp_endpoint_prepare_rejection(GstLiveTcpEndpoint *endpoint, guint code,
                                            const gchar *text)
{
    gst_livetcp_question_set_reason(&endpoint->question, code, text);
}

/* Asks the handlers of caller-connecting. */
static gboolean is_welcome(GstLiveTcpEndpoint *endpoint, livetcp_session *session,
                           GSocketAddress *address)
{
    GstLiveTcpQuestion *question = &endpoint->question;
    GstStructure *caller = gst_livetcp_describe_caller(session);

    g_mutex_lock(&endpoint->lock);
    gst_livetcp_question_begin(question, session, endpoint->next_id, caller);
    g_mutex_unlock(&endpoint->lock);
    gboolean welcome = gst_livetcp_signal_caller_connecting(endpoint->element, address);
    g_mutex_lock(&endpoint->lock);
    caller = gst_livetcp_question_forget_caller(question);
    g_mutex_unlock(&endpoint->lock);
    gst_structure_free(caller);
    if (!welcome) {
        gst_livetcp_turn_away(session, question->code, question->text);
    }
    return welcome;
}

/* With the lock held. */
static void end_asking(GstLiveTcpEndpoint *endpoint)
{
    gst_livetcp_question_end(&endpoint->question);
    g_cond_broadcast(&endpoint->cond);
}

/* ---- answers that come later, on any thread ---- */

guint gst_livetcp_endpoint_defer_caller(GstLiveTcpEndpoint *endpoint)
{
    g_mutex_lock(&endpoint->lock);
    livetcp_session *session =
        gst_livetcp_question_is_here(&endpoint->question) ? endpoint->question.session : NULL;
    g_mutex_unlock(&endpoint->lock);
    livetcp_result result =
        session != NULL ? livetcp_session_admit_later(session) : LIVETCP_ERR_BAD_STATE;

    if (result != LIVETCP_OK) {
        GST_WARNING_OBJECT(endpoint->element, "admit-caller-later: %s",
                           session == NULL ? "no handler of caller-connecting emits it"
                           : result == LIVETCP_ERR_NOT_SUPPORTED
                               ? "a plain peer (RFC 4571) cannot wait: answer it at once"
                               : "the caller has its answer, or waits already");
        return 0;
    }
    endpoint->question.deferred = TRUE;
    return endpoint->question.number;
}

/* With the lock held, which it gives up meanwhile: the caller of that number, in whose hands it
 * stays until let_go(), or NULL. A thread may be quicker than the handler that started it. */
static GstLiveTcpPeer *hold_caller(GstLiveTcpEndpoint *endpoint, guint session)
{
    while (endpoint->question.session != NULL && endpoint->question.number == session &&
           !endpoint->closing) {
        g_cond_wait(&endpoint->cond, &endpoint->lock);
    }
    for (guint i = 0; session != 0 && i < endpoint->peers->len; i++) {
        GstLiveTcpPeer *peer = g_ptr_array_index(endpoint->peers, i);
        if (peer->id == session) {
            peer->holders++;
            endpoint->answering++;
            return peer;
        }
    }
    return NULL;
}

static void let_go(GstLiveTcpEndpoint *endpoint, GstLiveTcpPeer *peer)
{
    g_mutex_lock(&endpoint->lock);
    gboolean last = --peer->holders == 0 && peer->orphaned;
    g_mutex_unlock(&endpoint->lock);
    if (last) {
        peer_free(peer);
    }
    g_mutex_lock(&endpoint->lock);
    endpoint->answering--;
    g_cond_broadcast(&endpoint->cond);
    g_mutex_unlock(&endpoint->lock);
}

static livetcp_result give_answer(livetcp_session *session, gboolean admit, guint code,
                                  const gchar *text)
{
    return admit ? livetcp_session_admit(session) : gst_livetcp_turn_away(session, code, text);
}

static gboolean answer_caller(GstLiveTcpEndpoint *endpoint, guint session, gboolean admit,
                              guint code, const gchar *text)
{
    GstLiveTcpPeer *peer = NULL;
    livetcp_result result = LIVETCP_ERR_CLOSED;

    g_mutex_lock(&endpoint->lock);
    GstLiveTcpQuestion *question = &endpoint->question;
    gboolean inside = gst_livetcp_question_is_here(question) && question->number == session;
    livetcp_session *asked = question->session;
    if (!inside) {
        peer = hold_caller(endpoint, session);
    }
    g_mutex_unlock(&endpoint->lock);

    if (inside && question->deferred) { /* the handler itself, after all */
        result = give_answer(asked, admit, code, text);
        question->deferred = FALSE;
    } else if (peer != NULL) {
        result = give_answer(peer->session, admit, code, text);
        let_go(endpoint, peer);
    }
    if (result != LIVETCP_OK) {
        GST_WARNING_OBJECT(endpoint->element, "caller %u: %s", session,
                           result == LIVETCP_ERR_BAD_STATE ? "it has its answer already"
                                                           : "it is gone, or never was");
    }
    return result == LIVETCP_OK;
}

gboolean gst_livetcp_endpoint_admit_caller(GstLiveTcpEndpoint *endpoint, guint session)
{
    return answer_caller(endpoint, session, TRUE, 0, NULL);
}

gboolean gst_livetcp_endpoint_reject_caller(GstLiveTcpEndpoint *endpoint, guint session, guint code,
                                            const gchar *text)
{
    return answer_caller(endpoint, session, FALSE, code, text);
}

/* ---- callers, on the loop's thread ---- */

/* NULL, or the reason to refuse the caller. */
static const gchar *refusal(GstLiveTcpEndpoint *endpoint, livetcp_session *session,
                            GSocketAddress *address)
{
    if (address == NULL) {
        return "its address cannot be read";
    }
    if (!is_welcome(endpoint, session, address)) {
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
    const gchar *why_not = refusal(endpoint, session, address);
    if (why_not != NULL) {
        g_mutex_lock(&endpoint->lock);
        end_asking(endpoint);
        g_mutex_unlock(&endpoint->lock);
        endpoint->refusal = why_not; /* on_rejected() comes next */
        g_clear_object(&address);
        return false;
    }

    GstLiveTcpPeer *peer = peer_new(endpoint, endpoint->next_id, remote);
    peer->session = session;
    peer->address = address;
    peer->undecided = endpoint->question.deferred;
    livetcp_session_set_callbacks(session, &session_callbacks, peer);
    g_mutex_lock(&endpoint->lock);
    tell_clock_rates(endpoint, session);
    gst_livetcp_running_apply(endpoint, session);
    apply_settings(endpoint, session);
    endpoint->sessions_total++;
    endpoint->next_id++;
    g_ptr_array_add(endpoint->peers, peer);
    gboolean undecided = peer->undecided;
    end_asking(endpoint);
    g_mutex_unlock(&endpoint->lock);
    if (!undecided) {
        gst_livetcp_signal_caller_added(endpoint->element, peer->id, address);
    }
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
    const gchar *why = endpoint->refusal != NULL ? endpoint->refusal : error->message;
    if (endpoint->refusal != NULL) { /* the library's log has the other refusals */
        GST_WARNING_OBJECT(endpoint->element, "turned %s away: %s", remote, why);
    }
    endpoint->refusal = NULL;
    GSocketAddress *address = gst_livetcp_parse_address(remote);
    if (address != NULL) {
        gst_livetcp_signal_caller_rejected(endpoint->element, address, why);
        g_object_unref(address);
    }
    if (is_wrong_end(error->code)) {
        gst_livetcp_post_warning(endpoint->element, error, "Turned a peer away", remote);
    }
}

static const livetcp_listener_callbacks listener_callbacks = {
    .struct_size = sizeof(listener_callbacks),
    .on_session = on_session,
    .on_rejected = on_rejected,
};

/* ---- opening and closing ---- */

static gboolean notify_stats(GstClock *clock, GstClockTime time, GstClockID id, gpointer element)
{
    (void)clock;
    (void)time;
    (void)id;
    g_object_notify(G_OBJECT(element), "stats");
    return TRUE;
}

static void start_stats_timer(GstLiveTcpEndpoint *endpoint)
{
    if (endpoint->stats_interval == 0) {
        return;
    }
    GstClock *clock = gst_system_clock_obtain();
    GstClockTime interval = endpoint->stats_interval * GST_MSECOND;
    endpoint->stats_timer =
        gst_clock_new_periodic_id(clock, gst_clock_get_time(clock) + interval, interval);
    gst_clock_id_wait_async(endpoint->stats_timer, notify_stats, gst_object_ref(endpoint->element),
                            gst_object_unref);
    gst_object_unref(clock);
}

static void stop_stats_timer(GstLiveTcpEndpoint *endpoint)
{
    if (endpoint->stats_timer != NULL) {
        gst_clock_id_unschedule(endpoint->stats_timer);
        gst_clock_id_unref(endpoint->stats_timer);
        endpoint->stats_timer = NULL;
    }
}

static gboolean all_ended(GPtrArray *peers)
{
    for (guint i = 0; i < peers->len; i++) {
        if (!((GstLiveTcpPeer *)g_ptr_array_index(peers, i))->ended) {
            return FALSE;
        }
    }
    return TRUE;
}

/* The peers are ours alone, taken out of the list. */
static void end_peers(GstLiveTcpEndpoint *endpoint, GPtrArray *peers)
{
    for (guint i = 0; i < peers->len; i++) {
        livetcp_session_close(((GstLiveTcpPeer *)g_ptr_array_index(peers, i))->session, 0);
    }
    gint64 deadline = g_get_monotonic_time() + GOODBYE_US;
    g_mutex_lock(&endpoint->lock);
    while (!all_ended(peers) && g_cond_wait_until(&endpoint->cond, &endpoint->lock, deadline)) {
    }
    g_mutex_unlock(&endpoint->lock);
    for (guint i = 0; i < peers->len; i++) {
        peer_free(g_ptr_array_index(peers, i));
    }
}

void gst_livetcp_endpoint_close(GstLiveTcpEndpoint *endpoint)
{
    stop_stats_timer(endpoint);

    g_mutex_lock(&endpoint->lock);
    endpoint->closing = TRUE;
    endpoint->opened = FALSE;
    livetcp_listener *listener = endpoint->listener;
    endpoint->listener = NULL;
    GPtrArray *peers = endpoint->peers;
    endpoint->peers = g_ptr_array_new();
    g_cond_broadcast(&endpoint->cond);
    while (endpoint->answering > 0) {
        g_cond_wait(&endpoint->cond, &endpoint->lock);
    }
    g_mutex_unlock(&endpoint->lock);

    if (listener != NULL) {
        livetcp_listener_destroy(&listener);
        g_object_notify(G_OBJECT(endpoint->element), "bound-port");
    }
    end_peers(endpoint, peers);
    g_ptr_array_unref(peers);
    livetcp_context_destroy(&endpoint->context);
}

void gst_livetcp_endpoint_init(GstLiveTcpEndpoint *endpoint, GstElement *element,
                               const GstLiveTcpHooks *hooks, const livetcp_config *defaults,
                               const gchar *const *uri_keys)
{
    memset(endpoint, 0, sizeof(*endpoint));
    endpoint->element = element;
    endpoint->drain = 1; /* 0 = not asked */
    endpoint->next_id = 1;
    endpoint->hooks = hooks;
    endpoint->uri_keys = uri_keys;
    endpoint->config = *defaults;
    endpoint->active = *defaults;
    endpoint->order = defaults->order;
    g_mutex_init(&endpoint->lock);
    g_cond_init(&endpoint->cond);
    endpoint->rejected = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    endpoint->peers = g_ptr_array_new();
    endpoint->strangers = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
}

void gst_livetcp_endpoint_clear(GstLiveTcpEndpoint *endpoint)
{
    gst_livetcp_endpoint_close(endpoint);
    g_ptr_array_unref(endpoint->peers);
    g_hash_table_unref(endpoint->rejected);
    g_hash_table_unref(endpoint->strangers);
    gst_livetcp_question_clear(&endpoint->question);
    g_cond_clear(&endpoint->cond);
    g_mutex_clear(&endpoint->lock);
}

/* Calls the peer that `endpoint->active` names and adds it to the list. */
static livetcp_result call_peer(GstLiveTcpEndpoint *endpoint, livetcp_error *error)
{
    g_mutex_lock(&endpoint->lock);
    livetcp_config config = endpoint->active;
    g_mutex_unlock(&endpoint->lock);
    gboolean v6 = strchr(config.host, ':') != NULL;
    gchar *remote = g_strdup_printf(v6 ? "[%s]:%u" : "%s:%u", config.host, config.port);
    GstLiveTcpPeer *peer = peer_new(endpoint, 0, remote);
    g_free(remote);

    livetcp_session *session = NULL;
    livetcp_result result = livetcp_session_connect(endpoint->context, &config, &session_callbacks,
                                                    peer, &session, error);
    if (result != LIVETCP_OK) {
        peer_free(peer);
        return result;
    }
    g_mutex_lock(&endpoint->lock);
    peer->session = session;
    tell_clock_rates(endpoint, session);
    gst_livetcp_running_apply(endpoint, session);
    apply_settings(endpoint, session);
    endpoint->sessions_total++;
    g_ptr_array_add(endpoint->peers, peer);
    g_mutex_unlock(&endpoint->lock);
    return LIVETCP_OK;
}

void gst_livetcp_endpoint_set_flushing(GstLiveTcpEndpoint *endpoint, gboolean flushing)
{
    g_mutex_lock(&endpoint->lock);
    endpoint->flushing = flushing;
    g_cond_broadcast(&endpoint->cond);
    g_mutex_unlock(&endpoint->lock);
}

void gst_livetcp_endpoint_finish(GstLiveTcpEndpoint *endpoint)
{
    g_mutex_lock(&endpoint->lock);
    endpoint->over = TRUE;
    g_cond_broadcast(&endpoint->cond);
    g_mutex_unlock(&endpoint->lock);
}

void gst_livetcp_endpoint_fail(GstLiveTcpEndpoint *endpoint, const livetcp_error *error,
                               const gchar *what, const gchar *remote)
{
    g_mutex_lock(&endpoint->lock);
    endpoint->over = TRUE;
    endpoint->last_error = *error;
    g_cond_broadcast(&endpoint->cond);
    g_mutex_unlock(&endpoint->lock);
    gst_livetcp_post_error(endpoint->element, error, what, remote);
}

/* An invalid property value keeps the element from opening: g_object_set() cannot fail. */
static livetcp_result check_settings(GstLiveTcpEndpoint *endpoint, livetcp_error *error)
{
    GHashTableIter iterator;
    gpointer name, why;
    g_hash_table_iter_init(&iterator, endpoint->rejected);
    if (g_hash_table_iter_next(&iterator, &name, &why)) {
        error->code = LIVETCP_ERR_INVALID_ARGUMENT;
        error->system_errno = 0;
        g_strlcpy(error->message, why, sizeof(error->message));
        return error->code;
    }
    return livetcp_config_check(&endpoint->config, error);
}

static livetcp_result start(GstLiveTcpEndpoint *endpoint, livetcp_error *error)
{
    livetcp_result result = livetcp_context_create(NULL, &endpoint->context, error);
    if (result != LIVETCP_OK) {
        return result;
    }
    gst_livetcp_debug_feed(endpoint->context, endpoint->element);
    if (endpoint->active.mode == LIVETCP_MODE_CALLER) {
        return call_peer(endpoint, error);
    }
    livetcp_listener *listener = NULL;
    result = livetcp_listener_create(endpoint->context, &endpoint->active, &listener_callbacks,
                                     endpoint, &listener, error);
    g_mutex_lock(&endpoint->lock);
    endpoint->listener = listener;
    g_mutex_unlock(&endpoint->lock);
    return result;
}

/* Reports an invalid setting; there is nothing to report before that. */
static void report_wrong_setting(GstLiveTcpEndpoint *endpoint, const livetcp_error *error)
{
    gst_livetcp_endpoint_fail(endpoint, error, NULL, NULL);
}

static void report_open_failure(GstLiveTcpEndpoint *endpoint, const livetcp_error *error)
{
    const livetcp_config *config = &endpoint->active;
    gchar *what = config->mode == LIVETCP_MODE_LISTENER
                      ? g_strdup_printf("Cannot listen on port %u", config->port)
                      : g_strdup_printf("Cannot call '%s', port %u", config->host, config->port);
    gst_livetcp_endpoint_fail(endpoint, error, what, NULL);
    g_free(what);
}

gboolean gst_livetcp_endpoint_open(GstLiveTcpEndpoint *endpoint)
{
    livetcp_error error = {0};

    g_mutex_lock(&endpoint->lock);
    endpoint->active = endpoint->config;
    if (endpoint->active.mode == LIVETCP_MODE_CALLER) {
        endpoint->active.role =
            endpoint->hooks->packet != NULL ? LIVETCP_ROLE_SUBSCRIBE : LIVETCP_ROLE_PUBLISH;
    }
    endpoint->lossless = FALSE;
    endpoint->running_changed = FALSE;
    endpoint->closing = endpoint->flushing = endpoint->over = FALSE;
    endpoint->call_again_us = endpoint->call_again_wait = 0;
    endpoint->sessions_total = 0;
    endpoint->never_sent = 0;
    memset(&endpoint->last_error, 0, sizeof(endpoint->last_error));
    memset(&endpoint->ended_totals, 0, sizeof(endpoint->ended_totals));
    livetcp_result result = check_settings(endpoint, &error);
    endpoint->opened = result == LIVETCP_OK;
    g_mutex_unlock(&endpoint->lock);

    if (result != LIVETCP_OK) {
        report_wrong_setting(endpoint, &error);
    } else {
        result = start(endpoint, &error);
        if (result != LIVETCP_OK) {
            report_open_failure(endpoint, &error);
        }
    }
    if (result != LIVETCP_OK) {
        gst_livetcp_endpoint_close(endpoint);
        return FALSE;
    }
    start_stats_timer(endpoint);
    if (endpoint->active.mode == LIVETCP_MODE_LISTENER) {
        g_object_notify(G_OBJECT(endpoint->element), "bound-port");
    }
    return TRUE;
}

guint gst_livetcp_endpoint_bound_port(GstLiveTcpEndpoint *endpoint)
{
    g_mutex_lock(&endpoint->lock);
    guint port = endpoint->listener != NULL ? livetcp_listener_port(endpoint->listener) : 0;
    g_mutex_unlock(&endpoint->lock);
    return port;
}

/* ---- calling again ---- */

void gst_livetcp_endpoint_schedule_call(GstLiveTcpEndpoint *endpoint)
{
    const livetcp_config *config = &endpoint->active;
    gint64 now = g_get_monotonic_time();

    g_mutex_lock(&endpoint->lock);
    GstLiveTcpPeer *peer = endpoint->peers->len > 0 ? g_ptr_array_index(endpoint->peers, 0) : NULL;
    gboolean lasted =
        peer != NULL && peer->opened_us != 0 && now - peer->opened_us > config->reconnect_max_us;
    gint64 wait = lasted ? 0 : endpoint->call_again_wait * 2;
    endpoint->call_again_wait = CLAMP(wait, config->reconnect_min_us, config->reconnect_max_us);
    endpoint->call_again_us = now + endpoint->call_again_wait;
    g_cond_broadcast(&endpoint->cond);
    g_mutex_unlock(&endpoint->lock);
}

gint64 gst_livetcp_endpoint_next_call(GstLiveTcpEndpoint *endpoint)
{
    g_mutex_lock(&endpoint->lock);
    gint64 when = endpoint->call_again_us != 0 ? endpoint->call_again_us : -1;
    g_mutex_unlock(&endpoint->lock);
    return when;
}

/* With the lock held: the session that ended, out of the list, if it is time to replace it. */
static GstLiveTcpPeer *take_ended(GstLiveTcpEndpoint *endpoint)
{
    if (endpoint->call_again_us == 0 || g_get_monotonic_time() < endpoint->call_again_us ||
        endpoint->peers->len == 0) {
        return NULL;
    }
    endpoint->call_again_us = 0;
    GstLiveTcpPeer *peer = g_ptr_array_remove_index(endpoint->peers, 0);
    livetcp_session_stats stats = {.struct_size = sizeof(stats)};
    livetcp_session_get_stats(peer->session, &stats);
    gst_livetcp_counters_add(&endpoint->ended_totals, &stats);
    return peer;
}

void gst_livetcp_endpoint_call_again(GstLiveTcpEndpoint *endpoint)
{
    g_mutex_lock(&endpoint->lock);
    GstLiveTcpPeer *ended = take_ended(endpoint);
    g_mutex_unlock(&endpoint->lock);
    if (ended == NULL) {
        return;
    }
    peer_free(ended);
    livetcp_error error = {0};
    if (call_peer(endpoint, &error) != LIVETCP_OK) {
        report_open_failure(endpoint, &error);
    }
}

/* ---- the streaming thread waits ---- */

/* With the lock held, which it gives up meanwhile: until something changes. */
static void wait_for_news(GstLiveTcpEndpoint *endpoint)
{
    if (endpoint->call_again_us == 0) {
        g_cond_wait(&endpoint->cond, &endpoint->lock);
    } else if (!g_cond_wait_until(&endpoint->cond, &endpoint->lock, endpoint->call_again_us)) {
        g_mutex_unlock(&endpoint->lock);
        gst_livetcp_endpoint_call_again(endpoint);
        g_mutex_lock(&endpoint->lock);
    }
}

gboolean gst_livetcp_endpoint_wait_open(GstLiveTcpEndpoint *endpoint)
{
    g_mutex_lock(&endpoint->lock);
    while (!any_open(endpoint) && !endpoint->flushing && !endpoint->over) {
        wait_for_news(endpoint);
    }
    gboolean go_on = !endpoint->flushing && !endpoint->over;
    g_mutex_unlock(&endpoint->lock);
    return go_on;
}

/* With the lock held: asks the peer for on_sent(). Not if an earlier wait, which was cut short, has
 * asked and the answer is still due: packets may have been sent since, so this wait asks after that
 * answer. */
static void ask_when_sent(GstLiveTcpEndpoint *endpoint, GstLiveTcpPeer *peer)
{
    if (peer->asked == 0) {
        peer->asked = endpoint->drain;
        livetcp_session_notify_when_sent(peer->session);
    }
}

/* With the lock held: TRUE if all peers have answered or ended. New peers are asked, too: they may
 * have been sent the stream's headers. */
static gboolean all_sent(GstLiveTcpEndpoint *endpoint)
{
    gboolean all = TRUE;

    for (guint i = 0; i < endpoint->peers->len; i++) {
        GstLiveTcpPeer *peer = g_ptr_array_index(endpoint->peers, i);
        if (!peer->ended && !peer->undecided && peer->sent != endpoint->drain) {
            ask_when_sent(endpoint, peer);
            all = FALSE;
        }
    }
    return all;
}

/* With the lock held: half of the send queue is for packets, the rest for packets that a lost
 * connection returns. */
static gboolean has_room(const GstLiveTcpEndpoint *endpoint, const GstLiveTcpPeer *peer, gsize size)
{
    livetcp_session_stats stats = {.struct_size = sizeof(stats)};

    if (livetcp_session_get_stats(peer->session, &stats) != LIVETCP_OK) {
        return TRUE;
    }
    return stats.sent.queue_packets == 0 ||
           (stats.sent.queue_packets < endpoint->active.queue_packets / 2 &&
            stats.sent.queue_bytes + size <= endpoint->active.queue_bytes / 2);
}

/* With the lock held. Asks peers with a full queue to report when they have sent their backlog.
 * They also report when a queue that was held up has run empty, which may be sooner. */
static gboolean all_have_room(GstLiveTcpEndpoint *endpoint, gsize size)
{
    gboolean any = FALSE, all = TRUE;

    for (guint i = 0; i < endpoint->peers->len; i++) {
        GstLiveTcpPeer *peer = g_ptr_array_index(endpoint->peers, i);
        if (!peer->ready) {
            continue;
        }
        any = TRUE;
        if (!has_room(endpoint, peer, size)) {
            ask_when_sent(endpoint, peer);
            all = FALSE;
        }
    }
    return any && all;
}

gboolean gst_livetcp_endpoint_wait_room(GstLiveTcpEndpoint *endpoint, gsize size)
{
    g_mutex_lock(&endpoint->lock);
    while (!endpoint->flushing && !endpoint->over && !all_have_room(endpoint, size)) {
        wait_for_news(endpoint);
    }
    gboolean go_on = !endpoint->flushing && !endpoint->over;
    g_mutex_unlock(&endpoint->lock);
    return go_on;
}

gboolean gst_livetcp_endpoint_wait_drained(GstLiveTcpEndpoint *endpoint, guint timeout_ms)
{
    gint64 deadline = g_get_monotonic_time() + timeout_ms * G_TIME_SPAN_MILLISECOND;
    gboolean in_time = TRUE;

    g_mutex_lock(&endpoint->lock);
    endpoint->drain++;
    while (in_time && !endpoint->flushing && !endpoint->over && !all_sent(endpoint)) {
        in_time = g_cond_wait_until(&endpoint->cond, &endpoint->lock, deadline);
    }
    g_mutex_unlock(&endpoint->lock);
    return in_time;
}

/* ---- queries ---- */

/* The known estimates. The caller frees the array. */
static GArray *rates_of(GstLiveTcpEndpoint *endpoint)
{
    GArray *rates = g_array_new(FALSE, FALSE, sizeof(guint));

    g_mutex_lock(&endpoint->lock);
    for (guint i = 0; i < endpoint->peers->len; i++) {
        const GstLiveTcpPeer *peer = g_ptr_array_index(endpoint->peers, i);
        livetcp_session_stats stats = {.struct_size = sizeof(stats)};
        if (peer->ended || livetcp_session_get_stats(peer->session, &stats) != LIVETCP_OK) {
            continue;
        }
        guint rate = stats.sent.estimated_bitrate;
        if (rate != 0) {
            g_array_append_val(rates, rate);
        }
    }
    g_mutex_unlock(&endpoint->lock);
    return rates;
}

guint gst_livetcp_endpoint_bitrate(GstLiveTcpEndpoint *endpoint, gdouble quantile)
{
    GArray *rates = rates_of(endpoint);
    guint rate = gst_livetcp_rate_for_all((guint *)(gpointer)rates->data, rates->len, quantile);

    g_array_free(rates, TRUE);
    return rate;
}

const gchar *gst_livetcp_endpoint_state(GstLiveTcpEndpoint *endpoint)
{
    const gchar *state = "connecting";

    g_mutex_lock(&endpoint->lock);
    if (!endpoint->opened || endpoint->over) {
        state = "closed";
    } else if (any_open(endpoint)) {
        state = "open";
    } else if (endpoint->active.mode == LIVETCP_MODE_LISTENER) {
        state = endpoint->peers->len == 0 ? "listening" : "connecting";
    } else if (endpoint->peers->len > 0 && endpoint->call_again_us == 0 &&
               ((GstLiveTcpPeer *)g_ptr_array_index(endpoint->peers, 0))->ended) {
        state = "closed";
    }
    g_mutex_unlock(&endpoint->lock);
    return state;
}
