/* SPDX-License-Identifier: MIT */
/* Receives voice and plays it by a clock of its own: every 20 ms it asks the playout what the
 * loudspeaker shall get, as an audio callback would. It decodes nothing; it prints once a second
 * what the listener got, until Ctrl-C. Send to it with minimal_send. */
#include <livetcp/livetcp.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

#define FRAME_US 20000

static volatile sig_atomic_t stopped;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* a playout is not thread-safe */
static livetcp_playout *playout;

static void stop(int signal_number)
{
    (void)signal_number;
    stopped = 1;
}

/* The clock that an attached playout goes by. */
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

/* The session feeds the playout, tells it the path, and tells the sender how it went. */
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

/* One frame for the loudspeaker: where a real program decodes, conceals, or plays silence. */
static void play_frame(livetcp_usec now)
{
    livetcp_playout_item item = {.struct_size = sizeof item};

    lock(&mutex);
    do
        livetcp_playout_pull(playout, now, &item);
    while (item.kind != LIVETCP_PLAYOUT_NOTHING);
    unlock(&mutex);
}

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
    livetcp_error error = {.message = "usage: playout_pull livetcp://:PORT?SETTING=VALUE&..."};

    livetcp_config_init(&config);
    config.mode = LIVETCP_MODE_LISTENER;
    livetcp_playout_config_init(&playout_config);
    playout_config.clock_rate = 8000;
    if (argc != 2 || livetcp_config_apply_uri(&config, argv[1], &error) != LIVETCP_OK ||
        livetcp_playout_create(&playout_config, &playout, &error) != LIVETCP_OK ||
        livetcp_context_create(NULL, &context, &error) != LIVETCP_OK ||
        livetcp_listener_create(context, &config, &callbacks, NULL, &listener, &error) !=
            LIVETCP_OK) {
        fprintf(stderr, "playout_pull: %s\n", error.message);
        livetcp_context_destroy(&context);
        livetcp_playout_destroy(&playout);
        return 1;
    }
    signal(SIGINT, stop);
    printf("listening on port %u\n", livetcp_listener_port(listener));
    fflush(stdout);
    play();
    livetcp_context_destroy(&context); /* before the playout that its thread uses */
    livetcp_playout_destroy(&playout);
    return 0;
}
