/* SPDX-License-Identifier: MIT */
/* A session between its engine and the loop: made, served, ended. */
#include "io/session_io.h"

#include "base/error.h"
#include "io/channel.h"
#include "io/channel_stamps.h"
#include "io/clock.h"
#include "io/cname.h"
#include "io/connector.h"
#include "io/error_text.h"
#include "io/listener.h"
#include "io/random.h"
#include "io/socket.h"
#include "platform/probe.h"

#include <errno.h>
#include <stdlib.h>

/* ---- life ---- */

void lt_session_io_reference(livetcp_session *session)
{
    session->references++;
}

void lt_session_io_release(livetcp_session *session)
{
    livetcp_context *context = session->context;

    if (--session->references > 0)
        return;
    lt_arrivals_free(&session->arrivals);
    livetcp_engine_destroy(&session->engine);
    uv_mutex_destroy(&session->lock);
    free(session);
    lt_context_release(context);
}

static void on_timer_closed(uv_handle_t *handle)
{
    lt_session_io_release(handle->data);
}

static void on_timer(uv_timer_t *timer)
{
    livetcp_session *session = timer->data;

    if (lt_put_off(&session->put_off_us, session->armed_us)) {
        uv_timer_start(timer, on_timer, LT_AFTER_INPUT_MS, 0);
        return;
    }
    lt_session_io_reference(session);
    uv_mutex_lock(&session->lock);
    livetcp_engine_set_wall_clock(session->engine, lt_wall_clock_ahead());
    livetcp_engine_expire(session->engine, lt_now());
    uv_mutex_unlock(&session->lock);
    lt_session_io_service(session);
    lt_session_io_release(session);
}

static livetcp_result create_engine(livetcp_session *session, bool caller,
                                    const livetcp_pending *pending, livetcp_error *error)
{
    livetcp_engine_setup setup = {.struct_size = sizeof setup,
                                  .config = &session->config,
                                  .caller = caller,
                                  .pending = pending,
                                  .random = lt_system_random,
                                  .on_packet = lt_arrivals_collect,
                                  .user = &session->arrivals,
                                  .cname = lt_cname()};
    livetcp_result result = livetcp_engine_create(&setup, &session->engine, error);

    if (result == LIVETCP_OK)
        livetcp_engine_set_wall_clock(session->engine, lt_wall_clock_ahead());
    return result;
}

livetcp_result lt_session_io_create(livetcp_context *context, const livetcp_config *config,
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
    lt_context_reference(context);
    LIST_INSERT_HEAD(&context->sessions, session, in_context);
    *out = session;
    return LIVETCP_OK;
}

static void close_channels(livetcp_session *session)
{
    for (unsigned i = 0; i < LIVETCP_MAX_CONNECTIONS; i++) {
        lt_connector_cancel(&session->slots[i].connector);
        if (session->slots[i].channel)
            lt_channel_close(session->slots[i].channel, true);
        session->slots[i].channel = NULL;
    }
}

