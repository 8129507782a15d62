/* SPDX-License-Identifier: MIT */
#include "io/tunnel.h"

#include "base/error.h"
#include "io/clock.h"
#include "io/socket.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Bytes per read of the proxy's answer. */
#define READ_SIZE 16384

struct lt_io_tunnel {
    livetcp_context *context; /* referenced until both handles have closed */
    const lt_io_tunnel_owner *functions;
    void *owner;
    unsigned handles;
    uv_os_sock_t socket;
    lt_io_proxy *proxy;
    lt_tunnel *tunnel;
    lt_tls_filter *filter; /* TLS with the proxy; NULL = none */
    uv_poll_t poll;
    uv_timer_t timer;
};

/* ---- the end of it ---- */

static void on_closed(uv_handle_t *handle)
{
    lt_io_tunnel *self = handle->data;
    livetcp_context *context = self->context;

    if (--self->handles > 0)
        return;
    free(self);
    lt_io_context_release(context);
}

/* Ends it without a callback; socket and filter are the caller's. */
static void end(lt_io_tunnel *self)
{
    lt_tunnel_destroy(&self->tunnel);
    uv_close((uv_handle_t *)&self->poll, on_closed);
    uv_close((uv_handle_t *)&self->timer, on_closed);
}

void lt_io_tunnel_cancel(lt_io_tunnel **owner)
{
    lt_io_tunnel *self = *owner;

    if (!self)
        return;
    *owner = NULL;
    end(self);
    lt_tls_filter_destroy(&self->filter);
    lt_socket_close(self->socket);
}

static void fail(lt_io_tunnel *self, const livetcp_error *error)
{
    const lt_io_tunnel_owner *functions = self->functions;
    void *owner = self->owner;
    livetcp_error copy = *error;

    lt_io_tunnel_cancel(&self);
    functions->on_failed(owner, &copy);
}

static void ask_again(lt_io_tunnel *self)
{
    const lt_io_tunnel_owner *functions = self->functions;
    void *owner = self->owner;

    lt_io_tunnel_cancel(&self);
    functions->on_again(owner);
}

static void succeed(lt_io_tunnel *self)
{
    const lt_io_tunnel_owner *functions = self->functions;
    void *owner = self->owner;
    uv_os_sock_t socket = self->socket;
    lt_tls_filter *filter = self->filter;

    end(self);
    functions->on_open(owner, socket, filter);
}

/* Acts on the tunnel's state. The tunnel may be freed after this. */
static void conclude(lt_io_tunnel *self)
{
    switch (lt_tunnel_state_of(self->tunnel)) {
    case LT_TUNNEL_GOING:
        break;
    case LT_TUNNEL_OPEN:
        succeed(self);
        break;
    case LT_TUNNEL_AGAIN:
        ask_again(self);
        break;
    case LT_TUNNEL_FAILED:
        if (lt_tunnel_is_refused(self->tunnel))
            lt_io_proxy_refused(self->proxy, lt_tunnel_error(self->tunnel));
        fail(self, lt_tunnel_error(self->tunnel));
        break;
    }
}

static void fail_socket(lt_io_tunnel *self, int system_errno)
{
    char name[LT_PROXY_TEXT];
    livetcp_error error;

    if (!system_errno) {
        lt_tunnel_ended(self->tunnel);
        conclude(self);
        return;
    }
    lt_proxy_text(lt_io_proxy_address(self->proxy), name);
    lt_fail_errno(&error, lt_io_socket_result(system_errno, true), system_errno,
                  "proxy %s: the proxy closed the connection before the tunnel was open", name);
    fail(self, &error);
}

static void fail_tls(lt_io_tunnel *self)
{
    char name[LT_PROXY_TEXT];
    livetcp_error error;

    lt_proxy_text(lt_io_proxy_address(self->proxy), name);
    lt_fail(&error, LIVETCP_ERR_TLS, "proxy %s: %s", name,
            lt_tls_filter_error(self->filter)->message);
    fail(self, &error);
}

static void on_timeout(uv_timer_t *timer)
{
    lt_io_tunnel *self = timer->data;

    lt_tunnel_timed_out(self->tunnel);
    conclude(self);
}

/* ---- bytes ---- */

static void on_ready(uv_poll_t *poll, int status, int events);

/* Encrypts the tunnel's output, if the proxy uses TLS. */
static void encrypt(lt_io_tunnel *self)
{
    const uint8_t *data;
    size_t size = lt_tunnel_output(self->tunnel, &data);

    if (size && lt_tls_filter_write(self->filter, data, size) == LIVETCP_OK)
        lt_tunnel_written(self->tunnel, size);
}

