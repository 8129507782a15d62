/* SPDX-License-Identifier: MIT */
/* Networks of this host: binding a socket to an interface, and notification of changes.
 * linux_networks.c and posix_networks.c implement this. */
#ifndef LT_PLATFORM_NETWORKS_H
#define LT_PLATFORM_NETWORKS_H

#include "platform/socket.h"

/* Before bind() and connect(): sends all of the socket's packets through that interface. 0, -ENOSYS
 * where the system has no such option, -ENODEV without such an interface, or -errno. */
int lt_socket_bind_interface(uv_os_sock_t socket, const char *interface, int family);

/* Opens a socket that becomes readable when an interface or address appears or disappears; the
 * caller closes it. 0, -ENOSYS where changes have to be polled, or -errno. */
int lt_networks_watch(uv_os_sock_t *socket);

/* Reads and discards all pending messages of such a socket. */
void lt_networks_drain(uv_os_sock_t socket);

/* True if the interface (NULL = any) is up and has a carrier and this address (NULL = any). */
bool lt_networks_has(const char *interface, const lt_address *address);

/* Names of interfaces that are up, "lo, eth0"; truncated where they do not fit. */
void lt_networks_list(char *text, size_t size);

#endif
