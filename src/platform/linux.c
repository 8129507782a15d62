/* SPDX-License-Identifier: MIT */
/* Linux: TCP_INFO, queue ioctls and socket options. Includes linux/tcp.h, since struct tcp_info of
 * netinet/tcp.h ends before the fields that are needed. */
#include "platform/probe.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

/* tcpi_min_rtt before the first measurement. */
#define NO_MIN_RTT UINT32_MAX

const char *lt_platform_name(void)
{
    return "linux";
}

/* ---- probe ---- */

/* Kernel and header may differ in the length of struct tcp_info: only fields that the kernel wrote
 * count. */
#define HAS(length, field)                                                                         \
    ((length) >= offsetof(struct tcp_info, field) + sizeof(((struct tcp_info *)0)->field))

static livetcp_tcp_state tcp_state(uint8_t ca_state)
{
    switch (ca_state) {
    case TCP_CA_Open:
    case TCP_CA_CWR: /* a mark (ECN): the window is reduced, and nothing is missing */
        return LIVETCP_TCP_OPEN;
    case TCP_CA_Disorder:
        return LIVETCP_TCP_DISORDER;
    case TCP_CA_Recovery:
        return LIVETCP_TCP_RECOVERY;
    case TCP_CA_Loss:
        return LIVETCP_TCP_TIMEOUT;
    default:
        return LIVETCP_TCP_UNKNOWN;
    }
}

static uint32_t saturate(uint64_t bytes)
{
    return bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes;
}

static void read_window(const struct tcp_info *info, socklen_t length, livetcp_path *path)
{
    if (HAS(length, tcpi_snd_mss)) {
        path->mss_bytes = info->tcpi_snd_mss;
        path->known |= LIVETCP_PATH_MSS;
    }
    if (HAS(length, tcpi_snd_cwnd)) {
        path->cwnd_bytes = saturate((uint64_t)info->tcpi_snd_cwnd * info->tcpi_snd_mss);
        path->known |= LIVETCP_PATH_CWND;
    }
    if (HAS(length, tcpi_total_retrans)) {
        path->retransmitted_segments = info->tcpi_total_retrans;
        path->known |= LIVETCP_PATH_RETRANSMITS;
    }
    if (HAS(length, tcpi_delivery_rate) && info->tcpi_delivery_rate) {
        path->delivery_rate = info->tcpi_delivery_rate;
        path->app_limited = info->tcpi_delivery_rate_app_limited; /* same kernel version: 4.9 */
        path->known |= LIVETCP_PATH_DELIVERY_RATE;
    }
}

/* Without ECN the kernel counts no CE marks; 0 would not mean an uncongested path. */
static void read_marks(const struct tcp_info *info, socklen_t length, livetcp_path *path)
{
    if (!HAS(length, tcpi_delivered_ce) || !(info->tcpi_options & TCPI_OPT_ECN)) /* since 4.18 */
        return;
    path->delivered_segments = info->tcpi_delivered;
    path->marked_segments = info->tcpi_delivered_ce;
    path->known |= LIVETCP_PATH_MARKS;
}

static void read_times(const struct tcp_info *info, socklen_t length, livetcp_path *path)
{
    if (HAS(length, tcpi_rto)) {
        path->rto_us = info->tcpi_rto;
        path->known |= LIVETCP_PATH_RTO;
    }
    if (HAS(length, tcpi_rttvar) && info->tcpi_rtt) {
        path->rtt_us = info->tcpi_rtt;
        path->rtt_variation_us = info->tcpi_rttvar;
        path->known |= LIVETCP_PATH_RTT;
    }
    if (HAS(length, tcpi_min_rtt) && info->tcpi_min_rtt && info->tcpi_min_rtt != NO_MIN_RTT) {
        path->min_rtt_us = info->tcpi_min_rtt;
        path->known |= LIVETCP_PATH_MIN_RTT;
    }
}

static bool read_queue(lt_os_socket socket, unsigned long request, uint32_t *bytes)
{
    int value;
    if (ioctl(socket, request, &value) != 0 || value < 0)
        return false;
    *bytes = (uint32_t)value;
    return true;
}

static void read_unsent(lt_os_socket socket, const struct tcp_info *info, socklen_t length,
                        livetcp_path *path)
{
    if (HAS(length, tcpi_notsent_bytes)) /* since 4.6; saves a system call per decision */
        path->unsent_bytes = info->tcpi_notsent_bytes;
    else if (!read_queue(socket, SIOCOUTQNSD, &path->unsent_bytes))
        return;
    path->known |= LIVETCP_PATH_UNSENT;
}

