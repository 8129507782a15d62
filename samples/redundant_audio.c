/* SPDX-License-Identifier: MIT */
/* Both ends of redundant audio (RFC 2198). The caller sends voice until Ctrl-C; each packet also
 * contains the previous frame in a cheaper encoding. The listener plays it, uses the copy where the
 * original is late, and prints once a second how many frames the copies saved. */
#include <livetcp/livetcp.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define PCMU_SIZE    160 /* 20 ms */
#define PCMU_TYPE    0
#define CHEAPER_SIZE 80 /* the same at half the rate, for example ADPCM */
#define CHEAPER_TYPE 5
#define FRAME_US     20000

static volatile sig_atomic_t stopped;

static void stop(int signal_number)
{
    (void)signal_number;
    stopped = 1;
}

/* Clock of an attached playout. */
static livetcp_usec now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (livetcp_usec)now.tv_sec * LIVETCP_USEC_SEC + now.tv_nsec / 1000;
}

static void sleep_until(livetcp_usec moment)
{
    livetcp_usec wait = moment - now_us();
    if (wait > 0)
        nanosleep(&(struct timespec){.tv_nsec = (long)wait * 1000}, NULL);
}

/* ---- sending ---- */

static void on_sender_state(livetcp_session *session, livetcp_session_state state,
                            const livetcp_error *error, void *user)
{
    (void)session, (void)user;
    if (error)
        fprintf(stderr, "%s\n", error->message);
    if (state == LIVETCP_SESSION_CLOSED)
        stopped = 1;
}

static void send_frame(livetcp_session *session, livetcp_redundancy_encoder *encoder,
                       livetcp_rtp_header *header)
{
    static const unsigned char cheaper[CHEAPER_SIZE]; /* output of the second encoder */
    const livetcp_redundancy_block secondary = {
        .payload_type = CHEAPER_TYPE, .payload = cheaper, .size = sizeof cheaper};
    const livetcp_packet_info info = {
        .struct_size = sizeof info, .codec = LIVETCP_CODEC_AUDIO, .repeats = 1};
    unsigned char packet[LIVETCP_RTP_HEADER_SIZE + PCMU_SIZE];
    const void *red;
    size_t size;

    livetcp_rtp_header_write(header, packet, sizeof packet, NULL);
    memset(packet + header->header_size, 0xff, PCMU_SIZE); /* silence */
    header->sequence++;
    header->timestamp += PCMU_SIZE;
    if (livetcp_redundancy_encode(encoder, packet, sizeof packet, &secondary, &red, &size, NULL) ==
        LIVETCP_OK)
        livetcp_session_send_with(session, red, size,
                                  &info); /* `repeats`: not queued behind the originals */
}

static livetcp_result send_voice(livetcp_context *context, const livetcp_config *config,
                                 const livetcp_redundancy_config *redundancy, livetcp_error *error)
{
    const livetcp_session_callbacks callbacks = {.struct_size = sizeof callbacks,
                                                 .on_state = on_sender_state};
    livetcp_rtp_header header = {.payload_type = PCMU_TYPE,
                                 .ssrc = 0x4c545245}; /* draw a random SSRC */
    livetcp_redundancy_encoder *encoder;
    livetcp_session *session = NULL;
    livetcp_result result = livetcp_redundancy_encoder_create(redundancy, &encoder, error);

    if (result == LIVETCP_OK)
        result = livetcp_session_connect(context, config, &callbacks, NULL, &session, error);
    livetcp_usec next = now_us();
    while (result == LIVETCP_OK && !stopped) {
        send_frame(session, encoder, &header);
        sleep_until(next += FRAME_US);
    }
    livetcp_session_destroy(&session);
    livetcp_redundancy_encoder_destroy(&encoder);
    return result;
}

/* ---- receiving ---- */

typedef struct receiver {
    pthread_mutex_t lock; /* playout and decoder are not thread-safe */
    livetcp_playout *playout;
    livetcp_redundancy_decoder *decoder;
} receiver;

static void lock(void *user)
{
    pthread_mutex_lock(&((receiver *)user)->lock);
}

static void unlock(void *user)
{
    pthread_mutex_unlock(&((receiver *)user)->lock);
}

static void on_receiver_state(livetcp_session *session, livetcp_session_state state,
                              const livetcp_error *error, void *user)
{
    (void)user;
    if (error)
        fprintf(stderr, "%s\n", error->message);
    if (state == LIVETCP_SESSION_CLOSED)
        livetcp_session_destroy(&session);
}

