/* SPDX-License-Identifier: MIT */
/* Networks on systems without notification of changes; and the list of interfaces, by libuv. */
#include "platform/networks.h"

#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#ifndef __linux__

int lt_socket_bind_interface(uv_os_sock_t socket, const char *interface, int family)
{
#ifdef IP_BOUND_IF
    const unsigned index = if_nametoindex(interface);
    int level = family == AF_INET6 ? IPPROTO_IPV6 : IPPROTO_IP;
    int option = family == AF_INET6 ? IPV6_BOUND_IF : IP_BOUND_IF;

    if (!index)
        return -ENODEV;
    return setsockopt(socket, level, option, &index, sizeof index) == 0 ? 0 : -errno;
#else
    (void)socket;
    (void)family;
    return if_nametoindex(interface) ? -ENOSYS : -ENODEV;
#endif
}

int lt_networks_watch(uv_os_sock_t *socket)
{
    *socket = LT_NO_SOCKET;
    return -ENOSYS;
}

void lt_networks_drain(uv_os_sock_t socket)
{
    (void)socket;
}

#endif

static bool is_address(const uv_interface_address_t *entry, const lt_address *address)
{
    const struct sockaddr_in *in = (const void *)&address->storage;
    const struct sockaddr_in6 *in6 = (const void *)&address->storage;

    if (entry->address.address4.sin_family != address->storage.ss_family)
        return false;
    if (address->storage.ss_family == AF_INET)
        return entry->address.address4.sin_addr.s_addr == in->sin_addr.s_addr ||
               (entry->is_internal && ntohl(in->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET);
    return !memcmp(&entry->address.address6.sin6_addr, &in6->sin6_addr, sizeof in6->sin6_addr);
}

bool lt_networks_has(const char *interface, const lt_address *address)
{
    uv_interface_address_t *entries;
    bool found = false;
    int count;

    if (uv_interface_addresses(&entries, &count) != 0)
        return true; /* unknown: connecting shows it */
    for (int i = 0; i < count; i++)
        found = found || ((!interface || !strcmp(entries[i].name, interface)) &&
                          (!address || is_address(&entries[i], address)));
    uv_free_interface_addresses(entries, count);
    return found;
}

void lt_networks_list(char *text, size_t size)
{
    struct if_nameindex *names = if_nameindex();
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; names && names[i].if_index && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", names[i].if_name);
    if (names)
        if_freenameindex(names);
}
