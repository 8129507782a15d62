/* SPDX-License-Identifier: MIT */
/* The naive application that LiveTCP is compared with: one TCP socket per flow, written at once,
 * RFC 4571 framing, one thread that reads. */
#include "lab/bench/transport.h"

#include "base/bytes.h"
#include "base/error.h"
#include "lab/bench/plan.h"
#include "lab/bench/watcher.h"
#include "lab/tcp.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- one flow: a TCP socket, its unwritten bytes, and the frame it is reading ---- */

/* Maximum of unwritten bytes per flow before packets are dropped. The delay of such an application
 * is mostly in the kernel's send buffer, which holds megabytes before this is used. */
#define PENDING_MAX ((size_t)8 << 20)

typedef struct socket_flow {
    pthread_mutex_t lock; /* of all members but `frame` and `frame_used` */
    int listener;         /* -1 = none */
    int fd;               /* -1 = not connected */
    uint8_t *pending;     /* unwritten bytes: [pending_start, pending_end) */
    size_t pending_start, pending_end, pending_size;
    uint8_t *frame; /* bytes read, from the start of a frame */
    size_t frame_used;
    bool failed;
    lt_transport_totals totals;
} socket_flow;

enum { READ_SIZE = 1 << 17 }; /* more than the largest frame */

static livetcp_result flow_init(socket_flow *flow, livetcp_error *error)
{
    memset(flow, 0, sizeof *flow);
    flow->listener = flow->fd = -1;
    pthread_mutex_init(&flow->lock, NULL);
    flow->frame = malloc(READ_SIZE);
    if (!flow->frame)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for a flow");
    return LIVETCP_OK;
}

static void flow_clear(socket_flow *flow)
{
    if (flow->listener >= 0)
        close(flow->listener);
    if (flow->fd >= 0)
        close(flow->fd);
    free(flow->pending);
    free(flow->frame);
    pthread_mutex_destroy(&flow->lock);
}

/* Makes space for `size` more bytes after pending_end. */
static livetcp_result reserve(socket_flow *flow, size_t size)
{
    size_t used = flow->pending_end - flow->pending_start;
    if (used + size > PENDING_MAX)
        return LIVETCP_ERR_NO_MEMORY;
    if (flow->pending_end + size > flow->pending_size) {
        if (used + size > flow->pending_size) {
            size_t larger = 2 * (used + size);
            uint8_t *moved = realloc(flow->pending, larger);
            if (!moved)
                return LIVETCP_ERR_NO_MEMORY;
            flow->pending = moved;
            flow->pending_size = larger;
        }
        memmove(flow->pending, flow->pending + flow->pending_start, used);
        flow->pending_start = 0;
        flow->pending_end = used;
    }
    return LIVETCP_OK;
}

static void keep(socket_flow *flow, const uint8_t *data, size_t size)
{
    memcpy(flow->pending + flow->pending_end, data, size);
    flow->pending_end += size;
}

/* Writes pending bytes; false while some remain. The caller holds the lock. */
static bool flow_flush(socket_flow *flow)
{
    while (flow->pending_start < flow->pending_end) {
        ssize_t n = send(flow->fd, flow->pending + flow->pending_start,
                         flow->pending_end - flow->pending_start, MSG_NOSIGNAL);
        if (n <= 0) {
            if (n < 0 && errno == EINTR)
                continue;
            flow->failed = flow->failed || (errno != EAGAIN && errno != EWOULDBLOCK);
            return false;
        }
        flow->pending_start += (size_t)n;
        flow->totals.bytes_sent += (uint64_t)n;
    }
    return true;
}

/* Writes a frame, or stores the bytes that the kernel does not accept. The caller holds the lock.
 * *blocked: bytes are pending afterwards. */
static livetcp_result flow_send(socket_flow *flow, const uint8_t *packet, size_t size,
                                bool *blocked)
{
    uint8_t header[LT_BENCH_FRAMING];
    *blocked = flow->pending_start < flow->pending_end;
    if (flow->fd < 0 || flow->failed || reserve(flow, size + LT_BENCH_FRAMING) != LIVETCP_OK) {
        flow->totals.refused++;
        return flow->failed ? LIVETCP_ERR_CONNECTION_LOST : LIVETCP_ERR_NO_MEMORY;
    }
    lt_write_be16(header, (uint16_t)size);
    keep(flow, header, sizeof header);
    keep(flow, packet, size);
    flow->totals.packets_sent++;
    if (!*blocked)
        *blocked = !flow_flush(flow);
    return LIVETCP_OK;
}

