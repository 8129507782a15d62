/* SPDX-License-Identifier: MIT */
/* Sends UDP packets with their send time across a path. The delay is measured on arrival at the far
 * end, by the kernel's timestamp, and again in the receiving program: the difference is scheduling
 * of the receiver, not the path. */
#define _GNU_SOURCE
#include "lab/emulate/selftest.h"

#include "base/error.h"
#include "lab/clock.h"
#include "lab/emulate/report.h"
#include "lab/exit_code.h"
#include "lab/json.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PORT = 7777, HEADERS = 28, MIN_SIZE = 64, TARGET_USEC = 500, RECEIVE_BUFFER = 16 << 20 };
enum { REFERENCE_PRIORITY = 30, SENDER_PRIORITY = 5 }; /* above and below the forwarder's */

typedef struct timestamp {
    int64_t monotonic; /* ns */
    int64_t realtime;  /* ns, clock of the kernel's rx timestamps */
} timestamp;

typedef struct measurement {
    const lt_self_test *test;
    lt_path *path;
    livetcp_usec delay;
    int receiver, sender; /* sockets */
    uint64_t sent, refused, received;
    lt_lateness at_socket, at_program;
    lt_lateness machine; /* lateness of a real-time thread that only sleeps */
    atomic_bool finished;
} measurement;

static int64_t kernel_timestamp(struct msghdr *message)
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c))
        if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SO_TIMESTAMPNS) {
            struct timespec when;
            memcpy(&when, CMSG_DATA(c), sizeof when);
            return (int64_t)when.tv_sec * 1000000000 + when.tv_nsec;
        }
    return 0;
}

/* False if nothing arrived within the socket's time-out. */
static bool receive_one(measurement *trial)
{
    char data[2048];
    _Alignas(struct cmsghdr) char control[256];
    struct iovec buffer = {data, sizeof data};
    struct msghdr message = {
        .msg_iov = &buffer,
        .msg_iovlen = 1,
        .msg_control = control,
        .msg_controllen = sizeof control,
    };
    timestamp sent;
    if (recvmsg(trial->receiver, &message, 0) < (ssize_t)sizeof sent)
        return false;
    int64_t now = lt_clock_nsec(CLOCK_MONOTONIC);
    memcpy(&sent, data, sizeof sent);
    trial->received++;
    lt_lateness_add(&trial->at_socket,
                    (kernel_timestamp(&message) - sent.realtime) / 1000 - trial->delay);
    lt_lateness_add(&trial->at_program, (now - sent.monotonic) / 1000 - trial->delay);
    return true;
}

static void *receiver_main(void *argument)
{
    while (receive_one(argument)) {
    }
    return NULL;
}

static void send_one(measurement *trial, char *data, size_t size)
{
    const timestamp now = {lt_clock_nsec(CLOCK_MONOTONIC), lt_clock_nsec(CLOCK_REALTIME)};
    memcpy(data, &now, sizeof now);
    if (send(trial->sender, data, size, 0) < 0)
        trial->refused++;
    else
        trial->sent++;
}

/* As far as the system permits. */
static void be_punctual(int real_time_priority)
{
    const struct sched_param priority = {.sched_priority = real_time_priority};
    pthread_setschedparam(pthread_self(), SCHED_FIFO, &priority);
    prctl(PR_SET_TIMERSLACK, 1UL);
}

/* Measures the machine's minimum lateness: wake-ups of an otherwise idle real-time thread. On a
 * virtual machine that the host interrupts, no program can be more punctual. */
static void *machine_main(void *argument)
{
    measurement *trial = argument;
    be_punctual(REFERENCE_PRIORITY);
    int64_t at = lt_clock_nsec(CLOCK_MONOTONIC);
    while (!atomic_load(&trial->finished)) {
        at += 1000000;
        const struct timespec until = {at / 1000000000, at % 1000000000};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
        lt_lateness_add(&trial->machine, (lt_clock_nsec(CLOCK_MONOTONIC) - at) / 1000);
    }
    return NULL;
}

