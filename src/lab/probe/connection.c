/* SPDX-License-Identifier: MIT */
#include "lab/probe/connection.h"

#include "base/error.h"
#include "lab/clock.h"
#include "lab/probe/interrupt.h"
#include "lab/probe/timestamps.h"
#include "lab/tcp.h"

#include <errno.h>
#include <linux/sockios.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define CONNECT_TIMEOUT (10 * LIVETCP_USEC_SEC)

/* ---- opening ---- */

static livetcp_result prepare(int fd, const char *congestion_control, livetcp_error *error)
{
    lt_tcp_set_nodelay(fd);
    int code = lt_tcp_set_congestion_control(fd, congestion_control);
    if (code)
        return lt_fail_errno(error, LIVETCP_ERR_NOT_SUPPORTED, code,
                             "cannot use congestion control '%s'; sysctl "
                             "net.ipv4.tcp_available_congestion_control lists what there is",
                             congestion_control);
    return LIVETCP_OK;
}

/* Returns 0 or an errno. */
static int connect_within(int fd, const struct addrinfo *a, const sigset_t *waiting)
{
    const livetcp_usec until = lt_clock_now() + CONNECT_TIMEOUT;
    struct pollfd ready = {.fd = fd, .events = POLLOUT};
    int cause = 0;
    socklen_t size = sizeof cause;

    if (!connect(fd, a->ai_addr, a->ai_addrlen))
        return 0;
    if (errno != EINPROGRESS)
        return errno;
    while (!lt_probe_interrupted()) {
        livetcp_usec left = until - lt_clock_now();
        if (left <= 0)
            return ETIMEDOUT;
        const struct timespec timeout = lt_clock_timespec(left);
        if (ppoll(&ready, 1, &timeout, waiting) > 0)
            return getsockopt(fd, SOL_SOCKET, SO_ERROR, &cause, &size) ? errno : cause;
    }
    return EINTR;
}

static livetcp_result connect_to(lt_probe_connection *c, const struct addrinfo *list,
                                 const lt_probe_options *o, livetcp_error *error)
{
    int cause = 0;

    for (const struct addrinfo *a = list; a; a = a->ai_next) {
        int fd = lt_tcp_socket(a->ai_family);
        if (fd < 0) {
            cause = errno;
            continue;
        }
        livetcp_result result = prepare(fd, o->congestion_control, error);
        if (result == LIVETCP_OK && !(cause = connect_within(fd, a, &c->waiting))) {
            c->socket = fd;
            return LIVETCP_OK;
        }
        close(fd);
        if (result != LIVETCP_OK)
            return result;
    }
    if (cause == ECONNREFUSED)
        return lt_fail(error, LIVETCP_ERR_SYSTEM,
                       "nothing is listening at %s: run livetcp probe --listen=:%s there first",
                       c->peer, o->port);
    return lt_fail_errno(error, LIVETCP_ERR_SYSTEM, cause, "cannot connect to %s", c->peer);
}

livetcp_result lt_connection_open(lt_probe_connection *c, const lt_probe_options *options,
                                  const sigset_t *waiting, livetcp_error *error)
{
    struct addrinfo *list;

    memset(c, 0, sizeof *c);
    c->socket = -1;
    c->waiting = *waiting;
    snprintf(c->peer, sizeof c->peer, strchr(options->host, ':') ? "[%s]:%s" : "%s:%s",
             options->host, options->port);
    const char *why = lt_tcp_resolve(options->host, options->port, 0, &list);
    if (why)
        return lt_fail(error, LIVETCP_ERR_SYSTEM, "%.150s: %s", options->host, why);
    livetcp_result result = connect_to(c, list, options, error);
    freeaddrinfo(list);
    if (result == LIVETCP_OK)
        c->timestamps = lt_timestamps_enable(c->socket);
    return result;
}

void lt_connection_close(lt_probe_connection *c)
{
    if (c->socket >= 0)
        close(c->socket);
    c->socket = -1;
}

/* ---- out ---- */

void lt_connection_put(lt_probe_connection *c, const lt_wire_message *message, bool timestamp)
{
    lt_wire_encode(message, c->out);
    c->out_size = message->length;
    c->out_done = 0;
    c->out_timestamped = timestamp && c->timestamps;
}

bool lt_connection_busy(const lt_probe_connection *c)
{
    return c->out_done < c->out_size;
}

livetcp_result lt_connection_write(lt_probe_connection *c, livetcp_error *error)
{
    while (lt_connection_busy(c)) {
        long sent = lt_timestamps_send(c->socket, c->out + c->out_done, c->out_size - c->out_done,
                                       c->out_timestamped);
        if (sent < 0 && (errno == EAGAIN || errno == EINTR))
            return LIVETCP_OK;
        if (sent < 0)
            return lt_fail_errno(error, LIVETCP_ERR_SYSTEM, errno, "the connection to %s is lost",
                                 c->peer);
        c->out_done += (size_t)sent;
        c->written += (size_t)sent;
    }
    return LIVETCP_OK;
}

/* ---- in ---- */

static livetcp_result not_a_prober(const lt_probe_connection *c, const char *what,
                                   livetcp_error *error)
{
    return lt_fail(error, LIVETCP_ERR_PROTOCOL,
                   "the peer %s %s; is livetcp probe --listen running there?", c->peer, what);
}

livetcp_result lt_connection_read(lt_probe_connection *c, const lt_wire_message **message,
                                  livetcp_error *error)
{
    livetcp_error why = {0};

    *message = NULL;
    while (!*message) {
        uint8_t *where;
        size_t wants = lt_wire_wants(&c->reader, &where);
        long got = recv(c->socket, where ? where : c->ignored, wants, MSG_DONTWAIT);
        if (got < 0 && (errno == EAGAIN || errno == EINTR))
            return LIVETCP_OK;
        if (got < 0)
            return lt_fail_errno(error, LIVETCP_ERR_SYSTEM, errno, "the connection to %s is lost",
                                 c->peer);
        if (!got && c->identified)
            return lt_fail(error, LIVETCP_ERR_SYSTEM, "%s has closed the connection", c->peer);
        if (!got)
            return not_a_prober(c, "closed the connection without an answer", error);
        if (lt_wire_got(&c->reader, (size_t)got, message, &why) != LIVETCP_OK)
            return lt_fail(error, why.code, "the peer %s %s", c->peer, why.message);
    }
    c->identified = true;
    return LIVETCP_OK;
}

void lt_connection_wait(lt_probe_connection *c, livetcp_usec until)
{
    struct pollfd ready = {.fd = c->socket,
                           .events = (short)(POLLIN | (lt_connection_busy(c) ? POLLOUT : 0))};
    livetcp_usec left = until - lt_clock_now();
    const struct timespec timeout = lt_clock_timespec(left > 0 ? left : 0);

    if (left > 0)
        ppoll(&ready, 1, &timeout, &c->waiting);
}

/* ---- path info ---- */

void lt_connection_count(const lt_probe_connection *c, lt_connection_counters *counters)
{
    int queued = 0;

    *counters = (lt_connection_counters){0};
    (void)lt_tcp_count(c->socket, &counters->tcp);
    lt_tcp_congestion_control(c->socket, counters->congestion_control);
    if (!ioctl(c->socket, SIOCOUTQ, &queued) && queued > 0)
        counters->unacknowledged = (uint32_t)queued;
}
