/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "lab/tcp.h"

#include "base/error.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- addresses ---- */

const char *lt_tcp_resolve(const char *host, const char *port, int flags, struct addrinfo **list)
{
    const bool any = !*host && port;
    const struct addrinfo hints = {.ai_family = any ? AF_INET6 : AF_UNSPEC,
                                   .ai_socktype = SOCK_STREAM,
                                   .ai_flags = flags | (port ? AI_NUMERICSERV : 0) |
                                               (any ? AI_PASSIVE : 0)};
    int code = getaddrinfo(any ? NULL : host, port, &hints, list);
    if (!code)
        return NULL;
    return code == EAI_SYSTEM ? strerror(errno) : gai_strerror(code);
}

void lt_tcp_address_text(const struct sockaddr *address, socklen_t size, char text[LT_TCP_TEXT])
{
    char host[46] = "?", port[8] = "?";
    (void)getnameinfo(address, size, host, sizeof host, port, sizeof port,
                      NI_NUMERICHOST | NI_NUMERICSERV);
    if (!strncmp(host, "::ffff:", 7) && strchr(host, '.'))
        memmove(host, host + 7, strlen(host + 7) + 1);
    snprintf(text, LT_TCP_TEXT, strchr(host, ':') ? "[%s]:%s" : "%s:%s", host, port);
}

static struct sockaddr_in make_address(const char *text, uint16_t port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    inet_pton(AF_INET, text, &address.sin_addr);
    return address;
}

/* ---- sockets ---- */

int lt_tcp_socket(int family)
{
    return socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

int lt_tcp_set_congestion_control(int fd, const char *name)
{
    if (*name && setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, (socklen_t)strlen(name)))
        return errno;
    return 0;
}

void lt_tcp_set_nodelay(int fd)
{
    const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

static livetcp_result make_socket(const char *congestion_control, int *out, livetcp_error *error)
{
    int fd = lt_tcp_socket(AF_INET);
    *out = -1;
    if (fd < 0)
        return lt_fail_errno(error, LIVETCP_ERR_SYSTEM, errno, "cannot make a TCP socket");
    int code = lt_tcp_set_congestion_control(fd, congestion_control);
    if (code) {
        close(fd);
        return lt_fail_errno(error, LIVETCP_ERR_NOT_SUPPORTED, code,
                             "cannot use congestion control '%s'; "
                             "/proc/sys/net/ipv4/tcp_available_congestion_control lists what is "
                             "loaded",
                             congestion_control);
    }
    *out = fd;
    return LIVETCP_OK;
}

livetcp_result lt_tcp_listen(const char *text, const char *congestion_control, int *out,
                             uint16_t *port, livetcp_error *error)
{
    struct sockaddr_in address = make_address(text, 0);
    socklen_t size = sizeof address;
    livetcp_result result = make_socket(congestion_control, out, error);
    if (result != LIVETCP_OK)
        return result;
    if (bind(*out, (struct sockaddr *)&address, size) || listen(*out, SOMAXCONN) ||
        getsockname(*out, (struct sockaddr *)&address, &size)) {
        result = lt_fail_errno(error, LIVETCP_ERR_SYSTEM, errno, "cannot listen on %s", text);
        close(*out);
        *out = -1;
        return result;
    }
    *port = ntohs(address.sin_port);
    return LIVETCP_OK;
}

static int listen_at(const struct addrinfo *address, int backlog)
{
    const int on = 1, off = 0;
    int fd = lt_tcp_socket(address->ai_family);
    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (address->ai_family == AF_INET6) /* :: also accepts IPv4 */
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    if (!bind(fd, address->ai_addr, address->ai_addrlen) && !listen(fd, backlog))
        return fd;
    int code = errno;
    close(fd);
    errno = code;
    return -1;
}

int lt_tcp_listen_on(const struct addrinfo *list, int backlog)
{
    int fd = -1;
    for (const struct addrinfo *a = list; a && fd < 0; a = a->ai_next)
        fd = listen_at(a, backlog);
    return fd;
}

livetcp_result lt_tcp_connect(const char *text, uint16_t port, const char *congestion_control,
                              int *out, livetcp_error *error)
{
    struct sockaddr_in address = make_address(text, port);
    livetcp_result result = make_socket(congestion_control, out, error);
    if (result != LIVETCP_OK)
        return result;
    if (connect(*out, (struct sockaddr *)&address, sizeof address) && errno != EINPROGRESS) {
        result = lt_fail_errno(error, LIVETCP_ERR_UNREACHABLE, errno, "cannot connect to %s:%u",
                               text, port);
        close(*out);
        *out = -1;
    }
    return result;
}

int lt_tcp_accept(int listener, char peer[LT_TCP_TEXT])
{
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    int fd = accept4(listener, (struct sockaddr *)&address, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0 && peer)
        lt_tcp_address_text((struct sockaddr *)&address, size, peer);
    return fd;
}

/* ---- path info ---- */

/* Fields that an older kernel does not fill are zero. */
static bool get_info(int fd, struct tcp_info *info)
{
    socklen_t size = sizeof *info;
    memset(info, 0, sizeof *info);
    return getsockopt(fd, IPPROTO_TCP, TCP_INFO, info, &size) == 0;
}

int lt_tcp_error(int fd)
{
    enum { SYN_SENT = 2 }; /* TCP_SYN_SENT of the kernel's state table */
    int code = 0;
    socklen_t size = sizeof code;
    struct tcp_info info;
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &code, &size))
        return errno;
    if (code == 0 && get_info(fd, &info) && info.tcpi_state == SYN_SENT)
        return EINPROGRESS;
    return code;
}

bool lt_tcp_count(int fd, lt_tcp_counters *out)
{
    struct tcp_info info;
    *out = (lt_tcp_counters){0};
    if (!get_info(fd, &info))
        return false;
    *out = (lt_tcp_counters){.segments = info.tcpi_data_segs_out,
                             .retransmitted = info.tcpi_total_retrans,
                             .mss = info.tcpi_snd_mss};
    return true;
}

void lt_tcp_congestion_control(int fd, char name[LT_TCP_CONGESTION_NAME])
{
    socklen_t size = LT_TCP_CONGESTION_NAME;
    memset(name, 0, LT_TCP_CONGESTION_NAME);
    if (getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, &size))
        name[0] = '\0';
    name[LT_TCP_CONGESTION_NAME - 1] = '\0';
}
