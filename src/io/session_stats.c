/* SPDX-License-Identifier: MIT */
/* Statistics of a session: as structs, and as JSON with the structs' field names as keys. */
#include "io/session_stats.h"

#include "base/sized.h"
#include "io/clock.h"
#include "io/session.h"
#include "platform/probe.h"

#include <livetcp/policy.h>

#include <jansson.h>
#include <stdio.h>
#include <string.h>

/* ---- as structs ---- */

livetcp_result livetcp_session_get_stats(const livetcp_session *session,
                                         livetcp_session_stats *stats)
{
    livetcp_session_stats all = {.struct_size = sizeof all};
    livetcp_result result = lt_io_session_check(session);

    if (result == LIVETCP_OK)
        result = LT_CHECK_SIZED(stats, livetcp_session_stats, NULL);
    if (result != LIVETCP_OK)
        return result;
    uv_mutex_lock(lt_io_session_lock_of(session));
    livetcp_engine_get_stats(session->engine, lt_io_now(), &all);
    uv_mutex_unlock(lt_io_session_lock_of(session));
    lt_sized_fill(stats, &all, sizeof all);
    return LIVETCP_OK;
}

/* Path info in the engine may be old on a quiet session: probes anew. */
static livetcp_result read_connection(const livetcp_session *session, unsigned index,
                                      livetcp_connection_stats *stats)
{
    const lt_io_channel *channel =
        index < livetcp_engine_connections(session->engine) ? session->slots[index].channel : NULL;
    livetcp_result result;

    if (channel) {
        livetcp_path info = {.known = 0};
        lt_platform_probe(channel->socket, false, &info);
        livetcp_engine_path_info(session->engine, index, &info, lt_io_now());
    }
    result = livetcp_engine_get_connection_stats(session->engine, index, lt_io_now(), stats);
    memcpy(stats->local, channel ? channel->local : "", channel ? sizeof stats->local : 1);
    memcpy(stats->remote, channel ? channel->remote : "", channel ? sizeof stats->remote : 1);
    return result;
}

livetcp_result livetcp_session_get_connection_stats(const livetcp_session *session,
                                                    unsigned connection,
                                                    livetcp_connection_stats *stats)
{
    livetcp_connection_stats all = {.struct_size = sizeof all};
    livetcp_result result = lt_io_session_check(session);

    if (result == LIVETCP_OK)
        result = LT_CHECK_SIZED(stats, livetcp_connection_stats, NULL);
    if (result != LIVETCP_OK)
        return result;
    uv_mutex_lock(lt_io_session_lock_of(session));
    result = read_connection(session, connection, &all);
    uv_mutex_unlock(lt_io_session_lock_of(session));
    if (result == LIVETCP_OK)
        lt_sized_fill(stats, &all, sizeof all);
    return result;
}

static void read_link_texts(const livetcp_session *session, livetcp_link_stats *stats)
{
    const lt_io_link *link;

    if (!session->links || stats->index >= session->links->count)
        return;
    link = &session->links->items[stats->index];
    lt_io_link_network(link, stats->network, sizeof stats->network);
    snprintf(stats->host, sizeof stats->host, "%.*s", (int)sizeof stats->host - 1,
             link->planned.host);
}

livetcp_result livetcp_session_get_link_stats(const livetcp_session *session, unsigned link,
                                              livetcp_link_stats *stats)
{
    livetcp_link_stats all = {.struct_size = sizeof all};
    livetcp_result result = lt_io_session_check(session);

    if (result == LIVETCP_OK)
        result = LT_CHECK_SIZED(stats, livetcp_link_stats, NULL);
    if (result != LIVETCP_OK)
        return result;
    uv_mutex_lock(lt_io_session_lock_of(session));
    result = livetcp_engine_get_link_stats(session->engine, link, lt_io_now(), &all);
    uv_mutex_unlock(lt_io_session_lock_of(session));
    if (result != LIVETCP_OK)
        return result;
    read_link_texts(session, &all);
    lt_sized_fill(stats, &all, sizeof all);
    return LIVETCP_OK;
}

livetcp_result livetcp_session_get_tls(const livetcp_session *session, livetcp_tls_info *info)
{
    livetcp_tls_info all;
    livetcp_result result = lt_io_session_check(session);

    if (result == LIVETCP_OK)
        result = LT_CHECK_SIZED(info, livetcp_tls_info, NULL);
    if (result != LIVETCP_OK)
        return result;
    uv_mutex_lock(lt_io_session_lock_of(session));
    all = session->tls_info;
    uv_mutex_unlock(lt_io_session_lock_of(session));
    lt_sized_fill(info, &all, sizeof all);
    return LIVETCP_OK;
}