static size_t waiting(const lt_io_tunnel *self, const uint8_t **data)
{
    return self->filter ? lt_tls_filter_output(self->filter, data)
                        : lt_tunnel_output(self->tunnel, data);
}

/* Writes as much as the socket accepts. Returns 0 or an errno. */
static int flush(lt_io_tunnel *self)
{
    const uint8_t *data;
    size_t size;

    if (self->filter)
        encrypt(self);
    while ((size = waiting(self, &data)) > 0) {
        long n = lt_socket_write(self->socket, data, size);
        if (n == -EAGAIN)
            break;
        if (n < 0)
            return (int)-n;
        if (self->filter)
            lt_tls_filter_written(self->filter, (size_t)n);
        else
            lt_tunnel_written(self->tunnel, (size_t)n);
    }
    uv_poll_start(&self->poll, UV_READABLE | (size ? UV_WRITABLE : 0), on_ready);
    return 0;
}

/* Bytes after the proxy's answer are the peer's: they stay in the socket. */
static long read_socket(lt_io_tunnel *self)
{
    uint8_t *buffer = self->context->read_buffer;
    long n = lt_socket_peek(self->socket, buffer, READ_SIZE);

    if (n <= 0)
        return n;
    size_t taken = lt_tunnel_receive(self->tunnel, buffer, (size_t)n);
    return taken ? lt_socket_read(self->socket, buffer, taken) : n;
}

/* The same within TLS: they stay in the filter. */
static long read_records(lt_io_tunnel *self)
{
    uint8_t *buffer = self->context->read_buffer;
    uint8_t byte;
    long n = lt_socket_read(self->socket, buffer, READ_SIZE);

    if (n <= 0)
        return n;
    lt_tls_filter_receive(self->filter, buffer, (size_t)n);
    while (lt_tunnel_state_of(self->tunnel) == LT_TUNNEL_GOING &&
           lt_tls_filter_read(self->filter, &byte, 1) == 1)
        lt_tunnel_receive(self->tunnel, &byte, 1);
    return n;
}

/* After input: takes the next step, or ends. */
static void go_on(lt_io_tunnel *self)
{
    bool going = lt_tunnel_state_of(self->tunnel) == LT_TUNNEL_GOING;
    int failure = flush(self); /* also of an alert */

    if (self->filter && lt_tls_filter_state(self->filter) == LT_TLS_FAILED)
        fail_tls(self);
    else if (going && failure)
        fail_socket(self, failure);
    else if (going && self->filter && lt_tls_filter_state(self->filter) == LT_TLS_ENDED)
        fail_socket(self, 0);
    else
        conclude(self);
}

static void on_ready(uv_poll_t *poll, int status, int events)
{
    lt_io_tunnel *self = poll->data;
    long n = -EAGAIN;

    if (events & UV_READABLE || status < 0)
        n = self->filter ? read_records(self) : read_socket(self);
    if (n == -EAGAIN && status < 0)
        n = status;
    if (n == 0 || (n < 0 && n != -EAGAIN))
        fail_socket(self, (int)-n);
    else
        go_on(self);
}

lt_io_tunnel *lt_io_tunnel_start(livetcp_context *context, uv_os_sock_t socket, lt_io_proxy *proxy,
                                 const char *host, uint16_t port, livetcp_usec stop_us,
                                 const lt_io_tunnel_owner *functions, void *owner)
{
    lt_io_tunnel *self = calloc(1, sizeof *self);

    if (!self)
        return NULL;
    self->tunnel = lt_io_proxy_tunnel(proxy, host, port);
    if (!self->tunnel || lt_io_proxy_filter(proxy, &self->filter) != LIVETCP_OK ||
        uv_poll_init_socket(context->loop, &self->poll, socket) != 0) {
        lt_tunnel_destroy(&self->tunnel);
        lt_tls_filter_destroy(&self->filter);
        free(self);
        return NULL;
    }
    uv_timer_init(context->loop, &self->timer);
    lt_io_context_reference(context);
    self->context = context;
    self->functions = functions;
    self->owner = owner;
    self->handles = 2;
    self->socket = socket;
    self->proxy = proxy;
    self->poll.data = self->timer.data = self;
    uv_timer_start(&self->timer, on_timeout, lt_io_timeout_ms(context->loop, stop_us), 0);
    /* Starts from the loop, like input: a socket with an empty send buffer is writable. */
    uv_poll_start(&self->poll, UV_READABLE | UV_WRITABLE, on_ready);
    return self;
}
