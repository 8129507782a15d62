/* SPDX-License-Identifier: MIT */
/* Passes connections that carry no media on to another server that shares the port, in both
 * directions. */
#ifndef LT_IO_FALLBACK_H
#define LT_IO_FALLBACK_H

#include "io/context.h"
#include "platform/socket.h"

/* Loop's thread. Takes over a peer's socket, from which `size` bytes were already read, and
 * connects to `target`, "HOST:PORT". Ends with either side, after an idle time, or with the
 * context. False if memory or the limit of connections is exhausted: the socket stays the
 * caller's. */
bool lt_io_fallback_start(livetcp_context *context, uv_os_sock_t peer, const char *target,
                          const uint8_t *data, size_t size);

#endif
