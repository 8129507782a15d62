/* SPDX-License-Identifier: MIT */
/* The sockets in a session's slots: attached, read, lost, closed. Loop's thread. */
#ifndef LT_IO_SESSION_SLOTS_H
#define LT_IO_SESSION_SLOTS_H

#include "io/session.h"

/* Stores a connection's TLS version, cipher and certificate for the application. `filter` may be
 * NULL. */
void lt_io_session_note_tls(livetcp_session *session, const lt_io_filter *filter);

/* Attaches a connected socket to a slot: by livetcp_engine_connected() if `caller`, else by
 * adopt_pending(), or adopt() without `pending`. `reply` (may be NULL) is written first.
 * `filter` may be NULL. On failure socket and filter stay the caller's. Follow with
 * lt_io_session_service(). */
livetcp_result lt_io_session_attach(livetcp_session *session, unsigned index, uv_os_sock_t socket,
                                    lt_io_filter *filter, bool caller,
                                    const livetcp_pending *pending, const livetcp_reply *reply);

/* Passes received bytes of a slot to the engine; *timestamp is their rx timestamp (may be NULL).
 * The bytes stay valid until this returns. Calls back. */
void lt_io_session_receive(livetcp_session *session, unsigned index, const uint8_t *data,
                           size_t size, const livetcp_rx_timestamp *timestamp);

/* Delivers the plaintext that a slot's filter already holds. Calls back. */
void lt_io_session_drain(livetcp_session *session, unsigned index);

/* The slot's connection, or the attempt to open it, has failed. `orderly`: lingering close, so that
 * the peer reads the written data. Follow with lt_io_session_service(). */
void lt_io_session_lose(livetcp_session *session, unsigned index, const livetcp_error *error,
                        bool orderly);

/* Under the lock: writes, and closes the connections that the engine wants closed. */
void lt_io_session_flush_and_close(livetcp_session *session);

/* Under the lock: closes all connections and cancels all attempts to connect. */
void lt_io_session_close_slots(livetcp_session *session);

#endif
