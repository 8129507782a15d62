/* SPDX-License-Identifier: MIT */
/* A tunnel through a proxy, on a socket that is connected to the proxy. */
#ifndef LT_IO_TUNNEL_H
#define LT_IO_TUNNEL_H

#include "io/context.h"
#include "io/proxy.h"
#include "platform/socket.h"

/* Called on the loop's thread. Each tunnel that is not cancelled ends with exactly one of these; it
 * is freed after it. */
typedef struct lt_io_tunnel_owner {
    /* All further bytes are the peer's. The owner takes over the socket and the filter: TLS with an
     * https:// proxy, which may already hold input, or NULL. */
    void (*on_open)(void *owner, uv_os_sock_t socket, lt_tls_filter *filter);

    /* The proxy demands authentication: connect again, with credentials. The socket is closed. */
    void (*on_again)(void *owner);

    /* The socket is closed. */
    void (*on_failed)(void *owner, const livetcp_error *error);
} lt_io_tunnel_owner;

typedef struct lt_io_tunnel lt_io_tunnel;

/* Loop's thread. Takes over the socket; makes no callback within this call. `proxy` and `host` must
 * outlive the tunnel. NULL without memory: the socket stays the caller's. */
lt_io_tunnel *lt_io_tunnel_start(livetcp_context *context, uv_os_sock_t socket, lt_io_proxy *proxy,
                                 const char *host, uint16_t port, livetcp_usec stop_us,
                                 const lt_io_tunnel_owner *functions, void *owner);

/* Closes the socket without a callback; clears *tunnel, which may already be NULL. */
void lt_io_tunnel_cancel(lt_io_tunnel **tunnel);

#endif