/* Delivers the complete frames in the buffer and moves the rest to its start. */
static void deliver(socket_flow *flow, const lt_transport *transport)
{
    size_t at = 0;
    while (flow->frame_used - at >= LT_BENCH_FRAMING) {
        size_t size = lt_read_be16(flow->frame + at);
        if (flow->frame_used - at < LT_BENCH_FRAMING + size)
            break;
        transport->user.receive(transport->user.user, flow->frame + at + LT_BENCH_FRAMING, size);
        at += LT_BENCH_FRAMING + size;
    }
    flow->frame_used -= at;
    memmove(flow->frame, flow->frame + at, flow->frame_used);
}

/* Reads the available bytes and delivers each complete packet. False at the end of the
 * connection. */
static bool flow_read(socket_flow *flow, const lt_transport *transport)
{
    for (;;) {
        ssize_t n = recv(flow->fd, flow->frame + flow->frame_used, READ_SIZE - flow->frame_used, 0);
        if (n == 0)
            return false;
        if (n < 0) {
            if (errno == EINTR)
                continue;
            return errno == EAGAIN || errno == EWOULDBLOCK;
        }
        flow->frame_used += (size_t)n;
        deliver(flow, transport);
    }
}

/* ---- the transport ---- */

typedef struct socket_transport {
    lt_transport base;
    lt_watcher watcher; /* by flow */
    socket_flow *flows;
} socket_transport;

static void accept_flow(socket_transport *t, unsigned index)
{
    socket_flow *flow = &t->flows[index];
    int fd = lt_tcp_accept(flow->listener, NULL);
    if (fd < 0)
        return;
    if (!t->base.scheme->nagle)
        lt_tcp_set_nodelay(fd);
    pthread_mutex_lock(&flow->lock);
    close(flow->listener); /* one peer per flow */
    flow->listener = -1;
    flow->fd = fd;
    lt_watcher_add(&t->watcher, fd, index, EPOLLIN);
    pthread_mutex_unlock(&flow->lock);
}

/* The watcher's on_ready. */
static void on_ready(void *user, unsigned index, uint32_t events)
{
    socket_transport *t = user;
    socket_flow *flow = &t->flows[index];
    bool ended = false;
    if (flow->fd < 0) {
        accept_flow(t, index);
        return;
    }
    if (events & EPOLLOUT) {
        pthread_mutex_lock(&flow->lock);
        bool drained = flow_flush(flow);
        if (drained)
            lt_watcher_change(&t->watcher, flow->fd, index, EPOLLIN);
        pthread_mutex_unlock(&flow->lock);
        if (drained)
            t->base.user.drained(t->base.user.user, index);
    }
    if (events & (EPOLLIN | EPOLLHUP | EPOLLERR))
        ended = lt_tcp_error(flow->fd) != EINPROGRESS && !flow_read(flow, &t->base);
    if (ended) {
        lt_watcher_remove(&t->watcher, flow->fd);
        pthread_mutex_lock(&flow->lock);
        flow->failed = true;
        pthread_mutex_unlock(&flow->lock);
    }
}

static livetcp_result socket_listen(lt_transport *base, const char *address, uint16_t *ports,
                                    livetcp_error *error)
{
    socket_transport *t = (socket_transport *)base;
    const char *cc = base->scheme->config.congestion_control;
    for (unsigned i = 0; i < base->flows; i++) {
        livetcp_result result = lt_tcp_listen(address, cc, &t->flows[i].listener, &ports[i], error);
        if (result != LIVETCP_OK)
            return result;
        int code = lt_watcher_add(&t->watcher, t->flows[i].listener, i, EPOLLIN);
        if (code)
            return lt_fail_errno(error, LIVETCP_ERR_SYSTEM, code, "cannot watch a socket");
    }
    return lt_watcher_start(&t->watcher, error);
}

static livetcp_result socket_connect(lt_transport *base, unsigned index, const char *address,
                                     uint16_t port, livetcp_error *error)
{
    socket_transport *t = (socket_transport *)base;
    socket_flow *flow = &t->flows[index];
    pthread_mutex_lock(&flow->lock);
    livetcp_result result =
        lt_tcp_connect(address, port, base->scheme->config.congestion_control, &flow->fd, error);
    if (result == LIVETCP_OK) {
        if (!base->scheme->nagle)
            lt_tcp_set_nodelay(flow->fd);
        lt_watcher_add(&t->watcher, flow->fd, index, EPOLLIN);
    }
    pthread_mutex_unlock(&flow->lock);
    return result == LIVETCP_OK ? lt_watcher_start(&t->watcher, error) : result;
}