/* At absolute times: a late wake-up causes a small burst and does not lower the rate. */
static void *sender_main(void *argument)
{
    measurement *trial = argument;
    char data[2048] = {0};
    const lt_self_test *test = trial->test;
    const size_t size = test->size - HEADERS;
    const uint64_t count = (uint64_t)(test->rate * test->seconds);
    const int64_t start = lt_clock_nsec(CLOCK_MONOTONIC);
    be_punctual(SENDER_PRIORITY);
    for (uint64_t i = 0; i < count; i++) {
        const int64_t at = start + (int64_t)((double)i * 1e9 / test->rate);
        const struct timespec until = {at / 1000000000, at % 1000000000};
        if (at > lt_clock_nsec(CLOCK_MONOTONIC))
            clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
        send_one(trial, data, size);
    }
    return NULL;
}

static struct sockaddr_in far_address(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(PORT)};
    inet_pton(AF_INET, LT_PATH_FAR_IPV4, &address.sin_addr);
    return address;
}

static livetcp_result open_receiver(void *context, livetcp_error *error)
{
    measurement *trial = context;
    const struct sockaddr_in address = far_address();
    const int on = 1, large = RECEIVE_BUFFER;
    /* longer than the path holds a packet: silence means the end */
    const livetcp_usec silence = trial->delay + LIVETCP_USEC_SEC;
    const struct timeval timeout = {silence / LIVETCP_USEC_SEC, silence % LIVETCP_USEC_SEC};
    int fd = trial->receiver = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) ||
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout) ||
        bind(fd, (const struct sockaddr *)&address, sizeof address))
        return lt_fail_errno(error, LIVETCP_ERR_SYSTEM, errno, "cannot open the receiving socket");
    if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &large, sizeof large))
        setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &large, sizeof large);
    return LIVETCP_OK;
}

static livetcp_result open_sender(void *context, livetcp_error *error)
{
    measurement *trial = context;
    const struct sockaddr_in address = far_address();
    int fd = trial->sender = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof address))
        return lt_fail_errno(error, LIVETCP_ERR_SYSTEM, errno, "cannot open the sending socket");
    return LIVETCP_OK;
}

static json_t *histogram_report(const lt_lateness *added, bool *failed)
{
    json_t *o = json_object();
    lt_json_put(o, "p50", json_integer(lt_lateness_quantile(added, 0.5)), failed);
    lt_json_put(o, "p99", json_integer(lt_lateness_quantile(added, 0.99)), failed);
    lt_json_put(o, "p999", json_integer(lt_lateness_quantile(added, 0.999)), failed);
    lt_json_put(o, "max", json_integer(added->max), failed);
    return o;
}

static void print_histogram(const char *name, const lt_lateness *added)
{
    printf("%-42s %8.3f %8.3f %8.3f %8.3f\n", name, (double)lt_lateness_quantile(added, 0.5) / 1e3,
           (double)lt_lateness_quantile(added, 0.99) / 1e3,
           (double)lt_lateness_quantile(added, 0.999) / 1e3, (double)added->max / 1e3);
}

static int print_result(const measurement *trial)
{
    const lt_self_test *test = trial->test;
    lt_path_counters counters;
    lt_path_health health;
    lt_path_get_counters(trial->path, LT_FORWARD, &counters);
    lt_path_get_health(trial->path, &health);
    bool accurate =
        trial->received > 0 && lt_lateness_quantile(&trial->at_socket, 0.99) <= TARGET_USEC;
    printf("%.0f packets/s of %u bytes for %g s over a delay of %g ms%s\n", test->rate, test->size,
           test->seconds, (double)trial->delay / 1e3,
           health.realtime ? "" : ", without real-time priority");
    printf("sent %" PRIu64 ", received %" PRIu64 ", refused by the sending socket %" PRIu64
           ", dropped unread %" PRIu64 "\n\n",
           trial->sent, trial->received, trial->refused, counters.read_dropped);
    printf("%-42s %8s %8s %8s %8s\n", "added delay, ms", "p50", "p99", "p99.9", "max");
    print_histogram("arriving at the far end (kernel stamp)", &trial->at_socket);
    print_histogram("read by the receiving program", &trial->at_program);
    print_histogram("(this machine: timer of an idle thread)", &trial->machine);
    printf("\n%s: 99%% within %.1f ms on arrival at the far end\n", accurate ? "met" : "MISSED",
           TARGET_USEC / 1e3);
    if (health.stalls)
        printf("The machine stalled %" PRIu64 " times, %.1f ms at the longest: measure again.\n",
               health.stalls, (double)health.longest_stall / 1e3);
    return accurate ? LT_EXIT_OK : LT_EXIT_FAILED;
}

