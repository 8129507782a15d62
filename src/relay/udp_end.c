/* SPDX-License-Identifier: MIT */
/* A program's end of a route: datagrams on one port, or RTP and RTCP on two. */
#include "relay/address.h"
#include "relay/end.h"
#include "relay/lookup.h"
#include "relay/plan/packing.h"
#include "relay/udp_socket.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

enum {
    RTP = 0,
    RTCP = 1,
    SOCKETS = 2,
    AGAIN_MS = 5000,      /* ms until the next lookup of a name */
    HELD_PACKETS = 65536, /* maximum held by a playout */
    HELD_BYTES = 64 << 20,
};

typedef struct udp_end udp_end;

/* Lives until its handle is closed, when the end may already have another one. */
typedef struct udp_socket {
    uv_udp_t handle;
    udp_end *end;
    unsigned which;
} udp_socket;

struct udp_end {
    lt_relay_end end;
    lt_relay_packer packer;
    struct sockaddr_storage host;            /* resolved address of host:port */
    struct sockaddr_storage target[SOCKETS]; /* destination of packets; family 0: unknown */
    bool latched[SOCKETS];                   /* the target is the source of the last datagram */
    udp_socket *sockets[SOCKETS];
    unsigned open_sockets;
    lt_relay_lookup *lookup; /* that runs */
    uv_timer_t timer;        /* of the playout, or until the next lookup */
    unsigned handles;        /* open */
    bool timed, finishing;
    livetcp_playout *playout;
};

/* ---- from the program ---- */

/* True if a datagram from this source is accepted. With latch=1 packets go to this source from now
 * on. */
static bool admit(udp_end *u, unsigned socket, const struct sockaddr *from)
{
    const lt_relay_location *l = &u->end.location;
    char text[LT_RELAY_ADDRESS_TEXT];

    if (!l->latch) {
        if (l->bound || lt_relay_same_host(&u->host, from))
            return true;
        if (lt_relay_lose(&u->end, LT_RELAY_STRANGER))
            lt_relay_log(u->end.world->journal, LIVETCP_LOG_WARNING, u->end.route,
                         "%s: a datagram from %s is dropped: only %s is accepted; latch=1 "
                         "accepts every source",
                         l->text, lt_relay_address_text(from, text, sizeof text), l->host);
        return false;
    }
    struct sockaddr_storage now;
    lt_relay_address_copy(&now, from);
    if (!u->latched[socket] || lt_relay_port(&u->target[socket]) != lt_relay_port(&now) ||
        !lt_relay_same_host(&u->target[socket], from))
        lt_relay_log(u->end.world->journal, LIVETCP_LOG_INFO, u->end.route,
                     "%s: a program sends from %s, and gets the answers there", l->text,
                     lt_relay_address_text(from, text, sizeof text));
    u->target[socket] = now;
    u->latched[socket] = true;
    if (socket == RTP && !u->latched[RTCP]) {
        u->target[RTCP] = now;
        lt_relay_set_port(&u->target[RTCP], lt_relay_port(&now) + (l->rtcp == LT_RELAY_RTCP_NEXT));
    }
    return true;
}

static void take_datagram(udp_end *u, const uint8_t *datagram, size_t size)
{
    lt_relay_end *end = &u->end;
    lt_relay_packet packet = {.arrival_us = lt_relay_now()};
    lt_relay_fit fit = lt_relay_pack(&u->packer, datagram, size, packet.arrival_us,
                                     end->world->packet_buffer, &packet.data, &packet.size);

    if (fit != LT_RELAY_FITS) {
        if (lt_relay_lose(end, fit == LT_RELAY_TOO_LONG ? LT_RELAY_TOO_LARGE : LT_RELAY_INVALID))
            lt_relay_log(end->world->journal, LIVETCP_LOG_WARNING, end->route,
                         "%s: a datagram of %zu bytes is not relayed: it is %s", end->location.text,
                         size, lt_relay_fit_text(fit));
        return;
    }
    packet.rtcp = lt_relay_is_rtcp(packet.data, packet.size);
    if (packet.rtcp && end->location.rtcp == LT_RELAY_RTCP_OFF)
        return;
    end->counts.packets_in++;
    end->counts.bytes_in += size;
    end->events->on_packet(end, &packet);
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
    const udp_socket *socket = (udp_socket *)handle;

    (void)suggested;
    *buffer = uv_buf_init(socket->end->end.world->buffer, LT_RELAY_BUFFER);
}

