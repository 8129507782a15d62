/* SPDX-License-Identifier: MIT */
/* A port that accepts connections. */
#include "io/listener.h"

#include "base/error.h"
#include "base/sized.h"
#include "io/clock.h"
#include "io/inbound_io.h"
#include "io/socket.h"
#include "settings/settings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Connections taken per wake-up, so that a flood of them does not stop the media. */
#define ACCEPTS_PER_WAKEUP 32

/* Without a descriptor for it, a waiting connection keeps the socket readable: look away. */
#define PAUSE_US (200 * LIVETCP_USEC_MSEC)

/* ---- life ---- */

void lt_listener_reference(livetcp_listener *listener)
{
    listener->references++;
}

void lt_listener_release(livetcp_listener *listener)
{
    livetcp_context *context = listener->context;

    if (--listener->references > 0)
        return;
    free(listener);
    lt_context_release(context);
}

static void on_socket_closed(uv_handle_t *handle)
{
    lt_listener_socket *socket = handle->data;
    lt_listener_release(socket->listener);
}

static void on_timer_closed(uv_handle_t *handle)
{
    lt_listener_release(handle->data);
}

void lt_listener_end(livetcp_listener *listener)
{
    if (listener->ended)
        return;
    listener->ended = true;
    for (unsigned i = 0; i < listener->socket_count; i++) {
        uv_close((uv_handle_t *)&listener->sockets[i].poll, on_socket_closed);
        close(listener->sockets[i].socket);
    }
    while (!TAILQ_EMPTY(&listener->inbounds))
        lt_inbound_io_drop(TAILQ_FIRST(&listener->inbounds));
    while (!LIST_EMPTY(&listener->sessions))
        lt_listener_forget_session(LIST_FIRST(&listener->sessions));
    uv_close((uv_handle_t *)&listener->timer, on_timer_closed);
    LIST_REMOVE(listener, in_context);
    lt_listener_release(listener);
}

void lt_listener_rejected(livetcp_listener *listener, const char *remote,
                          const livetcp_error *error)
{
    if (!listener->ended && listener->callbacks.on_rejected)
        listener->callbacks.on_rejected(listener, remote, error, listener->user);
}

/* ---- accepting ---- */

static void on_timer(uv_timer_t *timer);
static void on_ready(uv_poll_t *poll, int status, int events);

void lt_listener_arm_timer(livetcp_listener *listener)
{
    livetcp_usec deadline = lt_inbound_io_deadline(listener);

    if (listener->ended)
        return;
    if (listener->paused_until_us && listener->paused_until_us < deadline)
        deadline = listener->paused_until_us;
    if (deadline == LIVETCP_NEVER)
        uv_timer_stop(&listener->timer);
    else
        uv_timer_start(&listener->timer, on_timer, lt_timeout_ms(listener->context->loop, deadline),
                       0);
}

static void watch_sockets(livetcp_listener *listener, bool watch)
{
    for (unsigned i = 0; i < listener->socket_count; i++) {
        if (watch)
            uv_poll_start(&listener->sockets[i].poll, UV_READABLE, on_ready);
        else
            uv_poll_stop(&listener->sockets[i].poll);
    }
}

static void pause_accepting(livetcp_listener *listener, int system_errno)
{
    livetcp_error error;

    watch_sockets(listener, false);
    listener->paused_until_us = lt_now() + PAUSE_US;
    lt_fail_errno(&error, lt_socket_result(system_errno, false), system_errno,
                  "port %u cannot accept connections for now; %s", listener->port,
                  system_errno == EMFILE ? "raise the limit of open files (ulimit -n)"
                                         : "the system is short of resources");
    lt_listener_rejected(listener, "", &error);
}

static void on_timer(uv_timer_t *timer)
{
    livetcp_listener *listener = timer->data;

    if (lt_put_off(&listener->put_off_us, lt_inbound_io_deadline(listener))) {
        uv_timer_start(timer, on_timer, LT_AFTER_INPUT_MS, 0);
        return;
    }
    livetcp_usec now = lt_now();
    lt_listener_reference(listener);
    lt_inbound_io_expire(listener, now);
    if (!listener->ended && listener->paused_until_us && listener->paused_until_us <= now) {
        listener->paused_until_us = 0;
        watch_sockets(listener, true);
    }
    lt_listener_arm_timer(listener);
    lt_listener_release(listener);
}

