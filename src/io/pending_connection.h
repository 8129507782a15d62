/* SPDX-License-Identifier: MIT */
/* Connections of a listener that belong to no session yet: opening, handshake, turns, timeouts.
 * They are in the listener's pool, which bounds their cost. Loop's thread. */
#ifndef LT_IO_PENDING_CONNECTION_H
#define LT_IO_PENDING_CONNECTION_H

#include "io/listener.h"

/* Once, with the listener's loop. The timer's handle holds a reference until it has closed. */
livetcp_result lt_io_pending_init(livetcp_listener *listener);

/* Takes over an accepted socket and processes input that has arrived. Calls back when the
 * connection fails, and for a plain session. */
void lt_io_pending_accept(livetcp_listener *listener, uv_os_sock_t socket, const lt_address *peer);

/* Call after accepting: continues the connections whose turn it is. Calls back. */
void lt_io_pending_serve(livetcp_listener *listener);

/* Gives up the connection that has the least claim to what the system is short of (an errno). False
 * if there is none. */
bool lt_io_pending_drop_surplus(livetcp_listener *listener, int shortage);

/* Drops all connections and closes the timer. */
void lt_io_pending_end(livetcp_listener *listener);

#endif