static void on_datagram(uv_udp_t *handle, ssize_t size, const uv_buf_t *buffer,
                        const struct sockaddr *from, unsigned flags)
{
    const udp_socket *socket = (udp_socket *)handle;
    udp_end *u = socket->end;

    (void)flags;
    if (size < 0 || !from || u->finishing) /* end of this batch, or an error of one datagram */
        return;
    if (admit(u, socket->which, from))
        take_datagram(u, (const uint8_t *)buffer->base, (size_t)size);
}

/* ---- to the program ---- */

static void send_datagram(udp_end *u, unsigned socket, const uint8_t *datagram, size_t size)
{
    lt_relay_end *end = &u->end;
    uv_buf_t buffer = uv_buf_init((char *)datagram, (unsigned)size);
    struct sockaddr_storage *to = &u->target[socket];
    lt_relay_cause cause = LT_RELAY_FAILED;
    char text[LT_RELAY_ADDRESS_TEXT];

    if (!u->open_sockets || !to->ss_family) {
        if (lt_relay_lose(end, LT_RELAY_NOWHERE))
            lt_relay_log(end->world->journal, LIVETCP_LOG_DEBUG, end->route,
                         "%s: no program has sent anything yet, so that packets for it have "
                         "nowhere to go",
                         end->location.text);
        return;
    }
    udp_socket *from = u->sockets[socket < u->open_sockets ? socket : RTP];
    int sent = uv_udp_try_send(&from->handle, &buffer, 1, lt_relay_sockaddr(to));
    if (sent >= 0) {
        end->counts.packets_out++;
        end->counts.bytes_out += size;
        return;
    }
    if (sent == UV_EAGAIN || sent == UV_ENOBUFS)
        cause = LT_RELAY_BLOCKED;
    else if (sent == UV_EMSGSIZE)
        cause = LT_RELAY_TOO_LARGE;
    if (lt_relay_lose(end, cause))
        lt_relay_log(end->world->journal, LIVETCP_LOG_WARNING, end->route,
                     "%s: a datagram of %zu bytes cannot be sent to %s: %s", end->location.text,
                     size, lt_relay_address_text(lt_relay_sockaddr(to), text, sizeof text),
                     uv_strerror(sent));
}

static void send_packet(udp_end *u, const uint8_t *data, size_t size, bool rtcp)
{
    lt_relay_end *end = &u->end;
    const uint8_t *datagram;
    size_t datagram_size;
    lt_relay_fit fit;

    if (rtcp && end->location.rtcp == LT_RELAY_RTCP_OFF)
        return;
    fit = lt_relay_unpack(&u->packer, data, size, &datagram, &datagram_size);
    if (fit == LT_RELAY_FITS)
        send_datagram(u, rtcp ? RTCP : RTP, datagram, datagram_size);
    else if (fit != LT_RELAY_NOT_FOR_OUTPUT && lt_relay_lose(end, LT_RELAY_UNWANTED))
        lt_relay_log(end->world->journal, LIVETCP_LOG_WARNING, end->route,
                     "%s: a packet of payload type %u is dropped: it is %s", end->location.text,
                     size > 1 ? data[1] & 0x7f : 0, lt_relay_fit_text(fit));
}

/* ---- at an even pace ---- */

static void play(udp_end *u);

static void on_play(uv_timer_t *timer)
{
    play(timer->data);
}

/* Sends packets that are due, and arms the timer for the next. */
static void play(udp_end *u)
{
    livetcp_playout_item item = {.struct_size = sizeof item};
    livetcp_usec now = lt_relay_now();

    while (livetcp_playout_pull(u->playout, now, &item) == LIVETCP_OK &&
           item.kind != LIVETCP_PLAYOUT_NOTHING)
        if (item.kind == LIVETCP_PLAYOUT_PACKET)
            send_packet(u, item.data, item.size, false);
    livetcp_usec at = livetcp_playout_next_deadline(u->playout);
    if (at == LIVETCP_NEVER)
        return;
    livetcp_usec left = at - lt_relay_now();
    uv_timer_start(&u->timer, on_play, left > 0 ? ((uint64_t)left + 999) / 1000 : 0, 0);
}

static void udp_deliver(lt_relay_end *end, const lt_relay_packet *packet)
{
    udp_end *u = (udp_end *)end;

    if (!u->playout || packet->rtcp) {
        send_packet(u, packet->data, packet->size, packet->rtcp);
        return;
    }
    if (!packet->attached) {
        const livetcp_playout_packet in = {.struct_size = sizeof in,
                                           .data = packet->data,
                                           .size = packet->size,
                                           .arrival_us = packet->arrival_us};
        (void)livetcp_playout_put(u->playout, &in, NULL);
    }
    play(u);
}

