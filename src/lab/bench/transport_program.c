/* SPDX-License-Identifier: MIT */
/* Another protocol beside LiveTCP, by a program: one process for each flow at each end of the path,
 *
 *   COMMAND receive ADDRESS
 *   COMMAND send ADDRESS PORT RATE
 *
 * where RATE is the encoder's first bit rate in bit/s. Standard input of each is one end of a Unix
 * socket of sequenced packets (SOCK_SEQPACKET), written and read by both sides. A message that
 * begins with the version of RTP (its first two bits are 10) is an RTP packet: from the bench at
 * the sending end, to the bench at the receiving one, unchanged and in any order. Other messages,
 * which only the program writes, are text:
 *
 *   port N         the receiver waits at port N; its first message
 *   ready          packets pass from now on; both
 *   rate N         the encoder may have N bit/s from its next frame on; the sender
 *   key            the receiving end needs a key frame; the sender
 *   dropped N      N packets that were taken will not be sent; the sender
 *   error TEXT     it ends, for this reason
 *
 * A program ends when its standard input does. All of a run's schemes have the same encoder, path
 * and clock, so a program needs none. Media goes forward only. */
#include "lab/bench/transport.h"

#include "base/error.h"
#include "lab/bench/watcher.h"
#include "lab/clock.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define PORT_TIMEOUT_US (20 * (livetcp_usec)LIVETCP_USEC_SEC)
#define EXIT_GRACE_US   (2 * (livetcp_usec)LIVETCP_USEC_SEC)

enum { MESSAGE_MAX = 1 << 16, SOCKET_BUFFER = 4 << 20, REASON_MAX = 200 };

/* ---- one flow: a process and the socket to it ---- */

typedef struct program_flow {
    int fd; /* -1 = none */
    pid_t pid;
    pthread_mutex_t lock; /* of the following members */
    bool ready, ended;
    uint16_t port;           /* 0 = not yet known */
    char reason[REASON_MAX]; /* why it ended, if it said so */
    uint64_t sent, sent_bytes, dropped, refused;
} program_flow;

typedef struct program_transport {
    lt_transport base;
    lt_watcher watcher; /* by flow */
    program_flow *flows;
    char *message; /* of the thread: MESSAGE_MAX bytes and a NUL */
} program_transport;

