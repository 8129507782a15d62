/* SPDX-License-Identifier: MIT */
/* Sends RTP packets at a constant rate to a LiveTCP listener, until Ctrl-C. */
#include <livetcp/livetcp.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define PACKET_SIZE (12 + 160) /* RTP header and 20 ms of telephone speech */
#define INTERVAL_NS 20000000
#define SAMPLES     160

static volatile sig_atomic_t stopped;

static void stop(int signal_number)
{
    (void)signal_number;
    stopped = 1;
}

static void on_state(livetcp_session *session, livetcp_session_state state,
                     const livetcp_error *error, void *user)
{
    static const char *const names[] = {"connecting", "open", "closed"};
    (void)session;
    (void)user;
    fprintf(stderr, "session %s%s%s\n", names[state], error ? ": " : "",
            error ? error->message : "");
    if (state == LIVETCP_SESSION_CLOSED)
        stopped = 1;
}

static void on_connection(livetcp_session *session, unsigned connection,
                          livetcp_connection_state state, const livetcp_error *error, void *user)
{
    (void)session;
    (void)connection;
    (void)state;
    (void)user;
    if (error) /* the session connects again by itself */
        fprintf(stderr, "%s\n", error->message);
}

static void make_packet(unsigned char *packet, unsigned sequence)
{
    const unsigned fields[] = {0x80u << 24 | (sequence & 0xffff), /* version 2, PCMU, sequence */
                               sequence * SAMPLES,                /* timestamp */
                               0x4c544350};                       /* SSRC; draw one really */
    memset(packet, 0xff, PACKET_SIZE);                            /* silence */
    for (unsigned i = 0; i < 12; i++)
        packet[i] = (unsigned char)(fields[i / 4] >> (24 - i % 4 * 8));
}

static void sleep_until_next(struct timespec *next)
{
    next->tv_nsec += INTERVAL_NS;
    if (next->tv_nsec >= 1000000000) {
        next->tv_nsec -= 1000000000;
        next->tv_sec++;
    }
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, next, NULL);
}

int main(int argc, char **argv)
{
    const livetcp_session_callbacks callbacks = {
        .struct_size = sizeof callbacks, .on_state = on_state, .on_connection = on_connection};
    livetcp_context *context = NULL;
    livetcp_session *session = NULL;
    livetcp_config config;
    livetcp_error error = {.message = "usage: minimal_send livetcp://HOST:PORT?SETTING=VALUE&..."};
    unsigned char packet[PACKET_SIZE];
    struct timespec next;

    livetcp_config_init(&config);
    if (argc != 2 || livetcp_config_apply_uri(&config, argv[1], &error) != LIVETCP_OK ||
        livetcp_context_create(NULL, &context, &error) != LIVETCP_OK ||
        livetcp_session_connect(context, &config, &callbacks, NULL, &session, &error) !=
            LIVETCP_OK) {
        fprintf(stderr, "minimal_send: %s\n", error.message);
        livetcp_context_destroy(&context);
        return 1;
    }
    signal(SIGINT, stop);
    clock_gettime(CLOCK_MONOTONIC, &next);
    for (unsigned sequence = 0; !stopped; sequence++) {
        make_packet(packet, sequence);
        livetcp_session_send(session, packet, sizeof packet);
        sleep_until_next(&next);
    }
    livetcp_session_destroy(&session);
    livetcp_context_destroy(&context);
    return 0;
}
