/* SPDX-License-Identifier: MIT */
/* The sockets in a session's slots: attached, read, lost, closed. Loop's thread. */
#ifndef LT_IO_SESSION_SLOTS_H
#define LT_IO_SESSION_SLOTS_H

#include "io/session.h"

/* Notes what a connection's TLS has agreed, if there is some, for the application. */
void lt_io_session_note_tls(livetcp_session *session, const lt_io_filter *filter);

/* Gives a connected socket to a slot: the engine is notified by connected() if `caller`, else
 * adopt_pending(), or adopt() without `pending`, and `reply` (may be NULL) is the first thing
 * written. `filter` is the connection's, or NULL. On failure socket and filter stay the
 * caller's. Follow with lt_io_session_service(). */
livetcp_result lt_io_session_attach(livetcp_session *session, unsigned index, uv_os_sock_t socket,
                                    lt_io_filter *filter, bool caller,
                                    const livetcp_pending *pending, const livetcp_reply *reply);

/* The socket of a slot delivered bytes, with their receive timestamp in *timestamp (may be NULL);
 * they stay valid until this returns. Calls back. */
void lt_io_session_receive(livetcp_session *session, unsigned index, const uint8_t *data,
                           size_t size, const livetcp_rx_timestamp *timestamp);

/* Gives a slot's channel what its TLS filter holds already. Calls back. */
void lt_io_session_drain(livetcp_session *session, unsigned index);

/* The slot's socket, or the attempt to get one, failed; `orderly`: the peer should still read the
 * written data. lt_io_session_service() follows. */
void lt_io_session_lose(livetcp_session *session, unsigned index, const livetcp_error *error,
                        bool orderly);

/* Under the lock: writes, and closes the connections that the engine wants closed. */
void lt_io_session_flush_and_close(livetcp_session *session);

/* Under the lock: closes all connections and attempts to connect. */
void lt_io_session_close_slots(livetcp_session *session);

#endif
