/* SPDX-License-Identifier: MIT */
/* Bytes from a connection: deframed, told apart, delivered. */
#include "engine/session_internal.h"

static void deliver_rtcp(livetcp_engine *session, lt_connection *connection, lt_arrival *arrival)
{
    arrival->rtcp = true;
    arrival->report = lt_session_is_report(session, arrival->data, arrival->size);
    if (!arrival->report) {
        connection->packets_received++;
        session->stats.received.packets++;
        session->stats.received.bytes += arrival->size;
    }
    lt_session_hand_over(session, arrival);
}

/* Whether a packet is parity, which is not media. */
static bool take_parity(livetcp_engine *session, const lt_arrival *arrival,
                        const lt_rtp_header *header)
{
    return session->parity && lt_parity_decoder_take(session->parity, arrival->data, arrival->size,
                                                     header, arrival->arrival_us);
}

static livetcp_result take_media(livetcp_engine *session, lt_connection *connection,
                                 lt_arrival *arrival)
{
    lt_rtp_header header;

    if (!lt_connection_takes_media(connection))
        return LIVETCP_ERR_PROTOCOL;
    lt_rtp_parse(arrival->data, arrival->size, &header);
    if (!take_parity(session, arrival, &header)) {
        connection->packets_received++;
        lt_reassembly_push(session->reassembly, arrival, &header); /* out of memory: one is lost */
    }
    if (session->parity)
        lt_session_deliver_rebuilt(session, arrival);
    return LIVETCP_OK;
}

static livetcp_result take_rtcp(livetcp_engine *session, lt_connection *connection,
                                lt_arrival *arrival)
{
    if (!lt_session_plain(session) && lt_control_is(arrival->data, arrival->size))
        return lt_session_control(session, connection, arrival->data, arrival->size,
                                  arrival->arrival_us);
    if (!lt_connection_takes_media(connection))
        return LIVETCP_ERR_PROTOCOL;
    lt_session_hear_report(session, arrival);
    deliver_rtcp(session, connection, arrival);
    return LIVETCP_OK;
}

static livetcp_result take_frame(livetcp_engine *session, lt_connection *connection,
                                 const uint8_t *frame, size_t size, livetcp_usec now)
{
    lt_arrival arrival = {
        .data = frame, .size = size, .arrival_us = now, .connection = connection->index};

    if (size == 0) {
        session->stats.received.null_frames++;
        return LIVETCP_OK;
    }
    switch (lt_rtp_classify(frame, size)) {
    case LT_RTP_MEDIA:
        return take_media(session, connection, &arrival);
    case LT_RTP_CONTROL:
        return take_rtcp(session, connection, &arrival);
    default:
        return LIVETCP_ERR_GARBAGE;
    }
}

static livetcp_result take_all(livetcp_engine *session, lt_connection *connection,
                               const uint8_t *data, size_t size, livetcp_usec now)
{
    livetcp_result result = LIVETCP_OK;

    while (result == LIVETCP_OK && !connection->doomed) {
        const uint8_t *frame;
        size_t frame_size;
        switch (lt_deframer_next(&connection->deframer, &data, &size, &frame, &frame_size)) {
        case LT_DEFRAME_FRAME:
            result = take_frame(session, connection, frame, frame_size, now);
            break;
        case LT_DEFRAME_MORE:
            return LIVETCP_OK;
        case LT_DEFRAME_TOO_LARGE:
            result = LIVETCP_ERR_FRAME_TOO_LARGE;
            break;
        case LT_DEFRAME_NO_MEMORY:
            result = LIVETCP_ERR_NO_MEMORY;
            break;
        }
    }
    return result;
}

livetcp_result livetcp_engine_receive(livetcp_engine *session, unsigned index, const uint8_t *data,
                                      size_t size, const livetcp_rx_timestamp *stamp,
                                      livetcp_usec now)
{
    lt_connection *connection = &session->connections[index];
    uint64_t packets = connection->packets_received;
    livetcp_result result;

    if (!lt_connection_has_socket(connection) || connection->doomed)
        return LIVETCP_OK; /* on its way out: what still comes is nobody's */
    session->now_us = now;
    connection->silent_from_us = now;
    connection->bytes_read += size;
    session->stats.received.bytes_read += size;
    result = take_all(session, connection, data, size, now);
    if (stamp)
        lt_session_take_read_stamp(session, connection, stamp,
                                   (unsigned)(connection->packets_received - packets), now);
    if (result != LIVETCP_OK && !connection->doomed) {
        session->stats.received.protocol_errors++;
        lt_session_give_up(session, connection, result, now);
    }
    return result;
}
