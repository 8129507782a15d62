/* SPDX-License-Identifier: MIT */
/* System calls on TCP sockets, on POSIX systems. */
#ifdef __linux__
#define _GNU_SOURCE /* accept4(), POLLRDHUP */
#endif
#include "platform/socket.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0 /* SO_NOSIGPIPE is set instead */
#endif

#ifndef POLLRDHUP
#define POLLRDHUP 0
#endif

static const struct sockaddr *raw(const lt_address *address)
{
    return (const void *)&address->storage;
}

/* ---- opened and closed ---- */

static int set_flags(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0 ||
        fcntl(fd, F_SETFD, FD_CLOEXEC) != 0)
        return -errno;
#ifdef SO_NOSIGPIPE
    const int on = 1;
    if (setsockopt(fd, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on) != 0)
        return -errno;
#endif
    return 0;
}

int lt_socket_open(int family, uv_os_sock_t *out)
{
    int fd = socket(family, SOCK_STREAM, 0);
    int status = fd < 0 ? -errno : set_flags(fd);

    if (status != 0 && fd >= 0) {
        close(fd);
        fd = LT_NO_SOCKET;
    }
    *out = fd;
    return status;
}

void lt_socket_close(uv_os_sock_t socket)
{
    close(socket);
}

void lt_socket_reset(uv_os_sock_t socket)
{
    const struct linger none = {.l_onoff = 1};

    (void)setsockopt(socket, SOL_SOCKET, SO_LINGER, &none, sizeof none);
    close(socket);
}

/* ---- listening ---- */

int lt_socket_bind(uv_os_sock_t socket, const lt_address *address)
{
    return bind(socket, raw(address), address->size) == 0 ? 0 : -errno;
}

int lt_socket_reuse_port(uv_os_sock_t socket)
{
    const int on = 1;

    return setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 ? 0 : -errno;
}

int lt_socket_prepare_listening(uv_os_sock_t socket, int family, bool dual)
{
    const int only = dual ? 0 : 1;
    int status = lt_socket_reuse_port(socket);

    if (status == 0 && family == AF_INET6 &&
        setsockopt(socket, IPPROTO_IPV6, IPV6_V6ONLY, &only, sizeof only) != 0)
        status = -errno;
    return status;
}

int lt_socket_listen(uv_os_sock_t socket)
{
    return listen(socket, SOMAXCONN) == 0 ? 0 : -errno;
}

/* accept() with close-on-exec and non-blocking set; -1 and errno. */
static int accept_flagged(int listener, struct sockaddr *peer, socklen_t *size)
{
#ifdef __linux__
    return accept4(listener, peer, size, SOCK_NONBLOCK | SOCK_CLOEXEC);
#else
    int fd = accept(listener, peer, size);
    int status = fd < 0 ? 0 : set_flags(fd);

    if (status == 0)
        return fd;
    close(fd);
    errno = -status;
    return -1;
#endif
}

int lt_socket_accept(uv_os_sock_t listener, uv_os_sock_t *out, lt_address *peer)
{
    *out = LT_NO_SOCKET;
    for (;;) {
        peer->size = sizeof peer->storage;
        int fd = accept_flagged(listener, (void *)&peer->storage, &peer->size);
        int status = fd < 0 ? -errno : 0;
        if (status == 0) {
            *out = fd;
            return 0;
        }
        /* Skips a peer that left before it was accepted. */
        if (status == -EWOULDBLOCK)
            return -EAGAIN;
        if (status != -EINTR && status != -ECONNABORTED && status != -EPROTO)
            return status;
    }
}

/* ---- connecting ---- */

int lt_socket_connect(uv_os_sock_t socket, const lt_address *address)
{
    if (connect(socket, raw(address), address->size) == 0 || errno == EINPROGRESS || errno == EINTR)
        return 0;
    return -errno;
}

int lt_socket_error(uv_os_sock_t socket)
{
    int value = 0;
    socklen_t size = sizeof value;
    return getsockopt(socket, SOL_SOCKET, SO_ERROR, &value, &size) == 0 ? value : errno;
}

/* True if poll() reports one of these events, or an error. */
static bool is_there(uv_os_sock_t socket, short events)
{
    struct pollfd poll_fd = {.fd = socket, .events = events};

    return poll(&poll_fd, 1, 0) > 0;
}

bool lt_socket_failed(uv_os_sock_t socket)
{
    return is_there(socket, 0);
}

bool lt_socket_has_ended(uv_os_sock_t socket)
{
    return is_there(socket, POLLRDHUP);
}

/* ---- connected ---- */

/* The lower two bits of the byte are ECN's; the kernel sets them. */
int lt_socket_set_dscp(uv_os_sock_t socket, int code_point)
{
    const int byte = code_point << 2;
    struct sockaddr_storage own;
    socklen_t size = sizeof own;

    if (getsockname(socket, (struct sockaddr *)&own, &size) != 0)
        return -errno;
    /* IPv4-mapped addresses on an IPv6 socket use IP_TOS. */
    bool set = setsockopt(socket, IPPROTO_IP, IP_TOS, &byte, sizeof byte) == 0;
    if (own.ss_family == AF_INET6)
        set = setsockopt(socket, IPPROTO_IPV6, IPV6_TCLASS, &byte, sizeof byte) == 0;
    return set ? 0 : -errno;
}

long lt_socket_write(uv_os_sock_t socket, const void *data, size_t size)
{
    ssize_t n;
    do
        n = send(socket, data, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (n < 0 && errno == EINTR);
    return n >= 0 ? (long)n : errno == EWOULDBLOCK ? -EAGAIN : -errno;
}

static long receive(uv_os_sock_t socket, void *data, size_t size, int flags)
{
    ssize_t n;
    do
        n = recv(socket, data, size, MSG_DONTWAIT | flags);
    while (n < 0 && errno == EINTR);
    return n >= 0 ? (long)n : errno == EWOULDBLOCK ? -EAGAIN : -errno;
}

long lt_socket_read(uv_os_sock_t socket, void *data, size_t size)
{
    return receive(socket, data, size, 0);
}

long lt_socket_peek(uv_os_sock_t socket, void *data, size_t size)
{
    return receive(socket, data, size, MSG_PEEK);
}

void lt_socket_end_writing(uv_os_sock_t socket)
{
    shutdown(socket, SHUT_WR);
}

int lt_socket_address(uv_os_sock_t socket, bool peer, lt_address *address)
{
    struct sockaddr *to = (void *)&address->storage;

    address->size = sizeof address->storage;
    return (peer ? getpeername(socket, to, &address->size)
                 : getsockname(socket, to, &address->size)) == 0
               ? 0
               : -errno;
}

void lt_socket_text(uv_os_sock_t socket, bool peer, char text[LT_ADDRESS_TEXT])
{
    lt_address address;

    text[0] = '\0';
    if (lt_socket_address(socket, peer, &address) == 0)
        lt_address_text(&address, text);
}
