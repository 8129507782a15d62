/* SPDX-License-Identifier: MIT */
/* The end of a link that an element is: it calls a peer or listens, and keeps the sessions that
 * come of it. Sessions report on the loop's thread; the streaming thread waits, sends and calls
 * again. */
#include "gstlivetcpendpoint.h"

#include "gstlivetcpreport.h"

#define GST_CAT_DEFAULT gst_livetcp_debug

/* How long closing waits for the peers to be told. */
#define GOODBYE_US (200 * G_TIME_SPAN_MILLISECOND)

/* ---- clock rates ---- */

/* With the lock held: tells a session all that is known. */
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

/* ---- peers ---- */

static GstLiveTcpPeer *peer_new(GstLiveTcpEndpoint *endpoint, guint id, const gchar *remote)
{
    GstLiveTcpPeer *peer = g_new0(GstLiveTcpPeer, 1);
    peer->endpoint = endpoint;
    peer->id = id;
    peer->remote = g_strdup(remote);
    peer->ready = id == 0; /* what a caller sends before it is connected waits in its queue */
    return peer;
}

/* Ends the peer's session and frees both. The peer must be out of the list already. */
static void peer_free(GstLiveTcpPeer *peer)
{
    livetcp_session_destroy(&peer->session);
    g_clear_object(&peer->address);
    g_free(peer->remote);
    g_free(peer);
}

void gst_livetcp_endpoint_add_totals(livetcp_session_stats *totals,
                                     const livetcp_session_stats *stats)
{
    totals->reconnects += stats->reconnects;
    totals->sent.accepted += stats->sent.accepted;
    totals->sent.accepted_bytes += stats->sent.accepted_bytes;
    totals->sent.packets += stats->sent.packets;
    totals->sent.bytes += stats->sent.bytes;
    totals->dropped.queue_full += stats->dropped.queue_full;
    totals->dropped.connection += stats->dropped.connection;
    totals->sent.refused += stats->sent.refused;
    totals->received.packets += stats->received.packets;
    totals->received.bytes += stats->received.bytes;
    totals->received.bytes_read += stats->received.bytes_read;
    totals->received.duplicates += stats->received.duplicates;
    totals->received.late_discarded += stats->received.late_discarded;
    totals->received.sequence_gaps += stats->received.sequence_gaps;
    totals->received.null_frames += stats->received.null_frames;
    totals->received.protocol_errors += stats->received.protocol_errors;
    totals->sent.resent += stats->sent.resent;
    totals->sent.copies += stats->sent.copies;
    totals->sent.copies_useful += stats->sent.copies_useful;
    totals->sent.extra_bytes += stats->sent.extra_bytes;
    totals->sent.parity += stats->sent.parity;
    totals->sent.parity_dropped += stats->sent.parity_dropped;
    totals->received.parity += stats->received.parity;
    totals->received.parity_rebuilt += stats->received.parity_rebuilt;
    totals->received.parity_useful += stats->received.parity_useful;
    totals->received.parity_invalid += stats->received.parity_invalid;
    totals->sent.fillers += stats->sent.fillers;
    totals->sent.policy_errors += stats->sent.policy_errors;
    totals->dropped.late += stats->dropped.late;
    totals->dropped.late_droppable += stats->dropped.late_droppable;
    totals->dropped.late_delta += stats->dropped.late_delta;
    totals->dropped.late_audio += stats->dropped.late_audio;
    totals->dropped.late_key += stats->dropped.late_key;
    totals->dropped.full_droppable += stats->dropped.full_droppable;
    totals->dropped.full_delta += stats->dropped.full_delta;
    totals->dropped.full_audio += stats->dropped.full_audio;
    totals->dropped.full_key += stats->dropped.full_key;
    totals->sent.keyframes_wanted += stats->sent.keyframes_wanted;
    totals->control.reports_sent += stats->control.reports_sent;
    totals->control.reports_received += stats->control.reports_received;
    totals->control.reports_invalid += stats->control.reports_invalid;
    totals->control.feedback_sent += stats->control.feedback_sent;
    totals->control.feedback_received += stats->control.feedback_received;
    totals->control.feedback_invalid += stats->control.feedback_invalid;
    totals->sent.stamped += stats->sent.stamped;
    totals->received.stamped_reads += stats->received.stamped_reads;
    totals->control.stamps_invalid += stats->control.stamps_invalid;
    totals->sent.max_queue_delay_us =
        MAX(totals->sent.max_queue_delay_us, stats->sent.max_queue_delay_us);
}

/* With the lock held: takes a caller that has gone out of the list, unless closing did before. */
static gboolean take_caller(GstLiveTcpEndpoint *endpoint, GstLiveTcpPeer *peer)
{
    if (peer->id == 0 || !g_ptr_array_remove(endpoint->peers, peer)) {
        return FALSE;
    }
    livetcp_session_stats stats = {.struct_size = sizeof(stats)};
    livetcp_session_get_stats(peer->session, &stats);
    gst_livetcp_endpoint_add_totals(&endpoint->ended_totals, &stats);
    return TRUE;
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

/* ---- callers, on the loop's thread ---- */

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
    tell_clock_rates(endpoint, session);
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
    g_mutex_unlock(&endpoint->lock);

    livetcp_listener_destroy(&listener);
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
    endpoint->hooks = hooks;
    endpoint->uri_keys = uri_keys;
    endpoint->config = *defaults;
    endpoint->active = *defaults;
    g_mutex_init(&endpoint->lock);
    g_cond_init(&endpoint->cond);
    endpoint->rejected = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    endpoint->peers = g_ptr_array_new();
}

