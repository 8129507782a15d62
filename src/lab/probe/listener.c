/* SPDX-License-Identifier: MIT */
#include "lab/probe/listener.h"

#include "base/error.h"
#include "lab/clock.h"
#include "lab/probe/interrupt.h"
#include "lab/probe/timestamps.h"
#include "lab/probe/wire.h"
#include "lab/tcp.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- one prober ---- */

/* Answers not yet read by the prober. A peer that exceeds this is disconnected. */
#define MAX_WAITING (4096 * LT_WIRE_HEAD)
#define TURN        1024 /* messages per turn */

typedef struct peer {
    int socket;
    char name[LT_TCP_TEXT];
    uint64_t packets;
    bool identified;
    lt_wire_reader reader;
    size_t waiting;
    uint8_t answers[MAX_WAITING];
    uint8_t ignored[LT_WIRE_MAX];
} peer;

/* Takes over the socket on success; NULL: out of memory. */
static peer *peer_create(int socket, const char *name)
{
    peer *p = calloc(1, sizeof *p);

    if (!p)
        return NULL;
    p->socket = socket;
    snprintf(p->name, sizeof p->name, "%s", name);
    lt_tcp_set_nodelay(socket);
    (void)lt_timestamps_enable(socket);
    return p;
}

static void peer_destroy(peer **p)
{
    close((*p)->socket);
    free(*p);
    *p = NULL;
}

static short peer_events(const peer *p)
{
    return (short)(POLLIN | (p->waiting ? POLLOUT : 0));
}

static bool flush(peer *p, livetcp_error *error)
{
    while (p->waiting) {
        long sent = lt_timestamps_send(p->socket, p->answers, p->waiting, false);
        if (sent < 0 && (errno == EAGAIN || errno == EINTR))
            return true;
        if (sent < 0) {
            (void)lt_fail_errno(error, LIVETCP_ERR_SYSTEM, errno, "is gone");
            return false;
        }
        p->waiting -= (size_t)sent;
        memmove(p->answers, p->answers + sent, p->waiting);
    }
    return true;
}

static bool answer(peer *p, lt_wire_message message, livetcp_error *error)
{
    if (p->waiting + LT_WIRE_HEAD > sizeof p->answers) {
        (void)lt_fail(error, LIVETCP_ERR_PROTOCOL, "does not read its reports");
        return false;
    }
    message.length = LT_WIRE_HEAD;
    lt_wire_encode(&message, p->answers + p->waiting);
    p->waiting += LT_WIRE_HEAD;
    return flush(p, error);
}

static bool handle(peer *p, const lt_wire_message *m, livetcp_usec came, livetcp_error *error)
{
    livetcp_usec now = lt_clock_now();

    p->identified = true;
    switch (m->type) {
    case LT_WIRE_PING:
        return answer(p,
                      (lt_wire_message){.type = LT_WIRE_PONG,
                                        .a = m->a,
                                        .b = (uint64_t)(came ? came : now),
                                        .c = (uint64_t)lt_clock_now()},
                      error);
    case LT_WIRE_PACKET:
        p->packets++;
        return !(m->flags & LT_WIRE_SAMPLE) || answer(p,
                                                      (lt_wire_message){.type = LT_WIRE_REPORT,
                                                                        .a = m->a,
                                                                        .b = (uint64_t)came,
                                                                        .c = (uint64_t)now},
                                                      error);
    default:
        (void)lt_fail(error, LIVETCP_ERR_PROTOCOL, "sends what a listener sends");
        return false;
    }
}

/* One read. 1: data; 0: none available; -1: end of the connection. */
static int read_some(peer *p, livetcp_error *error)
{
    const lt_wire_message *message;
    livetcp_usec came;
    uint8_t *where;
    size_t wants = lt_wire_wants(&p->reader, &where);
    long got = lt_timestamps_receive(p->socket, where ? where : p->ignored, wants, &came);

    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (got < 0)
        (void)lt_fail_errno(error, LIVETCP_ERR_SYSTEM, errno, "is gone");
    if (got <= 0)
        return -1;
    if (lt_wire_got(&p->reader, (size_t)got, &message, error) != LIVETCP_OK)
        return -1;
    return !message || handle(p, message, came, error) ? 1 : -1;
}

/* Reads and answers. False at the end: with an error, whose message continues after the name, if it
 * is the peer's fault, without one if the peer has closed the connection. */
