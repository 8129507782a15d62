/* SPDX-License-Identifier: MIT */
/* What a session and its connections count, gathered for the application. */
#include "base/sized.h"
#include "engine/session_internal.h"

static void gather_connections(const livetcp_engine *session, livetcp_session_stats *stats)
{
    stats->connections = session->count;
    stats->open_connections = lt_session_open_connections(session);
    for (unsigned i = 0; i < session->count; i++) {
        const lt_connection *connection = &session->connections[i];
        if (connection->opened > 1)
            stats->reconnects += connection->opened - 1;
    }
}

static void gather_queue(const livetcp_engine *session, livetcp_usec now,
                         livetcp_session_stats *stats)
{
    const lt_packet *oldest = lt_send_queue_front(session->queue);

    stats->sent.queue_packets = lt_send_queue_packets(session->queue);
    stats->sent.queue_bytes = lt_send_queue_bytes(session->queue);
    stats->sent.queue_delay_us = oldest ? now - oldest->enqueued_us : 0;
    lt_send_delay delay = lt_session_send_delay(session, now);
    stats->sent.inferred_delay_us =
        delay.usable ? lt_send_delay_behind(&delay, stats->sent.queue_bytes) : -1;
    stats->sent.delay_limit_us = lt_session_send_delay_limit(session);
}

static void gather_reassembly(const livetcp_engine *session, livetcp_session_stats *stats)
{
    const lt_reassembly_stats *received = lt_reassembly_get_stats(session->reassembly);

    stats->received.packets += received->delivered;
    stats->received.bytes += received->delivered_bytes;
    stats->received.duplicates = received->duplicates;
    stats->received.late_discarded = received->late_discarded;
    stats->received.sequence_gaps = received->gaps;
}

static void gather_parity(const livetcp_engine *session, livetcp_session_stats *stats)
{
    const lt_parity_stats *parity;

    if (!session->parity)
        return;
    parity = lt_parity_decoder_get_stats(session->parity);
    stats->received.parity = parity->received;
    stats->received.parity_rebuilt = parity->rebuilt;
    stats->received.parity_invalid = parity->invalid;
}

static void gather(const livetcp_engine *session, livetcp_usec now, livetcp_session_stats *stats)
{
    *stats = session->stats;
    stats->struct_size = sizeof *stats;
    gather_connections(session, stats);
    gather_queue(session, now, stats);
    gather_reassembly(session, stats);
    gather_parity(session, stats);
    lt_session_gather_reports(session, stats);
    lt_session_gather_feedback(session, stats, now);
    lt_session_gather_stamps(session, stats, now);
    stats->sent.estimated_bitrate = lt_bitrate_get(&session->bitrate);
}

static void gather_connection(const livetcp_engine *session, unsigned index, livetcp_usec now,
                              livetcp_connection_stats *stats)
{
    const lt_connection *connection = &session->connections[index];

    *stats = (livetcp_connection_stats){
        .struct_size = sizeof *stats,
        .index = index,
        .state = connection->state,
        .last_error = connection->last_error,
        .reconnects = connection->opened > 1 ? connection->opened - 1 : 0,
        .packets_sent = connection->packets_sent,
        .bytes_sent = connection->bytes_sent,
        .packets_received = connection->packets_received,
        .bytes_read = connection->bytes_read,
        .path = *connection->path,
        .forecast_us =
            connection->path->usable ? livetcp_path_forecast(connection->path, 0, now) : -1,
    };
}

livetcp_result livetcp_engine_get_stats(const livetcp_engine *session, livetcp_usec now,
                                        livetcp_session_stats *stats)
{
    livetcp_session_stats all;

    if (!lt_sized_valid(stats, 0))
        return LIVETCP_ERR_INVALID_ARGUMENT;
    gather(session, now, &all);
    lt_sized_fill(stats, &all, sizeof all);
    return LIVETCP_OK;
}

livetcp_result livetcp_engine_get_connection_stats(const livetcp_engine *session, unsigned index,
                                                   livetcp_usec now,
                                                   livetcp_connection_stats *stats)
{
    livetcp_connection_stats all;

    if (!lt_sized_valid(stats, 0) || index >= session->count)
        return LIVETCP_ERR_INVALID_ARGUMENT;
    gather_connection(session, index, now, &all);
    lt_sized_fill(stats, &all, sizeof all);
    return LIVETCP_OK;
}
