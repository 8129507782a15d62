/* SPDX-License-Identifier: MIT */
/* What kernel timestamps cost: CPU time of both ends of a session on the loopback interface, with
 * timestamps=off, auto and on by turns. Not a test: run it in a release build on a quiet machine.
 * usage: bench-timestamps-cpu [SECONDS [ROUNDS]] */
#include <livetcp/livetcp.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#define MODES       3
#define PACKET_SIZE 172
#define SETTLE_MS   500
#define SECOND_NS   1000000000L

static const char *const modes[MODES] = {"off", "auto", "on"};
static const unsigned rates[] = {50, 500, 5000}; /* packets a second: voice, video, a lot */

#define RATES (sizeof rates / sizeof *rates)

typedef struct both_ends {
    livetcp_context *context; /* with a thread of its own */
    livetcp_listener *listener;
    livetcp_session *caller;
    livetcp_session *_Atomic called;
} both_ends;

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static double cpu(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}

static void check(livetcp_result result, const livetcp_error *error)
{
    if (result == LIVETCP_OK)
        return;
    fprintf(stderr, "bench-timestamps-cpu: %s\n", error->message);
    exit(1);
}

static bool on_session(livetcp_listener *listener, livetcp_session *session, const char *remote,
                       void *user)
{
    (void)listener;
    (void)remote;
    ((both_ends *)user)->called = session;
    return true;
}

static void wait_ns(struct timespec *next, long ns)
{
    next->tv_nsec += ns;
    next->tv_sec += next->tv_nsec / SECOND_NS;
    next->tv_nsec %= SECOND_NS;
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, next, NULL);
}

static void start(both_ends *ends, const char *timestamps)
{
    static const livetcp_listener_callbacks callbacks = {.struct_size = sizeof callbacks,
                                                         .on_session = on_session};
    livetcp_error error = {.code = LIVETCP_OK};
    livetcp_config config;
    struct timespec next;

    livetcp_config_init(&config);
    snprintf(config.host, sizeof config.host, "127.0.0.1");
    check(livetcp_config_set(&config, "timestamps", timestamps, &error), &error);
    check(livetcp_context_create(NULL, &ends->context, &error), &error);
    config.mode = LIVETCP_MODE_LISTENER;
    check(
        livetcp_listener_create(ends->context, &config, &callbacks, ends, &ends->listener, &error),
        &error);
    config.mode = LIVETCP_MODE_CALLER;
    config.port = livetcp_listener_port(ends->listener);
    check(livetcp_session_connect(ends->context, &config, NULL, NULL, &ends->caller, &error),
          &error);
    clock_gettime(CLOCK_MONOTONIC, &next);
    for (unsigned i = 0; i < SETTLE_MS; i++)
        wait_ns(&next, SECOND_NS / 1000);
}

static void end(both_ends *ends)
{
    livetcp_session_destroy(&ends->caller);
    livetcp_session *called = ends->called;
    livetcp_session_destroy(&called);
    livetcp_listener_destroy(&ends->listener);
    livetcp_context_destroy(&ends->context);
}

/* CPU seconds for `seconds` of media; *stamped: of how many packets the kernel told. */
static double measure(const char *timestamps, unsigned rate, unsigned seconds, uint64_t *stamped)
{
    unsigned char packet[PACKET_SIZE] = {0x80, 96};
    livetcp_session_stats stats = {.struct_size = sizeof stats};
    struct timespec next;
    both_ends ends = {.context = NULL};

    start(&ends, timestamps);
    double before = cpu();
    clock_gettime(CLOCK_MONOTONIC, &next);
    for (unsigned i = 0; i < rate * seconds; i++) {
        packet[2] = (unsigned char)(i >> 8);
        packet[3] = (unsigned char)i;
        livetcp_session_send(ends.caller, packet, sizeof packet);
        wait_ns(&next, SECOND_NS / rate);
    }
    double used = cpu() - before;
    livetcp_session_get_stats(ends.caller, &stats);
    *stamped = stats.sent.timestamped;
    end(&ends);
    return used;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

#define ROUNDS_MAX 99

static void compare(unsigned rate, unsigned seconds, unsigned rounds)
{
    double used[MODES][ROUNDS_MAX];
    uint64_t stamped[MODES];

    for (unsigned round = 0; round < rounds; round++)
        for (unsigned mode = 0; mode < MODES; mode++)
            used[mode][round] = measure(modes[mode], rate, seconds, &stamped[mode]);
    for (unsigned mode = 0; mode < MODES; mode++) {
        qsort(used[mode], rounds, sizeof **used, ascending);
        double median = used[mode][rounds / 2], off = used[0][rounds / 2];
        printf("%5u packets/s  timestamps=%-4s  %6.2f %% of a core  %+5.2f %%  "
               "%5.1f us a packet  %5.1f %% of packets told\n",
               rate, modes[mode], 100 * median / seconds, 100 * (median - off) / seconds,
               1e6 * median / (rate * seconds), 100.0 * (double)stamped[mode] / (rate * seconds));
    }
}

int main(int argc, char **argv)
{
    int seconds = argc > 1 ? atoi(argv[1]) : 5, rounds = argc > 2 ? atoi(argv[2]) : 5;

    if (seconds < 1 || rounds < 1 || rounds > ROUNDS_MAX) {
        fprintf(stderr, "usage: bench-timestamps-cpu [SECONDS [ROUNDS (1..%d)]]\n", ROUNDS_MAX);
        return 2;
    }
    for (size_t i = 0; i < RATES; i++)
        compare(rates[i], (unsigned)seconds, (unsigned)rounds);
    return 0;
}
