/* SPDX-License-Identifier: MIT */
#include "io/fallback.h"

#include "io/clock.h"
#include "io/connector.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Buffer for one direction; also bounds what the peer may send before the server answers. */
#define BUFFER_SIZE 32768

/* Connections per context. Each holds two buffers, so this bounds what unauthenticated peers can
 * make a context allocate. */
#define RELAYS_MAX 256

/* How often the log warns of a server that cannot be reached: strangers may come as fast as they
 * like. */
#define WARN_US (10 * (livetcp_usec)LIVETCP_USEC_SEC)

/* Neither side has sent for so long: closed, as web servers do. */
#define IDLE_US (75 * (livetcp_usec)LIVETCP_USEC_SEC)

typedef struct relay relay;

/* One end, and the bytes to be written to it. */
typedef struct side {
    relay *relay;
    uv_os_sock_t socket; /* LT_NO_SOCKET before it is connected */
    uv_poll_t poll;
    uint8_t buffer[BUFFER_SIZE];
    size_t begin, end; /* range of unwritten bytes */
    bool read_ended;   /* end of input seen */
    bool write_ended;  /* our direction is shut down */
} side;

struct relay {
    lt_io_member member; /* of the context */
    livetcp_context *context;
    livetcp_config config; /* for the connection to the server, */
    lt_io_links *links;    /* with one link */
    lt_io_connector *connector;
    side peer, server;
    uv_timer_t timer;
    livetcp_usec active_us;
    bool ended;
    unsigned references; /* open handles, and the connector */
};

static void hold(void *owner)
{
    ((relay *)owner)->references++;
}

static void release(void *owner)
{
    relay *self = owner;
    livetcp_context *context = self->context;

    if (--self->references > 0)
        return;
    free(self->links);
    free(self);
    lt_io_context_release(context);
}

static void on_side_closed(uv_handle_t *handle)
{
    release(((side *)handle->data)->relay);
}

static void on_timer_closed(uv_handle_t *handle)
{
    release(handle->data);
}

static void close_side(side *one)
{
    if (one->socket == LT_NO_SOCKET)
        return;
    uv_close((uv_handle_t *)&one->poll, on_side_closed);
    lt_socket_close(one->socket);
    one->socket = LT_NO_SOCKET;
}

static void end(relay *self)
{
    if (self->ended)
        return;
    self->ended = true;
    self->context->fallback_count--;
    lt_list_remove(&self->member.in_context);
    lt_io_connector_cancel(&self->connector);
    close_side(&self->peer);
    close_side(&self->server);
    uv_close((uv_handle_t *)&self->timer, on_timer_closed);
}

static void end_member(lt_io_member *member)
{
    end(LT_LIST_ELEMENT(member, relay, member));
}

/* ---- bytes ---- */

/* Returns 0, or the errno of a failure. */
static int write_out(side *to, const side *from)
{
    while (to->begin < to->end) {
        long n = lt_socket_write(to->socket, to->buffer + to->begin, to->end - to->begin);
        if (n == -EAGAIN)
            return 0;
        if (n < 0)
            return (int)-n;
        to->begin += (size_t)n;
    }
    to->begin = to->end = 0;
    if (from->read_ended && !to->write_ended) {
        to->write_ended = true;
        lt_socket_end_writing(to->socket);
    }
    return 0;
}

static int read_in(side *from, side *to)
{
    if (from->read_ended || to->end == BUFFER_SIZE)
        return 0;
    long n = lt_socket_read(from->socket, to->buffer + to->end, BUFFER_SIZE - to->end);
    if (n == -EAGAIN)
        return 0;
    if (n < 0)
        return (int)-n;
    from->read_ended = n == 0;
    to->end += (size_t)n;
    return 0;
}

static void on_ready(uv_poll_t *poll, int status, int events);

/* A side is read while the other's buffer has space, and watched for writability while bytes wait
 * for it. */
static void watch(side *one, const side *other)
{
    int events = 0;

    if (one->socket == LT_NO_SOCKET)
        return;
    if (!one->read_ended && other->end < BUFFER_SIZE)
        events |= UV_READABLE;
    if (one->begin < one->end)
        events |= UV_WRITABLE;
    if (events)
        uv_poll_start(&one->poll, events, on_ready);
    else
        uv_poll_stop(&one->poll);
}

