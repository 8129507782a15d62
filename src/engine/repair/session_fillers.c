/* SPDX-License-Identifier: MIT */
/*
 * Small packets that carry nothing.
 *
 * Chasers follow the last packet on a connection when nothing else does: TCP concludes from what
 * arrives later that a segment was lost (RFC 8985), so a packet alone on its connection waits for
 * a timer otherwise, some 200 ms and more. With several connections that is the common case when
 * the round trip is short. When it is long the next packet comes before the chaser could be
 * acknowledged: it does as well for the chaser's purpose, and would wait behind a chaser that is
 * lost. Then a chaser is sent only when the acknowledgement is overdue and nothing else came.
 *
 * Idle packets keep the congestion window of connections that the application leaves idle: Brosh
 * et al., section 6.2, a few small packets per round trip.
 */
#include "engine/session_internal.h"
#include "policy/forecast.h"

/* RACK waits a quarter of the round trip for reordered segments anyway: a chaser that is sent
 * within that time costs none, and one that comes as late as possible is needed least often. */
#define CHASE_PART   5
#define CHASE_MIN_US 1000

/* Where a stream of packets begins after a pause. */
#define PAUSE_US (200 * (livetcp_usec)LIVETCP_USEC_MSEC)

#define IDLE_MIN_US 5000

static bool can_fill(const livetcp_engine *session, const lt_connection *connection)
{
    const livetcp_path *path = connection->path;

    return !lt_session_plain(session) && connection->state == LIVETCP_CONNECTION_OPEN &&
           !connection->doomed && lt_connection_writable(connection) &&
           !(path->known & LIVETCP_PATH_UNSENT && path->unsent_bytes > 0);
}

static void fill(livetcp_engine *session, lt_connection *connection)
{
    lt_control message = {.type = LT_CONTROL_FILLER};

    lt_session_write_control(connection, &message);
    session->stats.sent.fillers++;
}

/* How long it usually is from one packet to the next on a connection; a pause counts as what it is
 * cut down to, so that one does not hide a steady stream. */
static void learn_gap(lt_connection *connection, livetcp_usec now)
{
    livetcp_usec gap = now - connection->last_media_us;
    livetcp_usec most = connection->gap_us ? 4 * connection->gap_us : PAUSE_US;

    if (connection->last_media_us != LIVETCP_NEVER) {
        gap = gap < most ? gap : most;
        connection->gap_us += (gap - connection->gap_us) / 4;
    }
    connection->last_media_us = now;
}

void lt_session_plan_chaser(const livetcp_engine *session, lt_connection *connection,
                            livetcp_usec now)
{
    livetcp_usec rtt = connection->path->rtt_us;
    livetcp_usec wait = rtt / CHASE_PART > CHASE_MIN_US ? rtt / CHASE_PART : CHASE_MIN_US;

    connection->chase_at_us = LIVETCP_NEVER;
    if (!(session->policy->wants & LIVETCP_WANTS_CHASERS) || !session->config.chasers ||
        lt_session_plain(session) || !(connection->path->known & LIVETCP_PATH_RTT))
        return;
    learn_gap(connection, now);
    connection->chase_when_late = connection->gap_us <= 2 * rtt + wait;
    if (connection->chase_when_late)
        wait = lt_ack_due(connection->path);
    connection->chase_at_us = now + wait;
}

/* Whoever is chased has waited for longer than the round trip of a local network, and is
 * acknowledged by now. Where nobody asks what is acknowledged, that is not known. */
static bool needs_chaser(const livetcp_engine *session, const lt_connection *connection)
{
    bool waits = connection->path->oldest_unacked_us != LIVETCP_NEVER;
    bool unknown = !lt_session_asks_facts(session) && !connection->chase_when_late;

    return can_fill(session, connection) && (waits || unknown);
}

static livetcp_usec idle_interval(const livetcp_engine *session)
{
    livetcp_usec interval =
        lt_session_round_trip(session) / (livetcp_usec)session->config.idle_packets;

    return interval > IDLE_MIN_US ? interval : IDLE_MIN_US;
}

void lt_session_not_idle(livetcp_engine *session, livetcp_usec now)
{
    session->last_media_us = now;
    if (session->config.idle_packets && !lt_session_plain(session))
        session->idle_at_us = now + idle_interval(session);
}

static void send_idle_packets(livetcp_engine *session, livetcp_usec now)
{
    for (unsigned i = 0; i < session->count; i++)
        if (can_fill(session, &session->connections[i]))
            fill(session, &session->connections[i]);
    bool enough = now >= session->last_media_us + session->config.idle_time_us;
    session->idle_at_us = enough ? LIVETCP_NEVER : now + idle_interval(session);
}

bool lt_session_send_fillers(livetcp_engine *session, livetcp_usec now)
{
    uint64_t before = session->stats.sent.fillers;

    for (unsigned i = 0; i < session->count; i++) {
        lt_connection *connection = &session->connections[i];
        if (now < connection->chase_at_us)
            continue;
        connection->chase_at_us = LIVETCP_NEVER;
        if (needs_chaser(session, connection))
            fill(session, connection);
    }
    if (now >= session->idle_at_us)
        send_idle_packets(session, now);
    return session->stats.sent.fillers > before;
}
