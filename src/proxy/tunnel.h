/* SPDX-License-Identifier: MIT */
/*
 * A caller's tunnel through a proxy, below all other layers: bytes in, bytes out. The owner
 * connects to the proxy, writes output() after each call below, and passes received bytes to
 * receive(). Once the tunnel is open, all further bytes are the peer's. No socket, no clock.
 */
#ifndef LT_PROXY_TUNNEL_H
#define LT_PROXY_TUNNEL_H

#include "proxy/authentication.h"
#include "proxy/step.h"

/* Shared by all tunnels through a proxy. `proxy` is constant. */
typedef struct lt_tunnel_setup {
    const lt_proxy *proxy;
    lt_proxy_challenge *challenge; /* of this proxy; kept up to date */
    const char *host;              /* target: a name, which the proxy resolves, or an address */
    uint16_t port;
    const uint8_t *cnonce; /* LT_PROXY_CNONCE random bytes */
} lt_tunnel_setup;

typedef struct lt_tunnel lt_tunnel;

/* The setup's proxy, challenge and host must outlive the tunnel. It has output() at once. NULL
 * without memory. */
lt_tunnel *lt_tunnel_create(const lt_tunnel_setup *setup);
void lt_tunnel_destroy(lt_tunnel **tunnel);

lt_tunnel_state lt_tunnel_state_of(const lt_tunnel *tunnel);

/* Bytes to write to the proxy; valid until the next call. */
size_t lt_tunnel_output(const lt_tunnel *tunnel, const uint8_t **data);
void lt_tunnel_written(lt_tunnel *tunnel, size_t size);

/* Takes bytes from the proxy. Returns the number consumed: once the tunnel is open, the rest is the
 * peer's. */
size_t lt_tunnel_receive(lt_tunnel *tunnel, const uint8_t *data, size_t size);

/* The proxy has closed the connection, or did not answer in time. */
void lt_tunnel_ended(lt_tunnel *tunnel);
void lt_tunnel_timed_out(lt_tunnel *tunnel);

/* After a failure: names proxy, cause and remedy, never user or password. */
const livetcp_error *lt_tunnel_error(const lt_tunnel *tunnel);

/* After a failure: true if the proxy refuses user and password. Repeating them soon is useless and
 * may lock the user out. */
bool lt_tunnel_is_refused(const lt_tunnel *tunnel);

#endif
