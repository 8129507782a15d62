/* SPDX-License-Identifier: MIT */
#include "gstlivetcppath.h"

/* Interval of path checks: until the path was reported, and after. */
#define PATH_SOON_US     (100 * G_TIME_SPAN_MILLISECOND)
#define PATH_INTERVAL_US G_TIME_SPAN_SECOND

/* Round-trip times that differ by less count as equal. */
#define SAME_RTT_US 2000

void gst_livetcp_path_reset(GstLiveTcpPath *path)
{
    *path = (GstLiveTcpPath){.path.struct_size = sizeof(path->path)};
}

/* The path of the session that carries packets; zero if there is none. */
static void measure_path(GstLiveTcpEndpoint *endpoint, livetcp_playout_path *path)
{
    *path = (livetcp_playout_path){.struct_size = sizeof(*path)};
    g_mutex_lock(&endpoint->lock);
    for (guint i = 0; i < endpoint->peers->len && path->rtt_us == 0; i++) {
        const GstLiveTcpPeer *peer = g_ptr_array_index(endpoint->peers, i);
        if (peer->open) {
            livetcp_session_get_playout_path(peer->session, path);
        }
    }
    g_mutex_unlock(&endpoint->lock);
}

/* Small differences are not reported. */
static gboolean path_differs(const livetcp_playout_path *before, const livetcp_playout_path *now)
{
    return ABS(now->rtt_us - before->rtt_us) > MAX(SAME_RTT_US, before->rtt_us / 8) ||
           now->repair != before->repair || now->hedge_delay_us != before->hedge_delay_us ||
           now->copies != before->copies || now->parity_group != before->parity_group;
}

gboolean gst_livetcp_path_look(GstLiveTcpPath *path, GstLiveTcpEndpoint *endpoint)
{
    gint64 now = g_get_monotonic_time();
    livetcp_playout_path found;

    if (path->looked_us != 0 &&
        now - path->looked_us < (path->delivered ? PATH_INTERVAL_US : PATH_SOON_US)) {
        return FALSE;
    }
    path->looked_us = now;
    measure_path(endpoint, &found);
    if (found.rtt_us == 0 || (path->delivered && !path_differs(&path->path, &found))) {
        return FALSE;
    }
    path->path = found;
    return TRUE;
}

void gst_livetcp_path_delivered(GstLiveTcpPath *path, gboolean reached)
{
    path->delivered = reached;
}
