/* SPDX-License-Identifier: MIT */
#include "io/tls_handshake.h"

#include "base/error.h"
#include "io/clock.h"
#include "io/socket.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A certificate's chain fits several times. */
#define READ_SIZE 16384

struct lt_io_tls_handshake {
    livetcp_context *context;
    const lt_io_tls_handshake_owner *functions;
    void *owner; /* held until both handles have closed */
    unsigned index, handles;
    uv_os_sock_t socket;
    lt_io_tls *tls;
    lt_tls_filter *filter; /* NULL until it has begun */
    lt_tls_filter *outer;  /* of a proxy on the way, until it has begun; NULL otherwise */
    livetcp_usec stop_us;
    bool wanted; /* begin() was called */
    uv_poll_t poll;
    uv_timer_t timer;
    char remote[LT_ADDRESS_TEXT];
};

static void on_closed(uv_handle_t *handle)
{
    lt_io_tls_handshake *self = handle->data;
    const lt_io_tls_handshake_owner *functions = self->functions;
    void *owner = self->owner;

    if (--self->handles > 0)
        return;
    free(self);
    functions->release(owner);
}

/* Ends it; socket and filter are the caller's. */
static void end(lt_io_tls_handshake *self)
{
    uv_close((uv_handle_t *)&self->poll, on_closed);
    uv_close((uv_handle_t *)&self->timer, on_closed);
}

void lt_io_tls_handshake_cancel(lt_io_tls_handshake **owner)
{
    lt_io_tls_handshake *self = *owner;

    if (!self)
        return;
    *owner = NULL;
    end(self);
    lt_tls_filter_destroy(&self->filter);
    lt_tls_filter_destroy(&self->outer);
    lt_socket_close(self->socket);
}

static void fail(lt_io_tls_handshake *self, const livetcp_error *error)
{
    const lt_io_tls_handshake_owner *functions = self->functions;
    void *owner = self->owner;
    unsigned index = self->index;

    lt_io_tls_handshake_cancel(&self);
    functions->on_failed(owner, index, error);
}

static void fail_tls(lt_io_tls_handshake *self)
{
    const char *why = lt_tls_filter_error(self->filter)->message;
    livetcp_error error;

    lt_fail(&error, LIVETCP_ERR_TLS, "connection %u to %s: %s", self->index, self->remote, why);
    fail(self, &error);
}

static void fail_socket(lt_io_tls_handshake *self, int system_errno)
{
    livetcp_error error;

    if (system_errno)
        lt_fail_errno(&error, lt_io_socket_result(system_errno, true), system_errno,
                      "connection %u to %s: ended in the TLS handshake", self->index, self->remote);
    else
        lt_fail(&error, LIVETCP_ERR_TLS,
                "connection %u to %s: closed in the TLS handshake; is it a listener with tls=on or "
                "tls=auto?",
                self->index, self->remote);
    fail(self, &error);
}

static void on_timeout(uv_timer_t *timer)
{
    lt_io_tls_handshake *self = timer->data;
    livetcp_error error;

    lt_fail(&error, LIVETCP_ERR_HANDSHAKE_TIMEOUT,
            "connection %u to %s: no answer to the TLS handshake within connect-timeout; is it a "
            "listener with tls=on or tls=auto?",
            self->index, self->remote);
    fail(self, &error);
}

static void succeed(lt_io_tls_handshake *self)
{
    const lt_io_tls_handshake_owner *functions = self->functions;
    void *owner = self->owner;
    unsigned index = self->index;
    uv_os_sock_t socket = self->socket;
    lt_tls_filter *filter = self->filter;

    end(self);
    functions->on_secured(owner, index, socket, filter);
}

static void on_ready(uv_poll_t *poll, int status, int events);

/* Writes what the socket takes. Returns 0, or an errno. */
static int flush(lt_io_tls_handshake *self)
{
    const uint8_t *data;
    size_t size;

    while ((size = lt_tls_filter_output(self->filter, &data)) > 0) {
        long n = lt_socket_write(self->socket, data, size);
        if (n == -EAGAIN)
            break;
        if (n < 0)
            return (int)-n;
        lt_tls_filter_written(self->filter, (size_t)n);
    }
    uv_poll_start(&self->poll, UV_READABLE | (size ? UV_WRITABLE : 0), on_ready);
    return 0;
}

/* After input or output: the next step, or the end of it. */
static void go_on(lt_io_tls_handshake *self)
{
    lt_tls_state state = lt_tls_filter_state(self->filter);
    const uint8_t *data;
    int failure = flush(self);

    if (state == LT_TLS_FAILED)
        fail_tls(self);
    else if (failure)
        fail_socket(self, failure);
    else if (state == LT_TLS_ENDED)
        fail_socket(self, 0);
    else if (state == LT_TLS_OPEN && lt_tls_filter_output(self->filter, &data) == 0)
        succeed(self);
}

static void on_ready(uv_poll_t *poll, int status, int events)
{
    lt_io_tls_handshake *self = poll->data;
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
        lt_tls_filter_receive(self->filter, buffer, (size_t)n);
    go_on(self);
}

static void on_start(uv_timer_t *timer)
{
    lt_io_tls_handshake *self = timer->data;

    if (!self->wanted) { /* the time to wait for another connection is over */
        on_timeout(timer);
        return;
    }
    if (lt_io_tls_filter(self->tls, &self->context->log, &self->filter) != LIVETCP_OK) {
        livetcp_error error;
        lt_fail(&error, LIVETCP_ERR_NO_MEMORY, "connection %u: no memory for TLS", self->index);
        fail(self, &error);
        return;
    }
    if (self->outer)
        lt_tls_filter_nest(self->filter, self->outer);
    self->outer = NULL;
    uv_timer_start(timer, on_timeout, lt_io_timeout_ms(self->context->loop, self->stop_us), 0);
    go_on(self);
}

void lt_io_tls_handshake_begin(lt_io_tls_handshake *self)
{
    if (self->wanted)
        return;
    self->wanted = true;
    uv_timer_start(&self->timer, on_start, 0, 0);
}

bool lt_io_tls_handshake_has_begun(const lt_io_tls_handshake *self)
{
    return self->wanted;
}

lt_io_tls_handshake *lt_io_tls_handshake_create(livetcp_context *context, unsigned index,
                                                uv_os_sock_t socket, lt_tls_filter *outer,
                                                lt_io_tls *tls, livetcp_usec timeout_us,
                                                const lt_io_tls_handshake_owner *functions,
                                                void *owner)
{
    lt_io_tls_handshake *self = calloc(1, sizeof *self);

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
    self->tls = tls;
    self->stop_us = lt_io_now() + timeout_us;
    self->poll.data = self->timer.data = self;
    lt_socket_text(socket, true, self->remote);
    functions->hold(owner);
    uv_timer_start(&self->timer, on_start, lt_io_timeout_ms(context->loop, self->stop_us), 0);
    return self;
}