/* The kernel counts SACKed segments. With small packets they are far from full, so their average
 * size is used, at most a full segment each: bytes acknowledged between the two system calls still
 * count as in flight here. On a listening socket the field has another meaning; the caller excludes
 * that. */
static void read_sacked(const struct tcp_info *info, socklen_t length, livetcp_path *path)
{
    const uint32_t needed = LIVETCP_PATH_QUEUED | LIVETCP_PATH_UNSENT;

    if (!HAS(length, tcpi_sacked) || (path->known & needed) != needed)
        return;
    path->sacked_bytes = 0;
    if (info->tcpi_unacked && path->queued_bytes > path->unsent_bytes) {
        uint64_t size = (path->queued_bytes - path->unsent_bytes) / info->tcpi_unacked;
        if (size > info->tcpi_snd_mss)
            size = info->tcpi_snd_mss;
        path->sacked_bytes = saturate(size * info->tcpi_sacked);
    }
    path->known |= LIVETCP_PATH_SACKED;
}

/* With everything acknowledged nothing is unsent, and there is neither recovery nor loss. */
static void say_idle(livetcp_path *path)
{
    path->unsent_bytes = 0;
    path->sacked_bytes = 0;
    path->tcp_state = LIVETCP_TCP_OPEN;
    path->known |= LIVETCP_PATH_UNSENT | LIVETCP_PATH_SACKED | LIVETCP_PATH_TCP_STATE;
}

void lt_platform_probe(lt_os_socket socket, bool briefly, livetcp_path *path)
{
    struct tcp_info info;
    socklen_t length = sizeof info;
    path->known = 0;
    memset(&info, 0, sizeof info);
    /* A listening socket, which has no window, answers TCP_INFO as well; the ioctl refuses it. The
     * ioctl comes first: acknowledgements in between then make the queue look too long, which is
     * the safe side. */
    if (!read_queue(socket, SIOCOUTQ, &path->queued_bytes))
        return;
    path->known |= LIVETCP_PATH_QUEUED;
    if (briefly && path->queued_bytes == 0) {
        say_idle(path);
        return;
    }
    if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) != 0)
        return;
    if (HAS(length, tcpi_ca_state)) {
        path->tcp_state = tcp_state(info.tcpi_ca_state);
        path->known |= LIVETCP_PATH_TCP_STATE;
    }
    read_unsent(socket, &info, length, path);
    read_sacked(&info, length, path);
    read_window(&info, length, path);
    read_times(&info, length, path);
    read_marks(&info, length, path);
}

/* ---- options ---- */

static int set_int(lt_os_socket socket, int level, int option, int value)
{
    return setsockopt(socket, level, option, &value, sizeof value);
}

static int at_least_one(livetcp_usec us)
{
    livetcp_usec seconds = us / LIVETCP_USEC_SEC;
    return seconds < 1 ? 1 : seconds > 32767 ? 32767 : (int)seconds;
}

/* TCP_USER_TIMEOUT bounds the time that written data stays unacknowledged. It does not apply to an
 * idle connection; keepalive probes start early enough to find a dead peer there within the same
 * time. */
static int set_user_timeout(lt_os_socket socket, livetcp_usec us)
{
    livetcp_usec ms = us / LIVETCP_USEC_MSEC;
    unsigned value = ms > INT32_MAX ? INT32_MAX : (unsigned)ms;
    if (setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &value, sizeof value) != 0)
        return -1;
    if (set_int(socket, IPPROTO_TCP, TCP_KEEPIDLE, at_least_one(us / 2)) != 0)
        return -1;
    return set_int(socket, IPPROTO_TCP, TCP_KEEPINTVL, at_least_one(us / 6));
}

/* Older headers lack the constant, older kernels the option. TCP_RTO_MIN_US, of the same kernel
 * version, is not set on purpose: docs/research/tuning.md has the measurement. */
#ifndef TCP_DELACK_MAX_US
#define TCP_DELACK_MAX_US 46
#endif

/* Limit for input that lt_platform_acknowledge_now() does not acknowledge at once. */
#define DELACK_MAX_US 10000

/* SO_RCVBUF and SO_SNDBUF are not set on purpose: setting either disables autotuning for the
 * socket, and autotuning's maximum is above what an unprivileged program may set. */
