/* SPDX-License-Identifier: MIT */
/*
 * A transport policy written by an application: in a call, voice has one connection to itself, the
 * one with the smallest round-trip variation, and video uses the others. A loss of video, or a key
 * frame that fills a congestion window, then does not delay voice.
 *
 * Sends both streams to a LiveTCP listener until Ctrl-C, and prints the connections that each one
 * used. docs/guide/policy.md explains the parts of a policy.
 */
#include <livetcp/livetcp.h>

#include <signal.h>
#include <stdio.h>
#include <time.h>

#define VOICE_SSRC  0x0badcafe
#define VIDEO_SSRC  0x0badbeef
#define VOICE_SIZE  (LIVETCP_RTP_HEADER_SIZE + 160)
#define VIDEO_SIZE  1200
#define INTERVAL_NS 20000000

/* ---- the policy ---- */

typedef struct voice_apart {
    unsigned voice; /* index of the connection reserved for voice */
} voice_apart;

/* The round-trip variation; unknown counts as the worst. */
static livetcp_usec unsteadiness(const livetcp_path *path)
{
    return path->known & LIVETCP_PATH_RTT ? path->rtt_variation_us : LIVETCP_NEVER;
}

/* Moving to another connection reorders packets: it must vary half as much, and by a millisecond
 * less. */
static void choose_voice(voice_apart *own, const livetcp_policy_view *view)
{
    if (own->voice >= view->path_count)
        own->voice = 0;
    for (unsigned i = 0; i < view->path_count; i++) {
        const livetcp_path *path = livetcp_view_path(view, i),
                           *now = livetcp_view_path(view, own->voice);
        if (path->usable &&
            (!now->usable || unsteadiness(path) < unsteadiness(now) / 2 - LIVETCP_USEC_MSEC))
            own->voice = i;
    }
}

/* True if video has another connection, now or later. */
static bool has_others(const livetcp_policy_view *view)
{
    unsigned usable = 0;

    for (unsigned i = 0; i < view->path_count; i++)
        usable += livetcp_view_path(view, i)->usable;
    return usable > 1;
}

static void place(void *state, const livetcp_policy_view *view, const livetcp_packet_view *packet,
                  livetcp_decision *decision)
{
    voice_apart *own = state;
    const livetcp_path *best = NULL;
    livetcp_usec best_forecast = LIVETCP_NEVER;

    choose_voice(own, view);
    bool keep_off = packet->ssrc == VIDEO_SSRC && has_others(view);
    if (packet->ssrc == VOICE_SSRC && livetcp_view_path(view, own->voice)->ready) {
        decision->connections = 1u << own->voice;
        return;
    }
    for (unsigned i = 0; i < view->path_count; i++) {
        const livetcp_path *path = livetcp_view_path(view, i);
        if (!path->ready || (i == own->voice && keep_off))
            continue;
        livetcp_usec forecast = livetcp_path_forecast(path, packet->size, view->now_us);
        if (!best || forecast < best_forecast) {
            best = path;
            best_forecast = forecast;
        }
    }
    if (best) /* otherwise the policy is asked again when a connection becomes writable */
        decision->connections = 1u << best->connection;
}

static const livetcp_policy voice_apart_policy = {
    .struct_size = sizeof(livetcp_policy),
    .name = "voice-apart",
    .summary = "voice on the steadiest connection, video on the others",
    .min_connections = 2,
    .wants = LIVETCP_WANTS_PATHS | LIVETCP_WANTS_TAIL_PROBES,
    .state_size = sizeof(voice_apart),
    .place = place,
};

/* ---- a program that uses it ---- */

static volatile sig_atomic_t stopped;

static void stop(int signal_number)
{
    (void)signal_number;
    stopped = 1;
}

static void on_state(livetcp_session *session, livetcp_session_state state,
                     const livetcp_error *error, void *user)
{
    (void)session;
    (void)user;
    if (error)
        fprintf(stderr, "custom_policy: %s\n", error->message);
    if (state == LIVETCP_SESSION_CLOSED)
        stopped = 1;
}

/* Reports invalid decisions of a policy. */
static void on_warning(livetcp_session *session, const livetcp_error *warning, void *user)
{
    (void)session;
    (void)user;
    fprintf(stderr, "custom_policy: %s\n", warning->message);
}

static void send_packet(livetcp_session *session, unsigned ssrc, unsigned sequence, size_t size)
{
    unsigned char packet[VIDEO_SIZE] = {0};
    livetcp_rtp_header header = {.payload_type = 96,
                                 .sequence = (uint16_t)sequence,
                                 .timestamp = sequence * 160,
                                 .ssrc = ssrc};

    livetcp_rtp_header_write(&header, packet, size, NULL);
    livetcp_session_send(session, packet, size);
}

static void run(livetcp_session *session)
{
    const struct timespec interval = {.tv_nsec = INTERVAL_NS};

    for (unsigned sequence = 0; !stopped; sequence++) {
        send_packet(session, VOICE_SSRC, sequence, VOICE_SIZE);
        send_packet(session, VIDEO_SSRC, sequence, VIDEO_SIZE);
        nanosleep(&interval, NULL);
    }
}

static void report(livetcp_session *session)
{
    livetcp_session_stats stats = {.struct_size = sizeof stats};

    livetcp_session_get_stats(session, &stats);
    for (unsigned i = 0; i < stats.connections; i++) {
        livetcp_connection_stats connection = {.struct_size = sizeof connection};
        livetcp_session_get_connection_stats(session, i, &connection);
        printf("connection %u: %llu packets, %llu bytes\n", i,
               (unsigned long long)connection.packets_sent,
               (unsigned long long)connection.bytes_sent);
    }
}

int main(int argc, char **argv)
{
    const livetcp_session_callbacks callbacks = {
        .struct_size = sizeof callbacks, .on_state = on_state, .on_warning = on_warning};
    livetcp_context *context = NULL;
    livetcp_session *session = NULL;
    livetcp_config config;
    livetcp_error error = {.message = "usage: custom_policy livetcp://HOST:PORT?SETTING=VALUE&..."};

    livetcp_config_init(&config);
    if (argc != 2 || livetcp_policy_register(&voice_apart_policy, &error) != LIVETCP_OK ||
        livetcp_config_set(&config, "policy", voice_apart_policy.name, &error) != LIVETCP_OK ||
        livetcp_config_apply_uri(&config, argv[1], &error) != LIVETCP_OK ||
        livetcp_context_create(NULL, &context, &error) != LIVETCP_OK ||
        livetcp_session_connect(context, &config, &callbacks, NULL, &session, &error) !=
            LIVETCP_OK) {
        fprintf(stderr, "custom_policy: %s\n", error.message);
        livetcp_context_destroy(&context);
        return 1;
    }
    signal(SIGINT, stop);
    run(session);
    report(session);
    livetcp_session_destroy(&session);
    livetcp_context_destroy(&context);
    return 0;
}
