/* SPDX-License-Identifier: MIT */
/* One flow of the naive application: a TCP socket, what it could not write yet, and the frame it
 * is reading. */
#ifndef LT_LAB_BENCH_SOCKET_FLOW_H
#define LT_LAB_BENCH_SOCKET_FLOW_H

#include "lab/bench/transport.h"

#include <pthread.h>

/* Unwritten bytes a flow keeps before it gives packets up; the kernel's send buffer, which takes
 * megabytes before this sees any, is where such an application's delay comes from. */
#define LT_SOCKET_PENDING_MAX ((size_t)8 << 20)

typedef struct lt_socket_flow {
    pthread_mutex_t lock; /* of everything but `frame` and `frame_used` */
    int listener;         /* -1 = none */
    int fd;               /* -1 = not connected */
    uint8_t *pending;     /* bytes for the kernel: [pending_start, pending_end) */
    size_t pending_start, pending_end, pending_size;
    uint8_t *frame; /* bytes read, from the start of a frame */
    size_t frame_used;
    bool failed;
    lt_transport_totals totals;
} lt_socket_flow;

livetcp_result lt_socket_flow_init(lt_socket_flow *flow, livetcp_error *error);
void lt_socket_flow_clear(lt_socket_flow *flow);

/* Writes a frame, or keeps what the kernel does not take. Caller holds the lock. *blocked tells
 * whether bytes are pending afterwards. */
livetcp_result lt_socket_flow_send(lt_socket_flow *flow, const uint8_t *packet, size_t size,
                                   bool *blocked);

/* Writes pending bytes; false while some remain. Caller holds the lock. */
bool lt_socket_flow_flush(lt_socket_flow *flow);

/* Reads what there is and hands over every whole packet. False when the connection has ended. */
bool lt_socket_flow_read(lt_socket_flow *flow, const lt_transport *transport);

#endif
