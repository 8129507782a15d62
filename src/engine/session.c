/* SPDX-License-Identifier: MIT */
/* A session's life: made, open or not, closed. Its work is in the other session_*.c files. */
#include "base/error.h"
#include "base/sized.h"
#include "engine/pending.h"
#include "engine/session_internal.h"
#include "settings/settings.h"

#include <stdlib.h>

static unsigned slots_wanted(const livetcp_engine *session)
{
    unsigned wanted = session->config.connections;
    unsigned useful = session->policy->max_connections;

    if (lt_session_plain(session))
        return 1;
    return session->caller && useful && useful < wanted ? useful : wanted;
}

static livetcp_result prepare_secrets(livetcp_engine *session)
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

static livetcp_result prepare_parts(livetcp_engine *session, const char *cname)
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

static void prepare_slots(livetcp_engine *session)
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

static void prepare_times(livetcp_engine *session)
{
    session->retry_policy_us = LIVETCP_NEVER;
    session->review_us = LIVETCP_NEVER;
    session->last_media_us = LIVETCP_NEVER;
    session->idle_at_us = LIVETCP_NEVER;
    session->abandoned_at_us = LIVETCP_NEVER;
    session->look_at_us = INT64_MIN;
}

/* The session that a caller has asked for. */
static void take_over(livetcp_engine *session, const livetcp_pending *pending)
{
    lt_pending_proof proof;

    session->count = lt_pending_session(pending, &session->credentials, &proof);
    session->connections[proof.index].pending = proof;
}

static livetcp_result prepare(livetcp_engine *session, const livetcp_engine_setup *setup)
{
    session->caller = setup->caller;
    session->random = setup->random;
    session->random_user = setup->random_user;
    session->on_packet = setup->on_packet;
    session->user = setup->user;
    session->count = slots_wanted(session);
    session->creator = -1;
    session->confirmed = lt_session_plain(session);
    prepare_times(session);
    prepare_slots(session);
    lt_session_prepare_drops(session);
    lt_session_prepare_feedback(session);
    lt_session_prepare_stamps(session);
    if (setup->pending)
        take_over(session, setup->pending);
    return prepare_parts(session, setup->cname);
}

/* Host and port are the owner's business. */
static livetcp_result check_setup(const livetcp_engine_setup *setup, livetcp_config *config,
                                  const livetcp_policy **policy, livetcp_error *error)
{
    livetcp_result result;

    if (!setup->config || !setup->random)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "an engine needs a config and a source of randomness: one of them is NULL");
    result = lt_config_read(config, setup->config, error);
    if (result == LIVETCP_OK)
        result = lt_config_check_session(config, setup->policy, error);
    *policy = setup->policy ? setup->policy : livetcp_policy_find(config->policy);
    return result;
}

livetcp_result livetcp_engine_create(const livetcp_engine_setup *given, livetcp_engine **out,
                                     livetcp_error *error)
{
    livetcp_engine_setup setup = {.struct_size = 0};
    const livetcp_policy *policy = NULL;
    livetcp_config config;
    livetcp_engine *session;
    livetcp_result result;

    *out = NULL;
    if (!lt_sized_valid(given, LT_SIZE_THROUGH(livetcp_engine_setup, cname)))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "the livetcp_engine_setup has struct_size %zu: set it to "
                       "sizeof(livetcp_engine_setup)",
                       lt_sized_size(given));
    lt_sized_read(&setup, sizeof setup, given);
    result = check_setup(&setup, &config, &policy, error);
    if (result != LIVETCP_OK)
        return result;
    session = calloc(1, sizeof *session);
    if (!session)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for a session");
    session->config = config;
    session->policy = policy;
    result = prepare(session, &setup);
    if (result != LIVETCP_OK) {
        livetcp_engine_destroy(&session);
        return lt_fail(error, result, "cannot make a session: %s", livetcp_result_text(result));
    }
    *out = session;
    return LIVETCP_OK;
}

