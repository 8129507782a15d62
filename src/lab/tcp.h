/* SPDX-License-Identifier: MIT */
/* TCP sockets of the lab: for the naive application of bench, its background traffic, and the ends
 * of a probe. All are non-blocking and close-on-exec. */
#ifndef LT_LAB_TCP_H
#define LT_LAB_TCP_H

#include <livetcp/base.h>

#include <netdb.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

enum {
    LT_TCP_TEXT = 64,            /* size of the text of an address with port */
    LT_TCP_CONGESTION_NAME = 16, /* size of a congestion control's name */
};

/* ---- addresses ---- */

/* TCP addresses of a host, to be released by freeaddrinfo(); "" with a port is the wildcard. `port`
 * may be NULL, `flags` are those of getaddrinfo(). Returns NULL, or the reason of a failure. */
const char *lt_tcp_resolve(const char *host, const char *port, int flags, struct addrinfo **list);

/* "10.0.0.1:5500", "[::1]:5500". */
void lt_tcp_address_text(const struct sockaddr *address, socklen_t size, char text[LT_TCP_TEXT]);

/* ---- sockets ---- */

/* -1, with errno, on failure. */
int lt_tcp_socket(int family);

/* Returns 0 or an errno; "" keeps the system's default. */
int lt_tcp_set_congestion_control(int fd, const char *name);
void lt_tcp_set_nodelay(int fd);

/* A listening socket on `address` (IPv4) and a free port, stored in *port. Its connections inherit
 * `congestion_control` ("" = the system's). */
livetcp_result lt_tcp_listen(const char *address, const char *congestion_control, int *out,
                             uint16_t *port, livetcp_error *error);

/* A listening socket on the first usable address of the list; the IPv6 wildcard also accepts IPv4.
 * -1, with errno, on failure. */
int lt_tcp_listen_on(const struct addrinfo *list, int backlog);

/* Starts to connect to an IPv4 address. */
livetcp_result lt_tcp_connect(const char *address, uint16_t port, const char *congestion_control,
                              int *out, livetcp_error *error);

/* An accepted socket, or -1 with errno. `peer` (may be NULL) gets the remote address. */
int lt_tcp_accept(int listener, char peer[LT_TCP_TEXT]);

/* ---- path info ---- */

/* errno of a connection; 0 = connected, EINPROGRESS = not yet. */
int lt_tcp_error(int fd);

typedef struct lt_tcp_counters {
    uint64_t segments; /* segments with data sent so far, retransmissions included; 0 = unknown */
    uint64_t retransmitted; /* of these, retransmitted */
    uint32_t mss;
} lt_tcp_counters;

/* False, and all zero, if the system does not report them. */
bool lt_tcp_count(int fd, lt_tcp_counters *out);

/* Congestion control in use, NUL-terminated; "" if unknown. */
void lt_tcp_congestion_control(int fd, char name[LT_TCP_CONGESTION_NAME]);

#endif
