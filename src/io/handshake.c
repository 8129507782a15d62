/* SPDX-License-Identifier: MIT */
#include "io/handshake.h"

#include "base/error.h"
#include "io/clock.h"
#include "io/socket.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Bytes per read; several times the size of a certificate chain. */
#define READ_SIZE 16384

struct lt_io_handshake {
    livetcp_context *context;
    const lt_io_handshake_owner *functions;
    void *owner; /* held until both handles have closed */
    unsigned index, handles;
    uv_os_sock_t socket;
    lt_io_handshake_kind kind;
    lt_io_filter *filter; /* NULL until begun */
    lt_tls_filter *outer; /* TLS of a proxy in between, until begun; NULL otherwise */
    livetcp_usec stop_us;
    bool wanted; /* begin() was called */
    uv_poll_t poll;
    uv_timer_t timer;
    char remote[LT_ADDRESS_TEXT];
};

static void on_closed(uv_handle_t *handle)
{
    lt_io_handshake *self = handle->data;
    const lt_io_handshake_owner *functions = self->functions;
    void *owner = self->owner;

    if (--self->handles > 0)
        return;
    free(self);
    functions->release(owner);
}

/* Ends it without a callback; socket and filter are the caller's. */
static void end(lt_io_handshake *self)
{
    uv_close((uv_handle_t *)&self->poll, on_closed);
    uv_close((uv_handle_t *)&self->timer, on_closed);
}

void lt_io_handshake_cancel(lt_io_handshake **owner)
{
    lt_io_handshake *self = *owner;

    if (!self)
        return;
    *owner = NULL;
    end(self);
    lt_io_filter_destroy(&self->filter);
    lt_tls_filter_destroy(&self->outer);
    lt_socket_close(self->socket);
}

static void fail(lt_io_handshake *self, const livetcp_error *error)
{
    const lt_io_handshake_owner *functions = self->functions;
    void *owner = self->owner;
    unsigned index = self->index;

    lt_io_handshake_cancel(&self);
    functions->on_failed(owner, index, error);
}

static void fail_filter(lt_io_handshake *self)
{
    const livetcp_error *why = lt_io_filter_error(self->filter);
    livetcp_error error;

    lt_fail(&error, why->code, "connection %u to %s: %s", self->index, self->remote, why->message);
    fail(self, &error);
}

/* True if the layer in progress is TLS, not the WebSocket. */
static bool is_in_tls(const lt_io_handshake *self)
{
    const lt_tls_filter *tls = self->filter ? lt_io_filter_tls(self->filter) : NULL;

    return self->kind.tls && (!tls || lt_tls_filter_state(tls) == LT_TLS_HANDSHAKE);
}

static const char *advice(const lt_io_handshake *self)
{
    return is_in_tls(self) ? "TLS handshake; is it a listener with tls=on or tls=auto?"
                           : "opening handshake of the WebSocket; is it a listener with "
                             "websocket=on or websocket=auto?";
}

static void fail_socket(lt_io_handshake *self, int system_errno)
{
    livetcp_error error;

    if (system_errno)
        lt_fail_errno(&error, lt_io_socket_result(system_errno, true), system_errno,
                      "connection %u to %s: ended in the %s", self->index, self->remote,
                      is_in_tls(self) ? "TLS handshake" : "opening handshake of the WebSocket");
    else
        lt_fail(&error, is_in_tls(self) ? LIVETCP_ERR_TLS : LIVETCP_ERR_CONNECTION_LOST,
                "connection %u to %s: closed in the %s", self->index, self->remote, advice(self));
    fail(self, &error);
}

static void on_timeout(uv_timer_t *timer)
{
    lt_io_handshake *self = timer->data;
    livetcp_error error;

    lt_fail(&error, LIVETCP_ERR_HANDSHAKE_TIMEOUT,
            "connection %u to %s: no answer within connect-timeout to the %s", self->index,
            self->remote, advice(self));
    fail(self, &error);
}

static void succeed(lt_io_handshake *self)
{
    const lt_io_handshake_owner *functions = self->functions;
    void *owner = self->owner;
    unsigned index = self->index;
    uv_os_sock_t socket = self->socket;
    lt_io_filter *filter = self->filter;

    end(self);
    functions->on_open(owner, index, socket, filter);
}

static void on_ready(uv_poll_t *poll, int status, int events);

/* Writes as much as the socket accepts. Returns 0 or an errno. */
static int flush(lt_io_handshake *self)
{
    const uint8_t *data;
    size_t size;

    while ((size = lt_io_filter_output(self->filter, &data)) > 0) {
        long n = lt_socket_write(self->socket, data, size);
        if (n == -EAGAIN)
            break;
        if (n < 0)
            return (int)-n;
        lt_io_filter_written(self->filter, (size_t)n);
    }
    uv_poll_start(&self->poll, UV_READABLE | (size ? UV_WRITABLE : 0), on_ready);
    return 0;
}