static bool socket_ready(lt_transport *base, unsigned index, livetcp_error *error)
{
    socket_flow *flow = &((socket_transport *)base)->flows[index];
    pthread_mutex_lock(&flow->lock);
    int fd = flow->fd;
    bool failed = flow->failed;
    pthread_mutex_unlock(&flow->lock);
    int code = fd < 0 ? EINPROGRESS : lt_tcp_error(fd);
    if (failed || (code && code != EINPROGRESS)) {
        lt_fail_errno(error, LIVETCP_ERR_CONNECTION_LOST, code ? code : ECONNRESET,
                      "the socket of flow %u failed", index);
        return false;
    }
    return code == 0;
}

static livetcp_result socket_send(lt_transport *base, unsigned index, const uint8_t *packet,
                                  size_t size, const livetcp_packet_info *info)
{
    (void)info; /* there is one connection only */
    socket_transport *t = (socket_transport *)base;
    socket_flow *flow = &t->flows[index];
    bool was_blocked, blocked;
    pthread_mutex_lock(&flow->lock);
    was_blocked = flow->pending_start < flow->pending_end;
    livetcp_result result = flow_send(flow, packet, size, &blocked);
    if (blocked && !was_blocked)
        lt_watcher_change(&t->watcher, flow->fd, index, EPOLLIN | EPOLLOUT);
    pthread_mutex_unlock(&flow->lock);
    return result;
}

static bool socket_writable(lt_transport *base, unsigned index)
{
    socket_flow *flow = &((socket_transport *)base)->flows[index];
    pthread_mutex_lock(&flow->lock);
    bool writable = flow->fd >= 0 && !flow->failed && flow->pending_start == flow->pending_end;
    pthread_mutex_unlock(&flow->lock);
    return writable;
}

static void socket_totals(lt_transport *base, lt_transport_totals *out)
{
    socket_transport *t = (socket_transport *)base;
    for (unsigned i = 0; i < base->flows; i++) {
        socket_flow *flow = &t->flows[i];
        pthread_mutex_lock(&flow->lock);
        out->packets_sent += flow->totals.packets_sent;
        out->bytes_sent += flow->totals.bytes_sent;
        out->refused += flow->totals.refused;
        if (flow->fd >= 0) {
            lt_tcp_counters counters;
            lt_tcp_count(flow->fd, &counters);
            out->segments += counters.segments;
            out->retransmitted += counters.retransmitted;
            lt_tcp_congestion_control(flow->fd, out->congestion_control);
        }
        pthread_mutex_unlock(&flow->lock);
    }
}

static void socket_destroy(lt_transport *base)
{
    socket_transport *t = (socket_transport *)base;
    lt_watcher_stop(&t->watcher);
    for (unsigned i = 0; t->flows && i < base->flows; i++)
        flow_clear(&t->flows[i]);
    free(t->flows);
    lt_watcher_clear(&t->watcher);
    free(t);
}

static const lt_transport_ops socket_ops = {
    .destroy = socket_destroy,
    .listen = socket_listen,
    .connect = socket_connect,
    .ready = socket_ready,
    .send = socket_send,
    .writable = socket_writable,
    .totals = socket_totals,
};

livetcp_result lt_socket_transport_create(lt_transport **out, unsigned flows, livetcp_error *error)
{
    socket_transport *t = calloc(1, sizeof *t);
    livetcp_result result;
    *out = NULL;
    if (!t)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for the flows");
    t->base = (lt_transport){.ops = &socket_ops};
    result = lt_watcher_init(&t->watcher, on_ready, t, error);
    t->flows = calloc(flows, sizeof *t->flows);
    if (result == LIVETCP_OK && !t->flows)
        result = lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for the flows");
    for (unsigned i = 0; result == LIVETCP_OK && i < flows; i++) {
        result = flow_init(&t->flows[i], error);
        t->base.flows = i + 1;
    }
    if (result != LIVETCP_OK) {
        socket_destroy(&t->base);
        return result;
    }
    *out = &t->base;
    return LIVETCP_OK;
}
