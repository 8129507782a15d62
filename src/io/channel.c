/* SPDX-License-Identifier: MIT */
/* Readiness of a session's socket becomes engine calls. */
#include "io/channel.h"

#include "io/channel_stamps.h"
#include "io/error_text.h"
#include "io/socket.h"
#include "platform/probe.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* A fast peer must not starve the others: after so many reads the loop turns to them. */
#define READS_PER_WAKEUP 4

/* A failed connection gets no second wake-up, and what it brought last still counts. */
#define READS_TO_THE_END 1024

lt_channel *lt_channel_create(livetcp_session *session, unsigned index, int socket, int *status)
{
    lt_channel *channel = calloc(1, sizeof *channel);

    if (!channel) {
        *status = UV_ENOMEM;
        return NULL;
    }
    *status = uv_poll_init_socket(session->context->loop, &channel->poll, socket);
    if (*status != 0) {
        free(channel);
        return NULL;
    }
    channel->session = session;
    channel->index = index;
    channel->socket = socket;
    channel->unsent_limit = UINT32_MAX;
    channel->poll.data = channel;
    lt_socket_text(socket, false, channel->local);
    lt_socket_text(socket, true, channel->remote);
    lt_session_io_reference(session);
    return channel;
}

static void on_closed(uv_handle_t *handle)
{
    lt_channel *channel = handle->data;
    livetcp_session *session = channel->session;

    free(channel);
    lt_session_io_release(session);
}

void lt_channel_abandon(lt_channel *channel)
{
    channel->socket = -1;
    uv_close((uv_handle_t *)&channel->poll, on_closed);
}

void lt_channel_close(lt_channel *channel, bool orderly)
{
    int socket = channel->socket;

    lt_channel_abandon(channel);
    if (orderly)
        lt_farewell_start(&channel->session->context->farewells, socket);
    else
        close(socket);
}

static bool is_current(const lt_channel *channel)
{
    return !channel->session->ended && channel->session->slots[channel->index].channel == channel;
}

/* `system_errno` is 0 if the peer ended the connection. */
static void lose(lt_channel *channel, int system_errno)
{
    livetcp_session *session = channel->session;
    livetcp_error error;

    /* A reset that send() was told of first looks like an orderly end to recv(). */
    uv_mutex_lock(&session->lock);
    if (system_errno == 0)
        system_errno = channel->write_errno;
    uv_mutex_unlock(&session->lock);
    lt_socket_error_text(session, channel->index, channel->remote, system_errno, &error);
    lt_session_io_lost(session, channel->index, &error);
    lt_session_io_service(session);
}

/* The channel may be gone after each read: the engine, or the application in a callback, may end
 * it. */
static void read_input(lt_channel *channel, bool to_the_end)
{
    uint8_t *buffer = channel->session->context->read_buffer;
    int limit = to_the_end ? READS_TO_THE_END : READS_PER_WAKEUP;

    for (int i = 0; i < limit && is_current(channel); i++) {
        livetcp_rx_timestamp stamp;
        long n = lt_channel_read(channel, buffer, LT_READ_SIZE, &stamp);
        if (n == -EAGAIN)
            break;
        if (n <= 0) {
            lose(channel, (int)-n);
            return;
        }
        lt_platform_acknowledge_now(channel->socket);
        lt_session_io_receive(channel->session, channel->index, buffer, (size_t)n, &stamp);
        if (n < LT_READ_SIZE && !to_the_end)
            break;
    }
    if (to_the_end && is_current(channel))
        lose(channel, 0);
}

/* Whether the socket has failed already, which a writer on another thread may have noticed. */
static bool note_writable(lt_channel *channel)
{
    livetcp_session *session = channel->session;

    uv_mutex_lock(&session->lock);
    bool failed = channel->write_errno != 0;
    if (!failed && (channel->want_writable || channel->want_room)) {
        channel->want_writable = channel->want_room = false;
        livetcp_engine_writable(session->engine, channel->index);
    }
    uv_mutex_unlock(&session->lock);
    return failed;
}

static void on_ready(uv_poll_t *poll, int status, int events)
{
    lt_channel *channel = poll->data;
    livetcp_session *session = channel->session;
    bool failed = status < 0;

    if (!is_current(channel))
        return;
    if (failed && lt_channel_take_stamps(channel)) {
        failed = false;
        events = channel->watched; /* what else there was is not told, so all of it is looked at */
        uv_poll_start(poll, events, on_ready);
    }
    lt_session_io_reference(session);
    if (events & UV_WRITABLE)
        failed = note_writable(channel) || failed;
    if (failed || (events & UV_READABLE))
        read_input(channel, failed);
    if (events & UV_WRITABLE)
        lt_session_io_service(session);
    lt_session_io_release(session);
}

void lt_channel_watch(lt_channel *channel)
{
    bool writable = channel->want_writable || channel->want_room;
    int events = UV_READABLE | (writable ? UV_WRITABLE : 0);

    if (events == channel->watched)
        return;
    channel->watched = events;
    uv_poll_start(&channel->poll, events, on_ready);
}
