/* SPDX-License-Identifier: MIT */
/* Statistics as structures. */
#include "gstlivetcpstats.h"

#include "gstlivetcpcounters.h"
#include "gstlivetcpreport.h"

static const gchar *tcp_state_name(livetcp_tcp_state state)
{
    switch (state) {
    case LIVETCP_TCP_OPEN:
        return "open";
    case LIVETCP_TCP_DISORDER:
        return "disorder";
    case LIVETCP_TCP_RECOVERY:
        return "recovery";
    case LIVETCP_TCP_TIMEOUT:
        return "timeout";
    case LIVETCP_TCP_UNKNOWN:
        break;
    }
    return "unknown";
}

static void set_uint(GstStructure *structure, gboolean known, const gchar *name, guint value)
{
    if (known) {
        gst_structure_set(structure, name, G_TYPE_UINT, value, NULL);
    }
}

static void set_int64(GstStructure *structure, gboolean known, const gchar *name, gint64 value)
{
    if (known) {
        gst_structure_set(structure, name, G_TYPE_INT64, value, NULL);
    }
}

static void set_uint64(GstStructure *structure, gboolean known, const gchar *name, guint64 value)
{
    if (known) {
        gst_structure_set(structure, name, G_TYPE_UINT64, value, NULL);
    }
}

/* TCP information of a connection, as far as the platform reports it. */
static void set_path(GstStructure *structure, const livetcp_path *path)
{
    guint known = path->known;

    gst_structure_set(structure, "usable", G_TYPE_BOOLEAN, (gboolean)path->usable, "blocked",
                      G_TYPE_BOOLEAN, (gboolean)path->blocked, NULL);
    if (known & LIVETCP_PATH_TCP_STATE) {
        gst_structure_set(structure, "tcp-state", G_TYPE_STRING, tcp_state_name(path->tcp_state),
                          NULL);
    }
    set_uint(structure, known & LIVETCP_PATH_QUEUED, "queued-bytes", path->queued_bytes);
    set_uint(structure, known & LIVETCP_PATH_UNSENT, "unsent-bytes", path->unsent_bytes);
    set_uint(structure, known & LIVETCP_PATH_CWND, "cwnd-bytes", path->cwnd_bytes);
    set_uint(structure, known & LIVETCP_PATH_MSS, "mss-bytes", path->mss_bytes);
    set_int64(structure, known & LIVETCP_PATH_RTT, "rtt-us", path->rtt_us);
    set_int64(structure, known & LIVETCP_PATH_RTT, "rtt-variation-us", path->rtt_variation_us);
    set_int64(structure, known & LIVETCP_PATH_MIN_RTT, "min-rtt-us", path->min_rtt_us);
    set_int64(structure, known & LIVETCP_PATH_RTO, "rto-us", path->rto_us);
    set_uint(structure, known & LIVETCP_PATH_SACKED, "sacked-bytes", path->sacked_bytes);
    set_uint64(structure, known & LIVETCP_PATH_RETRANSMITS, "retransmitted-segments",
               path->retransmitted_segments);
    set_uint64(structure, known & LIVETCP_PATH_MARKS, "delivered-segments",
               path->delivered_segments);
    set_uint64(structure, known & LIVETCP_PATH_MARKS, "marked-segments", path->marked_segments);
    set_uint64(structure, known & LIVETCP_PATH_DELIVERY_RATE, "delivery-rate", path->delivery_rate);
}