static bool write_result(const measurement *trial)
{
    const lt_self_test *test = trial->test;
    bool failed = false;
    json_t *o = json_object();
    lt_json_put(o, "packets_per_second", lt_json_number(test->rate), &failed);
    lt_json_put(o, "seconds", lt_json_number(test->seconds), &failed);
    lt_json_put(o, "size", lt_json_count(test->size), &failed);
    lt_json_put(o, "delay_us", json_integer(trial->delay), &failed);
    lt_json_put(o, "sent", lt_json_count(trial->sent), &failed);
    lt_json_put(o, "received", lt_json_count(trial->received), &failed);
    lt_json_put(o, "added_at_socket_us", histogram_report(&trial->at_socket, &failed), &failed);
    lt_json_put(o, "added_at_program_us", histogram_report(&trial->at_program, &failed), &failed);
    lt_json_put(o, "machine_timer_us", histogram_report(&trial->machine, &failed), &failed);
    lt_json_put(o, "path", lt_emulate_report(trial->path, &failed), &failed);
    return lt_emulate_write_json(o, failed, test->json);
}

static livetcp_result run_threads(measurement *trial, livetcp_error *error)
{
    void *(*const mains[])(void *) = {receiver_main, machine_main, sender_main};
    enum { THREADS = sizeof mains / sizeof *mains };
    pthread_t threads[THREADS];
    int started = 0, failed = 0;
    while (started < THREADS && !failed) {
        failed = pthread_create(&threads[started], NULL, mains[started], trial);
        started += !failed;
    }
    /* the sender ends by itself, the receiver by silence; the third is not needed then */
    if (started == THREADS)
        pthread_join(threads[--started], NULL);
    if (started > 0)
        pthread_join(threads[0], NULL);
    atomic_store(&trial->finished, true);
    if (started > 1)
        pthread_join(threads[1], NULL);
    return failed ? lt_fail_errno(error, LIVETCP_ERR_SYSTEM, failed, "cannot start a thread")
                  : LIVETCP_OK;
}

static int measure(measurement *trial, livetcp_error *error)
{
    if (lt_path_start(trial->path, error) ||
        lt_path_call(trial->path, LT_FAR, open_receiver, trial, error) ||
        lt_path_call(trial->path, LT_NEAR, open_sender, trial, error) || run_threads(trial, error))
        return LT_EXIT_USAGE;
    int code = print_result(trial);
    if (trial->test->json && !write_result(trial))
        code = LT_EXIT_FAILED;
    return code;
}

static int check(const lt_self_test *test, livetcp_error *error)
{
    const double max_rate = 1e6, longest = 3600;
    if (!(test->rate >= 1 && test->rate <= max_rate && test->seconds > 0 &&
          test->seconds <= longest))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "the self-test takes 1 to %g packets/s and up to %g s", max_rate, longest);
    if (test->size < MIN_SIZE || test->size > 1500)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "the self-test sends packets of %d to 1500 bytes", MIN_SIZE);
    return LIVETCP_OK;
}

int lt_emulate_self_test(const lt_self_test *test)
{
    livetcp_error error = {0};
    int code = LT_EXIT_USAGE;
    measurement *trial = calloc(1, sizeof *trial);
    if (!trial)
        return LT_EXIT_FAILED;
    trial->test = test;
    trial->delay = test->path.link[LT_FORWARD].delay;
    trial->receiver = trial->sender = -1;
    if (!check(test, &error))
        trial->path = lt_path_create(&test->path, &error);
    if (trial->path)
        code = measure(trial, &error);
    if (error.code)
        fprintf(stderr, "livetcp emulate: %s\n", error.message);
    if (trial->receiver >= 0)
        close(trial->receiver);
    if (trial->sender >= 0)
        close(trial->sender);
    lt_path_destroy(&trial->path);
    free(trial);
    return code;
}
