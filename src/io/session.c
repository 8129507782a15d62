/* SPDX-License-Identifier: MIT */
/* A session between its engine and the loop: made, served, ended. */
#include "io/session.h"

#include "base/error.h"
#include "io/clock.h"
#include "io/error_text.h"
#include "io/process.h"
#include "io/socket.h"
#include "platform/probe.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How old window and times of an idle connection may be: nobody waits for it. */
#define FULL_PROBE_AGE_US 100000

/* Below this share of what may be unsent the socket's own limit follows; above it, at once. */
#define FOLLOW_PART 4

/* ---- path information ---- */

static void probe(lt_io_channel *channel, livetcp_usec now, livetcp_path *info)
{
    lt_platform_probe(channel->socket, now - channel->probed_us < FULL_PROBE_AGE_US, info);
    if (info->known & LIVETCP_PATH_CWND)
        channel->probed_us = now;
}

static void bring_path_info(livetcp_session *session, uint32_t wanted, livetcp_usec now)
{
    for (unsigned i = 0; wanted; i++, wanted >>= 1) {
        livetcp_path info = {.known = 0};
        if (!(wanted & 1))
            continue;
        if (session->slots[i].channel)
            probe(session->slots[i].channel, now, &info);
        livetcp_engine_path_info(session->engine, i, &info, now);
    }
}

/* ---- the limit of what is unsent ---- */

/* The socket's limit must not be above the engine's, or the loop would be woken for nothing. */
static void limit_unsent(const livetcp_session *session, lt_io_channel *channel)
{
    uint32_t limit = livetcp_engine_unsent_limit(session->engine, channel->index);

    if (limit >= channel->unsent_limit && channel->unsent_limit >= limit - limit / FOLLOW_PART)
        return;
    lt_platform_limit_unsent(channel->socket, limit);
    channel->unsent_limit = limit;
}

/* Packets that wait for the kernel to send: the loop is to be woken when it has. */
static void want_room(livetcp_session *session)
{
    uint32_t wanted = livetcp_engine_wants_room(session->engine);

    for (unsigned i = 0; i < livetcp_engine_connections(session->engine); i++) {
        lt_io_channel *channel = session->slots[i].channel;
        if (!channel)
            continue;
        if (!session->unlimited)
            limit_unsent(session, channel);
        bool wants = wanted >> i & 1;
        if (wants && !channel->want_room)
            session->channels_changed = true;
        channel->want_room = wants;
    }
}

/* The end of the session is announced behind everything else: a limit that serves delay must not
 * keep it back. */
static void lift_limits(livetcp_session *session)
{
    session->unlimited = true;
    for (unsigned i = 0; i < LIVETCP_MAX_CONNECTIONS; i++) {
        lt_io_channel *channel = session->slots[i].channel;
        if (!channel || channel->unsent_limit == UINT32_MAX)
            continue;
        lt_platform_limit_unsent(channel->socket, UINT32_MAX);
        channel->unsent_limit = UINT32_MAX;
        if (channel->want_writable && !channel->write_errno)
            livetcp_engine_writable(session->engine, i);
    }
}

/* ---- writing ---- */

/* A socket that fails may still hold the last bytes of the peer, and the reason why it left. So a
 * failure only stops the writing; the loop reads to the end and then reports the loss. */
static void stop_writing(livetcp_session *session, lt_io_channel *channel, int system_errno)
{
    if (system_errno != EAGAIN)
        channel->write_errno = system_errno;
    channel->want_writable = true;
    session->channels_changed = true;
    livetcp_engine_blocked(session->engine, channel->index);
}

static void write_once(livetcp_session *session, const livetcp_engine_write *write)
{
    lt_io_channel *channel = session->slots[write->connection].channel;

    if (!channel) {
        livetcp_engine_lost(session->engine, write->connection, LIVETCP_ERR_CONNECTION_LOST,
                            lt_io_now());
        return;
    }
    long n = lt_io_channel_write(channel, write->data, write->size, write->timestamp);
    if (n >= 0)
        livetcp_engine_wrote(session->engine, write->connection, (size_t)n, lt_io_now());
    else
        stop_writing(session, channel, (int)-n);
}

void lt_io_session_flush(livetcp_session *session)
{
    livetcp_engine_write write;

    for (;;) {
        livetcp_usec now = lt_io_now();
        if (!session->unlimited && livetcp_engine_state(session->engine) == LIVETCP_SESSION_CLOSED)
            lift_limits(session);
        uint32_t wanted = livetcp_engine_wants_path_info(session->engine, now);
        if (wanted)
            bring_path_info(session, wanted, now);
        if (!livetcp_engine_next_write(session->engine, now, &write))
            break;
        write_once(session, &write);
    }
    want_room(session);
}

