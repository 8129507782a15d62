/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "lab/emulate/tun.h"

#include "base/error.h"
#include "lab/emulate/netns.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <linux/ipv6.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static livetcp_result open_device(int *out, livetcp_error *error)
{
    *out = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (*out >= 0)
        return LIVETCP_OK;
    if (errno == EACCES || errno == EPERM)
        return lt_fail_errno(error, LIVETCP_ERR_PERMISSION, errno,
                             "cannot open /dev/net/tun; run as root, or ask for "
                             "'chmod 666 /dev/net/tun'");
    return lt_fail_errno(error, LIVETCP_ERR_NOT_SUPPORTED, errno,
                         "there is no usable TUN device /dev/net/tun; try 'modprobe tun' as root, "
                         "or in a container pass the device in (--device /dev/net/tun)");
}

static struct ifreq request_for(const char *name)
{
    struct ifreq request = {0};
    snprintf(request.ifr_name, sizeof request.ifr_name, "%s", name);
    return request;
}

static int set_ipv4(int socket_fd, const lt_tun_config *config)
{
    struct ifreq request = request_for(config->name);
    struct sockaddr_in address = {.sin_family = AF_INET};
    if (inet_pton(AF_INET, config->ipv4, &address.sin_addr) != 1) {
        errno = EINVAL;
        return -1;
    }
    memcpy(&request.ifr_addr, &address, sizeof address);
    if (ioctl(socket_fd, SIOCSIFADDR, &request))
        return -1;
    address.sin_addr.s_addr = htonl(0xffffff00);
    memcpy(&request.ifr_netmask, &address, sizeof address);
    return ioctl(socket_fd, SIOCSIFNETMASK, &request);
}

static int set_mtu(int socket_fd, const lt_tun_config *config)
{
    struct ifreq request = request_for(config->name);
    request.ifr_mtu = config->mtu;
    return ioctl(socket_fd, SIOCSIFMTU, &request);
}

typedef struct queue_request {
    struct nlmsghdr header;
    struct ifinfomsg link;
    struct rtattr attribute;
    uint32_t queue;
} queue_request;

/* By netlink: the ioctl for it wants privilege outside the namespace as well. */
static int set_queue(const lt_tun_config *config)
{
    struct {
        struct nlmsghdr header;
        struct nlmsgerr result;
    } reply = {0};
    const queue_request request = {
        .header =
            {
                .nlmsg_len = sizeof request,
                .nlmsg_type = RTM_NEWLINK,
                .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK,
            },
        .link = {.ifi_family = AF_UNSPEC, .ifi_index = (int)if_nametoindex(config->name)},
        .attribute = {.rta_len = RTA_LENGTH(sizeof request.queue), .rta_type = IFLA_TXQLEN},
        .queue = (uint32_t)config->queue,
    };
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    bool answered = fd >= 0 && send(fd, &request, sizeof request, 0) == sizeof request &&
                    recv(fd, &reply, sizeof reply, 0) >= (ssize_t)sizeof reply.header;
    int failed = answered ? -reply.result.error : errno;
    if (fd >= 0)
        close(fd);
    errno = failed;
    return failed ? -1 : 0;
}

static int set_up(int socket_fd, const char *name)
{
    struct ifreq request = request_for(name);
    if (ioctl(socket_fd, SIOCGIFFLAGS, &request))
        return -1;
    request.ifr_flags |= IFF_UP;
    return ioctl(socket_fd, SIOCSIFFLAGS, &request);
}

/* A path carries what its users send and nothing else. Each setting is missing where there is no
 * IPv6, and then not needed. */
static void silence_ipv6(const char *name)
{
    static const char *const settings[][2] = {
        {"accept_dad", "0"},           {"dad_transmits", "0"}, {"accept_ra", "0"},
        {"router_solicitations", "0"}, {"addr_gen_mode", "1"},
    };
    char key[64];
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        snprintf(key, sizeof key, "net/ipv6/conf/%s/%s", name, settings[i][0]);
        lt_sysctl_set(key, settings[i][1], NULL);
    }
}

/* False when the system has no IPv6, or has it disabled: the path is then IPv4 only. */
static bool set_ipv6(const lt_tun_config *config)
{
    struct ifreq index = request_for(config->name);
    struct in6_ifreq request = {.ifr6_prefixlen = 64};
    int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return false;
    bool done = inet_pton(AF_INET6, config->ipv6, &request.ifr6_addr) == 1 &&
                !ioctl(fd, SIOCGIFINDEX, &index);
    request.ifr6_ifindex = index.ifr_ifindex;
    done = done && !ioctl(fd, SIOCSIFADDR, &request);
    close(fd);
    return done;
}

static livetcp_result configure(lt_tun *tun, const lt_tun_config *config, livetcp_error *error)
{
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    livetcp_result result = LIVETCP_OK;
    silence_ipv6(config->name);
    if (fd < 0 || set_ipv4(fd, config) || set_mtu(fd, config) || set_queue(config) ||
        set_up(fd, config->name))
        result = lt_fail_errno(error, LIVETCP_ERR_SYSTEM, errno,
                               "cannot configure the interface %s with %s/24 and mtu %d",
                               config->name, config->ipv4, config->mtu);
    else
        tun->ipv6 = set_ipv6(config);
    if (fd >= 0)
        close(fd);
    return result;
}

static livetcp_result attach(lt_tun *tun, const lt_tun_config *config, livetcp_error *error)
{
    struct ifreq request = request_for(config->name);
    request.ifr_flags = IFF_TUN | IFF_NO_PI;
    if (ioctl(tun->fd, TUNSETIFF, &request))
        return lt_fail_errno(error, LIVETCP_ERR_PERMISSION, errno,
                             "cannot create the TUN interface %s; run as root", config->name);
    livetcp_result result = configure(tun, config, error);
    if (result)
        return result;
    tun->stats = open("/proc/thread-self/net/dev", O_RDONLY | O_CLOEXEC);
    if (tun->stats < 0)
        return lt_fail_errno(error, LIVETCP_ERR_SYSTEM, errno, "cannot open /proc/net/dev");
    return LIVETCP_OK;
}

livetcp_result lt_tun_open(lt_tun *tun, const lt_tun_config *config, livetcp_error *error)
{
    *tun = (lt_tun){.fd = -1, .stats = -1};
    snprintf(tun->name, sizeof tun->name, "%s", config->name);
    livetcp_result result = open_device(&tun->fd, error);
    if (!result)
        result = attach(tun, config, error);
    if (result)
        lt_tun_close(tun);
    return result;
}

void lt_tun_close(lt_tun *tun)
{
    if (tun->fd >= 0)
        close(tun->fd);
    if (tun->stats >= 0)
        close(tun->stats);
    tun->fd = tun->stats = -1;
}

unsigned long long lt_tun_dropped(const lt_tun *tun)
{
    char text[4096];
    ssize_t count = pread(tun->stats, text, sizeof text - 1, 0);
    if (count <= 0)
        return 0;
    text[count] = '\0';
    const char *line = strstr(text, tun->name);
    unsigned long long dropped = 0;
    /* After the name: 8 receive columns, then bytes, packets, errors and drops sent. */
    if (!line || sscanf(line + strlen(tun->name),
                        ": %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %llu", &dropped) != 1)
        return 0;
    return dropped;
}
