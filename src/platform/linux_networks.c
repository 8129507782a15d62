/* SPDX-License-Identifier: MIT */
/* Networks on Linux: SO_BINDTODEVICE and rtnetlink. The content of rtnetlink messages is not used;
 * each one triggers a look at the list of interfaces, which works the same on all systems. */
#include "platform/networks.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int lt_socket_bind_interface(uv_os_sock_t socket, const char *interface, int family)
{
    (void)family;
    if (!if_nametoindex(interface))
        return -ENODEV;
    return setsockopt(socket, SOL_SOCKET, SO_BINDTODEVICE, interface,
                      (socklen_t)strlen(interface)) == 0
               ? 0
               : -errno;
}

int lt_networks_watch(uv_os_sock_t *out)
{
    struct sockaddr_nl address = {.nl_family = AF_NETLINK,
                                  .nl_groups =
                                      RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR};
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
    int status = 0;

    *out = LT_NO_SOCKET;
    if (fd < 0)
        return -errno;
    if (bind(fd, (const struct sockaddr *)&address, sizeof address) != 0)
        status = -errno;
    if (status == 0)
        *out = fd;
    else
        close(fd);
    return status;
}

void lt_networks_drain(uv_os_sock_t socket)
{
    char messages[8192];

    /* A lost message (ENOBUFS) signals a change as well. */
    while (recv(socket, messages, sizeof messages, 0) > 0 || errno == ENOBUFS || errno == EINTR)
        ;
}
