/* SPDX-License-Identifier: MIT */
/* The networks of this host: binding a socket to one of them, and word of changes.
 * linux_networks.c and posix_networks.c implement this. */
#ifndef LT_PLATFORM_NETWORKS_H
#define LT_PLATFORM_NETWORKS_H

#include "platform/socket.h"

/* Before bind() and connect(): all that the socket sends leaves through that interface. 0, -ENOSYS
 * where the system has no such option, -ENODEV without such an interface, or -errno. */
int lt_socket_bind_interface(uv_os_sock_t socket, const char *interface, int family);

/* Opens a socket that becomes readable when an interface or an address comes or goes; the caller
 * closes it. 0, -ENOSYS where that has to be polled, or -errno. */
int lt_networks_watch(uv_os_sock_t *socket);

/* Reads all that such a socket has to say. */
void lt_networks_drain(uv_os_sock_t socket);

/* True if the interface (NULL = any) is up, has a carrier and an address: this one (NULL = any). */
bool lt_networks_has(const char *interface, const lt_address *address);

/* Names of such interfaces, "lo, eth0"; cut off where they do not fit. */
void lt_networks_list(char *text, size_t size);

#endif
