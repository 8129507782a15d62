/* SPDX-License-Identifier: MIT */
/*
 * What strangers can do to a listener: one process listens, one has a session with it all the time,
 * and this one attacks from loopback addresses while a newcomer joins again and again. A row an
 * attack: how long the newcomer took, the listener's CPU, gaps and losses of the session under way,
 * and memory before and after.
 *
 *   strangers [ATTACK...]      all of them, or those; seconds each: STRANGERS_SECONDS (5)
 *
 * The attackers are written from docs/reference/wire-format.md.
 */
#include "base/bytes.h"
#include "rtp/rtp.h"
#include "wire/frame.h"
#include "wire/handshake.h"

#include <livetcp/livetcp.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BYSTANDER_INTERVAL_US 20000
#define BYSTANDER_SSRC        0x0b50bed
#define JOIN_INTERVAL_US      100000
#define OPEN_MAX              1200

/* ---- the listener's process ---- */

/* Answer to one byte on its socket; the largest gap is since the answer before. */
typedef struct report {
    uint64_t cpu_us, packets, sessions;
    long rss_kb;
    livetcp_usec gap_us;
} report;

static atomic_llong last_us, gap_us;
static atomic_ullong packets, sessions;

static livetcp_usec now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (livetcp_usec)t.tv_sec * LIVETCP_USEC_SEC + t.tv_nsec / 1000;
}

static void on_packet(livetcp_session *session, const livetcp_packet *packet, void *user)
{
    livetcp_usec now = now_us(), gap;

    (void)session;
    (void)user;
    if (packet->rtcp || lt_read_be32(packet->data + 8) != BYSTANDER_SSRC)
        return;
    gap = now - (livetcp_usec)atomic_load(&last_us);
    if (atomic_load(&packets) && gap > atomic_load(&gap_us))
        atomic_store(&gap_us, gap);
    atomic_store(&last_us, now);
    atomic_fetch_add(&packets, 1);
}

static void on_state(livetcp_session *session, livetcp_session_state state,
                     const livetcp_error *error, void *user)
{
    (void)error;
    (void)user;
    if (state == LIVETCP_SESSION_CLOSED)
        livetcp_session_destroy(&session);
}

static bool on_session(livetcp_listener *listener, livetcp_session *session, const char *remote,
                       void *user)
{
    static const livetcp_session_callbacks callbacks = {
        .struct_size = sizeof callbacks, .on_packet = on_packet, .on_state = on_state};

    (void)listener;
    (void)remote;
    (void)user;
    atomic_fetch_add(&sessions, 1);
    return livetcp_session_set_callbacks(session, &callbacks, NULL) == LIVETCP_OK;
}

