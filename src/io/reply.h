/* SPDX-License-Identifier: MIT */
/* Writes replies of the handshake to a socket without a session, directly or through its filter. A
 * new socket has space for them; one without has failed. */
#ifndef LT_IO_REPLY_H
#define LT_IO_REPLY_H

#include "io/filter.h"
#include "platform/socket.h"

#include <livetcp/engine.h>

/* Writes the reply unless it is empty; `filter` may be NULL. False if the connection has failed. */
bool lt_io_reply_write(uv_os_sock_t socket, lt_io_filter *filter, const livetcp_reply *reply);

/* Writes the filter's pending output. */
bool lt_io_reply_flush(uv_os_sock_t socket, lt_io_filter *filter);

#endif
