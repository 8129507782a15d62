/* SPDX-License-Identifier: MIT */
/* A caller's proxy from the config or the environment, and its state. */
#ifndef LT_IO_PROXY_H
#define LT_IO_PROXY_H

#include "proxy/tunnel.h"
#include "tls/filter.h"

#include <livetcp/config.h>

typedef struct lt_io_proxy lt_io_proxy;

/* Any thread. *proxy is NULL if neither config nor environment names one. Errors name the setting
 * or the variable, never user and password: LIVETCP_ERR_INVALID_ARGUMENT, LIVETCP_ERR_NO_MEMORY. */
livetcp_result lt_io_proxy_create(const livetcp_config *config, lt_io_proxy **proxy,
                                  livetcp_error *error);
void lt_io_proxy_destroy(lt_io_proxy **proxy);

/* False if the host is to be connected directly (no_proxy). */
bool lt_io_proxy_serves(const lt_io_proxy *proxy, const char *host, uint16_t port);

const lt_proxy *lt_io_proxy_address(const lt_io_proxy *proxy);

/* Loop's thread. A tunnel for a new connection; NULL without memory. The proxy and `host` must
 * outlive it. */
lt_tunnel *lt_io_proxy_tunnel(lt_io_proxy *proxy, const char *host, uint16_t port);

/* Loop's thread. The TLS filter of a new connection to an https:// proxy; NULL in *filter for
 * others. Errors: LIVETCP_ERR_NO_MEMORY. */
livetcp_result lt_io_proxy_filter(lt_io_proxy *proxy, lt_tls_filter **filter);

/* Loop's thread. The credentials are tested on one connection before the others use them: a wrong
 * password would otherwise count as one failed login per connection. True if no test is needed, or
 * if this connection makes it: then *testing is set, and it must call end_test(). False: the
 * connection has to wait. */
bool lt_io_proxy_begin_test(lt_io_proxy *proxy, bool *testing);
void lt_io_proxy_end_test(lt_io_proxy *proxy);

/* Loop's thread. A tunnel is open: the credentials are accepted. */
void lt_io_proxy_accepted(lt_io_proxy *proxy);

/* Loop's thread. Remembers for a minute that the proxy refuses the credentials, so that repeated
 * attempts do not lock the user out. */
void lt_io_proxy_refused(lt_io_proxy *proxy, const livetcp_error *error);
bool lt_io_proxy_is_refusing(const lt_io_proxy *proxy, livetcp_error *error);

#endif