/* ---- as JSON ---- */

typedef enum kind { COUNT, INT, TIME, SIZE, UNSIGNED, UINT32, DOUBLE } kind;

typedef struct field {
    const char *name;
    kind kind;
    size_t offset;
} field;

static const field sent_fields[] = {
    {"accepted", COUNT, offsetof(livetcp_session_stats, sent.accepted)},
    {"accepted_bytes", COUNT, offsetof(livetcp_session_stats, sent.accepted_bytes)},
    {"refused", COUNT, offsetof(livetcp_session_stats, sent.refused)},
    {"packets", COUNT, offsetof(livetcp_session_stats, sent.packets)},
    {"bytes", COUNT, offsetof(livetcp_session_stats, sent.bytes)},
    {"resent", COUNT, offsetof(livetcp_session_stats, sent.resent)},
    {"copies", COUNT, offsetof(livetcp_session_stats, sent.copies)},
    {"copies_useful", COUNT, offsetof(livetcp_session_stats, sent.copies_useful)},
    {"extra_bytes", COUNT, offsetof(livetcp_session_stats, sent.extra_bytes)},
    {"parity", COUNT, offsetof(livetcp_session_stats, sent.parity)},
    {"parity_dropped", COUNT, offsetof(livetcp_session_stats, sent.parity_dropped)},
    {"padding", COUNT, offsetof(livetcp_session_stats, sent.padding)},
    {"policy_errors", COUNT, offsetof(livetcp_session_stats, sent.policy_errors)},
    {"keyframes_wanted", COUNT, offsetof(livetcp_session_stats, sent.keyframes_wanted)},
    {"queue_packets", SIZE, offsetof(livetcp_session_stats, sent.queue_packets)},
    {"queue_bytes", SIZE, offsetof(livetcp_session_stats, sent.queue_bytes)},
    {"queue_delay_us", TIME, offsetof(livetcp_session_stats, sent.queue_delay_us)},
    {"max_queue_delay_us", TIME, offsetof(livetcp_session_stats, sent.max_queue_delay_us)},
    {"inferred_delay_us", TIME, offsetof(livetcp_session_stats, sent.inferred_delay_us)},
    {"delay_limit_us", TIME, offsetof(livetcp_session_stats, sent.delay_limit_us)},
    {"estimated_bitrate", UINT32, offsetof(livetcp_session_stats, sent.estimated_bitrate)},
    {"timestamped", COUNT, offsetof(livetcp_session_stats, sent.timestamped)},
    {"interface_queue_us", TIME, offsetof(livetcp_session_stats, sent.interface_queue_us)},
    {"acknowledged_lost", COUNT, offsetof(livetcp_session_stats, sent.acknowledged_lost)},
    {"acknowledged_resent", COUNT, offsetof(livetcp_session_stats, sent.acknowledged_resent)},
    {"unconfirmed", COUNT, offsetof(livetcp_session_stats, sent.unconfirmed)},
};

static const field dropped_fields[] = {
    {"connection", COUNT, offsetof(livetcp_session_stats, dropped.connection)},
    {"queue_full", COUNT, offsetof(livetcp_session_stats, dropped.queue_full)},
    {"full_droppable", COUNT, offsetof(livetcp_session_stats, dropped.full_droppable)},
    {"full_delta", COUNT, offsetof(livetcp_session_stats, dropped.full_delta)},
    {"full_audio", COUNT, offsetof(livetcp_session_stats, dropped.full_audio)},
    {"full_key", COUNT, offsetof(livetcp_session_stats, dropped.full_key)},
    {"late", COUNT, offsetof(livetcp_session_stats, dropped.late)},
    {"late_droppable", COUNT, offsetof(livetcp_session_stats, dropped.late_droppable)},
    {"late_delta", COUNT, offsetof(livetcp_session_stats, dropped.late_delta)},
    {"late_audio", COUNT, offsetof(livetcp_session_stats, dropped.late_audio)},
    {"late_key", COUNT, offsetof(livetcp_session_stats, dropped.late_key)},
};

