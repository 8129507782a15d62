/* SPDX-License-Identifier: MIT */
/*
 * System calls on TCP sockets that every system has. posix_socket.c implements this; probe.h has
 * the rest, which differs from system to system.
 *
 * Sockets never block, are not inherited by other programs and raise no signal. Failures are
 * negative errno values, on every system.
 */
#ifndef LT_PLATFORM_SOCKET_H
#define LT_PLATFORM_SOCKET_H

#include "platform/address.h"

#include <stddef.h>

/* Stands for no socket. */
#define LT_NO_SOCKET ((uv_os_sock_t)-1)

/* Opens a TCP socket, which the caller closes; LT_NO_SOCKET on failure. 0 or -errno. */
int lt_socket_open(int family, uv_os_sock_t *socket);
void lt_socket_close(uv_os_sock_t socket);

/* Closes with a reset: neither end remembers the connection, and what was written may be lost. */
void lt_socket_reset(uv_os_sock_t socket);

/* 0 or -errno. */
int lt_socket_bind(uv_os_sock_t socket, const lt_address *address);

/* Before bind(): a port that an earlier program or connection has just left may be taken again.
 * 0 or -errno. */
int lt_socket_reuse_port(uv_os_sock_t socket);

/* Before bind(): lt_socket_reuse_port(), and an IPv6 wildcard takes IPv4, too, if `dual`. 0 or
 * -errno. */
int lt_socket_prepare_listening(uv_os_sock_t socket, int family, bool dual);

/* 0 or -errno. */
int lt_socket_listen(uv_os_sock_t socket);

/* Takes one connection, which the caller closes, and its peer's address. 0, -EAGAIN if nobody
 * waits, or -errno. */
int lt_socket_accept(uv_os_sock_t listener, uv_os_sock_t *socket, lt_address *peer);

/* Starts to connect: lt_socket_error() knows the outcome once the socket is writable. 0 or -errno.
 */
int lt_socket_connect(uv_os_sock_t socket, const lt_address *address);

/* Before connecting or listening, and on accepted sockets: the Differentiated Services code point
 * (0..63) of all that is sent. 0 or -errno. */
int lt_socket_set_dscp(uv_os_sock_t socket, int code_point);

/* The errno that connecting ended with, 0 = connected. */
int lt_socket_error(uv_os_sock_t socket);

/* True if the socket has an error that the loop would report. The error stays for the next read or
 * write. */
bool lt_socket_failed(uv_os_sock_t socket);

/* True if the peer has ended its direction, or the connection, whatever waits to be read. Where the
 * system cannot tell the former, the latter. */
bool lt_socket_has_ended(uv_os_sock_t socket);

/* Bytes, -EAGAIN, or -errno. */
long lt_socket_write(uv_os_sock_t socket, const void *data, size_t size);

/* Bytes, 0 at the end of the peer's, -EAGAIN, or -errno. */
long lt_socket_read(uv_os_sock_t socket, void *data, size_t size);

/* The same bytes, which stay for the next read. */
long lt_socket_peek(uv_os_sock_t socket, void *data, size_t size);

/* Ends our direction: the peer reads to the end of the written data. */
void lt_socket_end_writing(uv_os_sock_t socket);

/* A socket's own address, or its peer's. 0 or -errno. */
int lt_socket_address(uv_os_sock_t socket, bool peer, lt_address *address);

/* Text of the same, "" if it has none. */
void lt_socket_text(uv_os_sock_t socket, bool peer, char text[LT_ADDRESS_TEXT]);

#endif
