/* SPDX-License-Identifier: MIT */
/* Control messages between two sessions: joining, keepalive, goodbye. */
#include "engine/session_internal.h"

void lt_session_write_control(lt_connection *connection, const lt_control *message)
{
    uint8_t frame[LT_CONTROL_MAX];
    size_t size = lt_control_encode(message, frame);

    /* No room means that the peer has not read for a kilobyte of control: the message is moot, and
     * the keepalive will notice. */
    lt_outbox_add_control(&connection->outbox, frame, size);
}

static livetcp_result caller_control(livetcp_engine *session, lt_connection *connection,
                                     const lt_control *message, livetcp_usec now)
{
    lt_reply reply = {.size = 0};
    bool had_key = session->credentials.has_key;
    livetcp_result result;

    if (!connection->handshake_started)
        return LIVETCP_ERR_PROTOCOL;
    result = lt_caller_receive(&connection->handshake, &session->credentials, message, &reply);
    if (result != LIVETCP_OK)
        return result;
    if (reply.size)
        lt_outbox_add_control(&connection->outbox, reply.frame, reply.size);
    if (connection->handshake.proved)
        connection->path->usable = true; /* media may follow PROOF at once */
    if (message->type == LT_CONTROL_ACCEPT || message->type == LT_CONTROL_JOINED)
        lt_session_open(session, connection, now);
    if (!had_key && session->credentials.has_key) {
        session->creator = -1;
        session->confirmed = true;
        lt_session_start_handshakes(session, now);
    }
    return LIVETCP_OK;
}

static livetcp_result listener_control(livetcp_engine *session, lt_connection *connection,
                                       const lt_control *message)
{
    lt_reply reply = {.size = 0};
    livetcp_result result;

    if (message->type != LT_CONTROL_PROOF)
        return LIVETCP_ERR_PROTOCOL;
    result = lt_inbound_confirm(&connection->pending, &session->credentials, message, &reply);
    if (result != LIVETCP_OK)
        return result;
    session->confirmed = true;
    connection->join_by_us = LIVETCP_NEVER;
    lt_outbox_add_control(&connection->outbox, reply.frame, reply.size);
    return LIVETCP_OK;
}

static void answer_ping(lt_connection *connection, const lt_control *ping)
{
    lt_control pong = {.type = LT_CONTROL_PONG, .timestamp = ping->timestamp};
    lt_session_write_control(connection, &pong);
}

static void measure_pong(lt_connection *connection, const lt_control *pong, livetcp_usec now)
{
    livetcp_usec sent = (livetcp_usec)pong->timestamp;
    /* The peer chooses the number: now - sent could overflow. */
    if (sent <= now && sent > now - 60 * (livetcp_usec)LIVETCP_USEC_SEC)
        lt_path_measured_rtt(connection->path, now - sent);
}

static livetcp_result dispatch(livetcp_engine *session, lt_connection *connection,
                               const lt_control *message, livetcp_usec now)
{
    switch (message->type) {
    case LT_CONTROL_PING:
        answer_ping(connection, message);
        return LIVETCP_OK;
    case LT_CONTROL_PONG:
        measure_pong(connection, message, now);
        return LIVETCP_OK;
    case LT_CONTROL_FILLER:
    case LT_CONTROL_REPORT:
        return LIVETCP_OK;
    case LT_CONTROL_BYE:
        lt_session_hear_goodbye(session, connection, now);
        return LIVETCP_OK;
    case LT_CONTROL_PARITY:
        return lt_connection_takes_media(connection) ? lt_session_parity_announced(session, message)
                                                     : LIVETCP_ERR_PROTOCOL;
    case LT_CONTROL_RECEPTION:
    case LT_CONTROL_TRANSMISSION:
        if (!lt_connection_takes_media(connection))
            return LIVETCP_ERR_PROTOCOL;
        lt_reports_on_feedback(session->reports, message, now);
        return LIVETCP_OK;
    case LT_CONTROL_REJECT:
        /* The peer closes; answering with a REJECT of our own would be noise. */
        lt_session_condemn(session, connection, lt_control_reason(message), now);
        return connection->doom_reason;
    default:
        return session->caller ? caller_control(session, connection, message, now)
                               : listener_control(session, connection, message);
    }
}

livetcp_result lt_session_control(livetcp_engine *session, lt_connection *connection,
                                  const uint8_t *packet, size_t size, livetcp_usec now)
{
    lt_control message;
    livetcp_result result = lt_control_decode(packet, size, &message);

    if (result == LIVETCP_ERR_NOT_SUPPORTED)
        return LIVETCP_OK; /* a later version's message: skipped */
    if (result != LIVETCP_OK)
        return result;
    return dispatch(session, connection, &message, now);
}
