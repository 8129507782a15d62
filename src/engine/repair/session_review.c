/* SPDX-License-Identifier: MIT */
/* Asking the policy whether a packet that is under way is sent again. It happens in rounds: one
 * walk over all that is in flight gathers what is due, and the policy is asked about that, one by
 * one, as the copies are written. So a backlog of thousands costs a walk for every LT_REVIEW_MAX
 * questions, and one that nothing can be done about costs a walk every LT_POLICY_RETRY_US. */
#include "engine/session_internal.h"

static bool is_due(const lt_packet *packet, livetcp_usec now)
{
    return !packet->delivered && packet->carried && packet->review_us <= now;
}

/* What was written behind a packet that is late waits for the same repair, and is due with it: its
 * copy need not wait for a round trip of its own. Packets with a copy elsewhere can wait. */
static bool waits_behind(const lt_packet *packet, const lt_connection *connection)
{
    return packet->carried == UINT32_C(1) << connection->index &&
           packet->review_us != LIVETCP_NEVER;
}

/* Takes in what is due on one connection, as far as there is room; false if there was not. *next is
 * when the rest is due, if that is sooner than it was. */
static bool gather_from(livetcp_engine *session, const lt_connection *connection, livetcp_usec now,
                        livetcp_usec *next)
{
    const lt_unacked_entry *entry;
    bool late = false, room = true;

    for (size_t i = 0; (entry = lt_unacked_at(&connection->unacked, i)); i++) {
        lt_packet *packet = entry->packet;
        if (late && packet->review_us > now && waits_behind(packet, connection))
            packet->review_us = now;
        if (!is_due(packet, now)) {
            if (!packet->delivered && packet->review_us > now && packet->review_us < *next)
                *next = packet->review_us;
            continue;
        }
        late = true;
        if (session->due_count < LT_REVIEW_MAX)
            session->due[session->due_count++] = lt_packet_ref(packet);
        else
            room = false;
    }
    return room;
}

/* A round begins; after one that was too small for all, with another connection, so that none
 * starves. */
static void gather(livetcp_engine *session, livetcp_usec now)
{
    livetcp_usec next = LIVETCP_NEVER;

    if (session->due_left_out)
        session->next_to_review = (session->next_to_review + 1) % session->count;
    session->due_count = session->due_asked = 0;
    session->due_left_out = false;
    for (unsigned i = 0; i < session->count; i++) {
        unsigned index = (session->next_to_review + i) % session->count;
        if (!gather_from(session, &session->connections[index], now, &next))
            session->due_left_out = true;
    }
    session->review_us = session->due_left_out ? now + LT_POLICY_RETRY_US : next;
}

/* Asks about one packet; true if a copy was put somewhere. */
static bool review(livetcp_engine *session, lt_packet *packet, livetcp_usec now)
{
    livetcp_decision decision = {.review_us = LIVETCP_NEVER};
    livetcp_policy_view view = lt_session_view(session, now);
    livetcp_packet_view about = lt_session_describe(packet);

    session->policy->review(session->policy_state, &view, &about, &decision);
    livetcp_usec soonest = now + LT_POLICY_RETRY_MIN_US;
    packet->review_us = decision.review_us > soonest ? decision.review_us : soonest;
    if (!session->due_left_out && packet->review_us < session->review_us)
        session->review_us = packet->review_us;
    uint32_t chosen = decision.connections ? lt_session_contain(session, decision.connections) : 0;
    return lt_session_put_copies(session, packet, chosen & ~packet->carried, false, now) > 0;
}

/* Asks about the next of the round, if it is still due. */
static bool review_gathered(livetcp_engine *session, livetcp_usec now)
{
    lt_packet *packet = session->due[session->due_asked++];
    bool copied = is_due(packet, now) && review(session, packet, now);

    lt_packet_unref(&packet);
    /* There is room: what this round had no place for comes at once. */
    if (copied && session->due_left_out)
        session->review_us = now;
    return copied;
}

bool lt_session_review_next(livetcp_engine *session, livetcp_usec now)
{
    if (!session->policy->review)
        return false;
    for (;;) {
        while (session->due_asked < session->due_count)
            if (review_gathered(session, now))
                return true; /* and on when that is written */
        if (now < session->review_us)
            return false;
        gather(session, now);
    }
}

void lt_session_end_review(livetcp_engine *session)
{
    while (session->due_asked < session->due_count)
        lt_packet_unref(&session->due[session->due_asked++]);
}
