/* SPDX-License-Identifier: MIT */
/* How long sessions take to start: from livetcp_session_connect() until the first connection may
 * carry media, until all are connected and until all carry media, to hold `livetcp model startup`
 * against. Not a test.
 * usage: bench-session-startup listen PORT
 *        bench-session-startup connect HOST PORT CONNECTIONS SESSIONS
 *        bench-session-startup loopback CONNECTIONS SESSIONS */
#include <livetcp/livetcp.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define AT_ONCE     40        /* sessions that start in a second, whatever the earlier ones take */
#define PATIENCE_US 120000000 /* for the slowest */

typedef enum event { FIRST_CONNECTED, ALL_CONNECTED, ALL_OPEN, EVENTS } event;

static const char *const names[EVENTS] = {"first connected", "all connected", "all open"};

typedef struct start {
    livetcp_session *session;
    unsigned connections;
    livetcp_usec begin;
    livetcp_usec took[EVENTS]; /* 0: not yet */
    bool connected[LIVETCP_MAX_CONNECTIONS], open[LIVETCP_MAX_CONNECTIONS];
    atomic_bool done;
} start;

static livetcp_usec now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (livetcp_usec)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static void check(livetcp_result result, const livetcp_error *error)
{
    if (result == LIVETCP_OK)
        return;
    fprintf(stderr, "bench-session-startup: %s\n", error->message);
    exit(1);
}

static bool all(const bool *flags, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (!flags[i])
            return false;
    return true;
}

/* What has once been is counted: a connection that is lost again does not take that back. */
static void on_connection(livetcp_session *session, unsigned connection,
                          livetcp_connection_state state, const livetcp_error *error, void *user)
{
    start *s = (start *)user;
    livetcp_usec took = now_us() - s->begin;

    (void)session, (void)error;
    if (state != LIVETCP_CONNECTION_JOINING && state != LIVETCP_CONNECTION_OPEN)
        return;
    s->connected[connection] = true;
    s->open[connection] = s->open[connection] || state == LIVETCP_CONNECTION_OPEN;
    if (!s->took[FIRST_CONNECTED])
        s->took[FIRST_CONNECTED] = took;
    if (!s->took[ALL_CONNECTED] && all(s->connected, s->connections))
        s->took[ALL_CONNECTED] = took;
    if (!s->took[ALL_OPEN] && all(s->open, s->connections)) {
        s->took[ALL_OPEN] = took;
        atomic_store(&s->done, true);
    }
}

static bool on_session(livetcp_listener *listener, livetcp_session *session, const char *remote,
                       void *user)
{
    (void)listener, (void)session, (void)remote, (void)user;
    return true;
}

static livetcp_context *listening; /* to the end of the process */

/* From now on, on a thread of its own. */
static uint16_t start_listening(const char *port)
{
    const livetcp_listener_callbacks callbacks = {.struct_size = sizeof callbacks,
                                                  .on_session = on_session};
    livetcp_listener *listener = NULL;
    livetcp_config config;
    livetcp_error error = {0};
    char uri[64];

    livetcp_config_init(&config);
    config.mode = LIVETCP_MODE_LISTENER;
    snprintf(uri, sizeof uri, "livetcp://:%.5s?max-sessions=10000", port);
    check(livetcp_config_apply_uri(&config, uri, &error), &error);
    check(livetcp_context_create(NULL, &listening, &error), &error);
    check(livetcp_listener_create(listening, &config, &callbacks, NULL, &listener, &error), &error);
    return livetcp_listener_port(listener);
}

static int by_value(const void *a, const void *b)
{
    livetcp_usec x = *(const livetcp_usec *)a, y = *(const livetcp_usec *)b;

    return (x > y) - (x < y);
}

