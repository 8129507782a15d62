/* SPDX-License-Identifier: MIT */
/* Connections that are no media and belong to another server behind the same port: their bytes are
 * passed on, both ways. */
#ifndef LT_IO_FALLBACK_H
#define LT_IO_FALLBACK_H

#include "io/context.h"
#include "platform/socket.h"

/* Loop's thread. Takes over the socket of a peer, from which `size` bytes were read already, and
 * calls `target`, "HOST:PORT". The context ends it if nobody else does before. False without
 * memory: the socket stays the caller's. */
bool lt_io_fallback_start(livetcp_context *context, uv_os_sock_t peer, const char *target,
                          const uint8_t *data, size_t size);

#endif
