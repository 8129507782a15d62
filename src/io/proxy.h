/* SPDX-License-Identifier: MIT */
/* A caller's proxy as a config or the environment has it, and what is known of it. */
#ifndef LT_IO_PROXY_H
#define LT_IO_PROXY_H

#include "proxy/tunnel.h"
#include "tls/filter.h"

#include <livetcp/config.h>

typedef struct lt_io_proxy lt_io_proxy;

/* Any thread. *proxy is NULL for a config without one, or if the environment names none. Errors
 * name the setting or the variable, never user and password: LIVETCP_ERR_INVALID_ARGUMENT,
 * LIVETCP_ERR_NO_MEMORY. */
livetcp_result lt_io_proxy_create(const livetcp_config *config, lt_io_proxy **proxy,
                                  livetcp_error *error);
void lt_io_proxy_destroy(lt_io_proxy **proxy);

/* False if the host is called directly. */
bool lt_io_proxy_serves(const lt_io_proxy *proxy, const char *host, uint16_t port);

const lt_proxy *lt_io_proxy_address(const lt_io_proxy *proxy);

/* Loop's thread. A tunnel for a new connection; NULL without memory. The proxy and `host` must
 * outlive it. */
lt_tunnel *lt_io_proxy_tunnel(lt_io_proxy *proxy, const char *host, uint16_t port);

/* Loop's thread. The TLS of a new connection to the proxy; NULL in *filter for one without. Errors:
 * LIVETCP_ERR_NO_MEMORY. */
livetcp_result lt_io_proxy_filter(lt_io_proxy *proxy, lt_tls_filter **filter);

/* Loop's thread. The user and password are tried on one connection before all others use them, or a
 * wrong password would be counted for each. begin_test() is true if they need no test, or if this
 * connection makes it: *testing is set then, and it calls end_test(). False: it has to wait. */
bool lt_io_proxy_begin_test(lt_io_proxy *proxy, bool *testing);
void lt_io_proxy_end_test(lt_io_proxy *proxy);

/* Loop's thread. A tunnel is open: they were accepted. */
void lt_io_proxy_accepted(lt_io_proxy *proxy);

/* Loop's thread. Remembers for a minute that the proxy does not accept the user and password, so
 * that many connections that try again do not lock the user out. */
void lt_io_proxy_refused(lt_io_proxy *proxy, const livetcp_error *error);
bool lt_io_proxy_is_refusing(const lt_io_proxy *proxy, livetcp_error *error);

#endif