static GstStructure *connection_structure(const GstLiveTcpPeer *peer,
                                          const livetcp_connection_stats *stats)
{
    GstStructure *structure = gst_structure_new(
        "livetcp-connection-stats", "session", G_TYPE_UINT, peer->id, "connection", G_TYPE_UINT,
        stats->index, "state", G_TYPE_STRING, gst_livetcp_connection_state_name(stats->state),
        "local", G_TYPE_STRING, stats->local, "remote", G_TYPE_STRING, stats->remote, "reconnects",
        G_TYPE_UINT64, stats->reconnects, "packets-sent", G_TYPE_UINT64, stats->packets_sent,
        "bytes-sent", G_TYPE_UINT64, stats->bytes_sent, "packets-received", G_TYPE_UINT64,
        stats->packets_received, "bytes-read", G_TYPE_UINT64, stats->bytes_read, NULL);
    if (stats->last_error != LIVETCP_OK) {
        gst_structure_set(structure, "last-error", G_TYPE_STRING,
                          livetcp_result_name(stats->last_error), NULL);
    }
    set_path(structure, &stats->path);
    set_int64(structure, stats->forecast_us >= 0, "forecast-us", stats->forecast_us);
    return structure;
}

/* A GValueArray, as in rtpbin's statistics: bindings can handle it, unlike a GstValueArray. GLib
 * recommends a GArray, which a structure cannot contain. */
G_GNUC_BEGIN_IGNORE_DEPRECATIONS

static void append_connections(const GstLiveTcpPeer *peer, unsigned count, GValueArray *array)
{
    for (unsigned i = 0; i < count; i++) {
        livetcp_connection_stats stats = {.struct_size = sizeof(stats)};
        if (livetcp_session_get_connection_stats(peer->session, i, &stats) != LIVETCP_OK) {
            continue;
        }
        GValue value = G_VALUE_INIT;
        g_value_init(&value, GST_TYPE_STRUCTURE);
        g_value_take_boxed(&value, connection_structure(peer, &stats));
        g_value_array_append(array, &value);
        g_value_unset(&value);
    }
}

static void set_connections(GstStructure *structure, GValueArray *array)
{
    gst_structure_set(structure, "connections", g_value_array_get_type(), array, NULL);
    g_value_array_free(array);
}

static GValueArray *new_connections(void)
{
    return g_value_array_new(LIVETCP_MAX_CONNECTIONS);
}

G_GNUC_END_IGNORE_DEPRECATIONS

/* ---- the components of the delay ---- */

static const struct {
    const gchar *name;
    gsize offset;
} components[] = {
    {"send-queue-us", G_STRUCT_OFFSET(livetcp_delays, send_queue_us)},
    {"send-buffer-us", G_STRUCT_OFFSET(livetcp_delays, send_buffer_us)},
    {"network-us", G_STRUCT_OFFSET(livetcp_delays, network_us)},
    {"head-of-line-us", G_STRUCT_OFFSET(livetcp_delays, head_of_line_us)},
    {"playout-us", G_STRUCT_OFFSET(livetcp_delays, playout_us)},
};

/* Of several sessions the largest value of each delay component. */
static void add_delays(livetcp_delays *slowest, const livetcp_delays *delays)
{
    for (gsize i = 0; i < G_N_ELEMENTS(components); i++) {
        livetcp_usec *most = G_STRUCT_MEMBER_P(slowest, components[i].offset);
        *most = MAX(*most, G_STRUCT_MEMBER(livetcp_usec, delays, components[i].offset));
    }
}

static void set_delays(GstStructure *structure, const gchar *name, const livetcp_delays *delays)
{
    GstStructure *inner = gst_structure_new_empty("livetcp-delays");

    for (gsize i = 0; i < G_N_ELEMENTS(components); i++) {
        livetcp_usec us = G_STRUCT_MEMBER(livetcp_usec, delays, components[i].offset);
        set_int64(inner, us >= 0, components[i].name, us);
    }
    gst_structure_set(structure, name, GST_TYPE_STRUCTURE, inner, NULL);
    gst_structure_free(inner);
}

/* ---- totals ---- */

static void forget_present(livetcp_session_stats *totals)
{
    totals->sent.delays = totals->received.delays = (livetcp_delays){-1, -1, -1, -1, -1};
    totals->rtt_us = totals->control.report_rtt_us = totals->received.jitter_us = -1;
    totals->sent.interface_queue_us = totals->received.reading_us = -1;
}

