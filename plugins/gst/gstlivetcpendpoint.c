/* SPDX-License-Identifier: MIT */
/* Opening and closing: the part of both elements that owns the library's objects. */
#include "gstlivetcpendpoint.h"

#include "gstlivetcppeers.h"
#include "gstlivetcpreport.h"

#define GST_CAT_DEFAULT gst_livetcp_debug

/* How long closing waits for the peers to be told. */
#define GOODBYE_US (200 * G_TIME_SPAN_MILLISECOND)

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
        return gst_livetcp_peers_call(endpoint, error);
    }
    livetcp_listener *listener = NULL;
    result = livetcp_listener_create(endpoint->context, &endpoint->active,
                                     &gst_livetcp_listener_callbacks, endpoint, &listener, error);
    g_mutex_lock(&endpoint->lock);
    endpoint->listener = listener;
    g_mutex_unlock(&endpoint->lock);
    return result;
}

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
        gst_livetcp_peer_free(g_ptr_array_index(peers, i));
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
    g_mutex_unlock(&endpoint->lock);

    livetcp_listener_destroy(&listener);
    end_peers(endpoint, peers);
    g_ptr_array_unref(peers);
    livetcp_context_destroy(&endpoint->context);
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
    gst_livetcp_totals_add(&endpoint->ended_totals, &stats);
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
    if (gst_livetcp_peers_call(endpoint, &error) != LIVETCP_OK) {
        report_open_failure(endpoint, &error);
    }
}

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
    } else if (gst_livetcp_endpoint_any_open(endpoint)) {
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
