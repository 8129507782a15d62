/* SPDX-License-Identifier: MIT */
/* Listens for a LiveTCP sender and prints once a second how many packets were received and lost,
 * until Ctrl-C. Serves one sender at a time. */
#include <livetcp/livetcp.h>

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static volatile sig_atomic_t stopped;
static atomic_ulong received, lost; /* in the current second */
static uint16_t expected;           /* next sequence number; the library's thread only */
static livetcp_session *_Atomic sender;

static void stop(int signal_number)
{
    (void)signal_number;
    stopped = 1;
}

/* The listener delivers in sequence order (see main()), so a gap in sequence numbers is loss. */
static void on_packet(livetcp_session *session, const livetcp_packet *packet, void *user)
{
    livetcp_rtp_header header;
    (void)session, (void)user;
    if (livetcp_rtp_header_read(&header, packet->data, packet->size, NULL) != LIVETCP_OK)
        return; /* RTCP */
    if (packet->discontinuity)
        atomic_fetch_add(&lost, (uint16_t)(header.sequence - expected));
    expected = (uint16_t)(header.sequence + 1);
    atomic_fetch_add(&received, 1);
}

static void on_state(livetcp_session *session, livetcp_session_state state,
                     const livetcp_error *error, void *user)
{
    (void)user;
    if (error)
        fprintf(stderr, "%s\n", error->message);
    if (state == LIVETCP_SESSION_CLOSED) {
        atomic_store(&sender, NULL);
        livetcp_session_destroy(&session);
    }
}

static bool on_session(livetcp_listener *listener, livetcp_session *session, const char *remote,
                       void *user)
{
    static const livetcp_session_callbacks callbacks = {
        .struct_size = sizeof callbacks, .on_packet = on_packet, .on_state = on_state};
    (void)listener, (void)user;
    if (atomic_load(&sender))
        return false;
    fprintf(stderr, "sender at %s\n", remote);
    atomic_store(&sender, session);
    livetcp_session_set_callbacks(session, &callbacks, NULL);
    return true;
}

static void on_rejected(livetcp_listener *listener, const char *remote, const livetcp_error *error,
                        void *user)
{
    (void)listener, (void)remote, (void)user;
    fprintf(stderr, "turned away: %s\n", error->message);
}

int main(int argc, char **argv)
{
    const livetcp_listener_callbacks callbacks = {
        .struct_size = sizeof callbacks, .on_session = on_session, .on_rejected = on_rejected};
    livetcp_context *context = NULL;
    livetcp_listener *listener = NULL;
    livetcp_config config;
    livetcp_error error = {.message = "usage: minimal_recv livetcp://:PORT?SETTING=VALUE&..."};

    livetcp_config_init(&config);
    config.mode = LIVETCP_MODE_LISTENER;
    config.order = LIVETCP_ORDER_SEQUENCE;
    if (argc != 2 || livetcp_config_apply_uri(&config, argv[1], &error) != LIVETCP_OK ||
        livetcp_context_create(NULL, &context, &error) != LIVETCP_OK ||
        livetcp_listener_create(context, &config, &callbacks, NULL, &listener, &error) !=
            LIVETCP_OK) {
        fprintf(stderr, "minimal_recv: %s\n", error.message);
        livetcp_context_destroy(&context);
        return 1;
    }
    signal(SIGINT, stop);
    printf("listening on port %u\n", livetcp_listener_port(listener));
    fflush(stdout);
    while (!stopped) {
        sleep(1);
        printf("received %lu lost %lu\n", atomic_exchange(&received, 0), atomic_exchange(&lost, 0));
        fflush(stdout);
    }
    livetcp_context_destroy(&context); /* also destroys its objects */
    return 0;
}