/* Filter of the playout: an end bound to a payload type takes only that one. */
static bool wants(const livetcp_packet *packet, void *user)
{
    const udp_end *u = user;

    return u->packer.encap == LT_RELAY_ENCAP_RTP ||
           (packet->size > 1 && (packet->data[1] & 0x7fu) == u->packer.payload_type);
}

static void udp_attach(lt_relay_end *end, livetcp_session *session)
{
    udp_end *u = (udp_end *)end;
    const livetcp_playout_attachment attachment = {
        .struct_size = sizeof attachment, .wants = wants, .user = u};

    if (u->playout && !u->finishing)
        (void)livetcp_playout_attach(u->playout, session, &attachment);
}

static void udp_detach(lt_relay_end *end, livetcp_session *session)
{
    udp_end *u = (udp_end *)end;

    if (u->playout)
        livetcp_playout_detach(u->playout, session);
}

static livetcp_result make_playout(udp_end *u, livetcp_error *error)
{
    static const livetcp_playout_mode modes[] = {
        [LT_RELAY_PACE_NONE] = LIVETCP_PLAYOUT_NONE,
        [LT_RELAY_PACE_FIXED] = LIVETCP_PLAYOUT_FIXED,
        [LT_RELAY_PACE_STATIC] = LIVETCP_PLAYOUT_STATIC,
        [LT_RELAY_PACE_ADAPTIVE] = LIVETCP_PLAYOUT_ADAPTIVE,
        [LT_RELAY_PACE_POLICY_AWARE] = LIVETCP_PLAYOUT_POLICY_AWARE};
    const lt_relay_location *l = &u->end.location;
    livetcp_playout_config config;

    if (l->pace == LT_RELAY_PACE_NONE)
        return LIVETCP_OK;
    livetcp_playout_config_init(&config);
    config.mode = modes[l->pace];
    config.media = LIVETCP_PLAYOUT_VIDEO; /* delivers late packets, too: the program decides */
    config.clock_rate = l->clock_rate;
    config.max_latency_us = 60 * (livetcp_usec)LIVETCP_USEC_SEC;
    config.capacity_packets = HELD_PACKETS;
    config.capacity_bytes = HELD_BYTES;
    if (l->pace == LT_RELAY_PACE_FIXED)
        config.latency_us = l->pace_delay_us;
    return livetcp_playout_create(&config, &u->playout, error);
}

/* ---- start ---- */

static livetcp_result open_socket(udp_end *u, unsigned which, livetcp_error *error)
{
    udp_socket *made = calloc(1, sizeof *made);

    if (!made)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "out of memory");
    uv_udp_t *socket = &made->handle;
    int status =
        uv_udp_init_ex(u->end.world->loop, socket, u->host.ss_family | (unsigned)UV_UDP_RECVMMSG);
    if (status != 0) {
        free(made);
        return lt_relay_udp_error(&u->end.location, status, "no socket", error);
    }
    made->end = u;
    made->which = which;
    u->sockets[which] = made;
    u->open_sockets++;
    u->handles++;
    livetcp_result result = lt_relay_udp_bind(&u->end, &u->host, which, socket, error);
    if (result == LIVETCP_OK && (status = uv_udp_recv_start(socket, on_alloc, on_datagram)) != 0)
        result = lt_relay_udp_error(&u->end.location, status, "cannot receive", error);
    return result;
}

static void free_if_closed(udp_end *u)
{
    if (u->handles || !u->finishing)
        return;
    livetcp_playout_destroy(&u->playout);
    u->end.events->on_finished(&u->end);
    free(u);
}

static void on_timer_closed(uv_handle_t *handle)
{
    udp_end *u = handle->data;

    u->handles--;
    free_if_closed(u);
}

static void on_socket_closed(uv_handle_t *handle)
{
    udp_socket *socket = (udp_socket *)handle;
    udp_end *u = socket->end;

    free(socket);
    u->handles--;
    free_if_closed(u);
}

static void close_sockets(udp_end *u)
{
    for (unsigned i = 0; i < u->open_sockets; i++)
        uv_close((uv_handle_t *)&u->sockets[i]->handle, on_socket_closed);
    u->open_sockets = 0;
}

