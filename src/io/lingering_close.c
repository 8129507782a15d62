/* SPDX-License-Identifier: MIT */
/* Sockets that are finished here, but whose data the peer may still be reading. */
#include "io/lingering_close.h"

#include "io/held.h"
#include "platform/probe.h"

#include <errno.h>
#include <stdlib.h>

#define LINGER_MS        2000
#define REST_MS          10000 /* without progress, for bytes that the kernel has no space for */
#define LINGERING_MAX    256
#define READS_PER_WAKEUP 64

/* Timestamps discarded per wake-up: bounds the time in the error queue. */
#define TIMESTAMPS_PER_WAKEUP 256

typedef struct lingering {
    lt_io_member member;
    livetcp_context *context;
    uv_os_sock_t socket;
    uv_poll_t poll;
    uv_timer_t timer;
    int handles; /* still open */
    lt_io_held rest;
    size_t written; /* bytes of it */
} lingering;

/* ---- remaining input ---- */

/* Reads and discards input. True at the end of input, and on an error. */
static bool discard(uv_os_sock_t socket)
{
    char nothing[8192]; /* the context's buffer may hold packets that are being delivered */

    for (int i = 0; i < READS_PER_WAKEUP; i++) {
        long n = lt_socket_read(socket, nothing, sizeof nothing);
        if (n <= 0)
            return n != -EAGAIN;
    }
    return false;
}

static bool discard_timestamps(uv_os_sock_t socket)
{
    livetcp_tx_timestamp timestamps[LT_TIMESTAMP_BATCH];
    unsigned taken = 0, count;

    do {
        count = lt_platform_take_timestamps(socket, timestamps);
        taken += count;
    } while (count == LT_TIMESTAMP_BATCH && taken < TIMESTAMPS_PER_WAKEUP);
    return taken > 0;
}

/* A timestamp may arrive between reading the queue and reading SO_ERROR. */
bool lt_io_discard_timestamps(uv_os_sock_t socket)
{
    return discard_timestamps(socket) || !lt_socket_failed(socket) || discard_timestamps(socket);
}

/* ---- remaining output ---- */

static bool has_rest(const lingering *self)
{
    return self->written < self->rest.size;
}

/* Writes it, and ends our direction behind it. False if the socket has failed. */
static bool write_rest(lingering *self)
{
    while (has_rest(self)) {
        long n = lt_socket_write(self->socket, self->rest.data + self->written,
                                 self->rest.size - self->written);
        if (n <= 0)
            return n == -EAGAIN;
        self->written += (size_t)n;
    }
    lt_socket_end_writing(self->socket);
    return true;
}

/* ---- life ---- */

static void on_closed(uv_handle_t *handle)
{
    lingering *self = handle->data;
    livetcp_context *context = self->context;

    if (--self->handles > 0)
        return;
    lt_io_held_clear(&self->rest);
    free(self);
    lt_io_context_release(context);
}

static void finish(lingering *self)
{
    lt_list_remove(&self->member.in_context);
    self->context->lingering_count--;
    uv_close((uv_handle_t *)&self->poll, on_closed);
    uv_close((uv_handle_t *)&self->timer, on_closed);
    lt_socket_close(self->socket);
}

/* The context ends. */
static void end_member(lt_io_member *member)
{
    lingering *self = LT_LIST_ELEMENT(member, lingering, member);

    if (has_rest(self))
        write_rest(self);
    discard(self->socket);
    finish(self);
}

static void on_timeout(uv_timer_t *timer)
{
    finish(timer->data);
}

static void on_ready(uv_poll_t *poll, int status, int events);

static void watch(lingering *self)
{
    uv_poll_start(&self->poll, UV_READABLE | (has_rest(self) ? UV_WRITABLE : 0), on_ready);
}

static void watch_and_wait(lingering *self)
{
    watch(self);
    uv_timer_start(&self->timer, on_timeout, has_rest(self) ? REST_MS : LINGER_MS, 0);
}

static void on_ready(uv_poll_t *poll, int status, int events)
{
    lingering *self = poll->data;
    size_t written = self->written;
    bool ended = discard(self->socket);

    if (status < 0 && !ended)
        ended = !lt_io_discard_timestamps(self->socket);
    if (has_rest(self) && !ended && (events & UV_WRITABLE || status < 0))
        ended = !write_rest(self);
    if (ended)
        finish(self);
    else if (self->written != written)
        watch_and_wait(self);
    else if (status < 0)
        watch(self); /* libuv has stopped the handle */
}

static bool linger(livetcp_context *context, uv_os_sock_t socket, const void *rest, size_t size)
{
    lingering *self = calloc(1, sizeof *self);

    if (!self)
        return false;
    if (!lt_io_held_set(&self->rest, rest, size) ||
        uv_poll_init_socket(context->loop, &self->poll, socket) != 0) {
        lt_io_held_clear(&self->rest);
        free(self);
        return false;
    }
    uv_timer_init(context->loop, &self->timer);
    self->context = context;
    self->socket = socket;
    self->handles = 2;
    self->poll.data = self;
    self->timer.data = self;
    self->member.end = end_member;
    lt_io_context_reference(context);
    watch_and_wait(self);
    lt_list_insert_last(&context->lingering, &self->member.in_context);
    context->lingering_count++;
    return true;
}

void lt_io_close_lingering(livetcp_context *context, uv_os_sock_t socket, const void *rest,
                           size_t size)
{
    if (!size)
        lt_socket_end_writing(socket);
    if (discard(socket) || context->ended) {
        lt_socket_close(socket);
        return;
    }
    if (context->lingering_count == LINGERING_MAX)
        finish(LT_LIST_ELEMENT(lt_list_first(&context->lingering), lingering, member.in_context));
    if (!linger(context, socket, rest, size))
        lt_socket_close(socket);
}
