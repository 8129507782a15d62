/* SPDX-License-Identifier: MIT */
/* System calls on TCP sockets, and what their errors mean to a user. */
#include "io/socket.h"

#include "base/error.h"
#include "platform/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0 /* SO_NOSIGPIPE does it there */
#endif

livetcp_result lt_socket_result(int system_errno, bool established)
{
    switch (system_errno) {
    case ECONNREFUSED:
        return LIVETCP_ERR_REFUSED;
    case ETIMEDOUT:
        return established ? LIVETCP_ERR_PEER_TIMEOUT : LIVETCP_ERR_UNREACHABLE;
    case ENETUNREACH:
    case EHOSTUNREACH:
    case ENETDOWN:
    case EHOSTDOWN:
        return established ? LIVETCP_ERR_CONNECTION_LOST : LIVETCP_ERR_UNREACHABLE;
    case ECONNRESET:
    case ECONNABORTED:
    case EPIPE:
        return LIVETCP_ERR_CONNECTION_LOST;
    case EADDRINUSE:
        return LIVETCP_ERR_ADDRESS_IN_USE;
    case EADDRNOTAVAIL:
    case EAFNOSUPPORT:
        return LIVETCP_ERR_ADDRESS_INVALID;
    case EACCES:
    case EPERM:
        return LIVETCP_ERR_PERMISSION;
    case ENOMEM:
    case ENOBUFS:
        return LIVETCP_ERR_NO_MEMORY;
    default:
        return LIVETCP_ERR_SYSTEM;
    }
}

static int set_flags(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0 ||
        fcntl(fd, F_SETFD, FD_CLOEXEC) != 0)
        return -1;
#ifdef SO_NOSIGPIPE
    const int on = 1;
    if (setsockopt(fd, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on) != 0)
        return -1;
#endif
    return 0;
}

static int open_socket(int family)
{
    int fd = socket(family, SOCK_STREAM, 0);
    if (fd >= 0 && set_flags(fd) != 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* ---- connecting ---- */

livetcp_result lt_connect_error(livetcp_error *error, const lt_address *address, int system_errno)
{
    static const struct {
        livetcp_result code;
        const char *advice;
    } advices[] = {
        {LIVETCP_ERR_REFUSED, "; is a listener running there?"},
        {LIVETCP_ERR_UNREACHABLE, "; check the address, the route and firewalls"},
        {LIVETCP_ERR_ADDRESS_INVALID, "; this host cannot reach that kind of address"},
        {LIVETCP_ERR_PERMISSION, "; a firewall of this host forbids it"},
        {LIVETCP_ERR_SYSTEM, ""},
    };
    livetcp_result code = lt_socket_result(system_errno, false);
    const char *advice = "";
    char text[LT_ADDRESS_TEXT];

    for (size_t i = 0; i < sizeof advices / sizeof *advices; i++)
        if (advices[i].code == code)
            advice = advices[i].advice;
    lt_address_text(address, text);
    lt_fail(error, code, "connect to %s: %s%s", text, strerror(system_errno), advice);
    if (error)
        error->system_errno = system_errno;
    return code;
}

static livetcp_result bind_local(int fd, const lt_address *local, livetcp_error *error)
{
    char text[LT_ADDRESS_TEXT];

    if (bind(fd, (const void *)&local->storage, local->size) == 0)
        return LIVETCP_OK;
    int cause = errno;
    lt_address_text(local, text);
    return lt_fail_errno(error, lt_socket_result(cause, false), cause,
                         "cannot use localaddress %s; it must be an address of this host", text);
}

/* A packet of that size with its LENGTH. One that is too large for any segment stays as it is. */
static void align_segments(int fd, const livetcp_config *config)
{
    if (config->mss_align)
        (void)lt_platform_align_segments(fd, (size_t)config->mss_align + 2);
}

livetcp_result lt_socket_connect(int *out, const lt_address *address, const lt_address *local,
                                 const livetcp_config *config, livetcp_error *error)
{
    int fd = open_socket(address->storage.ss_family);
    livetcp_result result = LIVETCP_OK;

    if (fd < 0) {
        result = lt_connect_error(error, address, errno);
    } else if (lt_platform_prepare(fd, 0) != LIVETCP_OK) {
        result = lt_connect_error(error, address, errno);
    } else {
        result = lt_platform_set_congestion_control(fd, config->congestion_control, error);
        if (result == LIVETCP_OK && local)
            result = bind_local(fd, local, error);
        align_segments(fd, config);
        if (result == LIVETCP_OK &&
            connect(fd, (const void *)&address->storage, address->size) != 0 &&
            errno != EINPROGRESS && errno != EINTR)
            result = lt_connect_error(error, address, errno);
    }
    if (result != LIVETCP_OK && fd >= 0) {
        close(fd);
        fd = -1;
    }
    *out = fd;
    return result;
}

int lt_socket_error(int fd)
{
    int value = 0;
    socklen_t size = sizeof value;
    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &value, &size) == 0 ? value : errno;
}

bool lt_socket_failed(int fd)
{
    struct pollfd poll_fd = {.fd = fd};

    return poll(&poll_fd, 1, 0) > 0;
}

/* ---- listening ---- */

static livetcp_result listen_error(livetcp_error *error, const lt_address *address, int cause)
{
    livetcp_result code = lt_socket_result(cause, false);
    char text[LT_ADDRESS_TEXT];
    const char *advice = "";

    if (code == LIVETCP_ERR_ADDRESS_IN_USE)
        advice = "; another program listens there, stop it or choose another port";
    else if (code == LIVETCP_ERR_ADDRESS_INVALID)
        advice = "; it must be an address of this host, or empty for all of them";
    else if (code == LIVETCP_ERR_PERMISSION)
        advice = "; ports below 1024 need privileges, choose a higher one";
    lt_address_text(address, text);
    lt_fail(error, code, "listen on %s: %s%s", text, strerror(cause), advice);
    if (error)
        error->system_errno = cause;
    return code;
}

livetcp_result lt_socket_listen(int *out, const lt_address *address, bool dual,
                                const livetcp_config *config, livetcp_error *error)
{
    const int on = 1, only = dual ? 0 : 1;
    livetcp_result result = LIVETCP_OK;
    int fd = open_socket(address->storage.ss_family);

    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        (address->storage.ss_family == AF_INET6 &&
         setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &only, sizeof only) != 0) ||
        bind(fd, (const void *)&address->storage, address->size) != 0)
        result = listen_error(error, address, errno);
    if (result == LIVETCP_OK) {
        align_segments(fd, config); /* connections inherit it */
        if (listen(fd, SOMAXCONN) != 0)
            result = listen_error(error, address, errno);
    }
    if (result != LIVETCP_OK && fd >= 0) {
        close(fd);
        fd = -1;
    }
    *out = fd;
    return result;
}