/* Momentary values: sums, but the delay of the slowest session. */
static void add_present(livetcp_session_stats *totals, const livetcp_session_stats *stats)
{
    totals->open_connections += stats->open_connections;
    totals->sent.queue_packets += stats->sent.queue_packets;
    totals->sent.queue_bytes += stats->sent.queue_bytes;
    totals->sent.queue_delay_us = MAX(totals->sent.queue_delay_us, stats->sent.queue_delay_us);
    totals->sent.inferred_delay_us =
        MAX(totals->sent.inferred_delay_us, stats->sent.inferred_delay_us);
    totals->sent.delay_limit_us = MAX(totals->sent.delay_limit_us, stats->sent.delay_limit_us);
    add_delays(&totals->sent.delays, &stats->sent.delays);
    add_delays(&totals->received.delays, &stats->received.delays);
    totals->rtt_us = MAX(totals->rtt_us, stats->rtt_us);
    totals->control.report_rtt_us =
        MAX(totals->control.report_rtt_us, stats->control.report_rtt_us);
    totals->received.jitter_us = MAX(totals->received.jitter_us, stats->received.jitter_us);
    totals->sent.interface_queue_us =
        MAX(totals->sent.interface_queue_us, stats->sent.interface_queue_us);
    totals->received.reading_us = MAX(totals->received.reading_us, stats->received.reading_us);
    totals->losses.ratio = MAX(totals->losses.ratio, stats->losses.ratio);
    totals->losses.joint_ratio = MAX(totals->losses.joint_ratio, stats->losses.joint_ratio);
    totals->losses.burst_us = MAX(totals->losses.burst_us, stats->losses.burst_us);
    totals->losses.copy_spacing_us =
        MAX(totals->losses.copy_spacing_us, stats->losses.copy_spacing_us);
}

