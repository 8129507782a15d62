/* SPDX-License-Identifier: MIT */
/* The streaming thread waits until somebody is there, and at the end until all is sent. */
#include "gstlivetcpendpoint.h"

/* Drained is a matter of two counters in the library, one of which nobody announces. */
#define DRAIN_POLL_US (10 * G_TIME_SPAN_MILLISECOND)

gboolean gst_livetcp_endpoint_any_open(GstLiveTcpEndpoint *endpoint)
{
    for (guint i = 0; i < endpoint->peers->len; i++) {
        if (((GstLiveTcpPeer *)g_ptr_array_index(endpoint->peers, i))->open) {
            return TRUE;
        }
    }
    return FALSE;
}

gboolean gst_livetcp_endpoint_wait_open(GstLiveTcpEndpoint *endpoint)
{
    g_mutex_lock(&endpoint->lock);
    while (!gst_livetcp_endpoint_any_open(endpoint) && !endpoint->flushing && !endpoint->over) {
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

static gboolean all_drained(GstLiveTcpEndpoint *endpoint)
{
    for (guint i = 0; i < endpoint->peers->len; i++) {
        GstLiveTcpPeer *peer = g_ptr_array_index(endpoint->peers, i);
        livetcp_session_stats stats = {.struct_size = sizeof(stats)};
        if (!peer->ended && livetcp_session_get_stats(peer->session, &stats) == LIVETCP_OK &&
            stats.sent.queue_packets > 0) {
            return FALSE;
        }
    }
    return TRUE;
}

void gst_livetcp_endpoint_wait_drained(GstLiveTcpEndpoint *endpoint, guint timeout_ms)
{
    gint64 deadline = g_get_monotonic_time() + timeout_ms * G_TIME_SPAN_MILLISECOND;
    gint64 now;

    g_mutex_lock(&endpoint->lock);
    while (!endpoint->flushing && !endpoint->over && !all_drained(endpoint) &&
           (now = g_get_monotonic_time()) < deadline) {
        g_cond_wait_until(&endpoint->cond, &endpoint->lock, MIN(deadline, now + DRAIN_POLL_US));
    }
    g_mutex_unlock(&endpoint->lock);
}
