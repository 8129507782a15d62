/* SPDX-License-Identifier: MIT */
/* Both ends of the mice: connect, send 20 kB, wait until the far end has closed, and again. */
#include "lab/bench/cross.h"
#include "lab/clock.h"
#include "lab/tcp.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { POLL_MS = 50, MAX_SINKS = 2 * LT_BENCH_MAX_BACKGROUND };

#define RETRY_US (100 * (livetcp_usec)LIVETCP_USEC_MSEC)

typedef struct mouse {
    int fd;            /* -1 = between two connections */
    size_t left;       /* bytes to send */
    livetcp_usec next; /* when to connect again */
} mouse;

static void end_mouse(mouse *m, livetcp_usec next)
{
    close(m->fd);
    m->fd = -1;
    m->next = next;
}

static void begin_mouse(const lt_cross *cross, mouse *m, livetcp_usec now)
{
    if (lt_tcp_connect(cross->far_address, cross->shared->mice_port,
                       cross->load->congestion_control, &m->fd, NULL) != LIVETCP_OK)
        m->next = now + RETRY_US;
    m->left = LT_MOUSE_BYTES;
}

static void serve_mouse(mouse *m, short events, livetcp_usec now)
{
    static const uint8_t food[LT_MOUSE_BYTES];
    uint8_t nothing[16];
    if ((events & POLLOUT) && m->left > 0) {
        ssize_t n = send(m->fd, food, m->left, MSG_NOSIGNAL);
        m->left -= n > 0 ? (size_t)n : 0;
        if (m->left == 0)
            shutdown(m->fd, SHUT_WR);
    }
    if (events & (POLLIN | POLLHUP | POLLERR)) {
        ssize_t n = recv(m->fd, nothing, sizeof nothing, 0);
        if (n == 0)
            end_mouse(m, now);
        else if (n < 0 && errno != EAGAIN && errno != EINTR)
            end_mouse(m, now + RETRY_US);
    }
}

void *lt_mice_main(void *argument)
{
    lt_cross *cross = argument;
    const unsigned count = cross->load->mice;
    mouse *mice = calloc(count, sizeof *mice);
    struct pollfd *polls = calloc(count, sizeof *polls);
    for (unsigned i = 0; mice && i < count; i++)
        mice[i].fd = -1;
    while (mice && polls && !atomic_load(&cross->stop)) {
        livetcp_usec now = lt_clock_now();
        bool wanted = lt_cross_within(cross, &cross->load->mice_time, now);
        for (unsigned i = 0; i < count; i++) {
            if (mice[i].fd < 0 && wanted && mice[i].next <= now)
                begin_mouse(cross, &mice[i], now);
            polls[i] = (struct pollfd){.fd = mice[i].fd,
                                       .events = mice[i].left ? POLLIN | POLLOUT : POLLIN};
        }
        poll(polls, count, POLL_MS);
        for (unsigned i = 0; i < count; i++)
            if (polls[i].fd >= 0 && polls[i].revents)
                serve_mouse(&mice[i], polls[i].revents, lt_clock_now());
    }
    for (unsigned i = 0; mice && i < count; i++)
        if (mice[i].fd >= 0)
            close(mice[i].fd);
    free(mice);
    free(polls);
    return NULL;
}

/* ---- far end ---- */

/* Reads what there is; false at the end of a connection. */
static bool drain(int fd, uint64_t *bytes, bool measured)
{
    uint8_t chunk[65536];
    ssize_t n;
    while ((n = recv(fd, chunk, sizeof chunk, 0)) > 0)
        if (measured)
            *bytes += (uint64_t)n;
    return n < 0 && (errno == EAGAIN || errno == EINTR);
}

void *lt_sink_main(void *argument)
{
    lt_cross *cross = argument;
    lt_background_report *report = &cross->shared->background[cross->end];
    struct pollfd polls[MAX_SINKS];
    nfds_t count = 2;
    polls[0] = (struct pollfd){.fd = cross->listener, .events = POLLIN};
    polls[1] = (struct pollfd){.fd = cross->udp, .events = POLLIN};
    while (!atomic_load(&cross->stop)) {
        poll(polls, count, POLL_MS);
        livetcp_usec at = lt_clock_now() - cross->start;
        bool measured = at >= cross->plan->measured_from && at < cross->plan->length;
        if (polls[1].revents & POLLIN)
            drain(cross->udp, &report->cbr_bytes, measured);
        for (nfds_t i = count; i-- > 2;)
            if (polls[i].revents && !drain(polls[i].fd, &report->mice_bytes, measured)) {
                close(polls[i].fd);
                polls[i] = polls[--count];
            }
        int fd = -1;
        while ((polls[0].revents & POLLIN) && count < MAX_SINKS &&
               (fd = lt_tcp_accept(cross->listener, NULL)) >= 0)
            polls[count++] = (struct pollfd){.fd = fd, .events = POLLIN};
    }
    while (count > 2)
        close(polls[--count].fd);
    return NULL;
}
