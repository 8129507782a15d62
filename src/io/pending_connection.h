/* SPDX-License-Identifier: MIT */
/* Connections of a listener that belong to no session yet: first bytes, handshake, turn, proof.
 * They are in the listener's pool, and so are all of what strangers can cost. Loop's thread. */
#ifndef LT_IO_PENDING_CONNECTION_H
#define LT_IO_PENDING_CONNECTION_H

#include "io/listener.h"

/* Once, with the listener's loop; the closing handle drops a reference. */
livetcp_result lt_io_pending_init(livetcp_listener *listener);

/* Takes over an accepted socket, and reads what has come. Calls back when something is wrong with
 * it, and on plain wire. */
void lt_io_pending_accept(livetcp_listener *listener, uv_os_sock_t socket, const lt_address *peer);

/* After some were accepted: those whose turn it is go on. Calls back. */
void lt_io_pending_serve(livetcp_listener *listener);

/* Gives up the connection that has the least claim to what the system is short of (an errno). False
 * if there is none. */
bool lt_io_pending_drop_surplus(livetcp_listener *listener, int shortage);

/* Drops all, and closes the timer. */
void lt_io_pending_end(livetcp_listener *listener);

#endif
