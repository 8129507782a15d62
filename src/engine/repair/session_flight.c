/* SPDX-License-Identifier: MIT */
/* Packets that the kernel has and the peer has not acknowledged. */
#include "engine/session_internal.h"

/* An original that is acknowledged so much later than a copy would have been late without it. What
 * is acknowledged together is seen within one round of asking the platform. */
#define SAVED_US 5000

/* Without facts nothing would ever be let go; a plain peer could not tell copies apart. */
static bool keeps_record(const livetcp_engine *session)
{
    return lt_session_asks_facts(session) && !lt_session_plain(session);
}

static void update_oldest(lt_connection *connection)
{
    const lt_unacked_entry *oldest = lt_unacked_at(&connection->unacked, 0);

    connection->path->oldest_unacked_us = oldest ? oldest->written_us : LIVETCP_NEVER;
}

void lt_session_in_flight(livetcp_engine *session, lt_connection *connection, lt_packet *packet,
                          livetcp_usec now)
{
    if (!keeps_record(session)) {
        packet->carried &= ~(UINT32_C(1) << connection->index);
        lt_packet_unref(&packet);
        return;
    }
    if (packet->review_us < session->review_us)
        session->review_us = packet->review_us;
    lt_unacked_add(&connection->unacked, packet, connection->stream_bytes, now);
    update_oldest(connection);
}

static void count_arrival(livetcp_engine *session, const lt_connection *connection,
                          lt_packet *packet, livetcp_usec now)
{
    if (!packet->delivered) {
        packet->delivered = true;
        packet->delivered_us = now;
    } else if (packet->first_connection == connection->index && !packet->parity &&
               now - packet->delivered_us >= SAVED_US) {
        session->stats.sent.copies_useful++;
    }
}

void lt_session_acknowledged(livetcp_engine *session, lt_connection *connection, livetcp_usec now)
{
    uint64_t queued = connection->path->queued_bytes;
    uint64_t acknowledged =
        connection->stream_bytes > queued ? connection->stream_bytes - queued : 0;
    livetcp_usec written_us = connection->path->oldest_unacked_us;
    lt_packet *packet;

    if (!(connection->path->known & LIVETCP_PATH_QUEUED))
        return;
    while ((packet = lt_unacked_take(&connection->unacked, acknowledged))) {
        packet->carried &= ~(UINT32_C(1) << connection->index);
        if (!packet->delivered)
            lt_session_observe_acknowledged(session, connection, packet, written_us, now);
        count_arrival(session, connection, packet, now);
        lt_packet_unref(&packet);
        update_oldest(connection);
        written_us = connection->path->oldest_unacked_us;
    }
    connection->acked_at_us = now;
    connection->repairing = connection->path->tcp_state >= LIVETCP_TCP_DISORDER;
}

void lt_session_alarm(livetcp_engine *session, const lt_connection *connection, livetcp_usec now)
{
    const lt_unacked_entry *entry;

    if (!session->policy->review)
        return;
    for (size_t i = 0; (entry = lt_unacked_at(&connection->unacked, i)); i++) {
        lt_packet *packet = entry->packet;
        if (packet->carried == UINT32_C(1) << connection->index && packet->review_us > now &&
            !packet->rtcp && !packet->parity)
            packet->review_us = session->review_us = now;
    }
}

void lt_session_recover_flight(livetcp_engine *session, lt_connection *connection)
{
    lt_packet *packet;

    /* A peer that has ended, or that we have told to, reads nothing that comes a second time. */
    if (session->closing || session->state == LIVETCP_SESSION_CLOSED)
        lt_unacked_clear(&connection->unacked);
    while ((packet = lt_unacked_take_last(&connection->unacked))) {
        if (packet->delivered && packet->first_connection == connection->index && !packet->parity)
            session->stats.sent.copies_useful++;
        lt_session_requeue(session, packet, connection->index);
    }
    update_oldest(connection);
}
