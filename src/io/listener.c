/* SPDX-License-Identifier: MIT */
/* Listeners: the sockets that accept connections. */
#include "io/listener.h"

#include "base/error.h"
#include "base/sized.h"
#include "io/admission.h"
#include "io/clock.h"
#include "io/pending_connection.h"
#include "io/socket.h"
#include "io/stats_socket.h"
#include "io/undecided.h"
#include "settings/settings.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Connections accepted per wake-up: bounds the time away from media. */
#define ACCEPTS_PER_WAKEUP 32

/* Rate up to which connections are accepted one by one: burst size, and connections per second.
 * Above it they are accepted in batches: one wake-up for many, and the input of each can be read at
 * once without watching its socket. */
#define SINGLE_ACCEPTS      64
#define SINGLE_ACCEPTS_RATE 250
#define BATCH_MS            2

/* Full batches that follow each other with nothing but the loop's other input between them: as many
 * as empty the kernel's queue once, and batches per second. Above it each is followed by a pause,
 * so that a flood that goes on never takes more than half of a core. */
#define BATCHES_IN_A_ROW 128
#define BATCHES_RATE     128

/* Pause in ms after running out of file descriptors: a connection that cannot be accepted would
 * keep the socket readable. */
#define PAUSE_MS 200

/* Attempts with port 0: the port assigned to the first address may be in use on the second one. */
#define ANY_PORT_ATTEMPTS 16

/* ---- life ---- */

static void on_socket_closed(uv_handle_t *handle)
{
    lt_io_listener_socket *socket = handle->data;
    lt_io_listener_release(socket->listener);
}

static void on_pause_closed(uv_handle_t *handle)
{
    lt_io_listener_release(handle->data);
}

/* Ends the listener and drops the owner's reference. */
static void end_listener(livetcp_listener *listener)
{
    if (listener->ended)
        return;
    listener->ended = true;
    for (unsigned i = 0; i < listener->socket_count; i++) {
        uv_close((uv_handle_t *)&listener->sockets[i].poll, on_socket_closed);
        lt_socket_close(listener->sockets[i].socket);
    }
    lt_io_undecided_end(listener);
    lt_io_pending_end(listener);
    lt_io_admission_end(listener);
    uv_close((uv_handle_t *)&listener->pause, on_pause_closed);
    lt_list_remove(&listener->member.in_context);
    lt_io_listener_release(listener);
}

static void end_member(lt_io_member *member)
{
    end_listener(LT_LIST_ELEMENT(member, livetcp_listener, member));
}

static void describe_member(lt_io_member *member, struct json_t *document)
{
    const livetcp_listener *listener = LT_LIST_ELEMENT(member, livetcp_listener, member);

    json_array_append_new(json_object_get(document, "listeners"),
                          json_pack("{s:s, s:i, s:i, s:i}", "host", listener->config.host, "port",
                                    (int)listener->port, "sessions", (int)listener->session_count,
                                    "joining", (int)listener->pool.count));
}

/* ---- accepting ---- */

static void on_ready(uv_poll_t *poll, int status, int events);

static void watch_sockets(livetcp_listener *listener, bool watch)
{
    for (unsigned i = 0; i < listener->socket_count; i++) {
        if (watch)
            uv_poll_start(&listener->sockets[i].poll, UV_READABLE, on_ready);
        else
            uv_poll_stop(&listener->sockets[i].poll);
    }
}

static void on_pause_over(uv_timer_t *timer)
{
    watch_sockets(timer->data, true);
}

static void pause_accepting(livetcp_listener *listener, int system_errno)
{
    livetcp_error error;

    watch_sockets(listener, false);
    uv_timer_start(&listener->pause, on_pause_over, PAUSE_MS, 0);
    lt_fail_errno(&error, lt_io_socket_result(system_errno, false), system_errno,
                  "port %u cannot accept connections for now; %s", listener->port,
                  lt_io_shortage_advice(system_errno));
    lt_io_admission_rejected(listener, "", &error);
}

/* Errors of exhausted resources, of which unauthenticated connections may hold some. */
static bool is_shortage(int system_errno)
{
    return system_errno == EMFILE || system_errno == ENFILE || system_errno == ENOBUFS ||
           system_errno == ENOMEM;
}

/* True if more connections may be waiting. */
static bool accept_one(livetcp_listener *listener, uv_os_sock_t socket)
{
    uv_os_sock_t accepted;
    lt_address peer;
    int failure = -lt_socket_accept(socket, &accepted, &peer);

    if (failure == 0)
        lt_io_pending_accept(listener, accepted, &peer);
    else if (is_shortage(failure) && lt_io_pending_drop_surplus(listener, failure))
        return true;
    else if (failure != EAGAIN)
        pause_accepting(listener, failure);
    return failure == 0;
}

