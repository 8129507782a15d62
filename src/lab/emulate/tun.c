/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "lab/emulate/tun.h"

#include "base/error.h"
#include "lab/emulate/netns.h"
#include "lab/netlink.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
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

/* Prevents the kernel's own IPv6 packets on the path. Settings that do not exist (no IPv6) are not
 * needed. */
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

/* Without IPv6 the path is IPv4 only. */
static livetcp_result configure(lt_tun *tun, const lt_tun_config *config, livetcp_error *error)
{
    silence_ipv6(config->name);
    int code = lt_netlink_add_address(config->name, AF_INET, config->ipv4, 24);
    if (!code)
        code = lt_netlink_bring_up(config->name, (unsigned)config->mtu, (unsigned)config->queue);
    if (code)
        return lt_fail_errno(error, LIVETCP_ERR_SYSTEM, code,
                             "cannot configure the interface %s with %s/24 and mtu %d",
                             config->name, config->ipv4, config->mtu);
    tun->ipv6 = !lt_netlink_add_address(config->name, AF_INET6, config->ipv6, 64);
    return LIVETCP_OK;
}

static livetcp_result attach(lt_tun *tun, const lt_tun_config *config, livetcp_error *error)
{
    struct ifreq request = {.ifr_flags = IFF_TUN | IFF_NO_PI};
    snprintf(request.ifr_name, sizeof request.ifr_name, "%s", config->name);
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
    /* after the name: 8 receive columns, then bytes, packets, errors and drops sent */
    if (!line || sscanf(line + strlen(tun->name),
                        ": %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %llu", &dropped) != 1)
        return 0;
    return dropped;
}