void lt_io_session_wake_if_needed(livetcp_session *session)
{
    if (!session->has_event)
        session->has_event = livetcp_engine_next_event(session->engine, &session->event);
    if (session->has_event || session->channels_changed ||
        livetcp_engine_deadline(session->engine) < session->armed_us)
        lt_io_context_schedule(session->context, &session->work);
}

/* ---- life ---- */

void lt_io_session_reference(livetcp_session *session)
{
    session->references++;
}

void lt_io_session_release(livetcp_session *session)
{
    livetcp_context *context = session->context;

    if (--session->references > 0)
        return;
    lt_io_arrivals_free(&session->arrivals);
    livetcp_engine_destroy(&session->engine);
    uv_mutex_destroy(&session->lock);
    free(session);
    lt_io_context_release(context);
}

static void on_timer_closed(uv_handle_t *handle)
{
    lt_io_session_release(handle->data);
}

static void on_timer(uv_timer_t *timer)
{
    livetcp_session *session = timer->data;

    if (lt_io_put_off(&session->put_off_us, session->armed_us)) {
        uv_timer_start(timer, on_timer, LT_IO_AFTER_INPUT_MS, 0);
        return;
    }
    lt_io_session_reference(session);
    uv_mutex_lock(&session->lock);
    livetcp_engine_set_wall_clock(session->engine, lt_io_wall_clock_ahead());
    livetcp_engine_expire(session->engine, lt_io_now());
    uv_mutex_unlock(&session->lock);
    lt_io_session_service(session);
    lt_io_session_release(session);
}

static void run_work(lt_io_work *work)
{
    lt_io_session_service(LT_LIST_ELEMENT(work, livetcp_session, work));
}

static void end_member(lt_io_member *member)
{
    lt_io_session_end(LT_LIST_ELEMENT(member, livetcp_session, member));
}

static livetcp_result create_engine(livetcp_session *session, bool caller,
                                    const livetcp_pending *pending, livetcp_error *error)
{
    livetcp_engine_setup setup = {.struct_size = sizeof setup,
                                  .config = &session->config,
                                  .caller = caller,
                                  .pending = pending,
                                  .random = lt_io_random,
                                  .on_packet = lt_io_arrivals_collect,
                                  .user = &session->arrivals,
                                  .cname = lt_io_cname()};
    livetcp_result result = livetcp_engine_create(&setup, &session->engine, error);

    if (result == LIVETCP_OK)
        livetcp_engine_set_wall_clock(session->engine, lt_io_wall_clock_ahead());
    return result;
}

livetcp_result lt_io_session_create(livetcp_context *context, const livetcp_config *config,
                                    bool caller, const livetcp_pending *pending,
                                    livetcp_session **out, livetcp_error *error)
{
    livetcp_session *session = calloc(1, sizeof *session);
    livetcp_result result;

    *out = NULL;
    if (!session || uv_mutex_init(&session->lock) != 0) {
        free(session);
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for a session");
    }
    session->context = context;
    session->config = *config;
    snprintf(session->policy, sizeof session->policy, "%s", config->policy);
    session->work.run = run_work;
    session->member.end = end_member;
    result = create_engine(session, caller, pending, error);
    if (result != LIVETCP_OK) {
        uv_mutex_destroy(&session->lock);
        free(session);
        return result;
    }
    uv_timer_init(context->loop, &session->timer);
    session->timer.data = session;
    session->armed_us = LIVETCP_NEVER;
    session->references = 2; /* the owner and the timer */
    lt_io_context_reference(context);
    lt_list_insert_first(&context->members, &session->member.in_context);
    *out = session;
    return LIVETCP_OK;
}

static void close_channels(livetcp_session *session)
{
    for (unsigned i = 0; i < LIVETCP_MAX_CONNECTIONS; i++) {
        lt_io_connector_cancel(&session->slots[i].connector);
        if (session->slots[i].channel)
            lt_io_channel_close(session->slots[i].channel, true);
        session->slots[i].channel = NULL;
    }
}

void lt_io_session_end(livetcp_session *session)
{
    if (session->ended)
        return;
    session->ended = true;
    lt_io_taps_end(&session->taps);
    uv_mutex_lock(&session->lock);
    livetcp_engine_close(session->engine, LIVETCP_ERR_CANCELLED, 0, lt_io_now());
    lt_io_session_flush(session);
    close_channels(session);
    uv_mutex_unlock(&session->lock);
    if (session->on_ended)
        session->on_ended(session);
    lt_io_context_unschedule(session->context, &session->work);
    lt_list_remove(&session->member.in_context);
    uv_close((uv_handle_t *)&session->timer, on_timer_closed);
    lt_io_session_release(session);
}

/* ---- sockets come and go ---- */

