/* SPDX-License-Identifier: MIT */
/* Slots of a session: connecting, joining, adopted, lost, given up, tried again. */
#include "engine/session_internal.h"

void lt_session_set_state(livetcp_engine *session, lt_connection *connection,
                          livetcp_connection_state state, livetcp_result reason)
{
    if (connection->state == state)
        return;
    connection->state = state;
    lt_session_emit(session, (livetcp_engine_event){.type = LIVETCP_ENGINE_CONNECTION_STATE,
                                                    .connection = connection->index,
                                                    .state.connection = state,
                                                    .reason = reason});
}

static bool may_connect(const livetcp_engine *session)
{
    return session->caller && session->state != LIVETCP_SESSION_CLOSED;
}

bool livetcp_engine_next_connect(livetcp_engine *session, livetcp_usec now, unsigned *index)
{
    if (!may_connect(session))
        return false;
    for (unsigned i = 0; i < session->count; i++) {
        lt_connection *connection = &session->connections[i];
        if (connection->state != LIVETCP_CONNECTION_IDLE || now < connection->connect_at_us)
            continue;
        connection->connect_at_us = LIVETCP_NEVER;
        lt_session_set_state(session, connection, LIVETCP_CONNECTION_CONNECTING, LIVETCP_OK);
        *index = i;
        return true;
    }
    return false;
}

static void begin(livetcp_engine *session, lt_connection *connection, livetcp_usec now)
{
    lt_deframer_init(&connection->deframer, session->config.max_receive);
    connection->silent_from_us = now;
}

void lt_session_open(livetcp_engine *session, lt_connection *connection, livetcp_usec now)
{
    connection->path->usable = true;
    connection->join_by_us = LIVETCP_NEVER;
    connection->backoff_us = session->config.reconnect_min_us;
    if (!lt_session_plain(session))
        connection->ping_at_us = now + session->config.keepalive_interval_us;
    if (connection->state != LIVETCP_CONNECTION_OPEN)
        connection->opened++;
    lt_session_set_state(session, connection, LIVETCP_CONNECTION_OPEN, LIVETCP_OK);
    lt_session_update_state(session, now);
}

/* The first connected slot creates the session; the others join once the key is agreed. */
static livetcp_result start_handshake(livetcp_engine *session, lt_connection *connection)
{
    lt_reply reply = {.size = 0};
    livetcp_result result =
        lt_caller_start(&connection->handshake, &session->credentials, connection->index,
                        session->count, session->random, session->random_user, &reply);

    if (result != LIVETCP_OK)
        return result;
    connection->handshake_started = true;
    lt_outbox_add_control(&connection->outbox, reply.frame, reply.size);
    if (!session->credentials.has_key) {
        session->creator = (int)connection->index;
        connection->path->usable = true; /* media may follow CREATE at once */
    }
    return LIVETCP_OK;
}

void lt_session_start_handshakes(livetcp_engine *session, livetcp_usec now)
{
    for (unsigned i = 0; i < session->count; i++) {
        lt_connection *connection = &session->connections[i];
        if (connection->state != LIVETCP_CONNECTION_JOINING || connection->handshake_started ||
            connection->doomed)
            continue;
        if (!session->credentials.has_key && session->creator >= 0)
            return;
        livetcp_result result = start_handshake(session, connection);
        if (result != LIVETCP_OK)
            lt_session_give_up(session, connection, result, now);
    }
}

void livetcp_engine_connected(livetcp_engine *session, unsigned index, livetcp_usec now)
{
    lt_connection *connection = &session->connections[index];

    if (connection->state != LIVETCP_CONNECTION_CONNECTING)
        return;
    begin(session, connection, now);
    if (lt_session_plain(session)) {
        lt_session_open(session, connection, now);
        return;
    }
    connection->join_by_us = now + session->config.handshake_timeout_us;
    lt_session_set_state(session, connection, LIVETCP_CONNECTION_JOINING, LIVETCP_OK);
    lt_session_start_handshakes(session, now);
}

/* A caller whose connection broke notices before we do, and joins again. A slot that missed its
 * keepalives is such a one; a slot that is alive is not for sale. */
static bool is_stale(const livetcp_engine *session, const lt_connection *connection,
                     livetcp_usec now)
{
    return !lt_session_plain(session) &&
           now - connection->silent_from_us > 5 * session->config.keepalive_interval_us / 2;
}

livetcp_result livetcp_engine_adopt(livetcp_engine *session, unsigned index, livetcp_usec now)
{
    lt_connection *connection = &session->connections[index < session->count ? index : 0];

    if (index >= session->count)
        return LIVETCP_ERR_INDEX_RANGE;
    if (session->closing || session->state == LIVETCP_SESSION_CLOSED)
        return LIVETCP_ERR_CLOSED;
    if (connection->state != LIVETCP_CONNECTION_IDLE) {
        /* This attempt still fails; the caller's next one finds the slot free. */
        if (is_stale(session, connection, now))
            lt_session_give_up(session, connection, LIVETCP_ERR_PEER_TIMEOUT, now);
        return LIVETCP_ERR_INDEX_IN_USE;
    }
    lt_pending_proof pending = connection->pending;
    begin(session, connection, now);
    connection->pending = pending;
    if (!pending.pending)
        session->confirmed = true;
    lt_session_open(session, connection, now);
    /* It carries media already, but a replayed CREATE must not do so for long. */
    if (pending.pending)
        connection->join_by_us = now + session->config.handshake_timeout_us;
    return LIVETCP_OK;
}

