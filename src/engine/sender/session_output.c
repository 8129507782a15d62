/* SPDX-License-Identifier: MIT */
/* From the application's packet to the next write: send queue, policy, connection. */
#include "base/sized.h"
#include "engine/session_internal.h"

static livetcp_result refuse(livetcp_engine *session, livetcp_result reason)
{
    session->stats.sent.refused++;
    return reason;
}

/* What the application said of a packet, as far as it concerns its way. */
typedef struct said {
    livetcp_importance importance;
    uint8_t repeats;
} said;

static livetcp_result make_packet(const uint8_t *data, size_t size, lt_rtp_kind kind, said about,
                                  livetcp_usec now, lt_packet **out)
{
    lt_packet *packet = lt_packet_create(data, size);
    lt_rtp_header header = {.ssrc = 0};

    *out = packet;
    if (!packet)
        return LIVETCP_ERR_NO_MEMORY;
    packet->rtcp = kind == LT_RTP_CONTROL;
    if (packet->rtcp)
        header.ssrc = lt_rtcp_ssrc(data, size);
    else
        lt_rtp_parse(data, size, &header);
    packet->ssrc = header.ssrc;
    packet->timestamp = header.timestamp;
    packet->sequence = header.sequence;
    packet->importance = about.importance;
    packet->repeats = packet->rtcp ? 0 : about.repeats;
    packet->enqueued_us = now;
    packet->review_us = LIVETCP_NEVER;
    return LIVETCP_OK;
}

static livetcp_result send(livetcp_engine *session, const uint8_t *data, size_t size, said about,
                           livetcp_usec now)
{
    lt_rtp_kind kind;
    lt_packet *packet;
    livetcp_result result;

    if (session->closing || session->state == LIVETCP_SESSION_CLOSED)
        return LIVETCP_ERR_CLOSED;
    if (size > session->config.max_packet)
        return refuse(session, LIVETCP_ERR_PACKET_TOO_LARGE);
    kind = lt_rtp_classify(data, size);
    if (kind == LT_RTP_INVALID || (kind == LT_RTP_CONTROL && lt_control_is(data, size)))
        return refuse(session, LIVETCP_ERR_NOT_RTP);
    result = make_packet(data, size, kind, about, now, &packet);
    if (result == LIVETCP_OK)
        result = lt_session_enqueue(session, packet);
    if (result != LIVETCP_OK) {
        lt_packet_unref(&packet);
        return result;
    }
    if (kind == LT_RTP_CONTROL)
        lt_session_note_application_rtcp(session, data, size);
    session->stats.sent.accepted++;
    session->stats.sent.accepted_bytes += size;
    lt_budget_media(&session->budget, size, now);
    lt_session_not_idle(session, now);
    return LIVETCP_OK;
}

livetcp_result livetcp_engine_send(livetcp_engine *session, const void *data, size_t size,
                                   const livetcp_packet_info *info, livetcp_usec now)
{
    if (info && !lt_sized_valid(info, 0))
        return refuse(session, LIVETCP_ERR_INVALID_ARGUMENT);
    said about = {.importance = lt_importance_next(&session->importance, info, data, size)};

    if (LT_INFO_HAS(info, repeats))
        about.repeats = (uint8_t)(info->repeats < LT_REPEATS_MAX ? info->repeats : LT_REPEATS_MAX);
    return send(session, data, size, about, now);
}

static livetcp_usec max_age(const livetcp_path *path)
{
    const uint32_t needed = LIVETCP_PATH_QUEUED | LIVETCP_PATH_TCP_STATE;
    bool idle = (path->known & needed) == needed && path->queued_bytes == 0 &&
                path->tcp_state == LIVETCP_TCP_OPEN;

    return idle ? LT_FACTS_IDLE_AGE_US : LT_FACTS_MAX_AGE_US;
}

/* Before the policy is asked. */
static bool facts_matter(const livetcp_engine *session, livetcp_usec now)
{
    return lt_session_asks_facts(session) &&
           (lt_send_queue_packets(session->queue) || session->parity_ready_count ||
            now >= session->review_us);
}

