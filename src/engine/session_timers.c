/* SPDX-License-Identifier: MIT */
/* The one deadline of a session, and what is due when it has come. */
#include "engine/session_internal.h"

static livetcp_usec earlier(livetcp_usec a, livetcp_usec b)
{
    return a < b ? a : b;
}

/* LIVETCP_NEVER stays never. */
static livetcp_usec after(livetcp_usec since, livetcp_usec wait)
{
    return since == LIVETCP_NEVER ? LIVETCP_NEVER : since + wait;
}

static livetcp_usec silence_limit(const livetcp_engine *session, const lt_connection *connection)
{
    if (connection->state != LIVETCP_CONNECTION_OPEN || lt_session_plain(session))
        return LIVETCP_NEVER;
    return after(connection->silent_from_us, session->config.peer_timeout_us);
}

static livetcp_usec connection_deadline(const livetcp_engine *session,
                                        const lt_connection *connection)
{
    livetcp_usec due = LIVETCP_NEVER;

    if (connection->doomed)
        return due;
    if (connection->state == LIVETCP_CONNECTION_IDLE && session->caller)
        due = earlier(due, connection->connect_at_us);
    due = earlier(due, connection->join_by_us);
    due = earlier(due, connection->ping_at_us);
    due = earlier(due, connection->chase_at_us);
    return earlier(due, silence_limit(session, connection));
}

livetcp_usec livetcp_engine_deadline(const livetcp_engine *session)
{
    livetcp_usec due = LIVETCP_NEVER;

    if (session->state == LIVETCP_SESSION_CLOSED)
        return LIVETCP_NEVER;
    for (unsigned i = 0; i < session->count; i++)
        due = earlier(due, connection_deadline(session, &session->connections[i]));
    due = earlier(due, lt_reassembly_deadline(session->reassembly));
    due = earlier(due, session->retry_policy_us);
    due = earlier(due, session->review_us);
    due = earlier(due, session->idle_at_us);
    due = earlier(due, lt_session_parity_deadline(session));
    due = earlier(due, lt_reports_deadline(session->reports));
    due = earlier(due, session->late_check_us);
    due = earlier(due, session->abandoned_at_us);
    return session->closing ? earlier(due, session->drain_until_us) : due;
}

static void ping(const livetcp_engine *session, lt_connection *connection, livetcp_usec now)
{
    lt_control message = {.type = LT_CONTROL_PING, .timestamp = (uint64_t)now};

    /* One that is blocked has enough to send as it is. */
    if (!connection->path->blocked)
        lt_session_write_control(connection, &message);
    connection->ping_at_us = now + session->config.keepalive_interval_us;
}

static void expire_connection(livetcp_engine *session, lt_connection *connection, livetcp_usec now)
{
    if (connection->doomed)
        return;
    if (now >= connection->join_by_us)
        lt_session_give_up(session, connection, LIVETCP_ERR_HANDSHAKE_TIMEOUT, now);
    else if (now >= silence_limit(session, connection))
        lt_session_give_up(session, connection, LIVETCP_ERR_PEER_TIMEOUT, now);
    else if (now >= connection->ping_at_us)
        ping(session, connection, now);
}

void livetcp_engine_expire(livetcp_engine *session, livetcp_usec now)
{
    if (session->state == LIVETCP_SESSION_CLOSED)
        return;
    session->now_us = now;
    for (unsigned i = 0; i < session->count; i++)
        expire_connection(session, &session->connections[i], now);
    lt_session_flush_parity(session, now);
    lt_session_expire_reports(session, now);
    lt_reassembly_expire(session->reassembly, now);
    if (now >= session->retry_policy_us)
        session->retry_policy_us = LIVETCP_NEVER; /* next_write() asks again */
    if (now >= session->late_check_us)
        lt_session_drop_late(session, now);
    if (now >= session->abandoned_at_us)
        livetcp_engine_close(session, session->last_loss, 0, now);
    lt_session_check_drained(session, now);
}
