/* SPDX-License-Identifier: MIT */
#include "lab/bench/cross.h"

#include "base/error.h"
#include "base/rng.h"
#include "lab/clock.h"
#include "lab/tcp.h"

#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CBR_PACKET = 1500, POISSON_PACKET = 512, UDP_HEADERS = 28 }; /* sizes of IP packets */

static bool sends_udp(const lt_load *load)
{
    return load->cbr || load->poisson;
}

/* A UDP socket at `text`, bound to a free port or connected to *port. */
static livetcp_result open_udp(const char *text, bool bound, int *out, uint16_t *port,
                               livetcp_error *error)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(bound ? 0 : *port)};
    socklen_t size = sizeof address;
    *out = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    inet_pton(AF_INET, text, &address.sin_addr);
    if (*out < 0 || (bound ? bind(*out, (struct sockaddr *)&address, size) ||
                                 getsockname(*out, (struct sockaddr *)&address, &size)
                           : connect(*out, (struct sockaddr *)&address, size)))
        return lt_fail_errno(error, LIVETCP_ERR_SYSTEM, errno, "cannot make a UDP socket");
    *port = ntohs(address.sin_port);
    return LIVETCP_OK;
}

/* True while this traffic is scheduled. */
static bool within(const lt_cross *cross, const lt_window *window, livetcp_usec now)
{
    return now >= cross->start + window->from &&
           (window->to == LIVETCP_NEVER || now < cross->start + window->to);
}

/* ---- UDP ---- */

/* Sends IP packets of this size at an interval of `mean_gap`; with `rng` at random intervals with
 * that mean. */
static void send_udp(lt_cross *cross, const lt_window *window, size_t packet, double mean_gap,
                     lt_rng *rng)
{
    static const uint8_t bytes[CBR_PACKET];
    double at = 0;
    prctl(PR_SET_TIMERSLACK, 1);
    while (!atomic_load(&cross->stop)) {
        livetcp_usec due = cross->start + window->from + (livetcp_usec)at;
        while (due - lt_clock_now() > 50000 && !atomic_load(&cross->stop))
            lt_clock_sleep_until(lt_clock_now() + 50000);
        lt_clock_sleep_until(due);
        if (!within(cross, window, due))
            return;
        send(cross->udp, bytes, packet - UDP_HEADERS, MSG_NOSIGNAL); /* losses are not repaired */
        at += rng ? -log(1.0 - lt_rng_uniform(rng)) * mean_gap : mean_gap;
    }
}

static void *cbr_main(void *argument)
{
    lt_cross *cross = argument;
    send_udp(cross, &cross->load->cbr_time, CBR_PACKET, 8e6 * CBR_PACKET / (double)cross->load->cbr,
             NULL);
    return NULL;
}

static void *poisson_main(void *argument)
{
    lt_cross *cross = argument;
    lt_rng rng;
    lt_rng_seed(&rng, cross->seed);
    send_udp(cross, &cross->load->poisson_time, POISSON_PACKET,
             8e6 * POISSON_PACKET / (double)cross->load->poisson, &rng);
    return NULL;
}

/* ---- mice: connect, send 20 kB, wait until the far end has closed, and again ---- */

enum { MOUSE_BYTES = 20000, POLL_MS = 50, MAX_SINKS = 2 * LT_BENCH_MAX_BACKGROUND };

#define RETRY_US (100 * (livetcp_usec)LIVETCP_USEC_MSEC)

typedef struct mouse {
    int fd;            /* -1 = between two connections */
    size_t left;       /* bytes to send */
    livetcp_usec next; /* time of the next connection */
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
    m->left = MOUSE_BYTES;
}

static void serve_mouse(mouse *m, short events, livetcp_usec now)
{
    static const uint8_t food[MOUSE_BYTES];
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

static void *mice_main(void *argument)
{
    lt_cross *cross = argument;
    const unsigned count = cross->load->mice;
    mouse *mice = calloc(count, sizeof *mice);
    struct pollfd *polls = calloc(count, sizeof *polls);
    for (unsigned i = 0; mice && i < count; i++)
        mice[i].fd = -1;
    while (mice && polls && !atomic_load(&cross->stop)) {
        livetcp_usec now = lt_clock_now();
        bool wanted = within(cross, &cross->load->mice_time, now);
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

/* ---- the far end of all of it ---- */

/* Reads the available bytes; false at the end of the connection. */
static bool drain(int fd, uint64_t *bytes, bool measured)
{
    uint8_t chunk[65536];
    ssize_t n;
    while ((n = recv(fd, chunk, sizeof chunk, 0)) > 0)
        if (measured)
            *bytes += (uint64_t)n;
    return n < 0 && (errno == EAGAIN || errno == EINTR);
}

static void *sink_main(void *argument)
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

/* ---- beginning and end ---- */

livetcp_result lt_cross_open(lt_cross *cross, livetcp_error *error)
{
    livetcp_result result = LIVETCP_OK;
    if (cross->end == LT_FAR && cross->load->mice)
        result = lt_tcp_listen(cross->far_address, cross->load->congestion_control,
                               &cross->listener, &cross->shared->mice_port, error);
    if (result == LIVETCP_OK && cross->end == LT_FAR && sends_udp(cross->load))
        result = open_udp(cross->far_address, true, &cross->udp, &cross->shared->cbr_port, error);
    return result;
}

static livetcp_result start_thread(lt_cross *cross, void *(*body)(void *), livetcp_error *error)
{
    int code = pthread_create(&cross->threads[cross->thread_count], NULL, body, cross);
    if (code)
        return lt_fail_errno(error, LIVETCP_ERR_SYSTEM, code, "cannot start a thread");
    cross->thread_count++;
    return LIVETCP_OK;
}

livetcp_result lt_cross_start(lt_cross *cross, livetcp_usec start, livetcp_error *error)
{
    livetcp_result result = LIVETCP_OK;
    cross->start = start;
    if (!cross->load->mice && !sends_udp(cross->load))
        return LIVETCP_OK;
    if (cross->end == LT_FAR)
        return start_thread(cross, sink_main, error);
    if (sends_udp(cross->load))
        result = open_udp(cross->far_address, false, &cross->udp, &cross->shared->cbr_port, error);
    if (result == LIVETCP_OK && cross->load->cbr)
        result = start_thread(cross, cbr_main, error);
    if (result == LIVETCP_OK && cross->load->poisson)
        result = start_thread(cross, poisson_main, error);
    if (result == LIVETCP_OK && cross->load->mice)
        result = start_thread(cross, mice_main, error);
    return result;
}

void lt_cross_close(lt_cross *cross)
{
    atomic_store(&cross->stop, true);
    while (cross->thread_count > 0)
        pthread_join(cross->threads[--cross->thread_count], NULL);
    if (cross->listener >= 0)
        close(cross->listener);
    if (cross->udp >= 0)
        close(cross->udp);
    cross->listener = cross->udp = -1;
}
