/* SPDX-License-Identifier: MIT */
#include "lab/bench/socket_flow.h"

#include "base/bytes.h"
#include "base/error.h"
#include "lab/bench/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { READ_SIZE = 1 << 17 }; /* more than the largest frame */

livetcp_result lt_socket_flow_init(lt_socket_flow *flow, livetcp_error *error)
{
    memset(flow, 0, sizeof *flow);
    flow->listener = flow->fd = -1;
    pthread_mutex_init(&flow->lock, NULL);
    flow->frame = malloc(READ_SIZE);
    if (!flow->frame)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for a flow");
    return LIVETCP_OK;
}

void lt_socket_flow_clear(lt_socket_flow *flow)
{
    if (flow->listener >= 0)
        close(flow->listener);
    if (flow->fd >= 0)
        close(flow->fd);
    free(flow->pending);
    free(flow->frame);
    pthread_mutex_destroy(&flow->lock);
}

/* Makes room for `size` more bytes behind pending_end. */
static livetcp_result reserve(lt_socket_flow *flow, size_t size)
{
    size_t used = flow->pending_end - flow->pending_start;
    if (used + size > LT_SOCKET_PENDING_MAX)
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

static void keep(lt_socket_flow *flow, const uint8_t *data, size_t size)
{
    memcpy(flow->pending + flow->pending_end, data, size);
    flow->pending_end += size;
}

bool lt_socket_flow_flush(lt_socket_flow *flow)
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

livetcp_result lt_socket_flow_send(lt_socket_flow *flow, const uint8_t *packet, size_t size,
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
        *blocked = !lt_socket_flow_flush(flow);
    return LIVETCP_OK;
}

/* Hands over the whole frames in the buffer and moves the rest to its start. */
static void deliver(lt_socket_flow *flow, const lt_transport *transport)
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

bool lt_socket_flow_read(lt_socket_flow *flow, const lt_transport *transport)
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
