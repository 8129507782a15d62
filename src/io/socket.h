/* SPDX-License-Identifier: MIT */
/* Non-blocking TCP sockets: made, bound, connected, written to. Each function that returns a
 * socket hands it to the caller, who closes it. */
#ifndef LT_IO_SOCKET_H
#define LT_IO_SOCKET_H

#include "io/address.h"

#include <livetcp/config.h>

/* What an errno from a socket call means. `established`: the connection was up before. */
livetcp_result lt_socket_result(int system_errno, bool established);

/* Starts to connect; the outcome is known when the socket becomes writable. `local` may be NULL.
 * *socket is -1 on failure. Errors name `address`. */
livetcp_result lt_socket_connect(int *socket, const lt_address *address, const lt_address *local,
                                 const livetcp_config *config, livetcp_error *error);

/* The outcome of connecting: errno, 0 = connected. */
int lt_socket_error(int socket);

/* Whether the loop would be told of an error on it. It stays for whoever reads or writes next. */
bool lt_socket_failed(int socket);

/* "connect to ADDRESS: reason; advice". */
livetcp_result lt_connect_error(livetcp_error *error, const lt_address *address, int system_errno);

/* Binds and listens. `dual`: an IPv6 wildcard takes IPv4, too. *socket is -1 on failure. */
livetcp_result lt_socket_listen(int *socket, const lt_address *address, bool dual,
                                const livetcp_config *config, livetcp_error *error);

/* Accepts one connection, non-blocking. Returns -errno on failure, -EAGAIN if nobody waits. */
int lt_socket_accept(int socket);

/* Media defaults for a socket that is connected. */
livetcp_result lt_socket_prepare(int socket, const livetcp_config *config);

/* Whether a socket of ours could have these settings, before anybody waits for one. */
livetcp_result lt_socket_check(const livetcp_config *config, livetcp_error *error);

/* What a session does with a socket; returns bytes, or -errno. Never raises SIGPIPE, never
 * waits. */
long lt_socket_write(int socket, const void *data, size_t size);
long lt_socket_read(int socket, void *data, size_t size);

#endif