livetcp_result lt_platform_prepare(lt_os_socket socket, livetcp_usec user_timeout_us)
{
    if (set_int(socket, IPPROTO_TCP, TCP_NODELAY, 1) != 0 ||
        set_int(socket, SOL_SOCKET, SO_KEEPALIVE, 1) != 0 ||
        fcntl(socket, F_SETFD, FD_CLOEXEC) != 0)
        return LIVETCP_ERR_SYSTEM;
    if (user_timeout_us > 0 && set_user_timeout(socket, user_timeout_us) != 0)
        return LIVETCP_ERR_SYSTEM;
    (void)set_int(socket, IPPROTO_TCP, TCP_DELACK_MAX_US,
                  DELACK_MAX_US); /* since 6.15; ignored by older kernels */
    return LIVETCP_OK;
}

/* Payload of a TCP segment in an Ethernet frame of 1500 bytes, and the size of the timestamp option
 * in it: TCP_MAXSEG includes the option, the payload does not. */
#define ETHERNET_PAYLOAD(address_family) ((address_family) == AF_INET ? 1460U : 1440U)
#define TIMESTAMPS                       12U

bool lt_platform_align_segments(lt_os_socket socket, size_t frame)
{
    int family;
    socklen_t size = sizeof family;

    if (!frame || getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &family, &size) != 0)
        return false;
    size_t room = ETHERNET_PAYLOAD(family) - TIMESTAMPS;
    if (frame > room)
        return false;
    return set_int(socket, IPPROTO_TCP, TCP_MAXSEG, (int)(room / frame * frame + TIMESTAMPS)) == 0;
}

/* Candidates of "auto" in order of preference; docs/research/tuning.md has the reasons. */
static const char *const preferred[] = {"bbr", "cubic", "reno"};

static int set_congestion_control(lt_os_socket socket, const char *name)
{
    return setsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, name, (socklen_t)strlen(name));
}

/* Sets the first candidate that this program may use; without one, the system's default stays. */
static void set_best_congestion_control(lt_os_socket socket)
{
    for (size_t i = 0; i < sizeof preferred / sizeof *preferred; i++)
        if (set_congestion_control(socket, preferred[i]) == 0)
            return;
}

/* Names in a file of /proc/sys/net/ipv4; "" if it cannot be read. */
static void read_names(const char *path, char *names, size_t size)
{
    FILE *file = fopen(path, "re");
    names[0] = '\0';
    if (!file)
        return;
    if (!fgets(names, (int)size, file))
        names[0] = '\0';
    names[strcspn(names, "\n")] = '\0';
    fclose(file);
}

/* "reno cubic", or with algorithms that need privileges "reno cubic (privileged: bbr reno
 * cubic)". */
static void choices(char *text, size_t size)
{
    char allowed[64], available[64];

    read_names("/proc/sys/net/ipv4/tcp_allowed_congestion_control", allowed, sizeof allowed);
    read_names("/proc/sys/net/ipv4/tcp_available_congestion_control", available, sizeof available);
    if (!allowed[0])
        snprintf(text, size, "%s",
                 available[0] ? available
                              : "(see sysctl net.ipv4.tcp_available_congestion_control)");
    else if (!available[0] || !strcmp(allowed, available))
        snprintf(text, size, "%s", allowed);
    else
        snprintf(text, size, "%s (privileged: %s)", allowed, available);
}

livetcp_result lt_platform_set_congestion_control(lt_os_socket socket, const char *name,
                                                  livetcp_error *error)
{
    char names[160];
    if (!name[0])
        return LIVETCP_OK;
    if (!strcmp(name, LT_CONGESTION_AUTO)) {
        set_best_congestion_control(socket);
        return LIVETCP_OK;
    }
    if (set_congestion_control(socket, name) == 0)
        return LIVETCP_OK;
    int cause = errno;
    if (cause != ENOENT && cause != EPERM)
        return lt_fail_errno(error, LIVETCP_ERR_SYSTEM, cause, "congestion-control=%s", name);
    choices(names, sizeof names);
    return lt_fail(error, LIVETCP_ERR_NOT_SUPPORTED,
                   "congestion-control=%s: the kernel %s; choose auto or one of: %s", name,
                   cause == EPERM ? "does not permit it here" : "does not have it", names);
}

/* TCP_NOTSENT_LOWAT: the socket counts as writable below half of it, and send() accepts no further
 * buffer once it is reached. 0 selects the system's, net.ipv4.tcp_notsent_lowat. */
bool lt_platform_limit_unsent(lt_os_socket socket, uint32_t bytes)
{
    int value = bytes == UINT32_MAX ? 0 : bytes > INT32_MAX / 2 ? INT32_MAX : (int)(2 * bytes);

    return set_int(socket, IPPROTO_TCP, TCP_NOTSENT_LOWAT, value) == 0;
}

void lt_platform_acknowledge_now(lt_os_socket socket)
{
    (void)set_int(socket, IPPROTO_TCP, TCP_QUICKACK, 1);
}
