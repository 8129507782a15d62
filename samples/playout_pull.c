/* SPDX-License-Identifier: MIT */
/* Receives voice (PCMU, 8 kHz) and plays it on its own clock: every 20 ms it pulls from the
 * playout, as an audio callback does, and decodes, conceals or plays silence. Samples are written
 * to the file named by the second argument (16 bit, mono, native byte order), for example:
 *
 *     playout_pull livetcp://:5004 >(aplay -f S16 -r 8000)
 *
 * Prints statistics once a second, until Ctrl-C. Send to it with minimal_send. */
#include <livetcp/livetcp.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define FRAME_US 20000
#define FRAME    160 /* samples */
#define PCMU     0   /* payload type */

static volatile sig_atomic_t stopped;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* a playout is not thread-safe */
static livetcp_playout *playout;
static FILE *loudspeaker; /* NULL: samples are discarded */

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

static void lock(void *user)
{
    pthread_mutex_lock(user);
}

static void unlock(void *user)
{
    pthread_mutex_unlock(user);
}

static void on_state(livetcp_session *session, livetcp_session_state state,
                     const livetcp_error *error, void *user)
{
    (void)user;
    if (error)
        fprintf(stderr, "%s\n", error->message);
    if (state == LIVETCP_SESSION_CLOSED)
        livetcp_session_destroy(&session);
}

/* The session feeds packets and path info to the playout, and sends its reports to the sender. */
static bool on_session(livetcp_listener *listener, livetcp_session *session, const char *remote,
                       void *user)
{
    static const livetcp_session_callbacks callbacks = {.struct_size = sizeof callbacks,
                                                        .on_state = on_state};
    static const livetcp_playout_attachment attachment = {
        .struct_size = sizeof attachment, .lock = lock, .unlock = unlock, .user = &mutex};
    (void)listener, (void)user;
    fprintf(stderr, "sender at %s\n", remote);
    livetcp_session_set_callbacks(session, &callbacks, NULL);
    return livetcp_playout_attach(playout, session, &attachment) == LIVETCP_OK;
}

/* ---- sound ---- */

static void play_samples(const int16_t *samples, size_t count)
{
    if (loudspeaker)
        fwrite(samples, sizeof *samples, count, loudspeaker);
}

/* Decodes G.711 mu-law. */
static int16_t decode_sample(uint8_t code)
{
    int bits = ~code & 0xff;
    int magnitude = ((((bits & 0x0f) << 3) + 0x84) << ((bits & 0x70) >> 4)) - 0x84;

    return (int16_t)(bits & 0x80 ? -magnitude : magnitude);
}

static void decode(const livetcp_playout_item *item, int16_t *frame)
{
    static bool warned;
    livetcp_rtp_header header;

    if (livetcp_rtp_header_read(&header, item->data, item->size, NULL) != LIVETCP_OK)
        return;
    if (header.payload_type != PCMU) {
        if (!warned)
            fprintf(stderr, "payload type %u is not PCMU: it is not decoded\n",
                    header.payload_type);
        warned = true;
        return;
    }
    size_t size = item->size - header.header_size;
    for (size_t i = 0; i < size; i += FRAME) {
        size_t count = size - i < FRAME ? size - i : FRAME;
        for (size_t k = 0; k < count; k++)
            frame[k] = decode_sample(item->data[header.header_size + i + k]);
        play_samples(frame, count);
    }
}

/* Repeats the last frame at decreasing volume. Real codecs conceal better: opus_decode() with
 * NULL. */
static void conceal(int16_t *frame)
{
    for (size_t i = 0; i < FRAME; i++)
        frame[i] /= 2;
    play_samples(frame, FRAME);
}

/* The work of an audio callback. Several items are due if this thread was late or packets are
 * shorter than the interval; none is due during silence. */
static void play_frame(livetcp_usec now)
{
    static int16_t frame[FRAME]; /* the last frame played */
    livetcp_playout_item item = {.struct_size = sizeof item};
    bool played = false;

    lock(&mutex); /* item.data is valid while the lock is held */
    while (livetcp_playout_pull(playout, now, &item) == LIVETCP_OK &&
           item.kind != LIVETCP_PLAYOUT_NOTHING) {
        if (item.kind == LIVETCP_PLAYOUT_PACKET)
            decode(&item, frame);
        else
            conceal(frame);
        played = true;
    }
    unlock(&mutex);
    if (!played) {
        memset(frame, 0, sizeof frame);
        play_samples(frame, FRAME);
    }
}

/* ---- the clock ---- */

static void print_second(void)
{
    livetcp_playout_stats stats = {.struct_size = sizeof stats};

    lock(&mutex);
    livetcp_playout_get_stats(playout, &stats);
    unlock(&mutex);
    printf("played %llu late %llu lost %llu concealed %llu delay %.1f ms queue %.1f ms\n",
           (unsigned long long)stats.played, (unsigned long long)stats.late,
           (unsigned long long)stats.lost, (unsigned long long)stats.concealed,
           (double)stats.delay_us / 1000, (double)stats.standing_queue_us / 1000);
    fflush(stdout);
}

static void play(void)
{
    livetcp_usec next = now_us();

    for (unsigned frame = 1; !stopped; frame++) {
        livetcp_usec wait = (next += FRAME_US) - now_us();
        if (wait > 0)
            nanosleep(&(struct timespec){.tv_nsec = (long)wait * 1000}, NULL);
        play_frame(next);
        if (frame % (LIVETCP_USEC_SEC / FRAME_US) == 0)
            print_second();
    }
}

int main(int argc, char **argv)
{
    const livetcp_listener_callbacks callbacks = {.struct_size = sizeof callbacks,
                                                  .on_session = on_session};
    livetcp_context *context = NULL;
    livetcp_listener *listener = NULL;
    livetcp_config config;
    livetcp_playout_config playout_config;
    livetcp_error error = {.message =
                               "usage: playout_pull livetcp://:PORT?SETTING=VALUE&... [FILE]"};

    livetcp_config_init(&config);
    config.mode = LIVETCP_MODE_LISTENER;
    livetcp_playout_config_init(&playout_config);
    playout_config.clock_rate = 8000;
    if (argc < 2 || argc > 3 || livetcp_config_apply_uri(&config, argv[1], &error) != LIVETCP_OK ||
        livetcp_playout_create(&playout_config, &playout, &error) != LIVETCP_OK ||
        livetcp_context_create(NULL, &context, &error) != LIVETCP_OK ||
        livetcp_listener_create(context, &config, &callbacks, NULL, &listener, &error) !=
            LIVETCP_OK) {
        fprintf(stderr, "playout_pull: %s\n", error.message);
        livetcp_context_destroy(&context);
        livetcp_playout_destroy(&playout);
        return 1;
    }
    if (argc > 2 && !(loudspeaker = fopen(argv[2], "wb")))
        perror(argv[2]);
    signal(SIGINT, stop);
    printf("listening on port %u\n", livetcp_listener_port(listener));
    fflush(stdout);
    play();
    livetcp_context_destroy(&context); /* before the playout, which its thread uses */
    livetcp_playout_destroy(&playout);
    if (loudspeaker)
        fclose(loudspeaker);
    return 0;
}
