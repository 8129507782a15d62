/* SPDX-License-Identifier: MIT */
/* From the application's packet to the next write: send queue, policy, connection. */
#include "core/session_internal.h"

static livetcp_result refuse(lt_session *session, livetcp_result reason)
{
    session->stats.refused_packets++;
    return reason;
}

static livetcp_result make_packet(const uint8_t *data, size_t size, lt_rtp_kind kind,
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
    packet->sequence = header.sequence;
    packet->enqueued_us = now;
    return LIVETCP_OK;
}

livetcp_result lt_session_send(lt_session *session, const uint8_t *data, size_t size,
                               livetcp_usec now)
{
    lt_rtp_kind kind;
    lt_packet *packet;
    size_t dropped = 0;
    livetcp_result result;

    if (session->closing || session->state == LIVETCP_SESSION_CLOSED)
        return LIVETCP_ERR_CLOSED;
    if (size > session->config.max_packet)
        return refuse(session, LIVETCP_ERR_PACKET_TOO_LARGE);
    kind = lt_rtp_classify(data, size);
    if (kind == LT_RTP_INVALID || (kind == LT_RTP_CONTROL && lt_control_is(data, size)))
        return refuse(session, LIVETCP_ERR_NOT_RTP);
    result = make_packet(data, size, kind, now, &packet);
    if (result == LIVETCP_OK)
        result = lt_send_queue_push(session->queue, packet, &dropped);
    if (result != LIVETCP_OK) {
        lt_packet_unref(&packet);
        return result;
    }
    session->stats.packets_accepted++;
    session->stats.bytes_accepted += size;
    session->stats.dropped_queue_full += dropped;
    return LIVETCP_OK;
}

static livetcp_usec max_age(const livetcp_path *path)
{
    const uint32_t needed = LIVETCP_PATH_QUEUED | LIVETCP_PATH_TCP_STATE;
    bool idle = (path->known & needed) == needed && path->queued_bytes == 0 &&
                path->tcp_state == LIVETCP_TCP_OPEN;

    return idle ? LT_FACTS_IDLE_AGE_US : LT_FACTS_MAX_AGE_US;
}

uint32_t lt_session_wants_facts(lt_session *session, livetcp_usec now)
{
    uint32_t wanted = 0;

    if (!session->policy->needs_paths || !lt_send_queue_packets(session->queue))
        return 0;
    for (unsigned i = 0; i < session->count; i++) {
        const lt_connection *connection = &session->connections[i];
        if (connection->path->usable && connection->facts_at_us <= now - max_age(connection->path))
            wanted |= UINT32_C(1) << i;
    }
    return wanted;
}

void lt_session_facts(lt_session *session, unsigned index, const livetcp_path *facts,
                      livetcp_usec now)
{
    lt_connection *connection = &session->connections[index];

    if (!lt_connection_writable(connection) && !connection->path->usable)
        return;
    lt_path_update(connection->path, facts);
    connection->facts_at_us = now;
}

/* Asks the policy about the oldest packet. LIVETCP_POLICY_WAIT also when it chose badly: a policy
 * of the application's must not be able to break a connection. */
static uint32_t ask_policy(lt_session *session, const lt_packet *packet, livetcp_usec now)
{
    livetcp_policy_view view = {.now_us = now,
                                .paths = session->paths,
                                .path_count = session->count,
                                .queue_packets = lt_send_queue_packets(session->queue),
                                .queue_bytes = lt_send_queue_bytes(session->queue)};
    livetcp_packet_view about = {.size = lt_packet_size(packet),
                                 .enqueued_us = packet->enqueued_us,
                                 .ssrc = packet->ssrc,
                                 .sequence = packet->sequence,
                                 .rtcp = packet->rtcp};
    uint32_t chosen = session->policy->choose(session->policy_state, &view, &about);

    if (chosen >= session->count || !session->paths[chosen].usable ||
        session->paths[chosen].blocked || session->connections[chosen].outbox.packet)
        return LIVETCP_POLICY_WAIT;
    return chosen;
}

/* Moves the oldest packet of the send queue to a connection. False: it has to wait. */
static bool dispatch(lt_session *session, livetcp_usec now, unsigned *index)
{
    lt_packet *packet = lt_send_queue_front(session->queue);

    if (!packet)
        return false;
    uint32_t chosen = ask_policy(session, packet, now);
    if (chosen == LIVETCP_POLICY_WAIT) {
        session->backlogged = true;
        session->retry_policy_us = now + LT_POLICY_RETRY_US;
        return false;
    }
    livetcp_usec waited = now - packet->enqueued_us;
    if (waited > session->stats.max_queue_delay_us)
        session->stats.max_queue_delay_us = waited;
    lt_outbox_set_packet(&session->connections[chosen].outbox, lt_send_queue_pop(session->queue),
                         session->config.split);
    *index = chosen;
    return true;
}

static bool pending_write(lt_session *session, unsigned index, lt_write *write)
{
    lt_connection *connection = &session->connections[index];

    write->index = index;
    return lt_connection_writable(connection) &&
           lt_outbox_next(&connection->outbox, &write->data, &write->size);
}

bool lt_session_next_write(lt_session *session, livetcp_usec now, lt_write *write)
{
    unsigned index;

    for (unsigned i = 0; i < session->count; i++) {
        index = (session->next_to_write + i) % session->count;
        if (pending_write(session, index, write)) {
            session->next_to_write = index;
            return true;
        }
    }
    session->retry_policy_us = LIVETCP_NEVER;
    if (dispatch(session, now, &index))
        return pending_write(session, index, write);
    if (session->backlogged && !lt_send_queue_packets(session->queue)) {
        session->backlogged = false;
        lt_session_emit(session, (lt_event){.type = LT_EVENT_DRAINED});
    }
    return false;
}

void lt_session_wrote(lt_session *session, unsigned index, size_t size, livetcp_usec now)
{
    lt_connection *connection = &session->connections[index];
    lt_packet *complete = lt_outbox_advance(&connection->outbox, size);

    connection->bytes_sent += size;
    session->stats.bytes_sent += size;
    lt_path_wrote(connection->path, size, now);
    if (connection->state == LIVETCP_CONNECTION_OPEN && !lt_session_plain(session))
        connection->ping_at_us = now + session->config.keepalive_interval_us;
    if (complete) {
        connection->packets_sent++;
        session->stats.packets_sent++;
        lt_packet_unref(&complete);
    }
    lt_session_check_drained(session, now);
}

void lt_session_blocked(lt_session *session, unsigned index)
{
    session->paths[index].blocked = true;
}

void lt_session_writable(lt_session *session, unsigned index)
{
    session->paths[index].blocked = false;
}