void livetcp_engine_destroy(livetcp_engine **owner)
{
    livetcp_engine *session = *owner;

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

const uint8_t *livetcp_engine_session_id(const livetcp_engine *session)
{
    return session->credentials.session_id;
}

const lt_credentials *lt_session_credentials(const livetcp_engine *session)
{
    return &session->credentials;
}

void lt_session_hand_over(livetcp_engine *session, const lt_arrival *arrival)
{
    livetcp_packet packet = {.data = arrival->data,
                             .size = arrival->size,
                             .arrival_us = arrival->arrival_us,
                             .connection = arrival->connection,
                             .rtcp = arrival->rtcp,
                             .report = arrival->report,
                             .discontinuity = arrival->discontinuity};

    if (session->on_packet)
        session->on_packet(session->user, &packet);
}

void lt_session_emit(livetcp_engine *session, livetcp_engine_event event)
{
    if (session->event_count == LT_EVENTS_MAX) {
        if (event.type != LIVETCP_ENGINE_SESSION_STATE)
            return;
        session->first_event = (session->first_event + 1) % LT_EVENTS_MAX;
        session->event_count--;
    }
    session->events[(session->first_event + session->event_count++) % LT_EVENTS_MAX] = event;
}

bool livetcp_engine_next_event(livetcp_engine *session, livetcp_engine_event *event)
{
    if (!session->event_count)
        return false;
    *event = session->events[session->first_event];
    session->first_event = (session->first_event + 1) % LT_EVENTS_MAX;
    session->event_count--;
    return true;
}

static void set_session_state(livetcp_engine *session, livetcp_session_state state,
                              livetcp_result reason)
{
    if (session->state == state)
        return;
    session->state = state;
    lt_session_emit(session, (livetcp_engine_event){.type = LIVETCP_ENGINE_SESSION_STATE,
                                                    .state.session = state,
                                                    .reason = reason});
}

/* Whether a slot has, or may yet get, a connection. */
static bool has_future(const livetcp_engine *session)
{
    for (unsigned i = 0; i < session->count; i++) {
        livetcp_connection_state state = session->connections[i].state;
        if (state == LIVETCP_CONNECTION_CONNECTING || state == LIVETCP_CONNECTION_JOINING ||
            (state == LIVETCP_CONNECTION_IDLE && session->caller))
            return true;
    }
    return false;
}

unsigned lt_session_open_connections(const livetcp_engine *session)
{
    unsigned open = 0;
    for (unsigned i = 0; i < session->count; i++)
        open += session->connections[i].state == LIVETCP_CONNECTION_OPEN;
    return open;
}

/* A listener's session waits for its caller to come back, unless it never proved to be anybody. */
static livetcp_usec linger(const livetcp_engine *session)
{
    return session->confirmed && !lt_session_plain(session) ? session->config.linger_us : 0;
}

void lt_session_update_state(livetcp_engine *session, livetcp_usec now)
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
            livetcp_engine_close(session, session->last_loss, 0, now);
            return;
        }
    }
    if (session->caller && !has_future(session)) {
        livetcp_engine_close(session, session->last_loss, 0, now);
        return;
    }
    set_session_state(session, LIVETCP_SESSION_CONNECTING, session->last_loss);
}

void lt_session_finish(livetcp_engine *session, livetcp_usec now)
{
    for (unsigned i = 0; i < LIVETCP_MAX_CONNECTIONS; i++)
        lt_session_give_up(session, &session->connections[i], session->close_reason, now);
    lt_send_queue_clear(session->queue);                      /* what they had not written, too */
    lt_reassembly_expire(session->reassembly, LIVETCP_NEVER); /* nothing fills a gap any more */
    lt_credentials_wipe(&session->credentials);
    set_session_state(session, LIVETCP_SESSION_CLOSED, session->close_reason);
}

static bool all_written(const livetcp_engine *session)
{
    for (unsigned i = 0; i < session->count; i++)
        if (!lt_outbox_idle(&session->connections[i].outbox))
            return false;
    return lt_send_queue_packets(session->queue) == 0;
}

void lt_session_check_drained(livetcp_engine *session, livetcp_usec now)
{
    bool done =
        session->peer_ended ? lt_session_open_connections(session) == 0 : all_written(session);

    if (session->closing && session->state != LIVETCP_SESSION_CLOSED &&
        (done || now >= session->drain_until_us))
        lt_session_finish(session, now);
}

void lt_session_hear_goodbye(livetcp_engine *session, lt_connection *connection, livetcp_usec now)
{
    if (!session->peer_ended) {
        session->closing = session->peer_ended = true;
        session->close_reason = LIVETCP_ERR_CLOSED;
        session->drain_until_us = now + session->config.peer_timeout_us;
    }
    lt_session_condemn(session, connection, LIVETCP_ERR_CLOSED, now);
    lt_send_queue_clear(session->queue); /* the peer does not read it */
}

void livetcp_engine_close(livetcp_engine *session, livetcp_result reason, livetcp_usec drain_us,
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

livetcp_session_state livetcp_engine_state(const livetcp_engine *session)
{
    return session->state;
}

unsigned livetcp_engine_connections(const livetcp_engine *session)
{
    return session->count;
}