/* After input or output: takes the next step, or ends. */
static void go_on(lt_io_handshake *self)
{
    lt_io_filter_state state = lt_io_filter_state_of(self->filter);
    const uint8_t *data;
    int failure = flush(self);

    if (state == LT_IO_FILTER_FAILED)
        fail_filter(self);
    else if (failure)
        fail_socket(self, failure);
    else if (state == LT_IO_FILTER_ENDED)
        fail_socket(self, 0);
    else if (state == LT_IO_FILTER_OPEN && lt_io_filter_output(self->filter, &data) == 0)
        succeed(self);
}

static void on_ready(uv_poll_t *poll, int status, int events)
{
    lt_io_handshake *self = poll->data;
    uint8_t *buffer = self->context->read_buffer;
    long n = -EAGAIN;

    if (events & UV_READABLE || status < 0)
        n = lt_socket_read(self->socket, buffer, READ_SIZE);
    if (n == 0 || (n < 0 && n != -EAGAIN)) {
        fail_socket(self, (int)-n);
        return;
    }
    if (n == -EAGAIN && status < 0) {
        fail_socket(self, -status);
        return;
    }
    if (n > 0)
        lt_io_filter_receive(self->filter, buffer, (size_t)n);
    go_on(self);
}

/* Layers, from the socket: TLS of the proxy, TLS of the session, WebSocket. */
static livetcp_result make_filter(lt_io_handshake *self)
{
    const livetcp_config *config = self->kind.config;
    lt_tls_filter *tls = NULL;
    livetcp_result result = LIVETCP_OK;

    if (self->kind.tls)
        result = lt_io_tls_filter(self->kind.tls, &self->context->log, &tls);
    if (result != LIVETCP_OK)
        return result;
    if (tls && self->outer)
        lt_tls_filter_nest(tls, self->outer);
    self->filter = lt_io_filter_create(tls ? tls : self->outer, tls != NULL);
    if (!self->filter)
        lt_tls_filter_destroy(tls ? &tls : &self->outer);
    self->outer = NULL;
    if (!self->filter)
        return LIVETCP_ERR_NO_MEMORY;
    return config->websocket == LIVETCP_WEBSOCKET_OFF
               ? LIVETCP_OK
               : lt_io_filter_add_websocket(self->filter, config, self->kind.host,
                                            self->kind.headers, NULL, 0);
}

static void on_start(uv_timer_t *timer)
{
    lt_io_handshake *self = timer->data;
    livetcp_result result;

    if (!self->wanted) { /* the timeout for waiting on another connection's handshake has expired */
        on_timeout(timer);
        return;
    }
    result = make_filter(self);
    if (result != LIVETCP_OK) {
        livetcp_error error;
        lt_fail(&error, result, "connection %u: no memory, or no random bytes, for a handshake",
                self->index);
        fail(self, &error);
        return;
    }
    uv_timer_start(timer, on_timeout, lt_io_timeout_ms(self->context->loop, self->stop_us), 0);
    go_on(self);
}

void lt_io_handshake_begin(lt_io_handshake *self)
{
    if (self->wanted)
        return;
    self->wanted = true;
    uv_timer_start(&self->timer, on_start, 0, 0);
}

bool lt_io_handshake_has_begun(const lt_io_handshake *self)
{
    return self->wanted;
}

lt_io_handshake *lt_io_handshake_create(livetcp_context *context, unsigned index,
                                        uv_os_sock_t socket, lt_tls_filter *outer,
                                        const lt_io_handshake_kind *kind,
                                        const lt_io_handshake_owner *functions, void *owner)
{
    lt_io_handshake *self = calloc(1, sizeof *self);

    if (!self)
        return NULL;
    if (uv_poll_init_socket(context->loop, &self->poll, socket) != 0) {
        free(self);
        return NULL;
    }
    uv_timer_init(context->loop, &self->timer);
    self->context = context;
    self->functions = functions;
    self->owner = owner;
    self->index = index;
    self->handles = 2;
    self->socket = socket;
    self->outer = outer;
    self->kind = *kind;
    self->stop_us = lt_io_now() + kind->config->connect_timeout_us;
    self->poll.data = self->timer.data = self;
    lt_socket_text(socket, true, self->remote);
    functions->hold(owner);
    uv_timer_start(&self->timer, on_start, lt_io_timeout_ms(context->loop, self->stop_us), 0);
    return self;
}
