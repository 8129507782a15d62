/* SPDX-License-Identifier: MIT */
#include "lab/probe/listener_peer.h"

#include "base/error.h"
#include "lab/clock.h"
#include "lab/probe/stamps.h"
#include "lab/probe/wire.h"
#include "lab/tcp.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Answers that the prober has not taken yet. One that does not read them is no prober of ours. */
#define MOST_WAITING (4096 * LT_WIRE_HEAD)
#define TURN         1024 /* messages, before others have a turn */

struct lt_listener_peer {
    int socket;
    char name[LT_TCP_TEXT];
    uint64_t packets;
    bool heard;
    lt_wire_reader reader;
    size_t waiting;
    uint8_t answers[MOST_WAITING];
    uint8_t ignored[LT_WIRE_MOST];
};

lt_listener_peer *lt_listener_peer_create(int socket, const char *name)
{
    lt_listener_peer *p = calloc(1, sizeof *p);

    if (!p)
        return NULL;
    p->socket = socket;
    snprintf(p->name, sizeof p->name, "%s", name);
    lt_tcp_set_nodelay(socket);
    (void)lt_stamps_enable(socket);
    return p;
}

void lt_listener_peer_destroy(lt_listener_peer **peer)
{
    close((*peer)->socket);
    free(*peer);
    *peer = NULL;
}

int lt_listener_peer_socket(const lt_listener_peer *peer)
{
    return peer->socket;
}

short lt_listener_peer_events(const lt_listener_peer *peer)
{
    return (short)(POLLIN | (peer->waiting ? POLLOUT : 0));
}

const char *lt_listener_peer_name(const lt_listener_peer *peer)
{
    return peer->name;
}

bool lt_listener_peer_heard(const lt_listener_peer *peer)
{
    return peer->heard;
}

uint64_t lt_listener_peer_packets(const lt_listener_peer *peer)
{
    return peer->packets;
}

static bool flush(lt_listener_peer *p, livetcp_error *error)
{
    while (p->waiting) {
        long sent = lt_stamps_send(p->socket, p->answers, p->waiting, false);
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

static bool answer(lt_listener_peer *p, lt_wire_message message, livetcp_error *error)
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

static bool handle(lt_listener_peer *p, const lt_wire_message *m, livetcp_usec came,
                   livetcp_error *error)
{
    livetcp_usec now = lt_clock_now();

    p->heard = true;
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

/* One read. 1: something came; 0: nothing is there; -1: it is over. */
static int read_some(lt_listener_peer *p, livetcp_error *error)
{
    const lt_wire_message *message;
    livetcp_usec came;
    uint8_t *where;
    size_t wants = lt_wire_wants(&p->reader, &where);
    long got = lt_stamps_receive(p->socket, where ? where : p->ignored, wants, &came);

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

bool lt_listener_peer_serve(lt_listener_peer *peer, livetcp_error *error)
{
    int came = 1;

    if (!flush(peer, error))
        return false;
    for (int i = 0; came > 0 && i < 2 * TURN; i++)
        came = read_some(peer, error);
    return came >= 0;
}