/* The session unpacks RFC 2198 and feeds each frame to the playout. */
static bool on_session(livetcp_listener *listener, livetcp_session *session, const char *remote,
                       void *user)
{
    static const livetcp_session_callbacks callbacks = {.struct_size = sizeof callbacks,
                                                        .on_state = on_receiver_state};
    receiver *r = user;
    const livetcp_playout_attachment attachment = {.struct_size = sizeof attachment,
                                                   .lock = lock,
                                                   .unlock = unlock,
                                                   .user = r,
                                                   .decoder = r->decoder};
    (void)listener;
    fprintf(stderr, "sender at %s\n", remote);
    livetcp_session_set_callbacks(session, &callbacks, NULL);
    return livetcp_playout_attach(r->playout, session, &attachment) == LIVETCP_OK;
}

/* Plays one frame. A real program decodes by payload type, which differs for a copy, or
 * conceals. */
static void play_frame(receiver *r, livetcp_usec now)
{
    livetcp_playout_item item = {.struct_size = sizeof item};

    lock(r);
    do
        livetcp_playout_pull(r->playout, now, &item);
    while (item.kind != LIVETCP_PLAYOUT_NOTHING);
    unlock(r);
}

static void print_second(receiver *r)
{
    livetcp_playout_stats stats = {.struct_size = sizeof stats};
    livetcp_redundancy_decoder_stats red = {.struct_size = sizeof red};

    lock(r);
    livetcp_playout_get_stats(r->playout, &stats);
    livetcp_redundancy_decoder_get_stats(r->decoder, &red);
    unlock(r);
    printf("played %llu copies came %llu played %llu saved %.0f %% missing %llu\n",
           (unsigned long long)stats.played, (unsigned long long)red.redundant,
           (unsigned long long)stats.played_secondary, 100 * stats.saved_ratio,
           (unsigned long long)(stats.late + stats.lost));
    fflush(stdout);
}

static void play(receiver *r, livetcp_listener *listener)
{
    livetcp_usec next = now_us();

    printf("listening on port %u\n", livetcp_listener_port(listener));
    fflush(stdout);
    for (unsigned frame = 1; !stopped; frame++) {
        sleep_until(next += FRAME_US);
        play_frame(r, next);
        if (frame % (LIVETCP_USEC_SEC / FRAME_US) == 0)
            print_second(r);
    }
}

static livetcp_result play_voice(livetcp_context **context, const livetcp_config *config,
                                 const livetcp_redundancy_config *redundancy, livetcp_error *error)
{
    const livetcp_listener_callbacks callbacks = {.struct_size = sizeof callbacks,
                                                  .on_session = on_session};
    receiver r = {.lock = PTHREAD_MUTEX_INITIALIZER};
    livetcp_listener *listener = NULL;
    livetcp_playout_config playout;
    livetcp_result result = livetcp_redundancy_decoder_create(redundancy, &r.decoder, error);

    livetcp_playout_config_init(&playout);
    playout.clock_rate = 8000;
    playout.min_latency_us = FRAME_US + 10000; /* a copy is in the next packet */
    if (result == LIVETCP_OK)
        result = livetcp_playout_create(&playout, &r.playout, error);
    if (result == LIVETCP_OK)
        result = livetcp_listener_create(*context, config, &callbacks, &r, &listener, error);
    if (result == LIVETCP_OK)
        play(&r, listener);
    livetcp_context_destroy(context); /* before the objects that its thread uses */
    livetcp_playout_destroy(&r.playout);
    livetcp_redundancy_decoder_destroy(&r.decoder);
    return result;
}

int main(int argc, char **argv)
{
    livetcp_context *context = NULL;
    livetcp_config config;
    livetcp_redundancy_config redundancy;
    livetcp_error error = {.message = "usage: redundant_audio livetcp://HOST:PORT, or "
                                      "livetcp://:PORT?mode=listener"};

    livetcp_config_init(&config);
    livetcp_redundancy_config_init(&redundancy);
    signal(SIGINT, stop);
    livetcp_result result = LIVETCP_ERR_INVALID_ARGUMENT;
    if (argc == 2 && (result = livetcp_config_apply_uri(&config, argv[1], &error)) == LIVETCP_OK &&
        (result = livetcp_context_create(NULL, &context, &error)) == LIVETCP_OK)
        result = config.mode == LIVETCP_MODE_LISTENER
                     ? play_voice(&context, &config, &redundancy, &error)
                     : send_voice(context, &config, &redundancy, &error);
    if (result != LIVETCP_OK)
        fprintf(stderr, "redundant_audio: %s\n", error.message);
    livetcp_context_destroy(&context);
    return result == LIVETCP_OK ? 0 : 1;
}
