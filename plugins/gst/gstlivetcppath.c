/* SPDX-License-Identifier: MIT */
/* Path facts as an event, and from a session's statistics. */
#include "gstlivetcppath.h"

#define NAME "livetcp-path"

/* Round-trip times this near each other are the same. */
#define SAME_RTT_US 2000

static const gchar *const repairs[] = {"tcp", "hedge", "duplicate", "parity"};

GstEvent *gst_livetcp_path_event_new(const livetcp_playout_path *path)
{
    GstStructure *structure =
        gst_structure_new(NAME, "repair", G_TYPE_STRING, repairs[path->repair], NULL);

    if (path->rtt_us > 0) {
        gst_structure_set(structure, "rtt-us", G_TYPE_INT64, path->rtt_us, NULL);
    }
    if (path->hedge_delay_us > 0) {
        gst_structure_set(structure, "hedge-delay-us", G_TYPE_INT64, path->hedge_delay_us, NULL);
    }
    if (path->copies > 0) {
        gst_structure_set(structure, "copies", G_TYPE_UINT, path->copies, NULL);
    }
    if (path->parity_group > 0) {
        gst_structure_set(structure, "parity-group", G_TYPE_UINT, path->parity_group, NULL);
    }
    return gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM_STICKY, structure);
}

gboolean gst_livetcp_path_event_parse(GstEvent *event, livetcp_playout_path *path)
{
    const GstStructure *structure = gst_event_get_structure(event);

    if (structure == NULL || !gst_structure_has_name(structure, NAME)) {
        return FALSE;
    }
    const gchar *repair = gst_structure_get_string(structure, "repair");
    *path = (livetcp_playout_path){.struct_size = sizeof(*path)};
    gst_structure_get_int64(structure, "rtt-us", &path->rtt_us);
    gst_structure_get_int64(structure, "hedge-delay-us", &path->hedge_delay_us);
    gst_structure_get_uint(structure, "copies", &path->copies);
    gst_structure_get_uint(structure, "parity-group", &path->parity_group);
    for (guint i = 0; i < G_N_ELEMENTS(repairs); i++) {
        if (g_strcmp0(repair, repairs[i]) == 0) {
            path->repair = (livetcp_playout_repair)i;
        }
    }
    return TRUE;
}

/* How the packets of now are repaired; what takes the least time counts. */
static livetcp_playout_repair repair_of(const livetcp_session_stats *stats)
{
    unsigned protection = stats->peer.protection;

    if (protection & LIVETCP_PROTECTION_COPIES && stats->peer.copies >= 2) {
        return LIVETCP_PLAYOUT_REPAIR_DUPLICATE;
    }
    if (protection & LIVETCP_PROTECTION_PARITY && stats->peer.parity_group >= 2) {
        return LIVETCP_PLAYOUT_REPAIR_PARITY;
    }
    return protection & LIVETCP_PROTECTION_HEDGE ? LIVETCP_PLAYOUT_REPAIR_HEDGE
                                                 : LIVETCP_PLAYOUT_REPAIR_TCP;
}

/* The sender's facts, once it told them. Until then our own round trip: a receiver sends little, so
 * that its peer acknowledges late, and the least is nearest to the truth. */
static void read_path(const livetcp_session_stats *stats, livetcp_playout_path *path)
{
    if (stats->peer.connections == 0) {
        path->rtt_us = MAX(stats->min_rtt_us, 0);
        return;
    }
    path->rtt_us = MAX(stats->peer.rtt_us, 0);
    path->repair = repair_of(stats);
    path->hedge_delay_us = MAX(stats->peer.hedge_delay_us, 0);
    path->copies = stats->peer.copies;
    path->parity_group = stats->peer.parity_group;
}

void gst_livetcp_path_measure(GstLiveTcpEndpoint *endpoint, livetcp_playout_path *path)
{
    *path = (livetcp_playout_path){.struct_size = sizeof(*path)};
    g_mutex_lock(&endpoint->lock);
    for (guint i = 0; i < endpoint->peers->len && path->rtt_us == 0; i++) {
        const GstLiveTcpPeer *peer = g_ptr_array_index(endpoint->peers, i);
        livetcp_session_stats stats = {.struct_size = sizeof(stats)};
        if (peer->open && livetcp_session_get_stats(peer->session, &stats) == LIVETCP_OK) {
            read_path(&stats, path);
        }
    }
    g_mutex_unlock(&endpoint->lock);
}

gboolean gst_livetcp_path_differs(const livetcp_playout_path *before,
                                  const livetcp_playout_path *now)
{
    return ABS(now->rtt_us - before->rtt_us) > MAX(SAME_RTT_US, before->rtt_us / 8) ||
           now->repair != before->repair || now->hedge_delay_us != before->hedge_delay_us ||
           now->copies != before->copies || now->parity_group != before->parity_group;
}