/* A new identity for a session whose listener has forgotten it. */
static void renew_credentials(livetcp_engine *session, livetcp_usec now)
{
    session->creator = -1;
    session->confirmed = false;
    lt_feedback_forget_peer(&session->feedback);
    livetcp_result result =
        lt_credentials_create(&session->credentials, NULL, session->random, session->random_user);
    if (result != LIVETCP_OK) {
        session->closing = true;
        session->close_reason = result;
        lt_session_finish(session, now);
    }
}

static void schedule_reconnect(livetcp_engine *session, lt_connection *connection, livetcp_usec now)
{
    double spread = 0.75 + 0.5 * lt_rng_uniform(&session->jitter);

    connection->connect_at_us = now + (livetcp_usec)(spread * (double)connection->backoff_us);
    connection->backoff_us *= 2;
    if (connection->backoff_us > session->config.reconnect_max_us)
        connection->backoff_us = session->config.reconnect_max_us;
}

static void repair_identity(livetcp_engine *session, lt_connection *connection,
                            livetcp_result reason, livetcp_usec now)
{
    bool was_creator = session->creator == (int)connection->index;
    bool forgotten = reason == LIVETCP_ERR_UNKNOWN_SESSION && session->credentials.has_key &&
                     !lt_session_open_connections(session);

    if (!session->caller || lt_session_plain(session))
        return;
    if (forgotten || (was_creator && !session->credentials.has_key))
        renew_credentials(session, now);
    else if (was_creator)
        session->creator = -1;
}

void lt_session_requeue(livetcp_engine *session, lt_packet *packet, unsigned connection)
{
    if (!packet)
        return;
    packet->carried &= ~(UINT32_C(1) << connection);
    bool needed = !packet->delivered && !packet->carried && !packet->parity;
    if (needed && session->state != LIVETCP_SESSION_CLOSED) {
        session->stats.sent.resent += packet->written;
        if (lt_session_put_back(session, packet))
            return;
        lt_session_note_loss(session, packet);
    }
    session->stats.dropped.connection += needed;
    lt_packet_unref(&packet);
}

static void detach(livetcp_engine *session, lt_connection *connection, livetcp_result reason,
                   livetcp_usec now)
{
    lt_packet *cut_short = lt_outbox_clear(&connection->outbox);
    bool again = may_connect(session) && session->config.reconnect;

    lt_session_requeue(session, cut_short, connection->index);
    lt_session_recover_flight(session, connection);
    lt_session_forget_announced(session, connection->index);
    lt_connection_reset(connection);
    connection->last_error = reason;
    session->last_loss = reason;
    bool reopenable =
        !session->caller && !session->closing && session->state != LIVETCP_SESSION_CLOSED;
    lt_session_set_state(session, connection,
                         again || reopenable ? LIVETCP_CONNECTION_IDLE : LIVETCP_CONNECTION_CLOSED,
                         reason);
    if (again)
        schedule_reconnect(session, connection, now);
    if (session->state == LIVETCP_SESSION_CLOSED)
        return;
    repair_identity(session, connection, reason, now);
    lt_session_start_handshakes(session, now);
    lt_session_update_state(session, now);
}

void livetcp_engine_lost(livetcp_engine *session, unsigned index, livetcp_result reason,
                         livetcp_usec now)
{
    lt_connection *connection = &session->connections[index];

    if (connection->state != LIVETCP_CONNECTION_IDLE &&
        connection->state != LIVETCP_CONNECTION_CLOSED)
        detach(session, connection, connection->doomed ? connection->doom_reason : reason, now);
}

static void say_goodbye(const livetcp_engine *session, lt_connection *connection,
                        livetcp_result reason)
{
    lt_control message = {.type = session->closing ? LT_CONTROL_BYE : LT_CONTROL_REJECT,
                          .reason = (uint8_t)lt_reason_of(reason)};
    lt_session_write_control(connection, &message);
}

void lt_session_condemn(livetcp_engine *session, lt_connection *connection, livetcp_result reason,
                        livetcp_usec now)
{
    lt_packet *unsent = lt_outbox_clear(&connection->outbox);

    lt_session_requeue(session, unsent, connection->index);
    connection->path->usable = false;
    connection->doomed = true;
    connection->doom_reason = reason;
    connection->doomed_at_us = now;
    connection->join_by_us = LIVETCP_NEVER;
    connection->ping_at_us = LIVETCP_NEVER;
}

void lt_session_give_up(livetcp_engine *session, lt_connection *connection, livetcp_result reason,
                        livetcp_usec now)
{
    if (connection->doomed || connection->state == LIVETCP_CONNECTION_CLOSED)
        return;
    if (connection->state == LIVETCP_CONNECTION_IDLE) {
        connection->connect_at_us = LIVETCP_NEVER;
        if (session->closing)
            connection->state = LIVETCP_CONNECTION_CLOSED;
        return;
    }
    bool heard = lt_outbox_at_boundary(&connection->outbox) && lt_connection_has_socket(connection);
    lt_session_condemn(session, connection, reason, now);
    if (heard && session->closing)
        lt_session_report_goodbye(session, connection, now);
    if (heard && !lt_session_plain(session))
        say_goodbye(session, connection, reason);
}

bool livetcp_engine_next_close(livetcp_engine *session, unsigned *index, livetcp_result *reason)
{
    for (unsigned i = 0; i < LIVETCP_MAX_CONNECTIONS; i++) {
        lt_connection *connection = &session->connections[i];
        if (!connection->doomed ||
            (!lt_outbox_idle(&connection->outbox) && lt_connection_writable(connection)))
            continue;
        *index = i;
        *reason = connection->doom_reason;
        detach(session, connection, connection->doom_reason, connection->doomed_at_us);
        return true;
    }
    return false;
}