uint32_t livetcp_engine_wants_path_info(livetcp_engine *session, livetcp_usec now)
{
    uint32_t wanted = 0;
    bool all = facts_matter(session, now) || now >= session->idle_at_us;

    for (unsigned i = 0; i < session->count; i++) {
        const lt_connection *connection = &session->connections[i];
        if ((all || now >= connection->chase_at_us) && connection->path->usable &&
            connection->facts_at_us <= now - max_age(connection->path))
            wanted |= UINT32_C(1) << i;
    }
    return wanted;
}

void livetcp_engine_path_info(livetcp_engine *session, unsigned index, const livetcp_path *facts,
                              livetcp_usec now)
{
    lt_connection *connection = &session->connections[index];

    if (!lt_connection_writable(connection) && !connection->path->usable)
        return;
    livetcp_tcp_state before = connection->path->tcp_state;
    lt_path_update(connection->path, facts, now);
    connection->facts_at_us = now;
    session->facts_came = true;
    lt_session_acknowledged(session, connection, now);
    if (connection->path->tcp_state >= LIVETCP_TCP_RECOVERY && before < LIVETCP_TCP_RECOVERY)
        lt_session_alarm(session, connection, now);
}

static bool pending_write(livetcp_engine *session, unsigned index, livetcp_engine_write *write)
{
    lt_connection *connection = &session->connections[index];

    write->connection = index;
    return lt_connection_writable(connection) &&
           lt_outbox_next(&connection->outbox, &write->data, &write->size);
}

static bool next_pending(livetcp_engine *session, livetcp_usec now, livetcp_engine_write *write)
{
    for (unsigned i = 0; i < session->count; i++) {
        unsigned index = (session->next_to_write + i) % session->count;
        if (pending_write(session, index, write)) {
            session->next_to_write = index;
            write->timestamp = lt_session_wants_stamp(session, &session->connections[index], now);
            return true;
        }
    }
    return false;
}

/* What is late already goes before what may still be in time. */
bool livetcp_engine_next_write(livetcp_engine *session, livetcp_usec now,
                               livetcp_engine_write *write)
{
    lt_session_look_at_bitrate(session, now);
    if (next_pending(session, now, write))
        return true;
    session->retry_policy_us = LIVETCP_NEVER;
    lt_session_drop_late(session, now);
    if (lt_session_review_next(session, now) || lt_session_place_next(session, now) ||
        lt_session_send_fillers(session, now))
        return next_pending(session, now, write);
    if (session->backlogged && !lt_send_queue_packets(session->queue)) {
        session->backlogged = false;
        lt_session_emit(session, (livetcp_engine_event){.type = LIVETCP_ENGINE_DRAINED});
    }
    return false;
}

void livetcp_engine_wrote(livetcp_engine *session, unsigned index, size_t size, livetcp_usec now)
{
    lt_connection *connection = &session->connections[index];
    lt_packet *complete = lt_outbox_advance(&connection->outbox, size);

    connection->bytes_sent += size;
    connection->stream_bytes += size;
    session->stats.sent.bytes += size;
    lt_path_wrote(connection->path, size, now);
    if (connection->state == LIVETCP_CONNECTION_OPEN && !lt_session_plain(session))
        connection->ping_at_us = now + session->config.keepalive_interval_us;
    if (complete) {
        connection->packets_sent++;
        if (!complete->written && !complete->parity) {
            session->stats.sent.packets++;
            session->media_written += lt_packet_size(complete);
            lt_session_report_sent(session, complete, now);
            lt_session_observe_written(session, connection, complete, now);
            lt_session_stamp_written(session, connection, complete, now);
        }
        complete->written = true;
        lt_session_plan_chaser(session, connection, now);
        lt_session_in_flight(session, connection, complete, now);
    }
    lt_session_check_drained(session, now);
}

void livetcp_engine_blocked(livetcp_engine *session, unsigned index)
{
    session->paths[index].blocked = true;
}

void livetcp_engine_writable(livetcp_engine *session, unsigned index)
{
    session->paths[index].blocked = false;
    session->connections[index].facts_at_us = INT64_MIN;
}
