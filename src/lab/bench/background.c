/* SPDX-License-Identifier: MIT */
#include "lab/bench/background.h"

#include "base/error.h"
#include "base/rng.h"
#include "lab/bench/control.h"
#include "lab/bench/cross.h"
#include "lab/clock.h"
#include "lab/tcp.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* Kind of a connection. The near end connects and sends it as the first byte. */
typedef enum flow_kind {
    FLOW_UNKNOWN = 0, /* accepted; the byte has not arrived */
    FLOW_FTP = 'f',
    FLOW_WEB = 'w',
    FLOW_PEER = 'p',
    FLOW_FTP_BACK = 'F',
    FLOW_WEB_BACK = 'W',
    FLOW_PEER_BACK = 'P',
} flow_kind;

typedef struct flow {
    int fd;
    flow_kind kind;
    bool greeted;      /* near end: the byte was written */
    livetcp_usec next; /* sender: time to begin (FTP), or of the next packet (web) */
} flow;

typedef struct background {
    const lt_background_job *job;
    lt_background_report *report;
    int listener;
    flow *flows;
    struct pollfd *polls; /* for the flows, then control and listener */
    unsigned count, wanted;
    lt_rng rng;
    livetcp_usec begin, end; /* of the measured time; LIVETCP_NEVER before the start */
    livetcp_usec ftp_end;    /* end of the FTP flows */
    lt_cross cross;
} background;

static uint8_t chunk[65536]; /* data to send, and buffer to receive; its content is not used */

static bool is_web(const flow *f)
{
    return f->kind == FLOW_WEB || f->kind == FLOW_WEB_BACK;
}

static bool is_ftp(const flow *f)
{
    return f->kind == FLOW_FTP || f->kind == FLOW_FTP_BACK;
}

static bool is_sender(const background *b, const flow *f)
{
    bool forward = f->kind == FLOW_FTP || f->kind == FLOW_WEB || f->kind == FLOW_PEER;
    return f->kind != FLOW_UNKNOWN && forward == (b->job->end == LT_NEAR);
}

/* Random time to the next packet of a web flow. */
static livetcp_usec web_gap(lt_rng *rng)
{
    return (livetcp_usec)(-log(1.0 - lt_rng_uniform(rng)) * LT_WEB_MEAN_US);
}

/* Number of flows that this process has. */
static unsigned flows_of(const lt_load *load)
{
    return load->ftp + load->web + load->peer;
}

static flow_kind kind_of(const lt_load *load, unsigned index, bool back)
{
    if (index < load->ftp)
        return back ? FLOW_FTP_BACK : FLOW_FTP;
    if (index < load->ftp + load->web)
        return back ? FLOW_WEB_BACK : FLOW_WEB;
    return back ? FLOW_PEER_BACK : FLOW_PEER;
}

static livetcp_result open_connections(background *b, livetcp_error *error)
{
    const lt_background_job *job = b->job;
    const lt_load *load = job->load;
    for (unsigned way = 0; way < 2; way++) {
        if (!(job->plan->direction & (way ? LT_MEDIA_BACKWARD : LT_MEDIA_FORWARD)))
            continue;
        for (unsigned i = 0; i < flows_of(load); i++) {
            flow *f = &b->flows[b->count];
            livetcp_result result = lt_tcp_connect(job->far_address, job->shared->background_port,
                                                   load->congestion_control, &f->fd, error);
            if (result != LIVETCP_OK)
                return result;
            f->kind = kind_of(load, i, way == 1);
            b->count++;
        }
    }
    return LIVETCP_OK;
}