static const field received_fields[] = {
    {"packets", COUNT, offsetof(livetcp_session_stats, received.packets)},
    {"bytes", COUNT, offsetof(livetcp_session_stats, received.bytes)},
    {"bytes_read", COUNT, offsetof(livetcp_session_stats, received.bytes_read)},
    {"duplicates", COUNT, offsetof(livetcp_session_stats, received.duplicates)},
    {"late_discarded", COUNT, offsetof(livetcp_session_stats, received.late_discarded)},
    {"sequence_gaps", COUNT, offsetof(livetcp_session_stats, received.sequence_gaps)},
    {"missing", INT, offsetof(livetcp_session_stats, received.missing)},
    {"null_frames", COUNT, offsetof(livetcp_session_stats, received.null_frames)},
    {"protocol_errors", COUNT, offsetof(livetcp_session_stats, received.protocol_errors)},
    {"parity", COUNT, offsetof(livetcp_session_stats, received.parity)},
    {"parity_rebuilt", COUNT, offsetof(livetcp_session_stats, received.parity_rebuilt)},
    {"parity_useful", COUNT, offsetof(livetcp_session_stats, received.parity_useful)},
    {"parity_invalid", COUNT, offsetof(livetcp_session_stats, received.parity_invalid)},
    {"jitter_us", TIME, offsetof(livetcp_session_stats, received.jitter_us)},
    {"timestamped_reads", COUNT, offsetof(livetcp_session_stats, received.timestamped_reads)},
    {"reading_us", TIME, offsetof(livetcp_session_stats, received.reading_us)},
    {"acknowledged_lost", COUNT, offsetof(livetcp_session_stats, received.acknowledged_lost)},
    {"acknowledged_resent", COUNT, offsetof(livetcp_session_stats, received.acknowledged_resent)},
};

static const field control_fields[] = {
    {"reports_sent", COUNT, offsetof(livetcp_session_stats, control.reports_sent)},
    {"reports_received", COUNT, offsetof(livetcp_session_stats, control.reports_received)},
    {"reports_invalid", COUNT, offsetof(livetcp_session_stats, control.reports_invalid)},
    {"report_rtt_us", TIME, offsetof(livetcp_session_stats, control.report_rtt_us)},
    {"feedback_sent", COUNT, offsetof(livetcp_session_stats, control.feedback_sent)},
    {"feedback_received", COUNT, offsetof(livetcp_session_stats, control.feedback_received)},
    {"feedback_invalid", COUNT, offsetof(livetcp_session_stats, control.feedback_invalid)},
    {"feedback_rtt_us", TIME, offsetof(livetcp_session_stats, control.feedback_rtt_us)},
    {"timestamps_invalid", COUNT, offsetof(livetcp_session_stats, control.timestamps_invalid)},
};

static const field peer_fields[] = {
    {"rtt_us", TIME, offsetof(livetcp_session_stats, peer.rtt_us)},
    {"min_rtt_us", TIME, offsetof(livetcp_session_stats, peer.min_rtt_us)},
    {"rtt_variation_us", TIME, offsetof(livetcp_session_stats, peer.rtt_variation_us)},
    {"connections", UNSIGNED, offsetof(livetcp_session_stats, peer.connections)},
    {"protection", UNSIGNED, offsetof(livetcp_session_stats, peer.protection)},
    {"copies", UNSIGNED, offsetof(livetcp_session_stats, peer.copies)},
    {"parity_group", UNSIGNED, offsetof(livetcp_session_stats, peer.parity_group)},
    {"hedge_delay_us", TIME, offsetof(livetcp_session_stats, peer.hedge_delay_us)},
    {"share_unprotected", DOUBLE, offsetof(livetcp_session_stats, peer.protection_shares[0])},
    {"share_hedged", DOUBLE, offsetof(livetcp_session_stats, peer.protection_shares[1])},
    {"share_copied", DOUBLE, offsetof(livetcp_session_stats, peer.protection_shares[2])},
    {"share_parity", DOUBLE, offsetof(livetcp_session_stats, peer.protection_shares[3])},
    {"copy_spacing_us", TIME, offsetof(livetcp_session_stats, peer.copy_spacing_us)},
    {"packets", COUNT, offsetof(livetcp_session_stats, peer.packets)},
    {"missing", COUNT, offsetof(livetcp_session_stats, peer.missing)},
    {"late_order", COUNT, offsetof(livetcp_session_stats, peer.late_order)},
    {"late_playout", COUNT, offsetof(livetcp_session_stats, peer.late_playout)},
    {"reported_missing", INT, offsetof(livetcp_session_stats, peer.reported_missing)},
    {"reported_fraction", DOUBLE, offsetof(livetcp_session_stats, peer.reported_fraction)},
    {"reported_jitter_us", TIME, offsetof(livetcp_session_stats, peer.reported_jitter_us)},
};

