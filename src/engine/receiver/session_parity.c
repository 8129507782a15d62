/* SPDX-License-Identifier: MIT */
/* Parity that the peer sends: announced, taken out of the stream, turned into the packets that are
 * missing. Until the first announcement there is no decoder, and nothing is done for any packet. */
#include "engine/session_internal.h"

livetcp_result lt_session_parity_announced(livetcp_engine *session, const lt_control *message)
{
    if (!session->parity)
        session->parity = lt_parity_decoder_create(session->config.max_receive);
    if (!session->parity)
        return LIVETCP_ERR_NO_MEMORY;
    return lt_parity_decoder_announce(session->parity, message->parity_ssrc, message->media_ssrc,
                                      message->payload_type);
}

/* Packets that reassembly did not want. */
static uint64_t unwanted(const livetcp_engine *session)
{
    const lt_reassembly_stats *stats = lt_reassembly_get_stats(session->reassembly);
    return stats->duplicates + stats->late_discarded;
}

/* A rebuilt packet arrives now, by the connection that brought the last piece; its original will be
 * the duplicate. */
static void deliver_rebuilt(livetcp_engine *session, lt_packet *packet, const lt_arrival *piece)
{
    lt_arrival arrival = {.data = lt_packet_data(packet),
                          .size = lt_packet_size(packet),
                          .arrival_us = piece->arrival_us,
                          .connection = piece->connection,
                          .packet = packet};
    uint64_t unwanted_before = unwanted(session);
    lt_rtp_header header;

    if (lt_rtp_parse(arrival.data, arrival.size, &header) &&
        lt_reassembly_push(session->reassembly, &arrival, &header) == LIVETCP_OK &&
        unwanted(session) == unwanted_before)
        session->stats.received.parity_useful++;
}

void lt_session_deliver_rebuilt(livetcp_engine *session, const lt_arrival *piece)
{
    lt_packet *packet;

    while ((packet = lt_parity_decoder_next(session->parity, piece->arrival_us))) {
        deliver_rebuilt(session, packet, piece);
        lt_packet_unref(&packet);
    }
}