/* Counters of repair. */
static const struct {
    const gchar *name;
    gsize offset;
} counters[] = {
    {"packets-resent", G_STRUCT_OFFSET(livetcp_session_stats, sent.resent)},
    {"acknowledged-lost", G_STRUCT_OFFSET(livetcp_session_stats, sent.acknowledged_lost)},
    {"acknowledged-resent", G_STRUCT_OFFSET(livetcp_session_stats, sent.acknowledged_resent)},
    {"unconfirmed", G_STRUCT_OFFSET(livetcp_session_stats, sent.unconfirmed)},
    {"received-acknowledged-lost",
     G_STRUCT_OFFSET(livetcp_session_stats, received.acknowledged_lost)},
    {"received-acknowledged-resent",
     G_STRUCT_OFFSET(livetcp_session_stats, received.acknowledged_resent)},
    {"copies-sent", G_STRUCT_OFFSET(livetcp_session_stats, sent.copies)},
    {"copies-useful", G_STRUCT_OFFSET(livetcp_session_stats, sent.copies_useful)},
    {"extra-bytes", G_STRUCT_OFFSET(livetcp_session_stats, sent.extra_bytes)},
    {"parity-sent", G_STRUCT_OFFSET(livetcp_session_stats, sent.parity)},
    {"parity-dropped", G_STRUCT_OFFSET(livetcp_session_stats, sent.parity_dropped)},
    {"parity-received", G_STRUCT_OFFSET(livetcp_session_stats, received.parity)},
    {"parity-rebuilt", G_STRUCT_OFFSET(livetcp_session_stats, received.parity_rebuilt)},
    {"parity-useful", G_STRUCT_OFFSET(livetcp_session_stats, received.parity_useful)},
    {"parity-invalid", G_STRUCT_OFFSET(livetcp_session_stats, received.parity_invalid)},
    {"padding-sent", G_STRUCT_OFFSET(livetcp_session_stats, sent.padding)},
    {"policy-errors", G_STRUCT_OFFSET(livetcp_session_stats, sent.policy_errors)},
    {"dropped-late", G_STRUCT_OFFSET(livetcp_session_stats, dropped.late)},
    {"dropped-late-droppable", G_STRUCT_OFFSET(livetcp_session_stats, dropped.late_droppable)},
    {"dropped-late-delta", G_STRUCT_OFFSET(livetcp_session_stats, dropped.late_delta)},
    {"dropped-late-audio", G_STRUCT_OFFSET(livetcp_session_stats, dropped.late_audio)},
    {"dropped-late-key", G_STRUCT_OFFSET(livetcp_session_stats, dropped.late_key)},
    {"dropped-full-droppable", G_STRUCT_OFFSET(livetcp_session_stats, dropped.full_droppable)},
    {"dropped-full-delta", G_STRUCT_OFFSET(livetcp_session_stats, dropped.full_delta)},
    {"dropped-full-audio", G_STRUCT_OFFSET(livetcp_session_stats, dropped.full_audio)},
    {"dropped-full-key", G_STRUCT_OFFSET(livetcp_session_stats, dropped.full_key)},
    {"keyframes-wanted", G_STRUCT_OFFSET(livetcp_session_stats, sent.keyframes_wanted)},
    {"reports-sent", G_STRUCT_OFFSET(livetcp_session_stats, control.reports_sent)},
    {"reports-received", G_STRUCT_OFFSET(livetcp_session_stats, control.reports_received)},
    {"reports-invalid", G_STRUCT_OFFSET(livetcp_session_stats, control.reports_invalid)},
    {"feedback-sent", G_STRUCT_OFFSET(livetcp_session_stats, control.feedback_sent)},
    {"feedback-received", G_STRUCT_OFFSET(livetcp_session_stats, control.feedback_received)},
    {"feedback-invalid", G_STRUCT_OFFSET(livetcp_session_stats, control.feedback_invalid)},
    {"losses-known", G_STRUCT_OFFSET(livetcp_session_stats, losses.known)},
    {"losses", G_STRUCT_OFFSET(livetcp_session_stats, losses.lost)},
    {"copies-arrived-twice", G_STRUCT_OFFSET(livetcp_session_stats, losses.arrived_twice)},
    {"copies-arrived-once", G_STRUCT_OFFSET(livetcp_session_stats, losses.arrived_once)},
    {"copies-arrived-never", G_STRUCT_OFFSET(livetcp_session_stats, losses.arrived_never)},
    {"copies-dropped", G_STRUCT_OFFSET(livetcp_session_stats, losses.copies_dropped)},
    {"packets-timestamped", G_STRUCT_OFFSET(livetcp_session_stats, sent.timestamped)},
    {"reads-timestamped", G_STRUCT_OFFSET(livetcp_session_stats, received.timestamped_reads)},
    {"timestamps-invalid", G_STRUCT_OFFSET(livetcp_session_stats, control.timestamps_invalid)},
};

static void set_counters(GstStructure *structure, const livetcp_session_stats *totals)
{
    for (gsize i = 0; i < G_N_ELEMENTS(counters); i++) {
        gst_structure_set(structure, counters[i].name, G_TYPE_UINT64,
                          G_STRUCT_MEMBER(guint64, totals, counters[i].offset), NULL);
    }
    gst_structure_set(structure, "loss-ratio", G_TYPE_DOUBLE, totals->losses.ratio,
                      "loss-joint-ratio", G_TYPE_DOUBLE, totals->losses.joint_ratio,
                      "loss-burst-us", G_TYPE_INT64, totals->losses.burst_us, "copy-spacing-us",
                      G_TYPE_INT64, totals->losses.copy_spacing_us, NULL);
    gst_structure_set(structure, "inferred-delay-us", G_TYPE_INT64, totals->sent.inferred_delay_us,
                      "send-delay-limit-us", G_TYPE_INT64, totals->sent.delay_limit_us, NULL);
}