static unsigned accept_some(livetcp_listener *listener, uv_os_sock_t socket)
{
    unsigned taken = 0;

    while (taken < ACCEPTS_PER_WAKEUP && !listener->ended && accept_one(listener, socket)) {
        lt_bucket_take(&listener->accepts, SINGLE_ACCEPTS_RATE, SINGLE_ACCEPTS, lt_io_now());
        taken++;
    }
    return taken;
}

static bool is_flooded(const livetcp_listener *listener)
{
    return lt_bucket_level(&listener->accepts, SINGLE_ACCEPTS_RATE, SINGLE_ACCEPTS, lt_io_now()) <
           1;
}

/* True if it was paused or ended while connections were accepted. */
static bool has_stopped(const livetcp_listener *listener)
{
    return listener->ended || uv_is_active((const uv_handle_t *)&listener->pause);
}

/* Takes a batch that follows the one before without a pause, if there is one. */
static bool may_go_on(livetcp_listener *listener, unsigned taken)
{
    livetcp_usec now = lt_io_now();

    if (taken < ACCEPTS_PER_WAKEUP ||
        lt_bucket_level(&listener->batches, BATCHES_RATE, BATCHES_IN_A_ROW, now) < 1)
        return false;
    lt_bucket_take(&listener->batches, BATCHES_RATE, BATCHES_IN_A_ROW, now);
    return true;
}

static bool must_pause(livetcp_listener *listener, unsigned taken)
{
    return !has_stopped(listener) && is_flooded(listener) && !may_go_on(listener, taken);
}

static void on_batch(uv_timer_t *timer);

static void await_batch(livetcp_listener *listener, unsigned taken)
{
    uv_timer_start(&listener->pause, on_batch,
                   taken < ACCEPTS_PER_WAKEUP ? BATCH_MS : LT_IO_AFTER_INPUT_MS, 0);
}

static void on_batch(uv_timer_t *timer)
{
    livetcp_listener *listener = timer->data;
    unsigned taken = 0;

    lt_io_listener_reference(listener);
    for (unsigned i = 0; i < listener->socket_count && !has_stopped(listener); i++)
        taken += accept_some(listener, listener->sockets[i].socket);
    lt_io_pending_serve(listener);
    if (must_pause(listener, taken))
        await_batch(listener, taken);
    else if (!has_stopped(listener))
        watch_sockets(listener, true);
    lt_io_listener_release(listener);
}

static void on_ready(uv_poll_t *poll, int status, int events)
{
    lt_io_listener_socket *socket = poll->data;
    livetcp_listener *listener = socket->listener;

    (void)status;
    (void)events;
    lt_io_listener_reference(listener);
    unsigned taken = accept_some(listener, socket->socket);
    lt_io_pending_serve(listener);
    if (must_pause(listener, taken)) {
        watch_sockets(listener, false);
        await_batch(listener, taken);
    }
    lt_io_listener_release(listener);
}

/* ---- bound: every address its host means, all on one port ---- */

static void close_sockets(livetcp_listener *listener)
{
    for (unsigned i = 0; i < listener->socket_count; i++)
        lt_socket_close(listener->sockets[i].socket);
    listener->socket_count = 0;
}

static livetcp_result add_socket(livetcp_listener *listener, const lt_address *address, bool dual,
                                 livetcp_error *error)
{
    lt_address bound = *address;
    uv_os_sock_t socket;

    if (listener->port)
        lt_address_set_port(&bound, listener->port);
    livetcp_result result = lt_io_socket_listen(&socket, &bound, dual, &listener->config, error);
    if (result != LIVETCP_OK)
        return result;
    if (lt_socket_address(socket, false, &bound) == 0)
        listener->port = lt_address_port(&bound);
    listener->sockets[listener->socket_count++].socket = socket;
    return LIVETCP_OK;
}

/* One socket takes IPv6 and IPv4; where IPv6 is disabled, IPv4 alone. */
static livetcp_result bind_everywhere(livetcp_listener *listener, livetcp_error *error)
{
    lt_address any6 = lt_address_any(AF_INET6), any4 = lt_address_any(AF_INET);
    livetcp_result result;

    listener->port = listener->config.port;
    result = add_socket(listener, &any6, true, error);
    if (result == LIVETCP_ERR_ADDRESS_INVALID)
        result = add_socket(listener, &any4, false, error);
    return result;
}

static livetcp_result bind_each(livetcp_listener *listener, const lt_addresses *addresses,
                                livetcp_error *error)
{
    livetcp_result result = LIVETCP_OK;

    listener->port = listener->config.port;
    for (unsigned i = 0; i < addresses->count && listener->socket_count < LT_IO_LISTENER_SOCKETS;
         i++) {
        result = add_socket(listener, &addresses->items[i], false, error);
        /* A name may have addresses of a family that this host lacks. */
        if (result == LIVETCP_ERR_ADDRESS_INVALID && addresses->count > 1)
            continue;
        if (result != LIVETCP_OK)
            break;
    }
    if (result == LIVETCP_ERR_ADDRESS_INVALID && listener->socket_count > 0)
        result = LIVETCP_OK;
    if (result != LIVETCP_OK)
        close_sockets(listener);
    return result;
}

