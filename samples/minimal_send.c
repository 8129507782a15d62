/* SPDX-License-Identifier: MIT */
/* Sends RTP packets at a constant rate to a LiveTCP listener, until Ctrl-C. */
#include <livetcp/livetcp.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define SAMPLES     160 /* 20 ms of G.711 speech, one byte each */
#define PACKET_SIZE (LIVETCP_RTP_HEADER_SIZE + SAMPLES)
#define INTERVAL_NS 20000000

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
    if (error) /* the session reconnects by itself */
        fprintf(stderr, "%s\n", error->message);
}

static livetcp_result send_packet(livetcp_session *session, livetcp_rtp_header *header)
{
    unsigned char packet[PACKET_SIZE];

    livetcp_rtp_header_write(header, packet, sizeof packet, NULL);
    memset(packet + header->header_size, 0xff, SAMPLES); /* silence */
    header->sequence++;
    header->timestamp += SAMPLES;
    return livetcp_session_send(session, packet, sizeof packet);
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
    livetcp_rtp_header header = {.payload_type = 0,
                                 .ssrc = 0x4c544350}; /* PCMU; a real sender draws a random SSRC */
    livetcp_result result = LIVETCP_OK;
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
    while (!stopped && (result = send_packet(session, &header)) == LIVETCP_OK)
        sleep_until_next(&next);
    if (result != LIVETCP_OK)
        fprintf(stderr, "minimal_send: %s\n", livetcp_result_detail(result));
    livetcp_session_destroy(&session);
    livetcp_context_destroy(&context);
    return 0;
}