static long rss_kb(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    long pages = 0;

    if (file && fscanf(file, "%*d %ld", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void answer(int fd)
{
    struct rusage usage;
    report r = {.packets = atomic_load(&packets),
                .sessions = atomic_load(&sessions),
                .gap_us = atomic_exchange(&gap_us, 0),
                .rss_kb = rss_kb()};

    getrusage(RUSAGE_SELF, &usage);
    r.cpu_us = (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 +
               (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    if (write(fd, &r, sizeof r) != sizeof r)
        _exit(1);
}

static void listen_process(int fd)
{
    static const livetcp_listener_callbacks callbacks = {.struct_size = sizeof callbacks,
                                                         .on_session = on_session};
    livetcp_context *context;
    livetcp_listener *listener;
    livetcp_config config;
    livetcp_error error;
    uint16_t port;
    char byte;

    livetcp_config_init(&config);
    config.linger_us = 1000 * LIVETCP_USEC_MSEC; /* the newcomers' sessions end soon */
    if (livetcp_context_create(NULL, &context, &error) != LIVETCP_OK ||
        livetcp_listener_create(context, &config, &callbacks, NULL, &listener, &error) !=
            LIVETCP_OK) {
        fprintf(stderr, "%s\n", error.message);
        _exit(1);
    }
    port = livetcp_listener_port(listener);
    if (write(fd, &port, sizeof port) != sizeof port)
        _exit(1);
    while (read(fd, &byte, 1) == 1)
        answer(fd);
    _exit(0);
}

/* The least that a program can do about a connection, to compare with: takes it, reads its request
 * and closes it. */
static void *accept_and_close(void *listener)
{
    struct linger reset = {.l_onoff = 1};
    char request[4096];

    for (;;) {
        int fd = accept(*(int *)listener, NULL, NULL);
        if (fd < 0)
            continue;
        (void)!read(fd, request, sizeof request);
        (void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
        close(fd);
    }
    return NULL;
}

static void floor_process(int fd)
{
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof own;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    pthread_t thread;
    char byte;

    if (listener < 0 || bind(listener, (struct sockaddr *)&own, sizeof own) != 0 ||
        listen(listener, SOMAXCONN) != 0 ||
        getsockname(listener, (struct sockaddr *)&own, &size) != 0 ||
        pthread_create(&thread, NULL, accept_and_close, &listener) != 0)
        _exit(1);
    uint16_t at = ntohs(own.sin_port);
    if (write(fd, &at, sizeof at) != sizeof at)
        _exit(1);
    while (read(fd, &byte, 1) == 1)
        answer(fd);
    _exit(0);
}

static report ask(int fd)
{
    report r;

    if (write(fd, "r", 1) != 1 || read(fd, &r, sizeof r) != sizeof r) {
        fprintf(stderr, "the listener is gone\n");
        exit(1);
    }
    return r;
}

/* ---- the session under way ---- */

static void bystander_process(uint16_t port)
{
    livetcp_context *context;
    livetcp_session *session;
    livetcp_config config;
    livetcp_error error;
    uint8_t packet[200] = {0x80, 96};

    livetcp_config_init(&config);
    snprintf(config.host, sizeof config.host, "127.0.0.1");
    config.port = port;
    if (livetcp_context_create(NULL, &context, &error) != LIVETCP_OK ||
        livetcp_session_connect(context, &config, NULL, NULL, &session, &error) != LIVETCP_OK)
        _exit(1);
    lt_write_be32(packet + 8, BYSTANDER_SSRC);
    for (uint16_t i = 0;; i++) {
        struct timespec pause = {0, BYSTANDER_INTERVAL_US * 1000};
        lt_write_be16(packet + 2, i);
        (void)livetcp_session_send(session, packet, sizeof packet);
        nanosleep(&pause, NULL);
    }
}

/* ---- strangers ---- */

static uint16_t port;

static livetcp_result draw(void *user, uint8_t *bytes, size_t size)
{
    (void)user;
    return getrandom(bytes, size, 0) == (ssize_t)size ? LIVETCP_OK : LIVETCP_ERR_SYSTEM;
}

/* From 127.0.1.`from`; -1 if it cannot. */
static int reach(unsigned from)
{
    struct sockaddr_in own = {.sin_family = AF_INET,
                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK + 0x100 - 1 + from)};
    struct sockaddr_in peer = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct linger reset = {.l_onoff = 1};
    int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;

    if (fd < 0)
        return -1;
    (void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    (void)setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof one);
    if (bind(fd, (struct sockaddr *)&own, sizeof own) != 0 ||
        connect(fd, (struct sockaddr *)&peer, sizeof peer) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

static void put(int fd, const void *bytes, size_t size)
{
    (void)!send(fd, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* A CREATE whose key nobody has: no agreement on this side. */
static void create(int fd)
{
    lt_control message = {.type = LT_CONTROL_CREATE, .version = LT_WIRE_VERSION, .count = 1};
    uint8_t frame[LT_CONTROL_MAX];

    (void)draw(NULL, message.session_id, sizeof message.session_id);
    (void)draw(NULL, message.nonce, sizeof message.nonce);
    (void)draw(NULL, message.public_key, sizeof message.public_key);
    put(fd, frame, lt_control_encode(&message, frame));
}

static bool await(int fd, int ms)
{
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    return poll(&wait, 1, ms) == 1;
}

/* One message of the handshake. False at the end of the connection, or after 2 s. */
static bool next_message(int fd, lt_control *message)
{
    uint8_t frame[LT_FRAME_HEADER + LT_CONTROL_MAX];
    size_t have = 0, want = LT_FRAME_HEADER;

    while (have < want) {
        ssize_t n = await(fd, 2000) ? recv(fd, frame + have, want - have, 0) : -1;
        if (n <= 0)
            return false;
        have += (size_t)n;
        if (have == LT_FRAME_HEADER)
            want = LT_FRAME_HEADER + (size_t)lt_read_be16(frame);
        if (want > sizeof frame)
            return false;
    }
    return lt_control_decode(frame + LT_FRAME_HEADER, want - LT_FRAME_HEADER, message) ==
           LIVETCP_OK;
}

/* The whole handshake; the socket is -1 if it did not come about. */
static int join(unsigned from)
{
    lt_credentials credentials;
    lt_caller_handshake handshake;
    lt_control message;
    lt_opening opening;
    lt_reply reply;
    int fd = reach(from);

    if (fd < 0 || lt_credentials_create(&credentials, NULL, draw, NULL) != LIVETCP_OK ||
        lt_caller_start(&handshake, &credentials, NULL, 0, 1, draw, NULL, &opening) != LIVETCP_OK)
        exit(1);
    put(fd, opening.frame, opening.size);
    while (!handshake.joined) {
        if (!next_message(fd, &message) ||
            lt_caller_receive(&handshake, &credentials, &message, &reply) != LIVETCP_OK) {
            close(fd);
            return -1;
        }
        put(fd, reply.frame, reply.size);
    }
    return fd;
}

/* ---- attacks: each is called over and over, with how often it has been, and paces itself ---- */

static int held[OPEN_MAX];
static unsigned held_count;
static unsigned addresses = 1;

static void hold(int fd)
{
    unsigned at = held_count++ % OPEN_MAX;

    if (held_count > OPEN_MAX && held[at] >= 0)
        close(held[at]);
    held[at] = fd;
}

static void let_go(void)
{
    for (unsigned i = 0; i < OPEN_MAX && i < held_count; i++)
        if (held[i] >= 0)
            close(held[i]);
    held_count = 0;
}

static unsigned source(unsigned turn)
{
    return 2 + turn % addresses;
}

static void idle(void)
{
    struct timespec pause = {0, 1000000};
    nanosleep(&pause, NULL);
}

/* True when the turn is due at that rate. */
static bool pace(unsigned turn, double rate, livetcp_usec began)
{
    if ((double)(now_us() - began) * rate / LIVETCP_USEC_SEC >= turn)
        return true;
    idle();
    return false;
}

static bool silent(unsigned turn, livetcp_usec began)
{
    (void)began;
    if (turn < 1000)
        hold(reach(source(turn)));
    else
        idle();
    return true;
}

static bool slow(unsigned turn, livetcp_usec began)
{
    static const uint8_t begin[] = {0, 84, 0x80, 204};

    if (turn < 500) {
        hold(reach(source(turn)));
        return true;
    }
    if (!pace(turn - 500, 500, began))
        return false;
    if (held[turn % 500] >= 0)
        put(held[turn % 500], begin + turn / 500 % 4, 1);
    return true;
}

static bool half_joined(unsigned turn, livetcp_usec began)
{
    (void)began;
    if (turn >= 10000) {
        idle();
        return true;
    }
    int fd = reach(source(turn));
    if (fd >= 0)
        create(fd);
    hold(fd);
    return true;
}

static bool at_once(unsigned turn, livetcp_usec began)
{
    return turn < 500 ? half_joined(turn, began) : (idle(), true);
}

static bool flood(unsigned turn, livetcp_usec began)
{
    if (!pace(turn, 5000, began))
        return false;
    int fd = reach(source(turn));
    if (fd >= 0)
        create(fd);
    hold(fd);
    return true;
}

static bool wrong_proofs(unsigned turn, livetcp_usec began)
{
    static const lt_control proof = {.type = LT_CONTROL_PROOF};
    uint8_t frame[LT_CONTROL_MAX];
    lt_control message;
    int fd = reach(source(turn));

    (void)began;
    if (fd < 0)
        return true;
    create(fd);
    if (await(fd, 20) && next_message(fd, &message)) {
        put(fd, frame, lt_control_encode(&proof, frame));
        (void)await(fd, 20);
    }
    close(fd);
    return true;
}

/* Members: they have joined, and play games at 2 Mbit/s. */
static int member = -1;
static uint64_t member_bytes;

static bool play(livetcp_usec began, const void *frame, size_t size)
{
    double due = (double)(now_us() - began) * 2 / 8;

    if (member < 0)
        member = join(2);
    if ((double)member_bytes > due) {
        idle();
        return false;
    }
    if (send(member, frame, size, MSG_NOSIGNAL | MSG_DONTWAIT) > 0)
        member_bytes += size;
    else
        idle();
    return true;
}

static size_t framed(uint8_t *frame, size_t size)
{
    lt_write_be16(frame, (uint16_t)size);
    return LT_FRAME_HEADER + size;
}

static bool parity_game(unsigned turn, livetcp_usec began)
{
    uint8_t frame[LT_CONTROL_MAX] = {0}, *p = frame + LT_FRAME_HEADER;
    lt_control message = {.type = LT_CONTROL_PARITY,
                          .parity_ssrc = 100 + turn % 8,
                          .media_ssrc = 7,
                          .payload_type = 127};

    if (turn < 8)
        return play(began, frame, lt_control_encode(&message, frame));
    p[0] = 0x80;
    p[1] = 96;
    lt_write_be16(p + 2, (uint16_t)turn);
    lt_write_be32(p + 8, 7);
    if (turn % 3 == 0)
        return play(began, frame, framed(frame, 12)); /* media */
    p[0] = 0x81;
    p[1] = 127;
    lt_write_be32(p + 8, 100 + turn % 8);
    lt_write_be32(p + 12, 7);
    lt_write_be16(p + 24, (uint16_t)(turn - 50)); /* base; every bit of a long mask */
    lt_write_be16(p + 26, 0xffff);
    memset(p + 28, 0xff, 12);
    return play(began, frame, framed(frame, 44));
}

static bool ssrc_game(unsigned turn, livetcp_usec began)
{
    uint8_t frame[64] = {0}, *p = frame + LT_FRAME_HEADER;

    p[0] = 0x80;
    p[1] = 96;
    lt_write_be16(p + 2, (uint16_t)(turn * 40503u));
    lt_write_be32(p + 8, turn);
    return play(began, frame, framed(frame, 20));
}

static bool rtcp_game(unsigned turn, livetcp_usec began)
{
    uint8_t frame[64] = {0}, *p = frame + LT_FRAME_HEADER;

    p[0] = 0x81;
    p[1] = 201; /* RR with one block */
    lt_write_be16(p + 2, 7);
    lt_write_be32(p + 4, turn);
    lt_write_be32(p + 8, turn * 2654435761u);
    return play(began, frame, framed(frame, 32));
}

static bool feedback_game(unsigned turn, livetcp_usec began)
{
    uint8_t frame[LT_CONTROL_MAX];
    lt_control message;

    memset(&message, 0, sizeof message);
    message.type = turn % 2 ? LT_CONTROL_RECEPTION : LT_CONTROL_PING;
    return play(began, frame, lt_control_encode(&message, frame));
}

typedef struct attack {
    const char *name;
    unsigned addresses;
    bool (*turn)(unsigned turn, livetcp_usec began); /* false: not due yet */
    bool at_floor; /* at the program that accepts and closes alone: nobody can join there */
} attack;

static bool nothing(unsigned turn, livetcp_usec began)
{
    (void)turn;
    (void)began;
    idle();
    return true;
}

static const attack attacks[] = {
    {"none", 1, nothing, false},
    {"1,000 silent", 1, silent, false},
    {"500 slow", 1, slow, false},
    {"10,000 half-joined in turn", 1, half_joined, false},
    {"500 half-joined at once", 1, at_once, false},
    {"5,000 CREATE/s", 1, flood, false},
    {"accept, read, close: 5,000/s", 1, flood, true},
    {"wrong proofs", 1, wrong_proofs, false},
    {"1,000 silent, 200 addresses", 200, silent, false},
    {"10,000 half-joined, 200 addresses", 200, half_joined, false},
    {"5,000 CREATE/s, 200 addresses", 200, flood, false},
    {"wrong proofs, 200 addresses", 200, wrong_proofs, false},
    {"member: parity, 2 Mbit/s", 1, parity_game, false},
    {"member: SSRCs, 2 Mbit/s", 1, ssrc_game, false},
    {"member: RTCP, 2 Mbit/s", 1, rtcp_game, false},
    {"member: feedback, 2 Mbit/s", 1, feedback_game, false},
};

/* ---- measuring ---- */

/* A process that listens: its end of a pair of sockets, and its port. */
typedef struct target {
    pid_t child;
    int fd;
    uint16_t port;
} target;

static target start(void (*process)(int fd))
{
    target made;
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        exit(1);
    made.child = fork();
    if (made.child == 0) {
        close(ends[0]);
        process(ends[1]);
    }
    close(ends[1]);
    made.fd = ends[0];
    if (read(made.fd, &made.port, sizeof made.port) != sizeof made.port)
        exit(1);
    return made;
}

static void stop(pid_t child)
{
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The newcomer is another process, so that the attack does not wait for it. Its joins, in ms; a
 * join that failed is 1e6. */
static void newcomer_process(int fd, double seconds)
{
    livetcp_usec end = now_us() + (livetcp_usec)(seconds * LIVETCP_USEC_SEC);

    while (now_us() < end) {
        struct timespec pause = {0, JOIN_INTERVAL_US * 1000};
        livetcp_usec began = now_us();
        int joined = join(1);
        double took = joined < 0 ? 1e6 : (double)(now_us() - began) / 1000;
        if (write(fd, &took, sizeof took) != sizeof took)
            break;
        if (joined >= 0)
            close(joined);
        nanosleep(&pause, NULL);
    }
    _exit(0);
}

static void run(const attack *a, const target *at, double seconds)
{
    static double joins[4096];
    int newcomer[2];
    size_t count = 0;
    unsigned turns = 0;
    report before = ask(at->fd), after;

    if (pipe(newcomer) != 0)
        exit(1);
    port = at->port;
    addresses = a->addresses;
    member = -1;
    member_bytes = 0;
    pid_t child = a->at_floor ? -1 : fork();
    if (child == 0)
        newcomer_process(newcomer[1], seconds);
    close(newcomer[1]);
    livetcp_usec began = now_us(), end = began + (livetcp_usec)(seconds * LIVETCP_USEC_SEC);
    while (now_us() < end)
        turns += a->turn(turns, began);
    double took = (double)(now_us() - began);
    after = ask(at->fd);
    while (count < 4096 && read(newcomer[0], &joins[count], sizeof *joins) == sizeof *joins)
        count++;
    close(newcomer[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
    let_go();
    if (member >= 0)
        close(member);
    sleep(6); /* handshake-timeout, and the sessions of newcomers */
    long settled = ask(at->fd).rss_kb;
    qsort(joins, count, sizeof *joins, by_size);
    double due = took / BYSTANDER_INTERVAL_US;
    printf("%-34s %8u %9.1f %9.1f %6.1f%% %8.1f %7.0f %8.1f %8.1f %8.1f\n", a->name, turns,
           count ? joins[count / 2] : 0, count ? joins[count - 1] : 0,
           100 * (double)(after.cpu_us - before.cpu_us) / took,
           (double)after.gap_us / 1000 - BYSTANDER_INTERVAL_US / 1000.0,
           due - (double)(after.packets - before.packets) > 2
               ? due - (double)(after.packets - before.packets)
               : 0,
           (double)before.rss_kb / 1024, (double)after.rss_kb / 1024, (double)settled / 1024);
    fflush(stdout);
}

static bool is_wanted(const attack *a, int count, char **names)
{
    for (int i = 0; i < count; i++)
        if (strstr(a->name, names[i]))
            return true;
    return count == 0;
}

int main(int argc, char **argv)
{
    const char *text = getenv("STRANGERS_SECONDS");
    double seconds = text ? atof(text) : 5;
    struct rlimit files = {8192, 8192};
    pid_t bystander;

    signal(SIGPIPE, SIG_IGN);
    target listener = start(listen_process), least = start(floor_process);
    (void)setrlimit(RLIMIT_NOFILE, &files);
    bystander = fork();
    if (bystander == 0)
        bystander_process(listener.port);
    sleep(2);
    (void)ask(listener.fd);
    printf("%-34s %8s %9s %9s %7s %8s %7s %8s %8s %8s\n", "attack", "turns", "join ms", "max ms",
           "CPU", "gap+ ms", "lost", "MiB", "during", "after");
    for (size_t i = 0; i < sizeof attacks / sizeof *attacks; i++)
        if (is_wanted(&attacks[i], argc - 1, argv + 1))
            run(&attacks[i], attacks[i].at_floor ? &least : &listener, seconds);
    stop(bystander);
    stop(least.child);
    stop(listener.child);
    return 0;
}
