/* SPDX-License-Identifier: MIT */
/* Name resolution in a separate thread. */
#ifndef LT_IO_RESOLVE_H
#define LT_IO_RESOLVE_H

#include "io/context.h"
#include "platform/address.h"

/* Called on the loop's thread. Exactly one of the two is not NULL. */
typedef void (*lt_io_resolved_fn)(void *user, const lt_addresses *addresses,
                                  const livetcp_error *error);

typedef struct lt_io_resolution lt_io_resolution;

/* Resolves `host` in a thread of its own. Not uv_getaddrinfo(): a running lookup cannot be
 * cancelled there, so an unresponsive DNS server would delay the end of the loop, and a few such
 * lookups would block the application's thread pool. Errors: LIVETCP_ERR_NO_MEMORY,
 * LIVETCP_ERR_SYSTEM; `resolved` is not called then. */
livetcp_result lt_io_resolve_start(livetcp_context *context, const char *host, uint16_t port,
                                   lt_io_resolved_fn resolved, void *user,
                                   lt_io_resolution **resolution, livetcp_error *error);

/* Loop's thread. Cancels it: `resolved` will not be called. Clears *resolution, which may already
 * be NULL; call it as well after `resolved` was called. */
void lt_io_resolve_cancel(lt_io_resolution **resolution);

#endif