static livetcp_result set_up(background *b, livetcp_error *error)
{
    const lt_background_job *job = b->job;
    unsigned ways = job->plan->direction == LT_MEDIA_BOTH ? 2 : 1;
    b->wanted = ways * flows_of(job->load);
    b->flows = calloc(b->wanted + 1, sizeof *b->flows); /* calloc(0) may return NULL */
    b->polls = calloc(b->wanted + 2, sizeof *b->polls);
    if (!b->flows || !b->polls)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for the background traffic");
    lt_rng_seed(&b->rng, job->seed + (uint64_t)job->end);
    if (job->end == LT_NEAR && !lt_control_expect(job->control, LT_MESSAGE_CONNECT, NULL))
        return lt_fail(error, LIVETCP_ERR_CANCELLED, "cancelled before connecting");
    if (job->end == LT_NEAR)
        return open_connections(b, error);
    livetcp_result result = lt_tcp_listen(job->far_address, job->load->congestion_control,
                                          &b->listener, &job->shared->background_port, error);
    if (result == LIVETCP_OK)
        result = lt_cross_open(&b->cross, error);
    if (result == LIVETCP_OK)
        lt_control_send(job->control, LT_MESSAGE_LISTENING, 0);
    return result;
}

/* Timeout and events of poll(). */
static livetcp_usec prepare_polls(background *b, livetcp_usec now)
{
    livetcp_usec next = LIVETCP_NEVER;
    for (unsigned i = 0; i < b->count; i++) {
        flow *f = &b->flows[i];
        b->polls[i] = (struct pollfd){.fd = f->fd, .events = POLLIN};
        bool greeting = b->job->end == LT_NEAR && !f->greeted;
        bool bulk = !is_web(f) && is_sender(b, f) && b->begin != LIVETCP_NEVER;
        if (greeting || (bulk && f->next <= now))
            b->polls[i].events |= POLLOUT;
        else if (is_sender(b, f) && b->begin != LIVETCP_NEVER && f->next < next)
            next = f->next;
    }
    b->polls[b->count] = (struct pollfd){.fd = b->job->control, .events = POLLIN};
    b->polls[b->count + 1] =
        (struct pollfd){.fd = b->count < b->wanted ? b->listener : -1, .events = POLLIN};
    return next;
}

static void read_flow(background *b, flow *f, livetcp_usec now)
{
    bool measured = now >= b->begin && now < b->end;
    ssize_t n;
    if (f->kind == FLOW_UNKNOWN) {
        uint8_t kind;
        if (recv(f->fd, &kind, 1, 0) == 1)
            f->kind = (flow_kind)kind;
        return;
    }
    while ((n = recv(f->fd, chunk, sizeof chunk, 0)) > 0) {
        uint64_t *bytes = is_web(f)   ? &b->report->web_bytes
                          : is_ftp(f) ? &b->report->ftp_bytes
                                      : &b->report->peer_bytes;
        *bytes += measured ? (uint64_t)n : 0;
        if ((size_t)n < sizeof chunk)
            return;
    }
    if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
        close(f->fd); /* the other end is gone; poll() ignores negative descriptors */
        f->fd = -1;
    }
}

static void write_flow(background *b, flow *f)
{
    uint8_t kind = (uint8_t)f->kind;
    if (b->job->end == LT_NEAR && !f->greeted) {
        f->greeted = send(f->fd, &kind, 1, MSG_NOSIGNAL) == 1;
        return;
    }
    send(f->fd, chunk, sizeof chunk, MSG_NOSIGNAL); /* the rest follows after poll() */
}

/* Sends due web packets; one that finds the send buffer full is left out. */
static void send_web(background *b, livetcp_usec now)
{
    for (unsigned i = 0; i < b->count; i++) {
        flow *f = &b->flows[i];
        while (f->fd >= 0 && is_web(f) && is_sender(b, f) && f->next <= now) {
            if (send(f->fd, chunk, LT_WEB_PACKET, MSG_NOSIGNAL) < 0 && errno == EPIPE)
                break;
            f->next += web_gap(&b->rng);
        }
    }
}

