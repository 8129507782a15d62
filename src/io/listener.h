/* SPDX-License-Identifier: MIT */
/* A listener from the inside: its sockets, the connections that do not belong to a session yet,
 * and the sessions it serves. Loop's thread only. */
#ifndef LT_IO_LISTENER_H
#define LT_IO_LISTENER_H

#include "io/context.h"
#include "platform/socket.h"

/* A name like "localhost" may mean several addresses. */
#define LT_IO_LISTENER_SOCKETS 8

/* Pending connections; beyond, the oldest is dropped. */
#define LT_IO_LISTENER_PENDING 1024

typedef struct lt_io_listener_socket {
    livetcp_listener *listener;
    uv_os_sock_t socket;
    uv_poll_t poll;
} lt_io_listener_socket;

struct livetcp_listener {
    lt_io_member member; /* of the context */
    livetcp_context *context;
    livetcp_config config;
    livetcp_listener_callbacks callbacks;
    void *user;
    uint16_t port; /* never changes */

    lt_io_listener_socket sockets[LT_IO_LISTENER_SOCKETS];
    unsigned socket_count;
    livetcp_usec paused_until_us; /* out of descriptors: no accepting; 0 = not paused */

    lt_list pending; /* connections, in order of their deadlines */
    unsigned pending_count;
    uv_timer_t timer;        /* the first deadline, and the end of the pause */
    livetcp_usec put_off_us; /* see lt_io_put_off() */

    lt_list sessions; /* the newest first */
    unsigned session_count;

    unsigned references; /* the owner, open handles, and functions that call back */
    bool ended;
};

#endif