/* With the last of them goes the choice of the peer: a name is resolved anew. */
static void forget_peer_without_channels(livetcp_session *session)
{
    for (unsigned i = 0; i < LIVETCP_MAX_CONNECTIONS; i++)
        if (session->slots[i].channel)
            return;
    session->has_peer = false;
}

static void write_reply(livetcp_session *session, lt_io_channel *channel,
                        const livetcp_reply *reply)
{
    long n = lt_socket_write(channel->socket, reply->frame, reply->size);

    /* A fresh connection has room for 160 bytes; one without is broken. */
    if (n != (long)reply->size) {
        channel->write_errno = n < 0 ? (int)-n : EPIPE;
        channel->want_writable = true;
        livetcp_engine_blocked(session->engine, channel->index);
    }
}

static void start_timestamps(livetcp_session *session, lt_io_channel *channel)
{
    if (session->config.timestamps != LIVETCP_TIMESTAMPS_OFF &&
        lt_io_channel_start_timestamps(channel))
        livetcp_engine_has_timestamps(session->engine, channel->index);
}

static const lt_io_channel_owner channel_functions;

livetcp_result lt_io_session_attach(livetcp_session *session, unsigned index, uv_os_sock_t socket,
                                    bool caller, const livetcp_reply *reply)
{
    livetcp_result result = LIVETCP_OK;
    int status;
    lt_io_channel *channel;

    if (index >= LIVETCP_MAX_CONNECTIONS)
        return LIVETCP_ERR_INDEX_RANGE;
    channel = lt_io_channel_create(session->context, index, socket, &channel_functions, session,
                                   &session->lock, &status);
    if (!channel)
        return status == UV_ENOMEM ? LIVETCP_ERR_NO_MEMORY : LIVETCP_ERR_SYSTEM;
    uv_mutex_lock(&session->lock);
    if (caller)
        livetcp_engine_connected(session->engine, index, lt_io_now());
    else
        result = livetcp_engine_adopt(session->engine, index, lt_io_now());
    if (result == LIVETCP_OK) {
        session->slots[index].channel = channel;
        if (reply && reply->size)
            write_reply(session, channel, reply);
        start_timestamps(session, channel);
    }
    uv_mutex_unlock(&session->lock);
    if (result != LIVETCP_OK)
        lt_io_channel_abandon(channel);
    return result;
}

/* What a broken connection has not delivered is sent again; so ask once more what it has. */
static void ask_what_arrived(livetcp_session *session, const lt_io_channel *channel)
{
    livetcp_path info = {.known = 0};

    lt_platform_probe(channel->socket, true, &info);
    livetcp_engine_path_info(session->engine, channel->index, &info, lt_io_now());
}

/* The slot's socket, or the attempt to get one, failed. lt_io_session_service() follows. */
static void lose(livetcp_session *session, unsigned index, const livetcp_error *error)
{
    lt_io_slot *slot = &session->slots[index];

    uv_mutex_lock(&session->lock);
    if (slot->channel) {
        ask_what_arrived(session, slot->channel);
        lt_io_channel_close(slot->channel, false);
    }
    slot->channel = NULL;
    slot->error = *error;
    session->error = *error;
    livetcp_engine_lost(session->engine, index, error->code, lt_io_now());
    forget_peer_without_channels(session);
    uv_mutex_unlock(&session->lock);
}

void lt_io_session_receive(livetcp_session *session, unsigned index, const uint8_t *data,
                           size_t size, const livetcp_rx_timestamp *timestamp)
{
    uv_mutex_lock(&session->lock);
    session->arrivals.input = data;
    session->arrivals.input_size = size;
    livetcp_engine_receive(session->engine, index, data, size, timestamp, lt_io_now());
    session->arrivals.input = NULL;
    session->arrivals.input_size = 0;
    uv_mutex_unlock(&session->lock);
    lt_io_session_service(session);
}

/* ---- called by the channels ---- */

static void on_bytes(void *owner, unsigned index, const uint8_t *data, size_t size,
                     const livetcp_rx_timestamp *timestamp)
{
    lt_io_session_receive(owner, index, data, size, timestamp);
}

static void log_write_failure(livetcp_session *session, unsigned index)
{
    uv_mutex_lock(&session->lock);
    int cause = session->slots[index].channel->write_errno;
    uv_mutex_unlock(&session->lock);
    if (cause)
        LT_IO_LOG(&session->context->log, LIVETCP_LOG_DEBUG, "connection",
                  "connection %u: writing failed: %s", index, strerror(cause));
}

static void on_lost(void *owner, unsigned index, int system_errno)
{
    livetcp_session *session = owner;
    const char *remote = session->slots[index].channel->remote;
    livetcp_error error;

    log_write_failure(session, index);
    lt_io_socket_error_text(session, index, remote, system_errno, &error);
    lose(session, index, &error);
    lt_io_session_service(session);
}