/* The address of host:port is resolved. */
static livetcp_result open_sockets(udp_end *u, livetcp_error *error)
{
    const lt_relay_location *l = &u->end.location;
    struct sockaddr_storage name;
    int size = sizeof name;
    livetcp_result result;

    lt_relay_set_port(&u->host, l->port);
    if (!l->bound) {
        u->target[RTP] = u->target[RTCP] = u->host;
        lt_relay_set_port(&u->target[RTCP], l->port + (l->rtcp == LT_RELAY_RTCP_NEXT));
    }
    result = open_socket(u, RTP, error);
    if (result == LIVETCP_OK && l->scheme == LT_RELAY_RTP && l->rtcp == LT_RELAY_RTCP_NEXT)
        result = open_socket(u, RTCP, error);
    if (result != LIVETCP_OK) {
        close_sockets(u);
        return result;
    }
    if (l->bound &&
        uv_udp_getsockname(&u->sockets[RTP]->handle, lt_relay_sockaddr(&name), &size) == 0)
        u->end.port = (uint16_t)lt_relay_port(&name);
    if (l->bound)
        lt_relay_log(u->end.world->journal, LIVETCP_LOG_INFO, u->end.route,
                     "%s: waiting for datagrams on port %u", l->text, u->end.port);
    return LIVETCP_OK;
}

static void look_up(udp_end *u);

static void on_look_again(uv_timer_t *timer)
{
    look_up(timer->data);
}

static void try_again_later(udp_end *u, const char *why)
{
    lt_relay_log(u->end.world->journal, LIVETCP_LOG_WARNING, u->end.route,
                 "%s; trying again in %d s", why, AGAIN_MS / 1000);
    uv_timer_start(&u->timer, on_look_again, AGAIN_MS, 0);
}

static void on_address(void *user, const struct sockaddr_storage *address, const char *why)
{
    udp_end *u = user;
    const lt_relay_location *l = &u->end.location;
    livetcp_error error = {.message = ""};

    u->lookup = NULL;
    if (address) {
        u->host = *address;
        (void)open_sockets(u, &error);
    } else {
        lt_fail(&error, LIVETCP_ERR_RESOLVE, "%s: cannot resolve %s: %s", l->text, l->host, why);
    }
    if (error.code != LIVETCP_OK)
        try_again_later(u, error.message);
}

static void look_up(udp_end *u)
{
    const lt_relay_location *l = &u->end.location;

    u->lookup = lt_relay_lookup_start(u->end.world->loop, l->host, l->port, on_address, u);
    if (!u->lookup)
        try_again_later(u, "no memory to look up a name");
}

/* Reads a numeric address; without a host, the wildcard address of both families. */
static bool read_address(udp_end *u)
{
    const char *host = u->end.location.host;
    struct sockaddr_in *four = (struct sockaddr_in *)&u->host;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)&u->host;

    if (*host)
        return uv_ip4_addr(host, 0, four) == 0 || uv_ip6_addr(host, 0, six) == 0;
    uv_ip6_addr("::", 0, six);
    return true;
}

static livetcp_result udp_start(lt_relay_end *end, livetcp_error *error)
{
    udp_end *u = (udp_end *)end;
    uint8_t seed[LT_RELAY_SEED];
    livetcp_result result;

    if (uv_random(NULL, NULL, seed, sizeof seed, 0, NULL) != 0)
        return lt_fail(error, LIVETCP_ERR_SYSTEM, "the system has no random numbers");
    lt_relay_packer_init(&u->packer, end->location.encap, end->location.payload_type, seed);
    uv_timer_init(end->world->loop, &u->timer);
    u->timer.data = u;
    u->timed = true;
    u->handles++;
    if ((result = make_playout(u, error)) != LIVETCP_OK)
        return result;
    if (!read_address(u)) {
        look_up(u);
        return LIVETCP_OK;
    }
    result = open_sockets(u, error);
    if (result == LIVETCP_ERR_SYSTEM && !*end->location.host) { /* no IPv6 on this host */
        uv_ip4_addr("0.0.0.0", 0, (struct sockaddr_in *)&u->host);
        result = open_sockets(u, error);
    }
    return result;
}

/* ---- the end ---- */

static void udp_finish(lt_relay_end *end, livetcp_usec drain_us)
{
    udp_end *u = (udp_end *)end;

    (void)drain_us;
    if (u->finishing)
        return;
    u->finishing = true;
    close_sockets(u);
    lt_relay_lookup_leave(&u->lookup);
    if (u->timed)
        uv_close((uv_handle_t *)&u->timer, on_timer_closed);
    free_if_closed(u);
}

static const lt_relay_end_kind udp_kind = {.start = udp_start,
                                           .deliver = udp_deliver,
                                           .attach = udp_attach,
                                           .detach = udp_detach,
                                           .finish = udp_finish};

lt_relay_end *lt_relay_udp_create(void)
{
    udp_end *u = calloc(1, sizeof *u);

    if (u)
        u->end.kind = &udp_kind;
    return u ? &u->end : NULL;
}