static const field loss_fields[] = {
    {"known", COUNT, offsetof(livetcp_session_stats, losses.known)},
    {"lost", COUNT, offsetof(livetcp_session_stats, losses.lost)},
    {"arrived_twice", COUNT, offsetof(livetcp_session_stats, losses.arrived_twice)},
    {"arrived_once", COUNT, offsetof(livetcp_session_stats, losses.arrived_once)},
    {"arrived_never", COUNT, offsetof(livetcp_session_stats, losses.arrived_never)},
    {"ratio", DOUBLE, offsetof(livetcp_session_stats, losses.ratio)},
    {"joint_ratio", DOUBLE, offsetof(livetcp_session_stats, losses.joint_ratio)},
    {"burst_us", TIME, offsetof(livetcp_session_stats, losses.burst_us)},
    {"copy_spacing_us", TIME, offsetof(livetcp_session_stats, losses.copy_spacing_us)},
    {"copies_dropped", COUNT, offsetof(livetcp_session_stats, losses.copies_dropped)},
};

static const field delay_fields[] = {
    {"send_queue_us", TIME, offsetof(livetcp_delays, send_queue_us)},
    {"send_buffer_us", TIME, offsetof(livetcp_delays, send_buffer_us)},
    {"network_us", TIME, offsetof(livetcp_delays, network_us)},
    {"head_of_line_us", TIME, offsetof(livetcp_delays, head_of_line_us)},
    {"playout_us", TIME, offsetof(livetcp_delays, playout_us)},
};

static const field total_fields[] = {
    {"connections", UNSIGNED, offsetof(livetcp_session_stats, connections)},
    {"open_connections", UNSIGNED, offsetof(livetcp_session_stats, open_connections)},
    {"reconnects", COUNT, offsetof(livetcp_session_stats, reconnects)},
    {"rtt_us", TIME, offsetof(livetcp_session_stats, rtt_us)},
    {"min_rtt_us", TIME, offsetof(livetcp_session_stats, min_rtt_us)},
    {"timestamped", UNSIGNED, offsetof(livetcp_session_stats, timestamped)},
    {"links", UNSIGNED, offsetof(livetcp_session_stats, links)},
    {"rerouted", COUNT, offsetof(livetcp_session_stats, rerouted)},
};

static const field connection_fields[] = {
    {"reconnects", COUNT, offsetof(livetcp_connection_stats, reconnects)},
    {"packets_sent", COUNT, offsetof(livetcp_connection_stats, packets_sent)},
    {"bytes_sent", COUNT, offsetof(livetcp_connection_stats, bytes_sent)},
    {"packets_received", COUNT, offsetof(livetcp_connection_stats, packets_received)},
    {"bytes_read", COUNT, offsetof(livetcp_connection_stats, bytes_read)},
    {"forecast_us", TIME, offsetof(livetcp_connection_stats, forecast_us)},
};

/* Fields of a livetcp_path, and the bit of `known` that each needs. */
static const struct {
    uint32_t known;
    field of;
} path_fields[] = {
    {LIVETCP_PATH_QUEUED, {"queued_bytes", UINT32, offsetof(livetcp_path, queued_bytes)}},
    {LIVETCP_PATH_UNSENT, {"unsent_bytes", UINT32, offsetof(livetcp_path, unsent_bytes)}},
    {LIVETCP_PATH_CWND, {"cwnd_bytes", UINT32, offsetof(livetcp_path, cwnd_bytes)}},
    {LIVETCP_PATH_MSS, {"mss_bytes", UINT32, offsetof(livetcp_path, mss_bytes)}},
    {LIVETCP_PATH_RTT, {"rtt_us", TIME, offsetof(livetcp_path, rtt_us)}},
    {LIVETCP_PATH_RTT, {"rtt_variation_us", TIME, offsetof(livetcp_path, rtt_variation_us)}},
    {LIVETCP_PATH_MIN_RTT, {"min_rtt_us", TIME, offsetof(livetcp_path, min_rtt_us)}},
    {LIVETCP_PATH_RTO, {"rto_us", TIME, offsetof(livetcp_path, rto_us)}},
    {LIVETCP_PATH_SACKED, {"sacked_bytes", UINT32, offsetof(livetcp_path, sacked_bytes)}},
    {LIVETCP_PATH_RETRANSMITS,
     {"retransmitted_segments", COUNT, offsetof(livetcp_path, retransmitted_segments)}},
    {LIVETCP_PATH_MARKS, {"delivered_segments", COUNT, offsetof(livetcp_path, delivered_segments)}},
    {LIVETCP_PATH_MARKS, {"marked_segments", COUNT, offsetof(livetcp_path, marked_segments)}},
    {LIVETCP_PATH_DELIVERY_RATE, {"delivery_rate", COUNT, offsetof(livetcp_path, delivery_rate)}},
};

