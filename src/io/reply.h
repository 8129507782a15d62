/* SPDX-License-Identifier: MIT */
/* Replies on connections that no session has yet: the few messages of a handshake, written to the
 * socket or through its filter. A fresh connection has space for them; one without is broken. */
#ifndef LT_IO_REPLY_H
#define LT_IO_REPLY_H

#include "io/filter.h"
#include "platform/socket.h"

#include <livetcp/engine.h>

/* Writes a reply, if it is one; `filter` may be NULL. False if the connection is broken. */
bool lt_io_reply_write(uv_os_sock_t socket, lt_io_filter *filter, const livetcp_reply *reply);

/* Writes what the filter has for the peer. */
bool lt_io_reply_flush(uv_os_sock_t socket, lt_io_filter *filter);

#endif
