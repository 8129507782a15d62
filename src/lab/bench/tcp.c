/* SPDX-License-Identifier: MIT */
#include "lab/bench/tcp.h"

#include "base/error.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static livetcp_result make_socket(const char *congestion_control, int *out, livetcp_error *error)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    *out = -1;
    if (fd < 0)
        return lt_fail_errno(error, LIVETCP_ERR_SYSTEM, errno, "cannot make a TCP socket");
    if (*congestion_control && setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, congestion_control,
                                          (socklen_t)strlen(congestion_control))) {
        int code = errno;
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

static struct sockaddr_in make_address(const char *text, uint16_t port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    inet_pton(AF_INET, text, &address.sin_addr);
    return address;
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

int lt_tcp_accept(int listener)
{
    return accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

void lt_tcp_set_nodelay(int fd)
{
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

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

void lt_tcp_add_segments(int fd, uint64_t *sent, uint64_t *retransmitted)
{
    struct tcp_info info;
    if (!get_info(fd, &info))
        return;
    *sent += info.tcpi_data_segs_out;
    *retransmitted += info.tcpi_total_retrans;
}

void lt_tcp_congestion_control(int fd, char name[16])
{
    socklen_t size = 16;
    memset(name, 0, 16);
    if (getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, &size))
        name[0] = '\0';
    name[15] = '\0';
}
