/* SPDX-License-Identifier: MIT */
/* A session's life: made, open or not, closed. Its work is in the other session_*.c files. */
#include "engine/session_internal.h"

#include <stdlib.h>

static unsigned slots_wanted(const lt_session_setup *setup)
{
    unsigned wanted = setup->config->connections;
    unsigned useful = setup->policy->max_connections;

    if (setup->config->wire == LIVETCP_WIRE_PLAIN)
        return 1;
    return setup->caller && useful && useful < wanted ? useful : wanted;
}

static livetcp_result prepare_secrets(lt_session *session)
{
    uint64_t seed;
    livetcp_result result = session->random(session->random_user, (uint8_t *)&seed, sizeof seed);

    if (result != LIVETCP_OK)
        return result;
    lt_rng_seed(&session->jitter, seed);
    if (!session->caller || lt_session_plain(session))
        return LIVETCP_OK;
    return lt_credentials_create(&session->credentials, NULL, session->random,
                                 session->random_user);
}

static livetcp_result prepare_parts(lt_session *session, const char *cname)
{
    const livetcp_config *config = &session->config;

    session->queue = lt_send_queue_create(config->queue_packets, config->queue_bytes);
    session->reassembly = lt_reassembly_create(config->order, config->order_wait_us,
                                               lt_session_deliver_media, session);
    session->policy_state =
        calloc(1, session->policy->state_size ? session->policy->state_size : 1);
    if (!session->queue || !session->reassembly || !session->policy_state)
        return LIVETCP_ERR_NO_MEMORY;
    lt_bitrate_init(&session->bitrate, config->min_bitrate, config->max_bitrate);
    lt_budget_init(&session->budget, 0); /* the ratio follows the stream's rate */
    if (session->policy->init)
        session->policy->init(session->policy_state, config);
    livetcp_result result = prepare_secrets(session);
    return result == LIVETCP_OK ? lt_session_prepare_reports(session, cname) : result;
}

static void prepare_slots(lt_session *session)
{
    for (unsigned i = 0; i < LIVETCP_MAX_CONNECTIONS; i++) {
        lt_connection *connection = &session->connections[i];
        connection->index = i;
        connection->path = &session->paths[i];
        connection->backoff_us = session->config.reconnect_min_us;
        lt_connection_reset(connection);
        if (session->caller)
            connection->connect_at_us = INT64_MIN; /* at once, whatever the clock says */
    }
}

livetcp_result lt_session_create(const lt_session_setup *setup, lt_session **out)
{
    lt_session *session = calloc(1, sizeof *session);
    livetcp_result result = LIVETCP_ERR_NO_MEMORY;

    if (session) {
        session->config = *setup->config;
        session->policy = setup->policy;
        session->caller = setup->caller;
        session->random = setup->random;
        session->random_user = setup->random_user;
        session->deliver = setup->deliver;
        session->deliver_user = setup->deliver_user;
        session->count = slots_wanted(setup);
        session->creator = -1;
        session->confirmed = lt_session_plain(session);
        session->retry_policy_us = LIVETCP_NEVER;
        session->review_us = LIVETCP_NEVER;
        session->last_media_us = LIVETCP_NEVER;
        session->idle_at_us = LIVETCP_NEVER;
        session->abandoned_at_us = LIVETCP_NEVER;
        session->look_at_us = INT64_MIN;
        prepare_slots(session);
        lt_session_prepare_drops(session);
        lt_session_prepare_feedback(session);
        lt_session_prepare_stamps(session);
        result = prepare_parts(session, setup->cname);
    }
    if (result != LIVETCP_OK)
        lt_session_destroy(&session);
    *out = session;
    return result;
}

void lt_session_destroy(lt_session **owner)
{
    lt_session *session = *owner;

    if (!session)
        return;
    for (unsigned i = 0; i < LIVETCP_MAX_CONNECTIONS; i++)
        lt_connection_reset(&session->connections[i]);
    lt_session_end_parity(session);
    lt_session_end_review(session);
    lt_send_queue_destroy(&session->queue);
    lt_reassembly_destroy(&session->reassembly);
    lt_parity_decoder_destroy(&session->parity);
    lt_reporter_destroy(&session->reporter);
    lt_credentials_wipe(&session->credentials);
    free(session->policy_state);
    free(session);
    *owner = NULL;
}

void lt_session_set_credentials(lt_session *session, const lt_credentials *credentials,
                                const lt_pending_proof *pending, unsigned count)
{
    session->credentials = *credentials;
    session->count = count;
    session->connections[pending->index].pending = *pending;
}

const lt_credentials *lt_session_credentials(const lt_session *session)
{
    return &session->credentials;
}

