/* SPDX-License-Identifier: MIT */
/* Asking the policy whether a packet that is under way is sent again. */
#include "core/session_internal.h"

/* Asks about one packet in flight; true if a copy was put somewhere. */
static bool review(lt_session *session, lt_packet *packet, livetcp_usec now)
{
    livetcp_decision decision = {.review_us = LIVETCP_NEVER};
    livetcp_policy_view view = lt_session_view(session, now);
    livetcp_packet_view about = lt_session_describe(packet);

    session->policy->review(session->policy_state, &view, &about, &decision);
    livetcp_usec soonest = now + LT_POLICY_RETRY_MIN_US;
    packet->review_us = decision.review_us > soonest ? decision.review_us : soonest;
    uint32_t chosen = decision.connections ? lt_session_contain(session, decision.connections) : 0;
    return lt_session_put_copies(session, packet, chosen & ~packet->carried, false, now) > 0;
}

/* What was written behind a packet that is late waits for the same repair, and is asked about now:
 * its copy need not wait for a round trip of its own. Packets with a copy elsewhere can wait. */
static void hurry_those_behind(const lt_connection *connection, size_t position, livetcp_usec now)
{
    const lt_unacked_entry *entry;

    while ((entry = lt_unacked_at(&connection->unacked, ++position))) {
        lt_packet *packet = entry->packet;
        if (packet->carried == UINT32_C(1) << connection->index &&
            packet->review_us != LIVETCP_NEVER && packet->review_us > now)
            packet->review_us = now;
    }
}

/* Asks about what is due on one connection. True if a copy was put somewhere; else *next is when
 * to look again, if that is sooner than it was. */
static bool review_connection(lt_session *session, const lt_connection *connection,
                              livetcp_usec now, livetcp_usec *next)
{
    const lt_unacked_entry *entry;

    for (size_t i = 0; (entry = lt_unacked_at(&connection->unacked, i)); i++) {
        lt_packet *packet = entry->packet;
        if (packet->delivered)
            continue;
        if (packet->review_us <= now) {
            hurry_those_behind(connection, i, now);
            if (review(session, packet, now))
                return true; /* and look again when that is written */
        }
        if (packet->review_us < *next)
            *next = packet->review_us;
    }
    return false;
}

bool lt_session_review_next(lt_session *session, livetcp_usec now)
{
    livetcp_usec next = LIVETCP_NEVER;

    if (!session->policy->review || now < session->review_us)
        return false;
    for (unsigned i = 0; i < session->count; i++)
        if (review_connection(session, &session->connections[i], now, &next))
            return true;
    session->review_us = next;
    return false;
}
