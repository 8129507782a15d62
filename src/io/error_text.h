/* SPDX-License-Identifier: MIT */
/* Error text for a loss: the peer, the reason, and advice. Loop's thread only. */
#ifndef LT_IO_ERROR_TEXT_H
#define LT_IO_ERROR_TEXT_H

#include "io/session.h"

/* "; advice" for a reason, or "". */
const char *lt_io_advice(livetcp_result reason);

/* Buffer for a host name and a port. */
typedef struct lt_io_text {
    char text[280];
} lt_io_text;

/* "host:port" that a caller calls, or the address that a listener's peer first came from. */
lt_io_text lt_io_peer_text(const livetcp_session *session);

/* Fills in the error for a slot that was lost, or a session whose state changed, for `reason`. */
void lt_io_slot_error_text(const livetcp_session *session, unsigned index, livetcp_result reason,
                           livetcp_error *error);
void lt_io_session_error_text(const livetcp_session *session, livetcp_result reason,
                              livetcp_error *error);

/* The socket of a slot failed with this errno, or ended if it is 0. */
void lt_io_socket_error_text(const livetcp_session *session, unsigned index, const char *remote,
                             int system_errno, livetcp_error *error);

/* The engine closed a slot. */
void lt_io_close_error_text(const livetcp_session *session, unsigned index, const char *remote,
                            livetcp_result reason, livetcp_error *error);

#endif