void lt_session_emit(lt_session *session, lt_event event)
{
    if (session->event_count == LT_EVENTS_MAX) {
        if (event.type != LT_EVENT_SESSION_STATE)
            return;
        session->first_event = (session->first_event + 1) % LT_EVENTS_MAX;
        session->event_count--;
    }
    session->events[(session->first_event + session->event_count++) % LT_EVENTS_MAX] = event;
}

bool lt_session_next_event(lt_session *session, lt_event *event)
{
    if (!session->event_count)
        return false;
    *event = session->events[session->first_event];
    session->first_event = (session->first_event + 1) % LT_EVENTS_MAX;
    session->event_count--;
    return true;
}

static void set_session_state(lt_session *session, livetcp_session_state state,
                              livetcp_result reason)
{
    if (session->state == state)
        return;
    session->state = state;
    lt_session_emit(
        session,
        (lt_event){.type = LT_EVENT_SESSION_STATE, .state.session = state, .reason = reason});
}

/* Whether a slot has, or may yet get, a connection. */
static bool has_future(const lt_session *session)
{
    for (unsigned i = 0; i < session->count; i++) {
        livetcp_connection_state state = session->connections[i].state;
        if (state == LIVETCP_CONNECTION_CONNECTING || state == LIVETCP_CONNECTION_JOINING ||
            (state == LIVETCP_CONNECTION_IDLE && session->caller))
            return true;
    }
    return false;
}

unsigned lt_session_open_connections(const lt_session *session)
{
    unsigned open = 0;
    for (unsigned i = 0; i < session->count; i++)
        open += session->connections[i].state == LIVETCP_CONNECTION_OPEN;
    return open;
}

/* A listener's session waits for its caller to come back, unless it never proved to be anybody. */
static livetcp_usec linger(const lt_session *session)
{
    return session->confirmed && !lt_session_plain(session) ? session->config.linger_us : 0;
}

void lt_session_update_state(lt_session *session, livetcp_usec now)
{
    if (session->state == LIVETCP_SESSION_CLOSED)
        return;
    if (session->peer_ended) {
        lt_session_check_drained(session, now);
        return;
    }
    if (lt_session_open_connections(session) > 0) {
        session->abandoned_at_us = LIVETCP_NEVER;
        set_session_state(session, LIVETCP_SESSION_OPEN, LIVETCP_OK);
        return;
    }
    if (session->state == LIVETCP_SESSION_OPEN && !session->caller) {
        livetcp_usec wait = linger(session);
        session->abandoned_at_us = now + wait;
        if (wait == 0) {
            lt_session_close(session, session->last_loss, 0, now);
            return;
        }
    }
    if (session->caller && !has_future(session)) {
        lt_session_close(session, session->last_loss, 0, now);
        return;
    }
    set_session_state(session, LIVETCP_SESSION_CONNECTING, session->last_loss);
}

void lt_session_finish(lt_session *session, livetcp_usec now)
{
    for (unsigned i = 0; i < LIVETCP_MAX_CONNECTIONS; i++)
        lt_session_give_up(session, &session->connections[i], session->close_reason, now);
    lt_send_queue_clear(session->queue);                      /* what they had not written, too */
    lt_reassembly_expire(session->reassembly, LIVETCP_NEVER); /* nothing fills a gap any more */
    lt_credentials_wipe(&session->credentials);
    set_session_state(session, LIVETCP_SESSION_CLOSED, session->close_reason);
}

static bool all_written(const lt_session *session)
{
    for (unsigned i = 0; i < session->count; i++)
        if (!lt_outbox_idle(&session->connections[i].outbox))
            return false;
    return lt_send_queue_packets(session->queue) == 0;
}

void lt_session_check_drained(lt_session *session, livetcp_usec now)
{
    bool done =
        session->peer_ended ? lt_session_open_connections(session) == 0 : all_written(session);

    if (session->closing && session->state != LIVETCP_SESSION_CLOSED &&
        (done || now >= session->drain_until_us))
        lt_session_finish(session, now);
}

void lt_session_hear_goodbye(lt_session *session, lt_connection *connection, livetcp_usec now)
{
    if (!session->peer_ended) {
        session->closing = session->peer_ended = true;
        session->close_reason = LIVETCP_ERR_CLOSED;
        session->drain_until_us = now + session->config.peer_timeout_us;
    }
    lt_session_condemn(session, connection, LIVETCP_ERR_CLOSED, now);
    lt_send_queue_clear(session->queue); /* the peer does not read it */
}

void lt_session_close(lt_session *session, livetcp_result reason, livetcp_usec drain_us,
                      livetcp_usec now)
{
    if (session->state == LIVETCP_SESSION_CLOSED)
        return;
    if (!session->closing)
        session->close_reason = reason;
    session->closing = true;
    session->drain_until_us = now + drain_us;
    lt_session_check_drained(session, now);
}

livetcp_session_state lt_session_state(const lt_session *session)
{
    return session->state;
}

unsigned lt_session_connections(const lt_session *session)
{
    return session->count;
}
