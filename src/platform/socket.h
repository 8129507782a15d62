/* SPDX-License-Identifier: MIT */
/*
 * System calls on TCP sockets that every system has. posix_socket.c implements this; probe.h has
 * the calls that differ between systems.
 *
 * Sockets are non-blocking and close-on-exec, and raise no SIGPIPE. Failures are negative errno
 * values, on every system.
 */
#ifndef LT_PLATFORM_SOCKET_H
#define LT_PLATFORM_SOCKET_H

#include "platform/address.h"

#include <stddef.h>

/* No socket. */
#define LT_NO_SOCKET ((uv_os_sock_t)-1)

/* Opens a TCP socket, which the caller closes; LT_NO_SOCKET on failure. 0 or -errno. */
int lt_socket_open(int family, uv_os_sock_t *socket);
void lt_socket_close(uv_os_sock_t socket);

/* Closes with a RST: neither end keeps state of the connection, and written data may be lost. */
void lt_socket_reset(uv_os_sock_t socket);

/* 0 or -errno. */
int lt_socket_bind(uv_os_sock_t socket, const lt_address *address);

/* Before bind(): allows a port that is in TIME_WAIT (SO_REUSEADDR). 0 or -errno. */
int lt_socket_reuse_port(uv_os_sock_t socket);

/* Before bind(): lt_socket_reuse_port(), and with `dual` an IPv6 wildcard also accepts IPv4. 0 or
 * -errno. */
int lt_socket_prepare_listening(uv_os_sock_t socket, int family, bool dual);

/* 0 or -errno. */
int lt_socket_listen(uv_os_sock_t socket);

/* Accepts one connection, which the caller closes, with its peer's address. 0, -EAGAIN if none
 * waits, or -errno. */
int lt_socket_accept(uv_os_sock_t listener, uv_os_sock_t *socket, lt_address *peer);

/* Starts to connect; once the socket is writable, lt_socket_error() returns the result. 0 or
 * -errno. */
int lt_socket_connect(uv_os_sock_t socket, const lt_address *address);

/* Before connecting or listening, and on accepted sockets: the Differentiated Services code point
 * (0..63) of all that is sent. 0 or -errno. */
int lt_socket_set_dscp(uv_os_sock_t socket, int code_point);

/* The errno of a finished connect(), 0 = connected. */
int lt_socket_error(uv_os_sock_t socket);

/* True if the socket has a pending error that poll() reports. The error stays for the next read or
 * write. */
bool lt_socket_failed(uv_os_sock_t socket);

/* True if the peer has ended its direction or the connection, even with input still unread. Systems
 * that cannot detect the former report only the latter. */
bool lt_socket_has_ended(uv_os_sock_t socket);

/* Bytes, -EAGAIN, or -errno. */
long lt_socket_write(uv_os_sock_t socket, const void *data, size_t size);

/* Bytes, 0 at the end of input, -EAGAIN, or -errno. */
long lt_socket_read(uv_os_sock_t socket, void *data, size_t size);

/* As lt_socket_read(), but the bytes stay in the socket. */
long lt_socket_peek(uv_os_sock_t socket, void *data, size_t size);

/* Shuts down our direction: the peer reads all written data, then the end. */
void lt_socket_end_writing(uv_os_sock_t socket);

/* A socket's own address, or its peer's. 0 or -errno. */
int lt_socket_address(uv_os_sock_t socket, bool peer, lt_address *address);

/* Text of that address, "" if there is none. */
void lt_socket_text(uv_os_sock_t socket, bool peer, char text[LT_ADDRESS_TEXT]);

#endif
