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
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CBR_PACKET = 1500, POISSON_PACKET = 512, UDP_HEADERS = 28 }; /* IP packets of that size */

static bool sends_udp(const lt_load *load)
{
    return load->cbr || load->poisson;
}

/* A datagram socket at `text`, bound to a free port or connected to *port. */
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
        return start_thread(cross, lt_sink_main, error);
    if (sends_udp(cross->load))
        result = open_udp(cross->far_address, false, &cross->udp, &cross->shared->cbr_port, error);
    if (result == LIVETCP_OK && cross->load->cbr)
        result = start_thread(cross, lt_cbr_main, error);
    if (result == LIVETCP_OK && cross->load->poisson)
        result = start_thread(cross, lt_poisson_main, error);
    if (result == LIVETCP_OK && cross->load->mice)
        result = start_thread(cross, lt_mice_main, error);
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

/* IP packets of this size, so far apart; with `rng` that is the mean. */
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
        if (!lt_cross_within(cross, window, due))
            return;
        send(cross->udp, bytes, packet - UDP_HEADERS, MSG_NOSIGNAL); /* what is lost is lost */
        at += rng ? -log(1.0 - lt_rng_uniform(rng)) * mean_gap : mean_gap;
    }
}

void *lt_cbr_main(void *argument)
{
    lt_cross *cross = argument;
    send_udp(cross, &cross->load->cbr_time, CBR_PACKET, 8e6 * CBR_PACKET / (double)cross->load->cbr,
             NULL);
    return NULL;
}

void *lt_poisson_main(void *argument)
{
    lt_cross *cross = argument;
    lt_rng rng;
    lt_rng_seed(&rng, cross->seed);
    send_udp(cross, &cross->load->poisson_time, POISSON_PACKET,
             8e6 * POISSON_PACKET / (double)cross->load->poisson, &rng);
    return NULL;
}
