/* SPDX-License-Identifier: MIT */
/* Bytes from a connection go to the receiver; its answers come back to the session here. */
#include "engine/session_internal.h"

static lt_receive_permission permission(void *user, unsigned slot)
{
    const livetcp_engine *session = user;
    const lt_connection *connection = &session->connections[slot];

    if (connection->doomed)
        return LT_RECEIVE_NOTHING;
    return lt_connection_takes_media(connection) ? LT_RECEIVE_ALL : LT_RECEIVE_CONTROL;
}

static void on_rtcp(void *user, const lt_arrival *arrival)
{
    livetcp_engine *session = user;

    lt_session_hear_report(session, arrival);
    lt_session_hand_over(session, arrival);
}

static livetcp_result on_control(void *user, unsigned slot, const uint8_t *packet, size_t size,
                                 livetcp_usec now)
{
    livetcp_engine *session = user;

    return lt_session_control(session, &session->connections[slot], packet, size, now);
}

livetcp_result lt_session_prepare_input(livetcp_engine *session)
{
    lt_receiver_sink sink = {.permission = permission,
                             .on_media = lt_session_deliver_media,
                             .on_rtcp = on_rtcp,
                             .on_control = on_control,
                             .user = session};

    session->receiver = lt_receiver_create(&session->config, &sink);
    return session->receiver ? LIVETCP_OK : LIVETCP_ERR_NO_MEMORY;
}

livetcp_result livetcp_engine_receive(livetcp_engine *session, unsigned index, const uint8_t *data,
                                      size_t size, const livetcp_rx_timestamp *stamp,
                                      livetcp_usec now)
{
    lt_connection *connection = &session->connections[index];
    const lt_receiver_slot_counts *counts = lt_receiver_get_slot(session->receiver, index);
    uint64_t packets = counts->packets;
    livetcp_result result;

    if (!lt_connection_has_socket(connection) || connection->doomed)
        return LIVETCP_OK; /* on its way out: what still comes is nobody's */
    session->now_us = now;
    connection->silent_from_us = now;
    result = lt_receiver_receive(session->receiver, index, data, size, now);
    if (stamp)
        lt_session_take_read_stamp(session, connection, stamp,
                                   (unsigned)(counts->packets - packets), now);
    if (result != LIVETCP_OK && !connection->doomed) {
        session->stats.protocol_errors++;
        lt_session_give_up(session, connection, result, now);
    }
    return result;
}