void lt_session_io_end(livetcp_session *session)
{
    if (session->ended)
        return;
    session->ended = true;
    lt_io_taps_end(&session->taps);
    uv_mutex_lock(&session->lock);
    livetcp_engine_close(session->engine, LIVETCP_ERR_CANCELLED, 0, lt_now());
    lt_session_io_flush(session);
    close_channels(session);
    uv_mutex_unlock(&session->lock);
    lt_listener_forget_session(session);
    lt_context_forget(session->context, session);
    LIST_REMOVE(session, in_context);
    uv_close((uv_handle_t *)&session->timer, on_timer_closed);
    lt_session_io_release(session);
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

static void write_reply(livetcp_session *session, lt_channel *channel, const livetcp_reply *reply)
{
    long n = lt_socket_write(channel->socket, reply->frame, reply->size);

    /* A fresh connection has room for 160 bytes; one without is broken. */
    if (n != (long)reply->size) {
        channel->write_errno = n < 0 ? (int)-n : EPIPE;
        channel->want_writable = true;
        livetcp_engine_blocked(session->engine, channel->index);
    }
}

livetcp_result lt_session_io_attach(livetcp_session *session, unsigned index, int socket,
                                    bool caller, const livetcp_reply *reply)
{
    livetcp_result result = LIVETCP_OK;
    int status;
    lt_channel *channel;

    if (index >= LIVETCP_MAX_CONNECTIONS)
        return LIVETCP_ERR_INDEX_RANGE;
    channel = lt_channel_create(session, index, socket, &status);
    if (!channel)
        return status == UV_ENOMEM ? LIVETCP_ERR_NO_MEMORY : LIVETCP_ERR_SYSTEM;
    uv_mutex_lock(&session->lock);
    if (caller)
        livetcp_engine_connected(session->engine, index, lt_now());
    else
        result = livetcp_engine_adopt(session->engine, index, lt_now());
    if (result == LIVETCP_OK) {
        session->slots[index].channel = channel;
        if (reply && reply->size)
            write_reply(session, channel, reply);
        lt_channel_start_stamps(channel);
    }
    uv_mutex_unlock(&session->lock);
    if (result != LIVETCP_OK)
        lt_channel_abandon(channel);
    return result;
}

/* What a broken connection has not delivered is sent again; so ask once more what it has. */
static void ask_what_arrived(livetcp_session *session, const lt_channel *channel)
{
    livetcp_path facts = {.known = 0};

    lt_platform_probe(channel->socket, true, &facts);
    livetcp_engine_path_info(session->engine, channel->index, &facts, lt_now());
}

void lt_session_io_lost(livetcp_session *session, unsigned index, const livetcp_error *error)
{
    lt_slot *slot = &session->slots[index];

    uv_mutex_lock(&session->lock);
    if (slot->channel) {
        ask_what_arrived(session, slot->channel);
        lt_channel_close(slot->channel, false);
    }
    slot->channel = NULL;
    slot->error = *error;
    session->error = *error;
    livetcp_engine_lost(session->engine, index, error->code, lt_now());
    forget_peer_without_channels(session);
    uv_mutex_unlock(&session->lock);
}

void lt_session_io_receive(livetcp_session *session, unsigned index, const uint8_t *data,
                           size_t size, const livetcp_rx_timestamp *stamp)
{
    uv_mutex_lock(&session->lock);
    session->arrivals.input = data;
    session->arrivals.input_size = size;
    livetcp_engine_receive(session->engine, index, data, size, stamp, lt_now());
    session->arrivals.input = NULL;
    session->arrivals.input_size = 0;
    uv_mutex_unlock(&session->lock);
    lt_session_io_service(session);
}

/* ---- service ---- */

static void close_given_up(livetcp_session *session, unsigned index, livetcp_result reason)
{
    lt_slot *slot = &session->slots[index];

    lt_connector_cancel(&slot->connector);
    if (slot->channel) {
        lt_close_error_text(session, index, slot->channel->remote, reason, &slot->error);
        session->error = slot->error;
        lt_channel_close(slot->channel, true);
        slot->channel = NULL;
    }
    forget_peer_without_channels(session);
}

static void flush_and_close(livetcp_session *session)
{
    unsigned index;
    livetcp_result reason;

    lt_session_io_flush(session);
    while (livetcp_engine_next_close(session->engine, &index, &reason)) {
        close_given_up(session, index, reason);
        lt_session_io_flush(session); /* others may join now, or take over what it left */
    }
}

static void start_connecting(livetcp_session *session)
{
    unsigned index;

    while (livetcp_engine_next_connect(session->engine, lt_now(), &index)) {
        lt_slot *slot = &session->slots[index];
        slot->connector = lt_connector_start(session, index);
        if (!slot->connector)
            livetcp_engine_lost(session->engine, index, LIVETCP_ERR_NO_MEMORY, lt_now());
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
        uv_timer_start(&session->timer, on_timer, lt_timeout_ms(session->context->loop, deadline),
                       0);
}

static void watch_channels(livetcp_session *session)
{
    session->channels_changed = false;
    for (unsigned i = 0; i < LIVETCP_MAX_CONNECTIONS; i++)
        if (session->slots[i].channel)
            lt_channel_watch(session->slots[i].channel);
}

void lt_session_io_service(livetcp_session *session)
{
    if (session->ended)
        return;
    lt_session_io_reference(session);
    uv_mutex_lock(&session->lock);
    flush_and_close(session);
    start_connecting(session);
    watch_channels(session);
    arm_timer(session);
    uv_mutex_unlock(&session->lock);
    lt_session_io_tell(session);
    lt_session_io_release(session);
}
