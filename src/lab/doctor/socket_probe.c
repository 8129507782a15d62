/* SPDX-License-Identifier: MIT */
/* Capabilities of TCP sockets on this kernel: options are set on sockets that connect to nothing,
 * and timestamps are taken on one connection over the loopback. */
#include "lab/doctor/gather.h"
#include "lab/tcp.h"

#include <errno.h>
#include <linux/errqueue.h>
#include <linux/net_tstamp.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Older headers lack the names. */
#ifndef TCP_RTO_MIN_US
#define TCP_RTO_MIN_US 45
#endif
#ifndef TCP_DELACK_MAX_US
#define TCP_DELACK_MAX_US 46
#endif

enum { PATIENCE_MS = 1000, PAUSE_MS = 5 };

static bool accepts(int fd, int level, int option, int value)
{
    return setsockopt(fd, level, option, &value, sizeof value) == 0;
}

/* Each name of the list that this program may choose. */
static void try_congestion_controls(int fd, const char *list, char *out, size_t size)
{
    size_t length = 0;
    for (const char *at = list; *at; at += strspn(at, " ")) {
        size_t word = strcspn(at, " ");
        if (setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, at, (socklen_t)word) == 0 &&
            length + word + 2 < size)
            length += (size_t)snprintf(out + length, size - length, "%s%.*s", length ? " " : "",
                                       (int)word, at);
        at += word;
    }
}

static void probe_options(int fd, lt_facts *facts)
{
    lt_socket_fact *s = &facts->socket;
    lt_tcp_congestion_control(fd, s->congestion_control);
    s->rto_min = accepts(fd, IPPROTO_TCP, TCP_RTO_MIN_US, 200000);
    s->delack_max = accepts(fd, IPPROTO_TCP, TCP_DELACK_MAX_US, 10000);
    s->notsent_lowat = accepts(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, 16384);
    s->thin_linear = accepts(fd, IPPROTO_TCP, TCP_THIN_LINEAR_TIMEOUTS, 1);
    if (facts->sysctl[LT_SYSCTL_AVAILABLE_CC].how == LT_KNOWN)
        try_congestion_controls(fd, facts->sysctl[LT_SYSCTL_AVAILABLE_CC].text, s->selectable,
                                sizeof s->selectable);
}

/* Two connected sockets. Returns 0 or an errno. */
static int connect_pair(int *from, int *to)
{
    static const char loopback[] = "127.0.0.1";
    livetcp_error error = {.code = LIVETCP_OK};
    uint16_t port;
    int listener = -1, code = 0;
    if (lt_tcp_listen(loopback, "", &listener, &port, &error) == LIVETCP_OK &&
        lt_tcp_connect(loopback, port, "", from, &error) == LIVETCP_OK) {
        struct pollfd waiting = {.fd = listener, .events = POLLIN};
        if (poll(&waiting, 1, PATIENCE_MS) == 0)
            code = ETIMEDOUT;
        else if ((*to = lt_tcp_accept(listener, NULL)) < 0)
            code = errno;
    }
    if (listener >= 0)
        close(listener);
    return error.code ? error.system_errno : code;
}

/* A message with its timestamp; false when none comes in time. */
static bool receive_timestamp(int fd, short events, int flags, lt_socket_fact *s)
{
    _Alignas(struct cmsghdr) char control[512];
    char data[16];
    struct iovec buffer = {data, sizeof data};
    struct msghdr message = {.msg_iov = &buffer,
                             .msg_iovlen = 1,
                             .msg_control = control,
                             .msg_controllen = sizeof control};
    struct pollfd waiting = {.fd = fd, .events = events};
    if (poll(&waiting, 1, PATIENCE_MS) <= 0 || recvmsg(fd, &message, flags) < 0)
        return false;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(&message); c; c = CMSG_NXTHDR(&message, c)) {
        struct sock_extended_err about;
        if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SO_TIMESTAMPING)
            s->timestamp_received |= !(flags & MSG_ERRQUEUE);
        if (c->cmsg_level != IPPROTO_IP || c->cmsg_type != IP_RECVERR ||
            c->cmsg_len < CMSG_LEN(sizeof about))
            continue;
        memcpy(&about, CMSG_DATA(c), sizeof about);
        s->timestamp_sent |= about.ee_info == SCM_TSTAMP_SND;
        s->timestamp_acknowledged |= about.ee_info == SCM_TSTAMP_ACK;
    }
    return true;
}

/* A byte there, until all timestamps have been seen: the kernel begins to timestamp received data
 * some milliseconds after the first socket has asked for it. False, with errno, when none could be
 * sent.
 */
static bool exchange(int from, int to, lt_socket_fact *s)
{
    for (int tries = 0; tries < PATIENCE_MS / PAUSE_MS && !s->timestamp_received; tries++) {
        if (tries)
            poll(NULL, 0, PAUSE_MS);
        if (send(from, "?", 1, MSG_NOSIGNAL) != 1)
            return false;
        if (!receive_timestamp(to, POLLIN, 0, s))
            break;
    }
    while (!(s->timestamp_sent && s->timestamp_acknowledged) &&
           receive_timestamp(from, 0, MSG_ERRQUEUE, s)) {
    }
    return true;
}

static void probe_timestamps(lt_socket_fact *s)
{
    const int wanted = SOF_TIMESTAMPING_SOFTWARE | SOF_TIMESTAMPING_TX_SOFTWARE |
                       SOF_TIMESTAMPING_TX_ACK | SOF_TIMESTAMPING_RX_SOFTWARE |
                       SOF_TIMESTAMPING_OPT_ID | SOF_TIMESTAMPING_OPT_TSONLY;
    int from = -1, to = -1;
    s->timestamps_how = LT_FAILED;
    int code = connect_pair(&from, &to);
    if (code) {
        s->timestamps_error = code;
    } else if (!accepts(from, SOL_SOCKET, SO_TIMESTAMPING, wanted) ||
               !accepts(to, SOL_SOCKET, SO_TIMESTAMPING, wanted)) {
        s->timestamps_how = LT_ABSENT;
    } else if (exchange(from, to, s)) {
        s->timestamps_how = LT_KNOWN;
    } else {
        s->timestamps_error = errno;
    }
    if (from >= 0)
        close(from);
    if (to >= 0)
        close(to);
}

void lt_gather_socket(lt_facts *facts)
{
    lt_socket_fact *s = &facts->socket;
    int fd = lt_tcp_socket(AF_INET);
    memset(s, 0, sizeof *s);
    if (fd < 0) {
        s->how = LT_FAILED;
        s->error = errno;
        return;
    }
    s->how = LT_KNOWN;
    probe_options(fd, facts);
    close(fd);
    probe_timestamps(s);
}