static void on_ready(uv_poll_t *poll, int status, int events)
{
    lt_listener_socket *socket = poll->data;
    livetcp_listener *listener = socket->listener;

    (void)status;
    (void)events;
    lt_listener_reference(listener);
    for (int i = 0; i < ACCEPTS_PER_WAKEUP && !listener->ended; i++) {
        int fd = lt_socket_accept(socket->socket);
        if (fd == -EAGAIN)
            break;
        if (fd < 0) {
            pause_accepting(listener, -fd);
            break;
        }
        lt_inbound_io_accept(listener, fd);
    }
    lt_listener_arm_timer(listener);
    lt_listener_release(listener);
}

/* ---- made ---- */

typedef struct create_call {
    livetcp_listener *listener;
    livetcp_result result;
} create_call;

/* Loop's thread: from here on the listener works. */
static void run_create(void *argument)
{
    create_call *call = argument;
    livetcp_listener *listener = call->listener;
    livetcp_context *context = listener->context;
    unsigned ready = 0;

    while (ready < listener->socket_count &&
           uv_poll_init_socket(context->loop, &listener->sockets[ready].poll,
                               listener->sockets[ready].socket) == 0) {
        listener->sockets[ready].listener = listener;
        listener->sockets[ready].poll.data = &listener->sockets[ready];
        ready++;
    }
    for (unsigned i = ready; i < listener->socket_count; i++)
        close(listener->sockets[i].socket);
    call->result = ready == listener->socket_count ? LIVETCP_OK : LIVETCP_ERR_SYSTEM;
    listener->socket_count = ready;
    uv_timer_init(context->loop, &listener->timer);
    listener->timer.data = listener;
    listener->references = 2 + ready; /* owner, timer, sockets */
    lt_context_reference(context);
    LIST_INSERT_HEAD(&context->listeners, listener, in_context);
    if (call->result == LIVETCP_OK)
        watch_sockets(listener, true);
    else
        lt_listener_end(listener);
}

static livetcp_result create(livetcp_context *context, const livetcp_config *config,
                             const livetcp_listener_callbacks *callbacks, void *user,
                             livetcp_listener **out, livetcp_error *error)
{
    livetcp_listener *listener = calloc(1, sizeof *listener);

    if (!listener)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "cannot make a listener: out of memory");
    listener->context = context;
    listener->config = *config;
    listener->user = user;
    if (callbacks)
        lt_sized_read(&listener->callbacks, sizeof listener->callbacks, callbacks);
    TAILQ_INIT(&listener->inbounds);
    LIST_INIT(&listener->sessions);
    livetcp_result result = lt_listener_bind(listener, error);
    if (result != LIVETCP_OK) {
        free(listener);
        return result;
    }
    create_call call = {.listener = listener};
    lt_context_run(context, run_create, &call);
    if (call.result != LIVETCP_OK)
        return lt_fail(error, call.result, "the event loop does not take the listening socket");
    *out = listener;
    return LIVETCP_OK;
}

livetcp_result livetcp_listener_create(livetcp_context *context, const livetcp_config *config,
                                       const livetcp_listener_callbacks *callbacks, void *user,
                                       livetcp_listener **listener, livetcp_error *error)
{
    livetcp_config copy;
    livetcp_result result;

    if (!listener)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "listener is NULL");
    *listener = NULL;
    if (!context || !config)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "context or config is NULL");
    if (callbacks && !lt_sized_valid(callbacks, 0))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "the livetcp_listener_callbacks has struct_size %zu: set it to "
                       "sizeof(livetcp_listener_callbacks)",
                       callbacks->struct_size);
    result = lt_config_read(&copy, config, error);
    copy.mode = LIVETCP_MODE_LISTENER;
    if (result == LIVETCP_OK)
        result = livetcp_config_check(&copy, error);
    if (result == LIVETCP_OK)
        result = lt_socket_check(&copy, error);
    if (result == LIVETCP_OK)
        result = create(context, &copy, callbacks, user, listener, error);
    return result;
}

uint16_t livetcp_listener_port(livetcp_listener *listener)
{
    return listener->port;
}

static void run_end(void *argument)
{
    lt_listener_end(argument);
}

void livetcp_listener_destroy(livetcp_listener **owner)
{
    livetcp_listener *listener = *owner;

    if (!listener)
        return;
    *owner = NULL;
    lt_context_run(listener->context, run_end, listener);
}
