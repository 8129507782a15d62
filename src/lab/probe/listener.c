/* SPDX-License-Identifier: MIT */
#include "lab/probe/listener.h"

#include "base/error.h"
#include "lab/probe/address.h"
#include "lab/probe/interrupt.h"
#include "lab/probe/listener_peer.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
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
    livetcp_result result = lt_probe_resolve(o->host, o->port, &list, error);
    const int on = 1, off = 0;
    int cause = 0;

    *out = -1;
    if (result != LIVETCP_OK)
        return result;
    for (struct addrinfo *a = list; a && *out < 0; a = a->ai_next) {
        int fd = socket(a->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        if (fd >= 0) {
            setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
            if (a->ai_family == AF_INET6) /* :: takes IPv4, too */
                setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
        }
        if (fd >= 0 && !bind(fd, a->ai_addr, a->ai_addrlen) && !listen(fd, MOST_PEERS)) {
            *out = fd;
            break;
        }
        cause = errno;
        if (fd >= 0)
            close(fd);
    }
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
    char text[LT_ADDRESS_TEXT];

    if (!getsockname(socket, (struct sockaddr *)&address, &size)) {
        lt_probe_address_text((struct sockaddr *)&address, size, text);
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
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    int fd = accept4(l->socket, (struct sockaddr *)&address, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
    char name[LT_ADDRESS_TEXT];

    if (fd < 0)
        return;
    lt_probe_address_text((struct sockaddr *)&address, size, name);
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
