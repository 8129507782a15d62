/* SPDX-License-Identifier: MIT */
#include "lab/probe/listener.h"

#include "base/error.h"
#include "lab/probe/interrupt.h"
#include "lab/probe/listener_peer.h"
#include "lab/tcp.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#define MOST_PEERS 16

typedef struct listener {
    int socket;
    bool quiet;
    lt_listener_peer *peers[MOST_PEERS];
    unsigned count;
} listener;

static livetcp_result listen_at(const lt_probe_options *o, int *out, livetcp_error *error)
{
    struct addrinfo *list;
    const char *why = lt_tcp_resolve(o->host, o->port, 0, &list);

    *out = -1;
    if (why)
        return lt_fail(error, LIVETCP_ERR_SYSTEM, "%.150s: %s", o->host, why);
    *out = lt_tcp_listen_on(list, MOST_PEERS);
    int cause = errno;
    freeaddrinfo(list);
    return *out >= 0 ? LIVETCP_OK
                     : lt_fail_errno(error, LIVETCP_ERR_SYSTEM, cause,
                                     "cannot listen on [%.100s]:%s", o->host, o->port);
}

/* Tells the port, which may be one that the system chose. */
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
    lt_listener_peer_destroy(&l->peers[i]);
    l->peers[i] = l->peers[--l->count];
}

/* Whoever connects and says nothing does not keep probers out. */
static void make_room(listener *l)
{
    for (unsigned i = 0; l->count == MOST_PEERS && i < l->count; i++)
        if (!lt_listener_peer_heard(l->peers[i]))
            drop(l, i);
}

static void take_peer(listener *l)
{
    char name[LT_TCP_TEXT];
    int fd = lt_tcp_accept(l->socket, name);

    if (fd < 0)
        return;
    make_room(l);
    if (l->count < MOST_PEERS && (l->peers[l->count] = lt_listener_peer_create(fd, name))) {
        l->count++;
        return;
    }
    fprintf(stderr, "livetcp probe: %s was turned away: %d probers are here\n", name, MOST_PEERS);
    close(fd);
}

static void serve(listener *l, unsigned i)
{
    livetcp_error error = {0};
    lt_listener_peer *peer = l->peers[i];
    bool stays = lt_listener_peer_serve(peer, &error);

    if (stays)
        return;
    if (error.message[0])
        fprintf(stderr, "livetcp probe: %s %s\n", lt_listener_peer_name(peer), error.message);
    else if (!l->quiet)
        printf("%s: %llu packets, done\n", lt_listener_peer_name(peer),
               (unsigned long long)lt_listener_peer_packets(peer));
    fflush(stdout);
    drop(l, i);
}

static livetcp_result loop(listener *l, const sigset_t *waiting, livetcp_error *error)
{
    struct pollfd ready[MOST_PEERS + 1];

    while (!lt_probe_interrupted()) {
        unsigned count = l->count;
        ready[count] = (struct pollfd){.fd = l->socket, .events = POLLIN};
        for (unsigned i = 0; i < count; i++)
            ready[i] = (struct pollfd){.fd = lt_listener_peer_socket(l->peers[i]),
                                       .events = lt_listener_peer_events(l->peers[i])};
        if (ppoll(ready, count + 1, NULL, waiting) < 0) {
            if (errno == EINTR)
                continue;
            return lt_fail_errno(error, LIVETCP_ERR_SYSTEM, errno, "cannot wait for probers");
        }
        for (unsigned i = count; i-- > 0;) /* from the end: one that goes is replaced by the last */
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
        lt_listener_peer_destroy(&l.peers[--l.count]);
    close(l.socket);
    return result;
}
