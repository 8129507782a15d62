/* SPDX-License-Identifier: MIT */
/*
 * A session over the application's own sockets: livetcp/engine.h and poll(), without libuv. Calls a
 * LiveTCP listener, sends RTP packets at a constant rate (by default 500 packets in ten seconds),
 * counts the packets received, and replaces broken connections. C11 and POSIX.
 *
 * serve() carries out the engine's requests after every possible change. turn() waits and passes
 * the time to the engine, take_ready() socket events.
 */
#include <livetcp/engine.h>

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define SAMPLES     160 /* per packet: 20 ms of G.711 speech */
#define INTERVAL_US 20000
#define DRAIN_US    (5 * LIVETCP_USEC_SEC)

typedef struct slot {
    int socket;      /* -1: none */
    bool connecting; /* fails at deadline_us */
    bool leaving;    /* closed by the engine: open until the peer has read the last bytes */
    bool blocked;    /* the send buffer is full */
    livetcp_usec deadline_us;
} slot;

typedef struct owner {
    livetcp_engine *engine;
    livetcp_config config;
    struct addrinfo *peer;
    slot slots[LIVETCP_MAX_CONNECTIONS];
    livetcp_result reason; /* why the session has ended; LIVETCP_OK before */
    unsigned received;     /* packets from the peer's application */
} owner;

static livetcp_usec clock_us(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * LIVETCP_USEC_SEC + t.tv_nsec / 1000;
}

static livetcp_usec now_us(void)
{
    return clock_us(CLOCK_MONOTONIC); /* the wall clock can be set back */
}

/* Random bytes for nonces and keys. Whoever can predict them can join the session, read its media
 * and forge media, so they come from the kernel, never from rand(). On some systems getentropy() is
 * in sys/random.h. */
static livetcp_result fill_random(void *user, uint8_t *bytes, size_t size)
{
    (void)user;
    return size <= 256 && getentropy(bytes, size) == 0 ? LIVETCP_OK : LIVETCP_ERR_SYSTEM;
}

/* Called within livetcp_engine_receive() and livetcp_engine_expire(): must not call the engine. */
static void on_packet(void *user, const livetcp_packet *packet)
{
    if (!packet->report) /* skips RTCP reports composed by LiveTCP */
        ((owner *)user)->received++;
}

/* ---- sockets come and go ---- */

static void close_slot(slot *s)
{
    if (s->socket >= 0)
        close(s->socket);
    *s = (slot){.socket = -1};
}

/* `error` is an errno; 0 = closed by the peer. */
static void lose(owner *o, unsigned i, int error)
{
    slot was = o->slots[i];
    livetcp_result reason = !was.connecting         ? LIVETCP_ERR_CONNECTION_LOST
                            : error == ECONNREFUSED ? LIVETCP_ERR_REFUSED
                                                    : LIVETCP_ERR_UNREACHABLE;

    close_slot(&o->slots[i]);
    if (!was.leaving) /* otherwise the engine no longer uses it */
        livetcp_engine_lost(o->engine, i, reason, now_us());
}

static void start_connecting(owner *o, unsigned i)
{
    const struct addrinfo *peer = o->peer;
    slot *s = &o->slots[i];

    close_slot(s); /* one that is leaving */
    s->connecting = true;
    s->deadline_us = now_us() + o->config.connect_timeout_us;
    s->socket = socket(peer->ai_family, peer->ai_socktype, peer->ai_protocol);
    /* Without TCP_NODELAY, Nagle's algorithm holds small packets back until earlier ones are
     * acknowledged. */
    if (s->socket < 0 || fcntl(s->socket, F_SETFL, O_NONBLOCK) != 0 ||
        setsockopt(s->socket, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int)) != 0 ||
        (connect(s->socket, peer->ai_addr, peer->ai_addrlen) != 0 && errno != EINPROGRESS))
        lose(o, i, errno);
}

/* Shuts down only our direction: close() with unread input sends a RST, and the peer may lose the
 * BYE. */
