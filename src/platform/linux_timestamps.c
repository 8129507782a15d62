/* SPDX-License-Identifier: MIT */
/* SO_TIMESTAMPING on TCP under Linux. Tx timestamps come from the socket's error queue, each with
 * the byte position of the end of the write that requested it; rx timestamps come with the data.
 * See Documentation/networking/timestamping.rst in the kernel's sources. */
#define _GNU_SOURCE /* recvmmsg() */

#include "platform/probe.h"

#include <time.h> /* linux/errqueue.h needs it */

#include <errno.h>
#include <linux/errqueue.h>
#include <linux/net_tstamp.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* SOF_TIMESTAMPING_OPT_ID_TCP, since 6.2: positions count from the next byte to be written instead
 * of the first unacknowledged byte. Older headers lack it. */
#define OPT_ID_TCP (1U << 16)

/* REPORT_FLAGS selects the form of the reports and is set once per socket. WRITE_FLAGS selects the
 * events and is set with each write that requests timestamps. */
#define REPORT_FLAGS                                                                               \
    (SOF_TIMESTAMPING_SOFTWARE | SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_OPT_ID |          \
     SOF_TIMESTAMPING_OPT_TSONLY)
#define WRITE_FLAGS                                                                                \
    (SOF_TIMESTAMPING_TX_SCHED | SOF_TIMESTAMPING_TX_SOFTWARE | SOF_TIMESTAMPING_TX_ACK)

/* Control message space for the timestamps and the position, of either address family. */
#define CONTROL_SIZE 256

static bool set_timestamping(lt_os_socket socket, unsigned flags)
{
    return setsockopt(socket, SOL_SOCKET, SO_TIMESTAMPING, &flags, sizeof flags) == 0;
}

bool lt_platform_has_timestamps(void)
{
    int any = socket(AF_INET, SOCK_STREAM, 0);
    if (any < 0)
        any = socket(AF_INET6, SOCK_STREAM, 0);
    /* OPT_ID is refused on a socket that is not connected. */
    bool has = any >= 0 && set_timestamping(any, REPORT_FLAGS & ~(unsigned)SOF_TIMESTAMPING_OPT_ID);

    if (any >= 0)
        close(any);
    return has;
}

static bool unacknowledged(lt_os_socket socket, uint32_t *bytes)
{
    int value;
    if (ioctl(socket, SIOCOUTQ, &value) != 0 || value < 0)
        return false;
    *bytes = (uint32_t)value;
    return true;
}

bool lt_platform_start_timestamps(lt_os_socket socket, uint32_t *first)
{
    uint32_t before, after;

    *first = 0;
    if (set_timestamping(socket, REPORT_FLAGS | OPT_ID_TCP))
        return true;
    /* An acknowledgement that arrives while the option is set makes its start position uncertain:
     * checks and retries. */
    for (unsigned attempt = 0; attempt < 3; attempt++) {
        if (!unacknowledged(socket, &before) || !set_timestamping(socket, REPORT_FLAGS) ||
            !unacknowledged(socket, &after))
            break;
        *first = after;
        if (before == after)
            return true;
        (void)set_timestamping(socket, 0); /* otherwise the start position would not be set anew */
    }
    (void)set_timestamping(socket, 0);
    return false;
}

/* ---- writing and reading ---- */

long lt_platform_write_timestamped(lt_os_socket socket, const void *data, size_t size)
{
    union {
        struct cmsghdr aligned;
        char bytes[CMSG_SPACE(sizeof(uint32_t))];
    } control = {.bytes = {0}};
    const uint32_t flags = WRITE_FLAGS;
    struct iovec piece = {(void *)data, size};
    struct msghdr message = {.msg_iov = &piece,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    ssize_t n;

    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SO_TIMESTAMPING;
    header->cmsg_len = CMSG_LEN(sizeof flags);
    memcpy(CMSG_DATA(header), &flags, sizeof flags);
    do
        n = sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (n < 0 && errno == EINTR);
    return n >= 0 ? (long)n : -errno;
}

/* Reads the software timestamp, the first of the three; 0 = none. */
static bool read_time(const struct cmsghdr *header, livetcp_usec *at)
{
    struct timespec time;

    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_TIMESTAMPING)
        return false;
    memcpy(&time, CMSG_DATA(header), sizeof time);
    *at = time.tv_sec * (livetcp_usec)LIVETCP_USEC_SEC + time.tv_nsec / 1000;
    return time.tv_sec || time.tv_nsec;
}

