/* SPDX-License-Identifier: MIT */
/* The lab's own TCP sockets: the naive application of bench, its background traffic, the two ends
 * of a probe. All of them are non-blocking and closed on exec. */
#ifndef LT_LAB_TCP_H
#define LT_LAB_TCP_H

#include <livetcp/base.h>

#include <netdb.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

enum {
    LT_TCP_TEXT = 64,            /* bytes of an address with its port */
    LT_TCP_CONGESTION_NAME = 16, /* bytes of the name of a congestion control */
};

/* ---- addresses ---- */

/* TCP addresses of a host, to be released by freeaddrinfo(); "" with a port is every address of
 * this machine. `port` may be NULL, `flags` are those of getaddrinfo(). Returns NULL, or why there
 * are none. */
const char *lt_tcp_resolve(const char *host, const char *port, int flags, struct addrinfo **list);

/* "10.0.0.1:5500", "[::1]:5500". */
void lt_tcp_address_text(const struct sockaddr *address, socklen_t size, char text[LT_TCP_TEXT]);

/* ---- sockets ---- */

/* -1, with errno, when there is none. */
int lt_tcp_socket(int family);

/* Returns 0 or an errno; "" keeps the system's choice. */
int lt_tcp_set_congestion_control(int fd, const char *name);
void lt_tcp_set_nodelay(int fd);

/* A listening socket on `address` (IPv4), any free port, which goes to *port. Its connections
 * inherit `congestion_control` ("" = the system's). */
livetcp_result lt_tcp_listen(const char *address, const char *congestion_control, int *out,
                             uint16_t *port, livetcp_error *error);

/* A listening socket on the first address of the list that can be used; that of every address takes
 * IPv4 and IPv6. -1, with errno, when there is none. */
int lt_tcp_listen_on(const struct addrinfo *list, int backlog);

/* A socket that is connecting to an IPv4 address. */
livetcp_result lt_tcp_connect(const char *address, uint16_t port, const char *congestion_control,
                              int *out, livetcp_error *error);

/* An accepted socket, or -1 with errno. `peer`, which may be NULL, is the remote address. */
int lt_tcp_accept(int listener, char peer[LT_TCP_TEXT]);

/* ---- path info ---- */

/* errno of a connection under way or established; 0 = none, EINPROGRESS = not connected yet. */
int lt_tcp_error(int fd);

typedef struct lt_tcp_counters {
    uint64_t segments;      /* with data, sent so far, retransmissions included; 0 = unknown */
    uint64_t retransmitted; /* of these */
    uint32_t mss;
} lt_tcp_counters;

/* False, and all zero, when the system does not report them. */
bool lt_tcp_count(int fd, lt_tcp_counters *out);

/* The congestion control in use, NUL-terminated; "" when unknown. */
void lt_tcp_congestion_control(int fd, char name[LT_TCP_CONGESTION_NAME]);

#endif