static void leave(slot *s)
{
    shutdown(s->socket, SHUT_WR);
    s->connecting = s->blocked = false;
    s->leaving = true;
}

/* ---- the engine's requests ---- */

static bool next_write(owner *o, livetcp_engine_write *write)
{
    /* On Linux, TCP_INFO and SIOCOUTQ would improve a policy's decisions. This sample reports
     * neither, which is allowed: the engine then uses its own counters. */
    const livetcp_path nothing = {.known = 0};
    uint32_t wanted = livetcp_engine_wants_path_info(o->engine, now_us());

    for (unsigned i = 0; wanted; i++, wanted >>= 1)
        if (wanted & 1)
            livetcp_engine_path_info(o->engine, i, &nothing, now_us());
    return livetcp_engine_next_write(o->engine, now_us(), write);
}

static void write_once(owner *o, const livetcp_engine_write *write)
{
    slot *s = &o->slots[write->connection];
    ssize_t n = send(s->socket, write->data, write->size, MSG_NOSIGNAL);

    /* EAGAIN, or a failure that poll() reports as well: the remaining input is read first. */
    s->blocked = n < 0;
    if (n < 0)
        livetcp_engine_blocked(o->engine, write->connection);
    else
        livetcp_engine_wrote(o->engine, write->connection, (size_t)n, now_us());
}

static void take_event(owner *o, const livetcp_engine_event *event)
{
    static const char *const states[] = {"connecting", "open", "closed"};
    const char *why = livetcp_result_text(event->reason);

    if (event->type == LIVETCP_ENGINE_SESSION_STATE) {
        fprintf(stderr, "session %s: %s\n", states[event->state.session], why);
        if (event->state.session == LIVETCP_SESSION_CLOSED)
            o->reason = event->reason;
    } else if (event->type == LIVETCP_ENGINE_CONNECTION_STATE && event->reason != LIVETCP_OK) {
        fprintf(stderr, "connection %u: %s\n", event->connection, why);
    }
}

static void serve(owner *o)
{
    livetcp_engine_write write;
    livetcp_engine_event event;
    livetcp_result reason;
    unsigned i;

    for (;;) {
        while (next_write(o, &write))
            write_once(o, &write);
        if (!livetcp_engine_next_close(o->engine, &i, &reason))
            break;
        leave(&o->slots[i]); /* its packets may move to other connections: write again */
    }
    while (livetcp_engine_next_connect(o->engine, now_us(), &i))
        start_connecting(o, i);
    while (livetcp_engine_next_event(o->engine, &event))
        take_event(o, &event);
}

/* ---- the loop ---- */

static void read_input(owner *o, unsigned i)
{
    uint8_t input[16384];
    ssize_t n = recv(o->slots[i].socket, input, sizeof input, 0);

    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
        lose(o, i, n == 0 ? 0 : errno);
    else if (n > 0 && !o->slots[i].leaving) /* errors of receive() are returned by next_close() */
        livetcp_engine_receive(o->engine, i, input, (size_t)n, NULL, now_us());
}

static void take_ready(owner *o, unsigned i, short events)
{
    slot *s = &o->slots[i];
    int error = s->connecting && now_us() >= s->deadline_us ? ETIMEDOUT : 0;

    if (s->connecting && events)
        getsockopt(s->socket, SOL_SOCKET, SO_ERROR, &error, &(socklen_t){sizeof error});
    if (error) {
        lose(o, i, error);
    } else if (s->connecting && events) {
        s->connecting = false;
        livetcp_engine_connected(o->engine, i, now_us());
    } else if (s->blocked && events & POLLOUT) {
        s->blocked = false;
        livetcp_engine_writable(o->engine, i);
    }
    if (s->socket >= 0 && events & (POLLIN | POLLERR | POLLHUP))
        read_input(o, i);
}

/* Waits for sockets and the engine's deadline, at most until `until_us`. Returns the number of
 * sockets. */
