/* SPDX-License-Identifier: MIT */
/* The endpoint of an element: connects to a peer and reconnects, or listens; settings and totals of
 * its sessions. */
#include "gstlivetcpendpoint.h"

#include "gstlivetcpcallers.h"
#include "gstlivetcpcounters.h"
#include "gstlivetcpdebug.h"
#include "gstlivetcppeers.h"
#include "gstlivetcpreport.h"

/* Maximum time for the peers to be notified when closing. */
#define GOODBYE_US (200 * G_TIME_SPAN_MILLISECOND)

/* ---- settings that change while sessions run ---- */

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

void gst_livetcp_endpoint_set_caps(GstLiveTcpEndpoint *endpoint, const GstCaps *caps)
{
    gint payload, rate;

    g_mutex_lock(&endpoint->lock);
    gboolean known = gst_livetcp_clock_rates_take(&endpoint->clock_rates, caps, &payload, &rate);
    for (guint i = 0; known && i < endpoint->peers->len; i++) {
        const GstLiveTcpPeer *peer = g_ptr_array_index(endpoint->peers, i);
        if (peer->session != NULL) {
            livetcp_session_set_clock_rate(peer->session, payload, (guint32)rate);
        }
    }
    g_mutex_unlock(&endpoint->lock);
}

/* ---- opening and closing ---- */

static gboolean all_ended(GPtrArray *peers)
{
    for (guint i = 0; i < peers->len; i++) {
        if (!((GstLiveTcpPeer *)g_ptr_array_index(peers, i))->ended) {
            return FALSE;
        }
    }
    return TRUE;
}

/* Ends peers that were taken out of the list. */
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
        gst_livetcp_peer_free(g_ptr_array_index(peers, i));
    }
}

void gst_livetcp_endpoint_close(GstLiveTcpEndpoint *endpoint)
{
    gst_livetcp_ticker_stop(&endpoint->ticker);

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
    endpoint->drain = 1; /* 0 = not requested */
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
    gst_livetcp_strangers_init(&endpoint->strangers);
}

void gst_livetcp_endpoint_clear(GstLiveTcpEndpoint *endpoint)
{
    gst_livetcp_endpoint_close(endpoint);
    g_ptr_array_unref(endpoint->peers);
    g_hash_table_unref(endpoint->rejected);
    gst_livetcp_strangers_clear(&endpoint->strangers);
    gst_livetcp_question_clear(&endpoint->question);
    g_cond_clear(&endpoint->cond);
    g_mutex_clear(&endpoint->lock);
}

/* Connects to the peer of `endpoint->active` and adds it to the list. */
static livetcp_result call_peer(GstLiveTcpEndpoint *endpoint, livetcp_error *error)
{
    g_mutex_lock(&endpoint->lock);
    livetcp_config config = endpoint->active;
    g_mutex_unlock(&endpoint->lock);
    gboolean v6 = strchr(config.host, ':') != NULL;
    gchar *remote = g_strdup_printf(v6 ? "[%s]:%u" : "%s:%u", config.host, config.port);
    GstLiveTcpPeer *peer = gst_livetcp_peer_new(endpoint, 0, remote);
    g_free(remote);

    livetcp_session *session = NULL;
    livetcp_result result = livetcp_session_connect(
        endpoint->context, &config, &gst_livetcp_peer_callbacks, peer, &session, error);
    if (result != LIVETCP_OK) {
        gst_livetcp_peer_free(peer);
        return result;
    }
    g_mutex_lock(&endpoint->lock);
    gst_livetcp_peers_add(endpoint, peer, session);
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

/* g_object_set() cannot fail, so an invalid property value is reported when the element opens. */
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
    result = livetcp_listener_create(endpoint->context, &endpoint->active,
                                     &gst_livetcp_caller_callbacks, endpoint, &listener, error);
    g_mutex_lock(&endpoint->lock);
    endpoint->listener = listener;
    g_mutex_unlock(&endpoint->lock);
    return result;
}

/* Reports an invalid setting, once it is used. */
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
    gst_livetcp_ticker_start(&endpoint->ticker, endpoint->element, endpoint->stats_interval);
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

/* With the lock held: takes the ended session out of the list, if it is time to reconnect. */
static GstLiveTcpPeer *take_ended(GstLiveTcpEndpoint *endpoint)
{
    if (endpoint->call_again_us == 0 || g_get_monotonic_time() < endpoint->call_again_us ||
        endpoint->peers->len == 0) {
        return NULL;
    }
    endpoint->call_again_us = 0;
    GstLiveTcpPeer *peer = g_ptr_array_remove_index(endpoint->peers, 0);
    gst_livetcp_peer_count(peer);
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
    gst_livetcp_peer_free(ended);
    livetcp_error error = {0};
    if (call_peer(endpoint, &error) != LIVETCP_OK) {
        report_open_failure(endpoint, &error);
    }
}

/* ---- queries ---- */

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

/* All known estimates. The caller frees the array. */
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
    } else if (gst_livetcp_peers_any_open(endpoint)) {
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
