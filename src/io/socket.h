/* SPDX-License-Identifier: MIT */
/* TCP sockets with a config's options, and the results for their errors. The caller closes a socket
 * that a function returns. */
#ifndef LT_IO_SOCKET_H
#define LT_IO_SOCKET_H

#include "platform/socket.h"

#include <livetcp/config.h>

/* Result code for an errno of a socket call. `established`: the connection was open before. */
livetcp_result lt_io_socket_result(int system_errno, bool established);

/* Remedy for an errno when no descriptor was available. */
const char *lt_io_shortage_advice(int system_errno);

/* Starts to connect; the outcome is known when the socket becomes writable. `local` may be NULL,
 * and `interface` "". *socket is LT_NO_SOCKET on failure. Errors name `address`. */
livetcp_result lt_io_socket_connect(uv_os_sock_t *socket, const lt_address *address,
                                    const lt_address *local, const char *interface,
                                    const livetcp_config *config, livetcp_error *error);

/* Composes "connect to ADDRESS: reason; advice". */
livetcp_result lt_io_connect_error(livetcp_error *error, const lt_address *address,
                                   int system_errno);

/* Binds and listens. `dual`: an IPv6 wildcard also accepts IPv4. *socket is LT_NO_SOCKET on
 * failure. */
livetcp_result lt_io_socket_listen(uv_os_sock_t *socket, const lt_address *address, bool dual,
                                   const livetcp_config *config, livetcp_error *error);

/* Sets the options for media on a connected socket. */
livetcp_result lt_io_socket_prepare(uv_os_sock_t socket, const livetcp_config *config);

/* Checks in advance that a socket can have these options. */
livetcp_result lt_io_socket_check(const livetcp_config *config, livetcp_error *error);

#endif
