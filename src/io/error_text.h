/* SPDX-License-Identifier: MIT */
/* What a loss means, in words: which peer, why, and what to do about it. Loop's thread only. */
#ifndef LT_IO_ERROR_TEXT_H
#define LT_IO_ERROR_TEXT_H

#include "io/session_io.h"

/* "; what to do" for a reason, or "". */
const char *lt_advice(livetcp_result reason);

/* Fills in the error for a slot that was lost, or a session whose state changed, for `reason`. */
void lt_slot_error_text(const livetcp_session *session, unsigned index, livetcp_result reason,
                        livetcp_error *error);
void lt_session_error_text(const livetcp_session *session, livetcp_result reason,
                           livetcp_error *error);

/* The socket of a slot failed with this errno, or ended if it is 0. */
void lt_socket_error_text(const livetcp_session *session, unsigned index, const char *remote,
                          int system_errno, livetcp_error *error);

/* The engine gave a slot up. */
void lt_close_error_text(const livetcp_session *session, unsigned index, const char *remote,
                         livetcp_result reason, livetcp_error *error);

#endif