/* A session that is not there after all the patience counts as that: it is among the largest. */
static void print_event(event what, const start *starts, unsigned count)
{
    static const unsigned shares[] = {500, 900, 950, 990}; /* per mille */
    livetcp_usec *sorted = calloc(count, sizeof *sorted);
    double sum = 0;

    if (!sorted)
        exit(1);
    for (unsigned i = 0; i < count; i++) {
        sorted[i] = starts[i].took[what] ? starts[i].took[what] : PATIENCE_US;
        sum += (double)sorted[i];
    }
    qsort(sorted, count, sizeof *sorted, by_value);
    printf("%-18s %9.1f", names[what], sum / count / 1e3);
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        printf(" %9.1f", (double)sorted[(size_t)(count - 1) * shares[i] / 1000] / 1e3);
    printf("\n");
    free(sorted);
}

/* Open sessions would keep the machine busy. Returns how many are still to come. */
static unsigned close_done(start *starts, unsigned count)
{
    unsigned left = 0;

    for (unsigned i = 0; i < count; i++) {
        if (starts[i].session && atomic_load(&starts[i].done))
            livetcp_session_destroy(&starts[i].session);
        left += starts[i].session != NULL;
    }
    return left;
}

static bool wait_for(start *starts, unsigned count)
{
    livetcp_usec until = now_us() + PATIENCE_US;
    unsigned left;

    while ((left = close_done(starts, count)) && now_us() < until)
        usleep(10000);
    return left == 0;
}

static int connect_to(char **args)
{
    const livetcp_session_callbacks callbacks = {.struct_size = sizeof callbacks,
                                                 .on_connection = on_connection};
    unsigned connections = (unsigned)atoi(args[2]), count = (unsigned)atoi(args[3]);
    start *starts = calloc(count, sizeof *starts);
    livetcp_context *context = NULL;
    livetcp_config config;
    livetcp_error error = {.message = "no memory"};
    char uri[256];

    livetcp_config_init(&config);
    snprintf(uri, sizeof uri, "livetcp://%.100s:%.5s?policy=round-robin&connections=%u", args[0],
             args[1], connections);
    check(livetcp_config_apply_uri(&config, uri, &error), &error);
    check(livetcp_context_create(NULL, &context, &error), &error);
    check(starts ? LIVETCP_OK : LIVETCP_ERR_NO_MEMORY, &error);
    for (unsigned i = 0; i < count; i++) {
        starts[i].connections = connections;
        starts[i].begin = now_us();
        check(livetcp_session_connect(context, &config, &callbacks, &starts[i], &starts[i].session,
                                      &error),
              &error);
        usleep(1000000 / AT_ONCE);
        close_done(starts, i + 1);
    }
    bool complete = wait_for(starts, count);
    livetcp_context_destroy(&context); /* after which nobody writes to `starts` */
    printf("%u sessions of %u connections\n", count, connections);
    printf("%-18s %9s %9s %9s %9s %9s\n", "ms until", "mean", "p50", "p90", "p95", "p99");
    for (event what = FIRST_CONNECTED; what < EVENTS; what++)
        print_event(what, starts, count);
    free(starts);
    return complete ? 0 : 1;
}

static int loopback(char **args)
{
    char port[8];
    char *to[] = {"127.0.0.1", port, args[0], args[1]};

    snprintf(port, sizeof port, "%u", start_listening("0"));
    return connect_to(to);
}

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "listen") && start_listening(argv[2]))
        for (;;)
            pause();
    if (argc == 6 && !strcmp(argv[1], "connect") && atoi(argv[4]) > 0 && atoi(argv[5]) > 0)
        return connect_to(argv + 2);
    if (argc == 4 && !strcmp(argv[1], "loopback") && atoi(argv[2]) > 0 && atoi(argv[3]) > 0)
        return loopback(argv + 2);
    fprintf(stderr, "usage: bench-session-startup listen PORT\n"
                    "       bench-session-startup connect HOST PORT CONNECTIONS SESSIONS\n"
                    "       bench-session-startup loopback CONNECTIONS SESSIONS\n");
    return 2;
}