static void on_writable(void *owner, unsigned index)
{
    livetcp_session *session = owner;
    livetcp_engine_writable(session->engine, index);
}

static void on_room(void *owner)
{
    lt_io_session_service(owner);
}

static void on_timestamp(void *owner, unsigned index, const livetcp_tx_timestamp *timestamp)
{
    livetcp_session *session = owner;
    livetcp_engine_tx_timestamp(session->engine, index, timestamp, lt_io_now());
}

static void hold(void *owner)
{
    lt_io_session_reference(owner);
}

static void release(void *owner)
{
    lt_io_session_release(owner);
}

static const lt_io_channel_owner channel_functions = {.on_bytes = on_bytes,
                                                      .on_lost = on_lost,
                                                      .on_writable = on_writable,
                                                      .on_room = on_room,
                                                      .on_timestamp = on_timestamp,
                                                      .hold = hold,
                                                      .release = release};

/* ---- called by the connectors ---- */

static void on_connected(void *owner, unsigned index, uv_os_sock_t socket, const lt_address *peer)
{
    livetcp_session *session = owner;
    livetcp_error error;

    session->slots[index].connector = NULL;
    session->peer = *peer;
    session->has_peer = true;
    livetcp_result result = lt_io_socket_prepare(socket, &session->config);
    if (result == LIVETCP_OK)
        result = lt_io_session_attach(session, index, socket, true, NULL);
    if (result != LIVETCP_OK) {
        lt_socket_close(socket);
        lt_fail(&error, result, "connection %u: %s", index, livetcp_result_text(result));
        lose(session, index, &error);
    }
    lt_io_session_service(session);
}

static void on_failed(void *owner, unsigned index, const livetcp_error *error)
{
    livetcp_session *session = owner;

    session->slots[index].connector = NULL;
    lose(session, index, error);
    lt_io_session_service(session);
}

static const lt_address *known_peer(const void *owner)
{
    const livetcp_session *session = owner;
    return session->has_peer ? &session->peer : NULL;
}

static const lt_io_connector_owner connector_functions = {.on_connected = on_connected,
                                                          .on_failed = on_failed,
                                                          .known_peer = known_peer,
                                                          .hold = hold,
                                                          .release = release};

/* ---- service ---- */

static void close_slot(livetcp_session *session, unsigned index, livetcp_result reason)
{
    lt_io_slot *slot = &session->slots[index];

    lt_io_connector_cancel(&slot->connector);
    if (slot->channel) {
        lt_io_close_error_text(index, slot->channel->remote, reason, &slot->error);
        session->error = slot->error;
        lt_io_channel_close(slot->channel, true);
        slot->channel = NULL;
    }
    forget_peer_without_channels(session);
}

static void flush_and_close(livetcp_session *session)
{
    unsigned index;
    livetcp_result reason;

    lt_io_session_flush(session);
    while (livetcp_engine_next_close(session->engine, &index, &reason)) {
        close_slot(session, index, reason);
        lt_io_session_flush(session); /* others may join now, or take over what it left */
    }
}

static void start_connecting(livetcp_session *session)
{
    unsigned index;

    while (livetcp_engine_next_connect(session->engine, lt_io_now(), &index)) {
        lt_io_slot *slot = &session->slots[index];
        slot->connector = lt_io_connector_start(session->context, &session->config, index,
                                                &connector_functions, session);
        if (!slot->connector)
            livetcp_engine_lost(session->engine, index, LIVETCP_ERR_NO_MEMORY, lt_io_now());
    }
}

static void arm_timer(livetcp_session *session)
{
    livetcp_usec deadline = livetcp_engine_deadline(session->engine);
    bool armed = uv_is_active((uv_handle_t *)&session->timer);

    if (deadline == session->armed_us && (armed || deadline == LIVETCP_NEVER))
        return;
    session->armed_us = deadline;
    if (deadline == LIVETCP_NEVER)
        uv_timer_stop(&session->timer);
    else
        uv_timer_start(&session->timer, on_timer,
                       lt_io_timeout_ms(session->context->loop, deadline), 0);
}

static void watch_channels(livetcp_session *session)
{
    session->channels_changed = false;
    for (unsigned i = 0; i < LIVETCP_MAX_CONNECTIONS; i++)
        if (session->slots[i].channel)
            lt_io_channel_watch(session->slots[i].channel);
}

void lt_io_session_service(livetcp_session *session)
{
    if (session->ended)
        return;
    lt_io_session_reference(session);
    uv_mutex_lock(&session->lock);
    flush_and_close(session);
    start_connecting(session);
    watch_channels(session);
    arm_timer(session);
    bool changes = session->changes[0] != '\0';
    uv_mutex_unlock(&session->lock);
    if (changes)
        lt_io_log_changes(session);
    lt_io_notify(session);
    lt_io_session_release(session);
}
