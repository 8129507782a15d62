/* SPDX-License-Identifier: MIT */
#include "gstlivetcpwait.h"

#include "gstlivetcppeers.h"

/* With the lock held, which is released meanwhile: waits for a change. */
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

gboolean gst_livetcp_wait_open(GstLiveTcpEndpoint *endpoint)
{
    g_mutex_lock(&endpoint->lock);
    while (!gst_livetcp_peers_any_open(endpoint) && !endpoint->flushing && !endpoint->over) {
        wait_for_news(endpoint);
    }
    gboolean go_on = !endpoint->flushing && !endpoint->over;
    g_mutex_unlock(&endpoint->lock);
    return go_on;
}

/* With the lock held: requests on_sent() of the peer. If an earlier wait was interrupted and its
 * answer is still due, the request is repeated after that answer, since packets may have been sent
 * since. */
static void ask_when_sent(GstLiveTcpEndpoint *endpoint, GstLiveTcpPeer *peer)
{
    if (peer->asked == 0) {
        peer->asked = endpoint->drain;
        livetcp_session_notify_when_sent(peer->session);
    }
}

/* With the lock held: TRUE if all peers have answered or ended. New peers are asked, too: they may
 * have been sent stream headers. */
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

/* With the lock held: half of the send queue is for new packets, the rest for packets that a lost
 * connection returns. */
static gboolean has_space(const GstLiveTcpEndpoint *endpoint, const GstLiveTcpPeer *peer,
                          gsize size)
{
    livetcp_session_stats stats = {.struct_size = sizeof(stats)};

    if (livetcp_session_get_stats(peer->session, &stats) != LIVETCP_OK) {
        return TRUE;
    }
    return stats.sent.queue_packets == 0 ||
           (stats.sent.queue_packets < endpoint->active.queue_packets / 2 &&
            stats.sent.queue_bytes + size <= endpoint->active.queue_bytes / 2);
}

/* With the lock held. Requests a notification from peers with a full queue when their backlog is
 * sent. They also notify when a blocked queue is empty again, which may be sooner. */
static gboolean all_have_space(GstLiveTcpEndpoint *endpoint, gsize size)
{
    gboolean any = FALSE, all = TRUE;

    for (guint i = 0; i < endpoint->peers->len; i++) {
        GstLiveTcpPeer *peer = g_ptr_array_index(endpoint->peers, i);
        if (!peer->ready) {
            continue;
        }
        any = TRUE;
        if (!has_space(endpoint, peer, size)) {
            ask_when_sent(endpoint, peer);
            all = FALSE;
        }
    }
    return any && all;
}

gboolean gst_livetcp_wait_space(GstLiveTcpEndpoint *endpoint, gsize size)
{
    g_mutex_lock(&endpoint->lock);
    while (!endpoint->flushing && !endpoint->over && !all_have_space(endpoint, size)) {
        wait_for_news(endpoint);
    }
    gboolean go_on = !endpoint->flushing && !endpoint->over;
    g_mutex_unlock(&endpoint->lock);
    return go_on;
}

gboolean gst_livetcp_wait_drained(GstLiveTcpEndpoint *endpoint, guint timeout_ms)
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
