/* SPDX-License-Identifier: MIT */
/* Error texts for a loss: peer, reason and advice. Loop's thread only. */
#ifndef LT_IO_ERROR_TEXT_H
#define LT_IO_ERROR_TEXT_H

#include "io/session.h"

/* "; advice" for a reason, or "". */
const char *lt_io_advice(livetcp_result reason);

/* Buffer for a host name and a port. */
typedef struct lt_io_text {
    char text[280];
} lt_io_text;

/* "host:port" of a caller's listener, or the address of a listener's peer's first connection. */
lt_io_text lt_io_peer_text(const livetcp_session *session);

/* Composes the error of a lost slot, or of a session whose state changed, from `reason`. */
void lt_io_slot_error_text(const livetcp_session *session, unsigned index, livetcp_result reason,
                           livetcp_error *error);
void lt_io_session_error_text(const livetcp_session *session, livetcp_result reason,
                              livetcp_error *error);

/* Composes the error of a slot whose socket failed with this errno; 0 = closed by the peer. */
void lt_io_socket_error_text(const livetcp_session *session, unsigned index, const char *remote,
                             int system_errno, livetcp_error *error);

/* Composes the error of a slot that the engine closed. */
void lt_io_close_error_text(const livetcp_session *session, unsigned index, const char *remote,
                            livetcp_result reason, livetcp_error *error);

#endif
