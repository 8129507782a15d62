/* SPDX-License-Identifier: MIT */
/* One attempt to get a connected socket: resolve the host, try its addresses in turn; or those of a
 * proxy, and ask it for the host. */
#ifndef LT_IO_CONNECTOR_H
#define LT_IO_CONNECTOR_H

#include "io/context.h"
#include "io/links.h"
#include "io/proxy.h"
#include "platform/socket.h"

#include <livetcp/config.h>

/* Called on the loop's thread. One of the first two ends every attempt that is not cancelled, and
 * the connector is gone then. */
typedef struct lt_io_connector_owner {
    /* Socket and filter are the owner's now; `peer` is the socket's other end. `filter` is the TLS
     * of an https:// proxy, which may hold input already; NULL otherwise. */
    void (*on_connected)(void *owner, unsigned index, uv_os_sock_t socket, lt_tls_filter *filter,
                         const lt_address *peer);
    void (*on_failed)(void *owner, unsigned index, const livetcp_error *error);

    /* The only address to try, which another attempt has found; NULL = those of the host. */
    const lt_address *(*known_peer)(const void *owner, unsigned index);

    /* The owner must not be freed between the two. */
    void (*hold)(void *owner);
    void (*release)(void *owner);
} lt_io_connector_owner;

typedef struct lt_io_connector lt_io_connector;

/* Loop's thread. Calls nobody back within this call. Calls the link's host, from its network, and
 * through `proxy` unless that is NULL or does not serve it. `config`, `link` and `proxy` must live
 * as long as the owner is held. NULL if memory is out. */
lt_io_connector *lt_io_connector_start(livetcp_context *context, const livetcp_config *config,
                                       const lt_io_link *link, lt_io_proxy *proxy, unsigned index,
                                       const lt_io_connector_owner *functions, void *owner);

/* Loop's thread. Stops without calling back; clears *connector, which may be NULL already. */
void lt_io_connector_cancel(lt_io_connector **connector);

#endif