#define FIELDS(table) (table), sizeof(table) / sizeof *(table)

/* Negative times are unknown. */
static json_t *value_json(const field *of, const void *from)
{
    const char *at = (const char *)from + of->offset;
    livetcp_usec time;

    switch (of->kind) {
    case TIME:
        time = *(const livetcp_usec *)at;
        return time < 0 ? json_null() : json_integer(time);
    case INT:
        return json_integer(*(const int64_t *)at);
    case SIZE:
        return json_integer((json_int_t)(*(const size_t *)at));
    case UNSIGNED:
        return json_integer(*(const unsigned *)at);
    case UINT32:
        return json_integer(*(const uint32_t *)at);
    case DOUBLE:
        return json_real(*(const double *)at);
    case COUNT:
        break;
    }
    return json_integer((json_int_t)(*(const uint64_t *)at));
}

/* If memory is out, values are left out: json_object_set_new() accepts NULL. */
static void add_fields(json_t *object, const void *from, const field *fields, size_t count)
{
    for (size_t i = 0; i < count; i++)
        json_object_set_new(object, fields[i].name, value_json(&fields[i], from));
}

static json_t *group_json(const void *from, const field *fields, size_t count)
{
    json_t *group = json_object();

    add_fields(group, from, fields, count);
    return group;
}

static const char *tcp_state_name(livetcp_tcp_state state)
{
    static const char *const names[] = {[LIVETCP_TCP_UNKNOWN] = "unknown",
                                        [LIVETCP_TCP_OPEN] = "open",
                                        [LIVETCP_TCP_DISORDER] = "disorder",
                                        [LIVETCP_TCP_RECOVERY] = "recovery",
                                        [LIVETCP_TCP_TIMEOUT] = "timeout"};

    return (unsigned)state < sizeof names / sizeof *names ? names[state] : "unknown";
}

static const char *connection_state_name(livetcp_connection_state state)
{
    static const char *const names[] = {[LIVETCP_CONNECTION_IDLE] = "idle",
                                        [LIVETCP_CONNECTION_CONNECTING] = "connecting",
                                        [LIVETCP_CONNECTION_JOINING] = "joining",
                                        [LIVETCP_CONNECTION_OPEN] = "open",
                                        [LIVETCP_CONNECTION_CLOSED] = "closed"};

    return (unsigned)state < sizeof names / sizeof *names ? names[state] : "unknown";
}

static json_t *connection_json(const livetcp_connection_stats *stats)
{
    json_t *object = json_pack("{s:i, s:s, s:s, s:s}", "index", (int)stats->index, "state",
                               connection_state_name(stats->state), "local", stats->local, "remote",
                               stats->remote);

    json_object_set_new(object, "link", json_integer(stats->path.link));
    if (stats->last_error != LIVETCP_OK)
        json_object_set_new(object, "last_error",
                            json_string(livetcp_result_name(stats->last_error)));
    add_fields(object, stats, FIELDS(connection_fields));
    if (stats->path.known & LIVETCP_PATH_TCP_STATE)
        json_object_set_new(object, "tcp_state",
                            json_string(tcp_state_name(stats->path.tcp_state)));
    for (size_t i = 0; i < sizeof path_fields / sizeof *path_fields; i++)
        if (stats->path.known & path_fields[i].known)
            add_fields(object, &stats->path, &path_fields[i].of, 1);
    return object;
}

static json_t *connections_json(const livetcp_session *session, unsigned count)
{
    json_t *list = json_array();

    for (unsigned i = 0; i < count; i++) {
        livetcp_connection_stats stats = {.struct_size = sizeof stats};
        if (livetcp_session_get_connection_stats(session, i, &stats) == LIVETCP_OK)
            json_array_append_new(list, connection_json(&stats));
    }
    return list;
}

