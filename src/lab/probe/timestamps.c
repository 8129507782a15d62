/* SPDX-License-Identifier: MIT */
#include "lab/probe/timestamps.h"

#include "lab/clock.h"

#include <linux/errqueue.h>
#include <linux/net_tstamp.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

bool lt_timestamps_enable(int socket)
{
    unsigned flags = SOF_TIMESTAMPING_SOFTWARE | SOF_TIMESTAMPING_RX_SOFTWARE |
                     SOF_TIMESTAMPING_OPT_ID | SOF_TIMESTAMPING_OPT_TSONLY;

    return !setsockopt(socket, SOL_SOCKET, SO_TIMESTAMPING, &flags, sizeof flags);
}

/* Kernel timestamps are on the wall clock. */
static livetcp_usec monotonic(const struct timespec *t)
{
    livetcp_usec wall = (livetcp_usec)t->tv_sec * LIVETCP_USEC_SEC + t->tv_nsec / 1000;
    return wall ? wall - lt_clock_read(CLOCK_REALTIME) + lt_clock_now() : 0;
}

long lt_timestamps_send(int socket, const void *data, size_t size, bool timestamp)
{
    struct iovec part = {.iov_base = (void *)data, .iov_len = size};
    union {
        char bytes[CMSG_SPACE(sizeof(uint32_t))];
        struct cmsghdr align;
    } control = {0};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    const uint32_t flags = SOF_TIMESTAMPING_TX_SOFTWARE;

    if (timestamp) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
        struct cmsghdr *c = CMSG_FIRSTHDR(&message);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SO_TIMESTAMPING;
        c->cmsg_len = CMSG_LEN(sizeof flags);
        memcpy(CMSG_DATA(c), &flags, sizeof flags);
    }
    return sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

typedef struct timestamp {
    livetcp_usec time; /* 0: none */
    bool sent;         /* tx timestamp of byte number `byte` */
    uint32_t byte;
} timestamp;

static void read_control(struct msghdr *message, timestamp *s)
{
    struct scm_timestamping times;
    struct sock_extended_err about;

    *s = (timestamp){0};
    for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c))
        if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPING &&
            c->cmsg_len >= CMSG_LEN(sizeof times)) {
            memcpy(&times, CMSG_DATA(c), sizeof times);
            s->time = monotonic(&times.ts[0]);
        } else if (((c->cmsg_level == SOL_IP && c->cmsg_type == IP_RECVERR) ||
                    (c->cmsg_level == SOL_IPV6 && c->cmsg_type == IPV6_RECVERR)) &&
                   c->cmsg_len >= CMSG_LEN(sizeof about)) {
            memcpy(&about, CMSG_DATA(c), sizeof about);
            s->sent =
                about.ee_origin == SO_EE_ORIGIN_TIMESTAMPING && about.ee_info == SCM_TSTAMP_SND;
            s->byte = about.ee_data;
        }
}

static long receive(int socket, void *data, size_t size, int flags, timestamp *s)
{
    struct iovec part = {.iov_base = data, .iov_len = size};
    union {
        char bytes[512];
        struct cmsghdr align;
    } control;
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    long got = recvmsg(socket, &message, flags | MSG_DONTWAIT);

    if (got >= 0)
        read_control(&message, s);
    return got;
}

long lt_timestamps_receive(int socket, void *data, size_t size, livetcp_usec *came)
{
    timestamp s = {0};
    long got = receive(socket, data, size, 0, &s);

    *came = s.time;
    return got;
}

bool lt_timestamps_next_sent(int socket, uint32_t *byte, livetcp_usec *left)
{
    timestamp s = {0};
    char nothing;

    while (receive(socket, &nothing, sizeof nothing, MSG_ERRQUEUE, &s) >= 0)
        if (s.sent && s.time) {
            *byte = s.byte;
            *left = s.time;
            return true;
        }
    return false;
}