/* Starts `argv` with `fd` as standard input; its output goes to standard error. */
static int spawn(pid_t *pid, int fd, char *const argv[])
{
    posix_spawn_file_actions_t actions;
    int code = posix_spawn_file_actions_init(&actions);
    if (code)
        return code;
    if (!(code = posix_spawn_file_actions_adddup2(&actions, fd, STDIN_FILENO)) &&
        !(code = posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)) &&
        !(code = posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1)))
        code = posix_spawn(pid, "/bin/sh", &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

static livetcp_result start_program(program_transport *t, unsigned index, char *way, char *address,
                                    char *port, char *rate, livetcp_error *error)
{
    const lt_bench_program *program = t->base.scheme->program;
    program_flow *flow = &t->flows[index];
    char line[sizeof program->command + 16], name[sizeof program->name];
    char shell[] = "sh", option[] = "-c";
    char *argv[] = {shell, option, line, name, way, address, port, rate, NULL};
    const int size = SOCKET_BUFFER;
    int pair[2];
    snprintf(line, sizeof line, "exec %s \"$@\"", program->command);
    snprintf(name, sizeof name, "%s", program->name);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
        return lt_fail_errno(error, LIVETCP_ERR_SYSTEM, errno, "cannot make a socket pair");
    setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    int code = spawn(&flow->pid, pair[1], argv);
    close(pair[1]);
    pthread_mutex_lock(&flow->lock);
    flow->fd = pair[0];
    pthread_mutex_unlock(&flow->lock);
    if (!code)
        code = lt_watcher_add(&t->watcher, pair[0], index, EPOLLIN);
    return code ? lt_fail_errno(error, LIVETCP_ERR_SYSTEM, code, "cannot start %s", program->name)
                : LIVETCP_OK;
}

/* ---- its messages ---- */

/* True if `text` is "WORD N". */
static bool number_after(const char *text, const char *word, unsigned long long *out)
{
    size_t length = strlen(word);
    char *end;
    if (strncmp(text, word, length) || text[length] != ' ')
        return false;
    errno = 0;
    *out = strtoull(text + length + 1, &end, 10);
    return !errno && !*end && end > text + length + 1;
}

static void end_flow(program_transport *t, unsigned index, const char *reason)
{
    program_flow *flow = &t->flows[index];
    pthread_mutex_lock(&flow->lock);
    bool late = flow->ready && !flow->ended;
    flow->ended = true;
    if (!*flow->reason)
        snprintf(flow->reason, sizeof flow->reason, "%s", reason);
    pthread_mutex_unlock(&flow->lock);
    if (late)
        fprintf(stderr, "livetcp bench: %s, flow %u: %s\n", t->base.scheme->program->name, index,
                reason);
}

static void take_text(program_transport *t, unsigned index, const char *text)
{
    const lt_transport_user *user = &t->base.user;
    program_flow *flow = &t->flows[index];
    unsigned long long number;
    if (!strncmp(text, "error ", 6)) {
        end_flow(t, index, text + 6);
    } else if (number_after(text, "rate", &number) && number <= UINT32_MAX) {
        user->bitrate(user->user, index, (uint32_t)number);
    } else if (!strcmp(text, "key")) {
        user->key_wanted(user->user, index);
    } else {
        pthread_mutex_lock(&flow->lock);
        if (!strcmp(text, "ready"))
            flow->ready = true;
        else if (number_after(text, "port", &number) && number > 0 && number <= UINT16_MAX)
            flow->port = (uint16_t)number;
        else if (number_after(text, "dropped", &number))
            flow->dropped += number;
        pthread_mutex_unlock(&flow->lock);
    }
}

/* Handles one message. False if there are no more, now or for good. */
static bool take_message(program_transport *t, unsigned index)
{
    program_flow *flow = &t->flows[index];
    pthread_mutex_lock(&flow->lock);
    const int fd = flow->fd;
    pthread_mutex_unlock(&flow->lock);
    ssize_t n = recv(fd, t->message, MESSAGE_MAX, MSG_DONTWAIT);
    if (n < 0 && errno == EINTR)
        return true;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return false;
    if (n <= 0) {
        lt_watcher_remove(&t->watcher, fd);
        end_flow(t, index, "the program ended");
        return false;
    }
    if (((uint8_t)*t->message & 0xc0) == 0x80) {
        t->base.user.receive(t->base.user.user, (const uint8_t *)t->message, (size_t)n);
    } else {
        t->message[n] = '\0';
        t->message[strcspn(t->message, "\r\n")] = '\0';
        take_text(t, index, t->message);
    }
    return true;
}

/* The watcher's on_ready. */
static void on_ready(void *user, unsigned index, uint32_t events)
{
    (void)events;
    while (take_message(user, index))
        ;
}

/* ---- the transport ---- */

/* Waits for the receiver's port, before the thread starts. */
static livetcp_result await_port(program_transport *t, unsigned index, uint16_t *port,
                                 livetcp_error *error)
{
    const char *name = t->base.scheme->program->name;
    program_flow *flow = &t->flows[index];
    livetcp_usec deadline = lt_clock_now() + PORT_TIMEOUT_US;
    while (!flow->port && !flow->ended) {
        struct pollfd entry = {.fd = flow->fd, .events = POLLIN};
        if (poll(&entry, 1, 100) > 0)
            take_message(t, index);
        else if (lt_clock_now() > deadline)
            return lt_fail(error, LIVETCP_ERR_UNREACHABLE,
                           "%s does not name its port: it is to write 'port N'", name);
    }
    *port = flow->port;
    return flow->port ? LIVETCP_OK
                      : lt_fail(error, LIVETCP_ERR_UNREACHABLE, "%s: %s", name, flow->reason);
}

static livetcp_result program_listen(lt_transport *base, const char *address, uint16_t *ports,
                                     livetcp_error *error)
{
    program_transport *t = (program_transport *)base;
    char way[] = "receive", host[64];
    livetcp_result result = LIVETCP_OK;
    snprintf(host, sizeof host, "%s", address);
    for (unsigned i = 0; result == LIVETCP_OK && i < base->flows; i++) {
        result = start_program(t, i, way, host, NULL, NULL, error);
        if (result == LIVETCP_OK)
            result = await_port(t, i, &ports[i], error);
    }
    return result == LIVETCP_OK ? lt_watcher_start(&t->watcher, error) : result;
}

static livetcp_result program_connect(lt_transport *base, unsigned index, const char *address,
                                      uint16_t port, livetcp_error *error)
{
    program_transport *t = (program_transport *)base;
    char way[] = "send", host[64], number[8], rate[24];
    snprintf(host, sizeof host, "%s", address);
    snprintf(number, sizeof number, "%u", port);
    snprintf(rate, sizeof rate, "%.0f", base->scheme->start_rate);
    livetcp_result result = start_program(t, index, way, host, number, rate, error);
    return result == LIVETCP_OK ? lt_watcher_start(&t->watcher, error) : result;
}

static bool program_ready(lt_transport *base, unsigned index, livetcp_error *error)
{
    program_flow *flow = &((program_transport *)base)->flows[index];
    pthread_mutex_lock(&flow->lock);
    bool ready = flow->ready && !flow->ended;
    if (flow->ended)
        lt_fail(error, LIVETCP_ERR_CONNECTION_LOST, "%s: %s", base->scheme->program->name,
                flow->reason);
    pthread_mutex_unlock(&flow->lock);
    return ready;
}

static livetcp_result program_send(lt_transport *base, unsigned index, const uint8_t *packet,
                                   size_t size, const livetcp_packet_info *info)
{
    program_flow *flow = &((program_transport *)base)->flows[index];
    (void)info; /* other protocols take what they need from the RTP packet */
    bool taken = send(flow->fd, packet, size, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)size;
    pthread_mutex_lock(&flow->lock);
    flow->sent += taken;
    flow->sent_bytes += taken ? size : 0;
    flow->refused += !taken;
    pthread_mutex_unlock(&flow->lock);
    return taken ? LIVETCP_OK : LIVETCP_ERR_CONNECTION_LOST;
}

static bool program_writable(lt_transport *base, unsigned index)
{
    (void)base;
    (void)index;
    return false; /* greedy sources are rejected in options.c */
}

static void program_totals(lt_transport *base, lt_transport_totals *out)
{
    program_transport *t = (program_transport *)base;
    for (unsigned i = 0; i < base->flows; i++) {
        program_flow *flow = &t->flows[i];
        pthread_mutex_lock(&flow->lock);
        out->packets_sent += flow->sent;
        out->bytes_sent += flow->sent_bytes;
        out->dropped += flow->dropped;
        out->refused += flow->refused;
        pthread_mutex_unlock(&flow->lock);
    }
}

static void flow_clear(program_flow *flow)
{
    livetcp_usec deadline = lt_clock_now() + EXIT_GRACE_US;
    if (flow->fd >= 0)
        close(flow->fd);
    while (flow->pid > 0 && waitpid(flow->pid, NULL, WNOHANG) == 0) {
        if (lt_clock_now() >= deadline)
            kill(flow->pid, SIGKILL);
        lt_clock_sleep_until(lt_clock_now() + 5000);
    }
    pthread_mutex_destroy(&flow->lock);
}

static void program_destroy(lt_transport *base)
{
    program_transport *t = (program_transport *)base;
    lt_watcher_stop(&t->watcher);
    for (unsigned i = 0; t->flows && i < base->flows;
         i++) /* all of them get the end of input before the first is waited for */
        if (t->flows[i].fd >= 0)
            shutdown(t->flows[i].fd, SHUT_RDWR);
    for (unsigned i = 0; t->flows && i < base->flows; i++)
        flow_clear(&t->flows[i]);
    free(t->flows);
    free(t->message);
    lt_watcher_clear(&t->watcher);
    free(t);
}

static const lt_transport_ops program_ops = {
    .destroy = program_destroy,
    .listen = program_listen,
    .connect = program_connect,
    .ready = program_ready,
    .send = program_send,
    .writable = program_writable,
    .totals = program_totals,
};

livetcp_result lt_program_transport_create(lt_transport **out, unsigned flows, livetcp_error *error)
{
    program_transport *t = calloc(1, sizeof *t);
    livetcp_result result;
    *out = NULL;
    if (!t)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for the flows");
    t->base = (lt_transport){.ops = &program_ops};
    result = lt_watcher_init(&t->watcher, on_ready, t, error);
    t->flows = calloc(flows, sizeof *t->flows);
    t->message = malloc(MESSAGE_MAX + 1);
    if (result == LIVETCP_OK && (!t->flows || !t->message))
        result = lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for the flows");
    for (unsigned i = 0; t->flows && i < flows; i++) {
        t->flows[i].fd = -1;
        pthread_mutex_init(&t->flows[i].lock, NULL);
        t->base.flows = i + 1;
    }
    if (result != LIVETCP_OK) {
        program_destroy(&t->base);
        return result;
    }
    *out = &t->base;
    return LIVETCP_OK;
}