static void set_totals(GstStructure *structure, const livetcp_session_stats *totals)
{
    gst_structure_set(structure, "open-connections", G_TYPE_UINT, totals->open_connections,
                      "reconnects", G_TYPE_UINT64, totals->reconnects, "rerouted", G_TYPE_UINT64,
                      totals->rerouted, "protocol-errors", G_TYPE_UINT64,
                      totals->received.protocol_errors, NULL);
    /* sending side */
    gst_structure_set(
        structure, "packets-accepted", G_TYPE_UINT64, totals->sent.accepted, "bytes-accepted",
        G_TYPE_UINT64, totals->sent.accepted_bytes, "packets-sent", G_TYPE_UINT64,
        totals->sent.packets, "bytes-sent", G_TYPE_UINT64, totals->sent.bytes, "dropped-queue-full",
        G_TYPE_UINT64, totals->dropped.queue_full, "dropped-connection", G_TYPE_UINT64,
        totals->dropped.connection, "refused-packets", G_TYPE_UINT64, totals->sent.refused,
        "queue-packets", G_TYPE_UINT64, (guint64)totals->sent.queue_packets, "queue-bytes",
        G_TYPE_UINT64, (guint64)totals->sent.queue_bytes, "queue-delay-us", G_TYPE_INT64,
        totals->sent.queue_delay_us, "max-queue-delay-us", G_TYPE_INT64,
        totals->sent.max_queue_delay_us, NULL);
    set_counters(structure, totals);
    set_delays(structure, "sent-delays", &totals->sent.delays);
    set_int64(structure, totals->sent.interface_queue_us >= 0, "interface-queue-us",
              totals->sent.interface_queue_us);
    set_int64(structure, totals->rtt_us >= 0, "rtt-us", totals->rtt_us);
    set_int64(structure, totals->control.report_rtt_us >= 0, "report-rtt-us",
              totals->control.report_rtt_us);
    /* receiving side */
    gst_structure_set(structure, "packets-received", G_TYPE_UINT64, totals->received.packets,
                      "bytes-received", G_TYPE_UINT64, totals->received.bytes, "bytes-read",
                      G_TYPE_UINT64, totals->received.bytes_read, "duplicates", G_TYPE_UINT64,
                      totals->received.duplicates, "late-discarded", G_TYPE_UINT64,
                      totals->received.late_discarded, "sequence-gaps", G_TYPE_UINT64,
                      totals->received.sequence_gaps, "null-frames", G_TYPE_UINT64,
                      totals->received.null_frames, NULL);
    set_delays(structure, "received-delays", &totals->received.delays);
    set_int64(structure, totals->received.reading_us >= 0, "reading-us",
              totals->received.reading_us);
    set_int64(structure, totals->received.jitter_us >= 0, "jitter-us", totals->received.jitter_us);
}

GstStructure *gst_livetcp_stats_new(GstLiveTcpEndpoint *endpoint)
{
    GValueArray *connections = new_connections();
    guint sessions = 0;

    g_mutex_lock(&endpoint->lock);
    livetcp_session_stats totals = endpoint->ended_totals;
    forget_present(&totals);
    for (guint i = 0; i < endpoint->peers->len; i++) {
        const GstLiveTcpPeer *peer = g_ptr_array_index(endpoint->peers, i);
        livetcp_session_stats stats = {.struct_size = sizeof(stats)};
        sessions += peer->ready;
        if (livetcp_session_get_stats(peer->session, &stats) == LIVETCP_OK) {
            gst_livetcp_counters_add(&totals, &stats);
            add_present(&totals, &stats);
            append_connections(peer, stats.connections, connections);
        }
    }
    guint sessions_total = endpoint->sessions_total;
    g_mutex_unlock(&endpoint->lock);

    GstStructure *structure = gst_structure_new(
        "livetcp-stats", "state", G_TYPE_STRING, gst_livetcp_endpoint_state(endpoint), "sessions",
        G_TYPE_UINT, sessions, "sessions-total", G_TYPE_UINT, sessions_total, NULL);
    set_totals(structure, &totals);
    if (endpoint->hooks->stats != NULL) {
        endpoint->hooks->stats(endpoint, structure);
    }
    set_connections(structure, connections);
    return structure;
}