/* Opens the sockets on the calling thread; name resolution may block. Sets the port. */
static livetcp_result bind_listener(livetcp_listener *listener, livetcp_error *error)
{
    const livetcp_config *config = &listener->config;
    lt_addresses addresses;
    livetcp_result result;

    if (!config->host[0])
        return bind_everywhere(listener, error);
    result = lt_lookup_addresses(&addresses, LT_LOOKUP_LISTEN, config->host, config->port, error);
    if (result != LIVETCP_OK)
        return result;
    for (int i = 0; i < ANY_PORT_ATTEMPTS; i++) {
        result = bind_each(listener, &addresses, error);
        if (result != LIVETCP_ERR_ADDRESS_IN_USE || config->port)
            break;
    }
    return result;
}

/* ---- made ---- */

typedef struct create_call {
    livetcp_listener *listener;
    livetcp_result result;
} create_call;

static void log_addresses(const livetcp_listener *listener)
{
    char text[LT_ADDRESS_TEXT];

    for (unsigned i = 0; i < listener->socket_count; i++) {
        lt_socket_text(listener->sockets[i].socket, false, text);
        LT_IO_LOG(&listener->context->log, LIVETCP_LOG_INFO, "listener", "listening on %s", text);
    }
}

/* Loop's thread: starts to accept. */
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
        lt_socket_close(listener->sockets[i].socket);
    call->result = ready == listener->socket_count ? LIVETCP_OK : LIVETCP_ERR_SYSTEM;
    listener->socket_count = ready;
    livetcp_result result = lt_io_pending_init(listener);
    if (call->result == LIVETCP_OK)
        call->result = result;
    uv_timer_init(context->loop, &listener->pause);
    listener->pause.data = listener;
    listener->references = 3 + ready; /* owner, timers, sockets */
    listener->accepts = (lt_bucket){.tokens = SINGLE_ACCEPTS, .filled_us = lt_io_now()};
    listener->batches = (lt_bucket){.tokens = BATCHES_IN_A_ROW, .filled_us = lt_io_now()};
    lt_io_context_reference(context);
    lt_list_insert_first(&context->members, &listener->member.in_context);
    if (call->result != LIVETCP_OK) {
        end_listener(listener);
        return;
    }
    watch_sockets(listener, true);
    log_addresses(listener);
    lt_io_stats_open(context);
}

static livetcp_result create(livetcp_context *context, const livetcp_config *config,
                             const livetcp_listener_callbacks *callbacks, void *user,
                             lt_io_tls **tls, livetcp_listener **out, livetcp_error *error)
{
    livetcp_listener *listener = calloc(1, sizeof *listener);

    if (!listener)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "cannot make a listener: out of memory");
    listener->context = context;
    listener->member.end = end_member;
    listener->member.describe = describe_member;
    listener->config = *config;
    listener->user = user;
    if (callbacks)
        lt_sized_read(&listener->callbacks, sizeof listener->callbacks, callbacks);
    lt_list_init(&listener->sessions);
    lt_list_init(&listener->undecided);
    livetcp_result result = bind_listener(listener, error);
    if (result != LIVETCP_OK) {
        free(listener);
        return result;
    }
    listener->tls = *tls;
    *tls = NULL;
    create_call call = {.listener = listener};
    lt_io_context_run(context, run_create, &call);
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
    lt_io_tls *tls = NULL;

    if (!listener)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "listener is NULL");
    *listener = NULL;
    if (!context || !config)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "context or config is NULL");
    result = callbacks ? LT_CHECK_SIZED(callbacks, livetcp_listener_callbacks, error) : LIVETCP_OK;
    if (result == LIVETCP_OK)
        result = lt_config_read(&copy, config, error);
    if (result == LIVETCP_OK) {
        copy.mode = LIVETCP_MODE_LISTENER;
        result = livetcp_config_check(&copy, error);
    }
    if (result == LIVETCP_OK)
        result = lt_io_socket_check(&copy, error);
    if (result == LIVETCP_OK)
        result = lt_io_tls_create(&copy, &tls, error);
    lt_io_tls_forget_passphrase(&copy);
    if (result == LIVETCP_OK)
        result = create(context, &copy, callbacks, user, &tls, listener, error);
    lt_io_tls_destroy(&tls);
    return result;
}

uint16_t livetcp_listener_port(const livetcp_listener *listener)
{
    return listener->port;
}

static void run_end(void *argument)
{
    end_listener(argument);
}

void livetcp_listener_destroy(livetcp_listener **owner)
{
    livetcp_listener *listener = *owner;

    if (!listener)
        return;
    *owner = NULL;
    lt_io_context_run(listener->context, run_end, listener);
}
