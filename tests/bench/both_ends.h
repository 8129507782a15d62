/* SPDX-License-Identifier: MIT */
/* A session with both ends in this process, on the loopback interface, and the CPU time that the
 * process has used. */
#ifndef LT_BENCH_BOTH_ENDS_H
#define LT_BENCH_BOTH_ENDS_H

#include <livetcp/livetcp.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#define SETTLE_MS 500
#define SECOND_NS 1000000000L

typedef struct both_ends {
    livetcp_context *context; /* with a thread of its own */
    livetcp_listener *listener;
    livetcp_session *caller;
    livetcp_session *_Atomic called;
} both_ends;

static inline double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static inline double cpu(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}

static inline void check(livetcp_result result, const livetcp_error *error)
{
    if (result == LIVETCP_OK)
        return;
    fprintf(stderr, "bench: %s\n", error->message);
    exit(1);
}

static inline bool on_session(livetcp_listener *listener, livetcp_session *session,
                              const char *remote, void *user)
{
    (void)listener;
    (void)remote;
    ((both_ends *)user)->called = session;
    return true;
}

static inline void wait_ns(struct timespec *next, long ns)
{
    next->tv_nsec += ns;
    next->tv_sec += next->tv_nsec / SECOND_NS;
    next->tv_nsec %= SECOND_NS;
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, next, NULL);
}

/* With this setting at both ends, once it has settled. */
static inline void start(both_ends *ends, const char *setting, const char *value)
{
    static const livetcp_listener_callbacks callbacks = {.struct_size = sizeof callbacks,
                                                         .on_session = on_session};
    livetcp_error error = {.code = LIVETCP_OK};
    livetcp_config config;
    struct timespec next;

    livetcp_config_init(&config);
    snprintf(config.host, sizeof config.host, "127.0.0.1");
    check(livetcp_config_set(&config, setting, value, &error), &error);
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

static inline void end(both_ends *ends)
{
    livetcp_session_destroy(&ends->caller);
    livetcp_session *called = ends->called;
    livetcp_session_destroy(&called);
    livetcp_listener_destroy(&ends->listener);
    livetcp_context_destroy(&ends->context);
}

static inline int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

#define ROUNDS_MAX 99

#endif