static const field link_fields[] = {
    {"weight", UNSIGNED, offsetof(livetcp_link_stats, weight)},
    {"connections", UNSIGNED, offsetof(livetcp_link_stats, connections)},
    {"open_connections", UNSIGNED, offsetof(livetcp_link_stats, open_connections)},
    {"stalls", COUNT, offsetof(livetcp_link_stats, stalls)},
    {"rate", COUNT, offsetof(livetcp_link_stats, rate)},
    {"bytes_sent", COUNT, offsetof(livetcp_link_stats, bytes_sent)},
    {"bytes_read", COUNT, offsetof(livetcp_link_stats, bytes_read)},
    {"share", DOUBLE, offsetof(livetcp_link_stats, share)},
    {"loss", DOUBLE, offsetof(livetcp_link_stats, loss)},
    {"rtt_us", TIME, offsetof(livetcp_link_stats, rtt_us)},
    {"min_rtt_us", TIME, offsetof(livetcp_link_stats, min_rtt_us)},
    {"window_bytes", COUNT, offsetof(livetcp_link_stats, window_bytes)},
    {"estimated_bitrate", UINT32, offsetof(livetcp_link_stats, estimated_bitrate)},
};

static json_t *links_json(const livetcp_session *session, unsigned count)
{
    json_t *list = json_array();

    for (unsigned i = 0; i < count; i++) {
        livetcp_link_stats stats = {.struct_size = sizeof stats};
        json_t *object;
        if (livetcp_session_get_link_stats(session, i, &stats) != LIVETCP_OK)
            continue;
        object = json_pack("{s:i, s:s, s:s, s:b}", "index", (int)stats.index, "network",
                           stats.network, "host", stats.host, "stalled", (int)stats.stalled);
        add_fields(object, &stats, FIELDS(link_fields));
        json_array_append_new(list, object);
    }
    return list;
}

static void add_groups(json_t *object, const livetcp_session_stats *stats)
{
    json_t *sent = group_json(stats, FIELDS(sent_fields));
    json_t *received = group_json(stats, FIELDS(received_fields));

    json_object_set_new(sent, "delays", group_json(&stats->sent.delays, FIELDS(delay_fields)));
    json_object_set_new(received, "delays",
                        group_json(&stats->received.delays, FIELDS(delay_fields)));
    json_object_set_new(object, "sent", sent);
    json_object_set_new(object, "dropped", group_json(stats, FIELDS(dropped_fields)));
    json_object_set_new(object, "received", received);
    json_object_set_new(object, "control", group_json(stats, FIELDS(control_fields)));
    json_object_set_new(object, "peer", group_json(stats, FIELDS(peer_fields)));
    json_object_set_new(object, "losses", group_json(stats, FIELDS(loss_fields)));
}

static json_t *session_json(const livetcp_session *session)
{
    static const char *const states[] = {"connecting", "open", "closed"};
    livetcp_session_stats stats = {.struct_size = sizeof stats};
    char policy[sizeof session->policy];
    json_t *object;

    livetcp_session_get_stats(session, &stats);
    uv_mutex_lock(lt_io_session_lock_of(session));
    memcpy(policy, session->policy, sizeof policy);
    livetcp_session_state state = livetcp_engine_state(session->engine);
    uv_mutex_unlock(lt_io_session_lock_of(session));
    object = json_pack("{s:I, s:b, s:s, s:s, s:s, s:s, s:i, s:I}", "number",
                       (json_int_t)session->number, "caller", (int)session->caller, "state",
                       states[state], "policy", policy, "remote", session->remote, "host",
                       session->config.host, "port", (int)session->config.port, "age_us",
                       (json_int_t)(lt_io_now() - session->created_us));
    add_fields(object, &stats, FIELDS(total_fields));
    add_groups(object, &stats);
    json_object_set_new(object, "link_stats", links_json(session, stats.links));
    json_object_set_new(object, "connection_stats", connections_json(session, stats.connections));
    return object;
}

void lt_io_session_describe(lt_io_member *member, struct json_t *document)
{
    const livetcp_session *session = LT_LIST_ELEMENT(member, livetcp_session, member);

    json_array_append_new(json_object_get(document, "sessions"), session_json(session));
}

size_t livetcp_session_stats_json(const livetcp_session *session, char *text, size_t size)
{
    json_t *object = session ? session_json(session) : NULL;
    size_t length = object ? json_dumpb(object, text, size, JSON_COMPACT) : 0;

    if (size > 0)
        text[length < size ? length : 0] = '\0';
    json_decref(object);
    return length;
}