static void go_on(relay *self)
{
    side *peer = &self->peer, *server = &self->server;
    bool connected = server->socket != LT_NO_SOCKET;

    if ((connected && write_out(server, peer)) || write_out(peer, server) ||
        (peer->write_ended && server->write_ended)) {
        end(self);
        return;
    }
    watch(peer, server);
    watch(server, peer);
}

static void on_ready(uv_poll_t *poll, int status, int events)
{
    side *one = poll->data;
    relay *self = one->relay;
    side *other = one == &self->peer ? &self->server : &self->peer;

    self->active_us = lt_io_now();
    if (((events & UV_READABLE) || status < 0) && (read_in(one, other) || status < 0))
        end(self);
    else
        go_on(self);
}

/* ---- the server ---- */

static bool watch_socket(relay *self, side *one, uv_os_sock_t socket)
{
    if (uv_poll_init_socket(self->context->loop, &one->poll, socket) != 0)
        return false;
    one->relay = self;
    one->socket = socket;
    one->poll.data = one;
    hold(self);
    return true;
}

static void on_connected(void *owner, unsigned index, uv_os_sock_t socket, lt_tls_filter *filter,
                         const lt_address *address)
{
    relay *self = owner;

    (void)index;
    (void)filter; /* of a proxy: not used here */
    (void)address;
    self->connector = NULL;
    self->active_us = lt_io_now();
    if (!watch_socket(self, &self->server, socket)) {
        lt_socket_close(socket);
        end(self);
        return;
    }
    go_on(self);
}

static void on_failed(void *owner, unsigned index, const livetcp_error *error)
{
    relay *self = owner;
    livetcp_usec now = lt_io_now();
    bool news = now >= self->context->fallback_warning_us;

    (void)index;
    self->connector = NULL;
    if (news)
        self->context->fallback_warning_us = now + WARN_US;
    LT_IO_LOG(&self->context->log, news ? LIVETCP_LOG_WARNING : LIVETCP_LOG_DEBUG, "fallback", "%s",
              error->message);
    end(self);
}

static const lt_address *known_peer(const void *owner, unsigned index)
{
    (void)owner;
    (void)index;
    return NULL;
}

static const lt_io_connector_owner functions = {.on_connected = on_connected,
                                                .on_failed = on_failed,
                                                .known_peer = known_peer,
                                                .hold = hold,
                                                .release = release};

static void on_idle(uv_timer_t *timer)
{
    relay *self = timer->data;
    livetcp_usec end_us = self->active_us + IDLE_US;

    if (lt_io_now() >= end_us)
        end(self);
    else
        uv_timer_start(timer, on_idle, lt_io_timeout_ms(timer->loop, end_us), 0);
}

/* The form was checked by the settings. */
static void set_target(livetcp_config *config, const char *target)
{
    const char *colon = strrchr(target, ':');
    int length = (int)(colon - target);

    livetcp_config_init(config);
    if (target[0] == '[' && length > 1 && target[length - 1] == ']') {
        target++;
        length -= 2;
    }
    snprintf(config->host, sizeof config->host, "%.*s", length, target);
    config->port = (uint16_t)strtoul(colon + 1, NULL, 10);
}

bool lt_io_fallback_start(livetcp_context *context, uv_os_sock_t peer, const char *target,
                          const uint8_t *data, size_t size)
{
    bool room = context->fallback_count < RELAYS_MAX && size <= BUFFER_SIZE;
    relay *self = room ? calloc(1, sizeof *self) : NULL;

    if (!self)
        return false;
    self->context = context;
    self->server.relay = self;
    self->server.socket = LT_NO_SOCKET;
    if (!watch_socket(self, &self->peer, peer)) {
        free(self);
        return false;
    }
    memcpy(self->server.buffer, data, size);
    self->server.end = size;
    self->member.end = end_member;
    set_target(&self->config, target);
    lt_io_context_reference(context);
    context->fallback_count++;
    hold(self);
    uv_timer_init(context->loop, &self->timer);
    self->timer.data = self;
    lt_list_insert_last(&context->members, &self->member.in_context);
    self->active_us = lt_io_now();
    uv_timer_start(&self->timer, on_idle,
                   lt_io_timeout_ms(context->loop, self->active_us + IDLE_US), 0);
    self->links = lt_io_links_create(&self->config);
    if (self->links)
        self->connector = lt_io_connector_start(context, &self->config, &self->links->items[0],
                                                NULL, 0, &functions, self);
    if (!self->connector)
        end(self);
    else
        watch(&self->peer, &self->server);
    return true;
}
