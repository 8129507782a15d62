/* SPDX-License-Identifier: MIT */
/* UDP sockets with a location's address and options: port, multicast group, TTL, TOS, buffers. */
#ifndef LT_RELAY_UDP_SOCKET_H
#define LT_RELAY_UDP_SOCKET_H

#include "relay/end.h"

/* Binds an initialized socket and sets its options. `host` is the resolved address of the end's
 * location; `port_offset` is added to the location's port. Errors name the location and a remedy.
 */
livetcp_result lt_relay_udp_bind(const lt_relay_end *end, const struct sockaddr_storage *host,
                                 unsigned port_offset, uv_udp_t *socket, livetcp_error *error);

/* The error for a libuv status: location, `what`, reason and remedy. */
livetcp_result lt_relay_udp_error(const lt_relay_location *l, int status, const char *what,
                                  livetcp_error *error);

#endif
