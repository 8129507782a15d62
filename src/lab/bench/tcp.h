/* SPDX-License-Identifier: MIT */
/* The few socket calls of the bench's own TCP: the naive application and the background traffic. */
#ifndef LT_LAB_BENCH_TCP_H
#define LT_LAB_BENCH_TCP_H

#include <livetcp/result.h>

#include <stdint.h>

/* A non-blocking listening socket on `address` (IPv4), any free port, which goes to *port. Its
 * connections inherit `congestion_control` ("" = the system's). */
livetcp_result lt_tcp_listen(const char *address, const char *congestion_control, int *out,
                             uint16_t *port, livetcp_error *error);

/* A non-blocking socket that is connecting. */
livetcp_result lt_tcp_connect(const char *address, uint16_t port, const char *congestion_control,
                              int *out, livetcp_error *error);

/* A non-blocking accepted socket, or -1 with errno. */
int lt_tcp_accept(int listener);

void lt_tcp_set_nodelay(int fd);

/* errno of a connection under way or established; 0 = none, EINPROGRESS = not connected yet. */
int lt_tcp_error(int fd);

/* Adds the data segments that the connection has sent so far, retransmissions included, and these.
 */
void lt_tcp_add_segments(int fd, uint64_t *sent, uint64_t *retransmitted);

/* The congestion control in use, NUL-terminated; "" when unknown. */
void lt_tcp_congestion_control(int fd, char name[16]);

#endif