static bool peer_serve(peer *p, livetcp_error *error)
{
    int came = 1;

    if (!flush(p, error))
        return false;
    for (int i = 0; came > 0 && i < 2 * TURN; i++)
        came = read_some(p, error);
    return came >= 0;
}

/* ---- all of them ---- */

#define MAX_PEERS 16

typedef struct listener {
    int socket;
    bool quiet;
    peer *peers[MAX_PEERS];
    unsigned count;
} listener;

static livetcp_result listen_at(const lt_probe_options *o, int *out, livetcp_error *error)
{
    struct addrinfo *list;
    const char *why = lt_tcp_resolve(o->host, o->port, 0, &list);

    *out = -1;
    if (why)
        return lt_fail(error, LIVETCP_ERR_SYSTEM, "%.150s: %s", o->host, why);
    *out = lt_tcp_listen_on(list, MAX_PEERS);
    int cause = errno;
    freeaddrinfo(list);
    return *out >= 0 ? LIVETCP_OK
                     : lt_fail_errno(error, LIVETCP_ERR_SYSTEM, cause,
                                     "cannot listen on [%.100s]:%s", o->host, o->port);
}

/* Prints the port, which the system may have chosen. */
static void announce(int socket)
{
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    char text[LT_TCP_TEXT];

    if (!getsockname(socket, (struct sockaddr *)&address, &size)) {
        lt_tcp_address_text((struct sockaddr *)&address, size, text);
        printf("listening on %s\n", text);
        fflush(stdout);
    }
}

static void drop(listener *l, unsigned i)
{
    peer_destroy(&l->peers[i]);
    l->peers[i] = l->peers[--l->count];
}

/* Disconnects a silent peer if all places are taken. */
static void make_space(listener *l)
{
    for (unsigned i = 0; l->count == MAX_PEERS && i < l->count; i++)
        if (!l->peers[i]->identified)
            drop(l, i);
}

static void take_peer(listener *l)
{
    char name[LT_TCP_TEXT];
    int fd = lt_tcp_accept(l->socket, name);

    if (fd < 0)
        return;
    make_space(l);
    if (l->count < MAX_PEERS && (l->peers[l->count] = peer_create(fd, name))) {
        l->count++;
        return;
    }
    fprintf(stderr, "livetcp probe: %s was refused: %d probers are connected\n", name, MAX_PEERS);
    close(fd);
}

static void serve(listener *l, unsigned i)
{
    livetcp_error error = {0};
    peer *p = l->peers[i];
    bool stays = peer_serve(p, &error);

    if (stays)
        return;
    if (error.message[0])
        fprintf(stderr, "livetcp probe: %s %s\n", p->name, error.message);
    else if (!l->quiet)
        printf("%s: %llu packets, done\n", p->name, (unsigned long long)p->packets);
    fflush(stdout);
    drop(l, i);
}

static livetcp_result loop(listener *l, const sigset_t *waiting, livetcp_error *error)
{
    struct pollfd ready[MAX_PEERS + 1];

    while (!lt_probe_interrupted()) {
        unsigned count = l->count;
        ready[count] = (struct pollfd){.fd = l->socket, .events = POLLIN};
        for (unsigned i = 0; i < count; i++)
            ready[i] =
                (struct pollfd){.fd = l->peers[i]->socket, .events = peer_events(l->peers[i])};
        if (ppoll(ready, count + 1, NULL, waiting) < 0) {
            if (errno == EINTR)
                continue;
            return lt_fail_errno(error, LIVETCP_ERR_SYSTEM, errno, "cannot wait for probers");
        }
        for (unsigned i = count;
             i-- > 0;) /* backwards, since a removed peer is replaced by the last */
            if (ready[i].revents)
                serve(l, i);
        if (ready[count].revents)
            take_peer(l);
    }
    return LIVETCP_OK;
}

livetcp_result lt_listener_run(const lt_probe_options *options, livetcp_error *error)
{
    listener l = {.quiet = options->quiet};
    sigset_t waiting;
    livetcp_result result = listen_at(options, &l.socket, error);

    if (result != LIVETCP_OK)
        return result;
    lt_probe_interrupt_watch(&waiting);
    announce(l.socket);
    result = loop(&l, &waiting, error);
    while (l.count)
        peer_destroy(&l.peers[--l.count]);
    close(l.socket);
    return result;
}
