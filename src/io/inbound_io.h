/* SPDX-License-Identifier: MIT */
/* A connection that a listener has accepted and that belongs to no session yet. */
#ifndef LT_IO_INBOUND_IO_H
#define LT_IO_INBOUND_IO_H

#include "io/listener.h"

typedef struct lt_inbound_io {
    TAILQ_ENTRY(lt_inbound_io) in_listener;
    livetcp_listener *listener; /* holds a reference until the handle has closed */
    int socket;                 /* -1 once a session or the farewells have it */
    uv_poll_t poll;
    livetcp_pending *state;
    char remote[LT_ADDRESS_TEXT];
} lt_inbound_io;

/* Takes over an accepted socket. Calls back when something is wrong with it, and on plain wire. */
void lt_inbound_io_accept(livetcp_listener *listener, int socket);

/* The deadline of the connection that has waited longest, LIVETCP_NEVER if there is none. */
livetcp_usec lt_inbound_io_deadline(const livetcp_listener *listener);

/* Turns away who was silent for too long. Calls back. */
void lt_inbound_io_expire(livetcp_listener *listener, livetcp_usec now);

/* Closes without a word. */
void lt_inbound_io_drop(lt_inbound_io *inbound);

#endif
