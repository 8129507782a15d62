/* SPDX-License-Identifier: MIT */
/* A tunnel through a proxy on a socket that is connected to it. */
#ifndef LT_IO_TUNNEL_H
#define LT_IO_TUNNEL_H

#include "io/context.h"
#include "io/proxy.h"
#include "platform/socket.h"

/* Called on the loop's thread. One of these ends every tunnel that is not cancelled; it is gone
 * then. */
typedef struct lt_io_tunnel_owner {
    /* All further bytes are the peer's. Socket and filter, the TLS of an https:// proxy or NULL,
     * are the owner's now; the filter may hold input already. */
    void (*on_open)(void *owner, uv_os_sock_t socket, lt_tls_filter *filter);

    /* The proxy wants another connection, on which it is told who we are. The socket is closed. */
    void (*on_again)(void *owner);

    /* The socket is closed. */
    void (*on_failed)(void *owner, const livetcp_error *error);
} lt_io_tunnel_owner;

typedef struct lt_io_tunnel lt_io_tunnel;

/* Loop's thread. Takes over the socket; calls nobody back within this call. `proxy` and `host` must
 * live until it ends. NULL without memory: the socket stays the caller's. */
lt_io_tunnel *lt_io_tunnel_start(livetcp_context *context, uv_os_sock_t socket, lt_io_proxy *proxy,
                                 const char *host, uint16_t port, livetcp_usec stop_us,
                                 const lt_io_tunnel_owner *functions, void *owner);

/* Closes the socket without calling back; clears *tunnel, which may be NULL already. */
void lt_io_tunnel_cancel(lt_io_tunnel **tunnel);

#endif