static unsigned turn(owner *o, livetcp_usec until_us)
{
    struct pollfd polled[LIVETCP_MAX_CONNECTIONS];
    livetcp_usec now = now_us(), deadline = livetcp_engine_deadline(o->engine);
    unsigned sockets = 0;

    until_us = deadline < until_us ? deadline : until_us;
    for (unsigned i = 0; i < LIVETCP_MAX_CONNECTIONS; i++) {
        const slot *s = &o->slots[i];
        short write = s->connecting || s->blocked ? POLLOUT : 0;
        polled[i] = (struct pollfd){s->socket, POLLIN | write, 0}; /* poll() skips descriptor -1 */
        sockets += s->socket >= 0;
    }
    poll(polled, LIVETCP_MAX_CONNECTIONS,
         until_us > now ? (int)((until_us - now + 999) / 1000) : 0);
    for (unsigned i = 0; i < LIVETCP_MAX_CONNECTIONS; i++)
        if (o->slots[i].socket >= 0)
            take_ready(o, i, polled[i].revents);
    livetcp_engine_set_wall_clock(o->engine, clock_us(CLOCK_REALTIME) - now_us());
    livetcp_engine_expire(o->engine, now_us());
    serve(o);
    return sockets;
}

/* Sends 20 ms of PCMU. A real sender draws random values for SSRC, first sequence number and
 * timestamp. */
static void send_packet(owner *o, uint32_t number)
{
    uint8_t packet[LIVETCP_RTP_HEADER_SIZE + SAMPLES] = {0};
    livetcp_rtp_header header = {
        .sequence = (uint16_t)number, .timestamp = number * SAMPLES, .ssrc = 0x4c544350};

    livetcp_rtp_header_write(&header, packet, sizeof packet, NULL);
    livetcp_engine_send(o->engine, packet, sizeof packet, NULL, now_us());
    serve(o);
}

static void run(owner *o, unsigned long packets)
{
    livetcp_usec start_us = now_us(), end_us;
    unsigned long sent = 0;

    while (o->reason == LIVETCP_OK && sent < packets) {
        if (now_us() >= start_us + (livetcp_usec)sent * INTERVAL_US)
            send_packet(o, (uint32_t)sent++);
        turn(o, start_us + (livetcp_usec)sent * INTERVAL_US);
    }
    /* The engine sends its queue and BYE; then next_close() returns every connection. */
    end_us = now_us() + 2 * DRAIN_US;
    livetcp_engine_close(o->engine, LIVETCP_ERR_CANCELLED, DRAIN_US, now_us());
    while (now_us() < end_us && turn(o, now_us() + INTERVAL_US) > 0)
        ;
    freeaddrinfo(o->peer);
    printf("sent %lu received %u\n", sent, o->received);
}

int main(int argc, char **argv)
{
    static owner o;
    const livetcp_engine_setup setup = {.struct_size = sizeof setup,
                                        .config = &o.config,
                                        .caller = true,
                                        .random = fill_random,
                                        .on_packet = on_packet,
                                        .user = &o};
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    livetcp_error error = {.message = "usage: own_transport livetcp://HOST:PORT?... [PACKETS]"};
    char port[8];

    for (unsigned i = 0; i < LIVETCP_MAX_CONNECTIONS; i++)
        o.slots[i].socket = -1;
    livetcp_config_init(&o.config);
    if (argc < 2 || argc > 3 || livetcp_config_apply_uri(&o.config, argv[1], &error) ||
        livetcp_config_check(&o.config, &error) ||
        livetcp_engine_create(&setup, &o.engine, &error)) {
        fprintf(stderr, "own_transport: %s\n", error.message);
        return 1;
    }
    snprintf(port, sizeof port, "%u", o.config.port);
    if (getaddrinfo(o.config.host, port, &hints, &o.peer) == 0)
        run(&o, argc > 2 ? strtoul(argv[2], NULL, 10) : 500);
    else
        fprintf(stderr, "own_transport: cannot resolve %s\n", o.config.host);
    livetcp_engine_destroy(&o.engine);
    return o.reason != LIVETCP_ERR_CANCELLED && o.reason != LIVETCP_ERR_CLOSED;
}