void gst_livetcp_endpoint_clear(GstLiveTcpEndpoint *endpoint)
{
    gst_livetcp_endpoint_close(endpoint);
    g_ptr_array_unref(endpoint->peers);
    g_hash_table_unref(endpoint->rejected);
    g_cond_clear(&endpoint->cond);
    g_mutex_clear(&endpoint->lock);
}

/* Calls the peer that `endpoint->active` names and adds it to the list. */
static livetcp_result call_peer(GstLiveTcpEndpoint *endpoint, livetcp_error *error)
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
        peer_free(peer);
        return result;
    }
    g_mutex_lock(&endpoint->lock);
    peer->session = session;
    tell_clock_rates(endpoint, session);
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

/* A property that was given nonsense keeps the element from opening: g_object_set() cannot fail. */
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
    endpoint->closing = endpoint->flushing = endpoint->over = FALSE;
    endpoint->call_again_us = endpoint->call_again_wait = 0;
    endpoint->next_id = 1;
    endpoint->sessions_total = 0;
    memset(&endpoint->last_error, 0, sizeof(endpoint->last_error));
    memset(&endpoint->ended_totals, 0, sizeof(endpoint->ended_totals));
    livetcp_result result = check_settings(endpoint, &error);
    endpoint->opened = result == LIVETCP_OK;
    g_mutex_unlock(&endpoint->lock);

    if (result == LIVETCP_OK) {
        result = start(endpoint, &error);
    }
    if (result != LIVETCP_OK) {
        report_open_failure(endpoint, &error);
        gst_livetcp_endpoint_close(endpoint);
        return FALSE;
    }
    start_stats_timer(endpoint);
    return TRUE;
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
    gst_livetcp_endpoint_add_totals(&endpoint->ended_totals, &stats);
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

gboolean gst_livetcp_endpoint_wait_open(GstLiveTcpEndpoint *endpoint)
{
    g_mutex_lock(&endpoint->lock);
    while (!any_open(endpoint) && !endpoint->flushing && !endpoint->over) {
        if (endpoint->call_again_us == 0) {
            g_cond_wait(&endpoint->cond, &endpoint->lock);
        } else if (!g_cond_wait_until(&endpoint->cond, &endpoint->lock, endpoint->call_again_us)) {
            g_mutex_unlock(&endpoint->lock);
            gst_livetcp_endpoint_call_again(endpoint);
            g_mutex_lock(&endpoint->lock);
        }
    }
    gboolean go_on = !endpoint->flushing && !endpoint->over;
    g_mutex_unlock(&endpoint->lock);
    return go_on;
}

/* With the lock held: asks the peer for on_sent(), unless an earlier wait, which was cut short, has
 * asked and the answer is on its way: packets may have been sent since it was given, so that this
 * wait asks after it. */
static void ask_when_sent(GstLiveTcpEndpoint *endpoint, GstLiveTcpPeer *peer)
{
    if (peer->asked == 0) {
        peer->asked = endpoint->drain;
        livetcp_session_notify_when_sent(peer->session);
    }
}

/* With the lock held: have all peers answered, or ended? Those that came meanwhile are asked, too:
 * they may have been sent the stream's headers. */
static gboolean all_sent(GstLiveTcpEndpoint *endpoint)
{
    gboolean all = TRUE;

    for (guint i = 0; i < endpoint->peers->len; i++) {
        GstLiveTcpPeer *peer = g_ptr_array_index(endpoint->peers, i);
        if (!peer->ended && peer->sent != endpoint->drain) {
            ask_when_sent(endpoint, peer);
            all = FALSE;
        }
    }
    return all;
}

void gst_livetcp_endpoint_wait_drained(GstLiveTcpEndpoint *endpoint, guint timeout_ms)
{
    gint64 deadline = g_get_monotonic_time() + timeout_ms * G_TIME_SPAN_MILLISECOND;

    g_mutex_lock(&endpoint->lock);
    endpoint->drain++;
    while (!endpoint->flushing && !endpoint->over && !all_sent(endpoint) &&
           g_cond_wait_until(&endpoint->cond, &endpoint->lock, deadline)) {
    }
    g_mutex_unlock(&endpoint->lock);
}

/* ---- what is asked ---- */

guint gst_livetcp_endpoint_bitrate(GstLiveTcpEndpoint *endpoint)
{
    guint least = 0;

    g_mutex_lock(&endpoint->lock);
    for (guint i = 0; i < endpoint->peers->len; i++) {
        const GstLiveTcpPeer *peer = g_ptr_array_index(endpoint->peers, i);
        livetcp_session_stats stats = {.struct_size = sizeof(stats)};
        if (peer->ended || livetcp_session_get_stats(peer->session, &stats) != LIVETCP_OK) {
            continue;
        }
        if (stats.sent.estimated_bitrate != 0 &&
            (least == 0 || stats.sent.estimated_bitrate < least)) {
            least = stats.sent.estimated_bitrate;
        }
    }
    g_mutex_unlock(&endpoint->lock);
    return least;
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
