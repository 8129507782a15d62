/* SPDX-License-Identifier: MIT */
/* Networks of Linux: SO_BINDTODEVICE and rtnetlink. The messages of the latter are not read: they
 * only say that it is time to look at the list of interfaces, which is the same elsewhere. */
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

    /* Messages that were lost (ENOBUFS) are as good as any. */
    while (recv(socket, messages, sizeof messages, 0) > 0 || errno == ENOBUFS || errno == EINTR)
        ;
}
