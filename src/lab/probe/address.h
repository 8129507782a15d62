/* SPDX-License-Identifier: MIT */
/* Names and addresses of the two ends of a probe. */
#ifndef LT_LAB_PROBE_ADDRESS_H
#define LT_LAB_PROBE_ADDRESS_H

#include <livetcp/result.h>

#include <netdb.h>
#include <sys/socket.h>

#define LT_ADDRESS_TEXT 64

/* TCP addresses of a host, "" for all of this machine; freeaddrinfo(). */
livetcp_result lt_probe_resolve(const char *host, const char *port, struct addrinfo **list,
                                livetcp_error *error);

/* "10.0.0.1:5500", "[::1]:5500". */
void lt_probe_address_text(const struct sockaddr *address, socklen_t size,
                           char text[LT_ADDRESS_TEXT]);

#endif