/* Closes the FTP flows; their unsent bytes are discarded. */
static void end_ftp(background *b)
{
    const struct linger at_once = {.l_onoff = 1};
    for (unsigned i = 0; i < b->count; i++) {
        flow *f = &b->flows[i];
        if (f->fd < 0 || !is_ftp(f) || !is_sender(b, f))
            continue;
        setsockopt(f->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
        close(f->fd);
        f->fd = -1;
    }
}

static livetcp_result start(background *b, livetcp_usec now, livetcp_error *error)
{
    const lt_window *ftp_time = &b->job->load->ftp_time;
    const lt_plan *plan = b->job->plan;
    b->begin = now + plan->measured_from;
    b->end = now + plan->length;
    b->ftp_end = ftp_time->to == LIVETCP_NEVER ? LIVETCP_NEVER : now + ftp_time->to;
    for (unsigned i = 0; i < b->count; i++) { /* FTP flows start spread over a second */
        flow *f = &b->flows[i];
        if (is_web(f))
            f->next = now + web_gap(&b->rng);
        else if (is_ftp(f))
            f->next = now + ftp_time->from + (livetcp_usec)(lt_rng_uniform(&b->rng) * 1e6);
        else
            f->next = now;
    }
    return lt_cross_start(&b->cross, now, error);
}

static bool all_up(const background *b)
{
    for (unsigned i = 0; i < b->count; i++)
        if (b->job->end == LT_NEAR ? !b->flows[i].greeted : b->flows[i].kind == FLOW_UNKNOWN)
            return false;
    return b->count == b->wanted;
}

/* Handles the events of poll(); false when the coordinator announces the end. */
static bool handle(background *b, bool *ready_sent, livetcp_error *error)
{
    livetcp_usec now = lt_clock_now();
    lt_message message;
    for (unsigned i = 0; i < b->count; i++) {
        if (b->polls[i].revents & POLLOUT)
            write_flow(b, &b->flows[i]);
        if (b->polls[i].revents & (POLLIN | POLLHUP | POLLERR))
            read_flow(b, &b->flows[i], now);
    }
    if (b->begin != LIVETCP_NEVER)
        send_web(b, now);
    if (now >= b->ftp_end)
        end_ftp(b);
    if (b->polls[b->count + 1].revents & POLLIN) {
        int fd = lt_tcp_accept(b->listener, NULL);
        if (fd >= 0)
            b->flows[b->count++] = (flow){.fd = fd};
        return true; /* the flows have changed: polls[] is out of date */
    }
    if (!*ready_sent && all_up(b))
        *ready_sent = lt_control_send(b->job->control, LT_MESSAGE_READY, 0);
    if (!(b->polls[b->count].revents))
        return true;
    if (!lt_control_receive(b->job->control, &message) || message.kind == LT_MESSAGE_END)
        return false;
    if (message.kind == LT_MESSAGE_START)
        return start(b, message.time, error) == LIVETCP_OK;
    if (message.kind == LT_MESSAGE_REPORT)
        lt_control_send(b->job->control, LT_MESSAGE_REPORTED, 0);
    return true;
}

/* Runs until the coordinator announces the end. */
static livetcp_result run(background *b, livetcp_error *error)
{
    bool ready_sent = false;
    do {
        livetcp_usec now = lt_clock_now();
        livetcp_usec next = prepare_polls(b, now);
        livetcp_usec wait = next == LIVETCP_NEVER ? 100000 : next > now ? next - now : 0;
        const struct timespec timeout = lt_clock_timespec(wait);
        ppoll(b->polls, b->count + 2, &timeout, NULL);
    } while (handle(b, &ready_sent, error));
    return error->code;
}

int lt_background_main(const lt_background_job *job)
{
    background b = {.job = job,
                    .report = &job->shared->background[job->end],
                    .listener = -1,
                    .begin = LIVETCP_NEVER,
                    .end = LIVETCP_NEVER,
                    .ftp_end = LIVETCP_NEVER,
                    .cross = {.load = job->load,
                              .plan = job->plan,
                              .shared = job->shared,
                              .end = job->end,
                              .far_address = job->far_address,
                              .seed = job->seed,
                              .listener = -1,
                              .udp = -1}};
    livetcp_error error = {.code = LIVETCP_OK};
    livetcp_result result = set_up(&b, &error);
    if (result == LIVETCP_OK)
        result = run(&b, &error);
    lt_cross_close(&b.cross);
    if (result != LIVETCP_OK) {
        b.report->error = error;
        lt_control_send(job->control, LT_MESSAGE_FAILED, 0);
    }
    for (unsigned i = 0; b.flows && i < b.count; i++)
        if (b.flows[i].fd >= 0)
            close(b.flows[i].fd);
    if (b.listener >= 0)
        close(b.listener);
    free(b.flows);
    free(b.polls);
    return result == LIVETCP_OK ? 0 : 1;
}