int lt_socket_accept(int listener)
{
    for (;;) {
        int fd = accept(listener, NULL, NULL);
        if (fd >= 0 && set_flags(fd) == 0)
            return fd;
        int cause = errno;
        if (fd >= 0)
            close(fd);
        /* Someone who left before being accepted is nobody's business. */
        if (cause == EWOULDBLOCK)
            return -EAGAIN;
        if (fd >= 0 || (cause != EINTR && cause != ECONNABORTED && cause != EPROTO))
            return -cause;
    }
}

/* ---- all of them ---- */

livetcp_result lt_socket_prepare(int fd, const livetcp_config *config)
{
    livetcp_result result = lt_platform_prepare(fd, config->peer_timeout_us);
    return result == LIVETCP_OK
               ? lt_platform_set_congestion_control(fd, config->congestion_control, NULL)
               : result;
}

static livetcp_result check_timestamps(const livetcp_config *config, livetcp_error *error)
{
    if (config->timestamps != LIVETCP_TIMESTAMPS_ON || lt_platform_has_timestamps())
        return LIVETCP_OK;
    return lt_fail(error, LIVETCP_ERR_NOT_SUPPORTED,
                   "timestamps=on: the kernel does not tell them; use auto or off");
}

livetcp_result lt_socket_check(const livetcp_config *config, livetcp_error *error)
{
    livetcp_result result = check_timestamps(config, error);
    int fd;

    if (result != LIVETCP_OK)
        return result;
    if (!config->congestion_control[0])
        return LIVETCP_OK;
    fd = open_socket(AF_INET);
    if (fd < 0)
        fd = open_socket(AF_INET6);
    if (fd < 0)
        return lt_fail_errno(error, lt_socket_result(errno, false), errno, "cannot open a socket");
    result = lt_platform_set_congestion_control(fd, config->congestion_control, error);
    close(fd);
    return result;
}

long lt_socket_write(int fd, const void *data, size_t size)
{
    ssize_t n;
    do
        n = send(fd, data, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (n < 0 && errno == EINTR);
    return n >= 0 ? (long)n : errno == EWOULDBLOCK ? -EAGAIN : -errno;
}

long lt_socket_read(int fd, void *data, size_t size)
{
    ssize_t n;
    do
        n = recv(fd, data, size, MSG_DONTWAIT);
    while (n < 0 && errno == EINTR);
    return n >= 0 ? (long)n : errno == EWOULDBLOCK ? -EAGAIN : -errno;
}