static ssize_t receive(lt_os_socket socket, struct msghdr *message, int flags)
{
    ssize_t n;
    do
        n = recvmsg(socket, message, flags | MSG_DONTWAIT);
    while (n < 0 && errno == EINTR);
    return n;
}

long lt_platform_read_timestamped(lt_os_socket socket, void *data, size_t size, bool *known,
                                  livetcp_usec *at)
{
    _Alignas(struct cmsghdr) char control[CONTROL_SIZE];
    struct iovec piece = {data, size};
    struct msghdr message = {.msg_iov = &piece,
                             .msg_iovlen = 1,
                             .msg_control = control,
                             .msg_controllen = sizeof control};

    *known = false;
    ssize_t n = receive(socket, &message, 0);
    if (n < 0)
        return -errno;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header;
         header = CMSG_NXTHDR(&message, header))
        *known = read_time(header, at) || *known;
    return (long)n;
}

/* ---- the error queue ---- */

static livetcp_tx_timestamp_kind kind_of(uint32_t info)
{
    switch (info) {
    case SCM_TSTAMP_SCHED:
        return LIVETCP_TX_SCHEDULED;
    case SCM_TSTAMP_SND:
        return LIVETCP_TX_SENT;
    case SCM_TSTAMP_ACK:
        return LIVETCP_TX_ACKNOWLEDGED;
    default:
        return LIVETCP_TX_OTHER;
    }
}

static bool read_position(const struct cmsghdr *header, livetcp_tx_timestamp *timestamp)
{
    bool v4 = header->cmsg_level == IPPROTO_IP && header->cmsg_type == IP_RECVERR;
    bool v6 = header->cmsg_level == IPPROTO_IPV6 && header->cmsg_type == IPV6_RECVERR;
    struct sock_extended_err error;

    if (!v4 && !v6)
        return false;
    memcpy(&error, CMSG_DATA(header), sizeof error);
    if (error.ee_origin != SO_EE_ORIGIN_TIMESTAMPING || error.ee_errno != ENOMSG)
        return false;
    timestamp->kind = kind_of(error.ee_info);
    timestamp->byte = error.ee_data;
    return true;
}

static livetcp_tx_timestamp read_report(struct msghdr *message)
{
    livetcp_tx_timestamp timestamp = {.kind = LIVETCP_TX_OTHER};
    bool timed = false, placed = false;

    for (struct cmsghdr *header = CMSG_FIRSTHDR(message); header;
         header = CMSG_NXTHDR(message, header)) {
        timed = read_time(header, &timestamp.at_us) || timed;
        placed = read_position(header, &timestamp) || placed;
    }
    return timed && placed ? timestamp : (livetcp_tx_timestamp){.kind = LIVETCP_TX_OTHER};
}

/* A write has up to three reports, and often two or more are queued together. */
unsigned lt_platform_take_timestamps(lt_os_socket socket,
                                     livetcp_tx_timestamp timestamps[LT_TIMESTAMP_BATCH])
{
    _Alignas(struct cmsghdr) char control[LT_TIMESTAMP_BATCH][CONTROL_SIZE];
    struct mmsghdr messages[LT_TIMESTAMP_BATCH];
    int n;

    for (unsigned i = 0; i < LT_TIMESTAMP_BATCH; i++)
        messages[i].msg_hdr =
            (struct msghdr){.msg_control = control[i], .msg_controllen = CONTROL_SIZE};
    do
        n = recvmmsg(socket, messages, LT_TIMESTAMP_BATCH, MSG_ERRQUEUE | MSG_DONTWAIT, NULL);
    while (n < 0 && errno == EINTR);
    for (int i = 0; i < n; i++)
        timestamps[i] = read_report(&messages[i].msg_hdr);
    return n > 0 ? (unsigned)n : 0;
}

/* tcpi_rcv_ooopack, since 5.4. */
bool lt_platform_out_of_order(lt_os_socket socket, uint32_t *segments)
{
    struct tcp_info info;
    socklen_t length = sizeof info;

    if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) != 0 ||
        length < offsetof(struct tcp_info, tcpi_rcv_ooopack) + sizeof info.tcpi_rcv_ooopack)
        return false;
    *segments = info.tcpi_rcv_ooopack;
    return true;
}
