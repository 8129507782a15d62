/* SPDX-License-Identifier: MIT */
/* One attempt to get a connected socket: resolves the host and tries its addresses in turn, or
 * connects to a proxy and opens a tunnel to the host. */
#ifndef LT_IO_CONNECTOR_H
#define LT_IO_CONNECTOR_H

#include "io/context.h"
#include "io/links.h"
#include "io/proxy.h"
#include "platform/socket.h"

#include <livetcp/config.h>

/* Called on the loop's thread. Each attempt that is not cancelled ends with exactly one of
 * on_connected and on_failed; the connector is freed after it. */
typedef struct lt_io_connector_owner {
    /* The owner takes over socket and filter. `peer` is the remote address of the socket. `filter`
     * is the TLS session with an https:// proxy, which may already hold input; NULL otherwise. */
    void (*on_connected)(void *owner, unsigned index, uv_os_sock_t socket, lt_tls_filter *filter,
                         const lt_address *peer);
    void (*on_failed)(void *owner, unsigned index, const livetcp_error *error);

    /* The only address to try, since another connection reached the host there; NULL = try all
     * addresses of the host. */
    const lt_address *(*known_peer)(const void *owner, unsigned index);

    /* Reference the owner, and release it. */
    void (*hold)(void *owner);
    void (*release)(void *owner);
} lt_io_connector_owner;

typedef struct lt_io_connector lt_io_connector;

/* Loop's thread. Makes no callback within this call. Connects to the link's host over the link's
 * network, through `proxy` unless that is NULL or does not serve the host. `config`, `link` and
 * `proxy` must live as long as the owner is held. NULL if memory is out. */
lt_io_connector *lt_io_connector_start(livetcp_context *context, const livetcp_config *config,
                                       const lt_io_link *link, lt_io_proxy *proxy, unsigned index,
                                       const lt_io_connector_owner *functions, void *owner);

/* Loop's thread. Stops without a callback; clears *connector, which may already be NULL. */
void lt_io_connector_cancel(lt_io_connector **connector);

#endif
