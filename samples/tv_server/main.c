/* SPDX-License-Identifier: MIT */
/*
 * A television station. Channels are encoded once; any number of viewers (../tv_client) watch them
 * live or time-shifted:
 *
 *     tv_server livetcp://:5004 one=test two=film.y4m,film.wav three=/dev/video0
 *
 * This file is the main program: options, the listener on a libuv loop, statistics and the end.
 *
 *     source.c -- encoding.c (x264) --.
 *     sound.c (Opus) -----------------+- channel.c -- loop -- viewer.c -- session, one per viewer
 *                                 (a thread each)          (its position in the channel's memory)
 *
 * docs/guide/tv.md explains it; docs/reference/tv-controls.md specifies the requests of viewers.
 */
#include "median.h"
#include "metrics.h"
#include "viewer.h"

#include "../common/options.h"
#include "../tv_common/picture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#define MAX_CHANNELS 16
#define SECOND_MS    1000
#define SHIFT_MS     10 /* time resolution for time-shifted viewers */
#define DRAIN_US     (100 * LIVETCP_USEC_MSEC)
#define END_MS       600 /* bounds the end if the network hangs */
#define NAME_MAX_    32

typedef struct options {
    const char *metrics, *preset;
    int width, height, fps, kbits, low_kbits, key_ms, history_s, stats_ms;
    bool intra_refresh, numbers, help;
    const char *plain[1 + MAX_CHANNELS];
    int count;
} options;

typedef struct watcher { /* a viewer and its session */
    struct program *program;
    viewer *viewer;
    livetcp_session *session;
    bool logged; /* its invalid packets were logged */
} watcher;

typedef struct program {
    options options;
    livetcp_config config;
    uv_loop_t loop;
    uv_timer_t second, shift, stats, deadline;
    uv_signal_t interrupt, terminate;
    uv_async_t wake;
    livetcp_context *context;
    livetcp_listener *listener;
    metrics *metrics;

    char names[MAX_CHANNELS][3 * 256]; /* storage for names of channels, sources and sounds */
    channel *list[MAX_CHANNELS];
    bool troubled[MAX_CHANNELS];
    viewer_channels channels;
    watcher **watchers;
    viewer **viewers; /* the same viewers */
    size_t count, capacity;

    bool ending, failed;
    uint64_t served, pictures, refused;
    size_t max_viewers;
    uint64_t began_ns;
} program;

static void say(const char *text)
{
    fprintf(stderr, "tv_server: %s\n", text);
}

static int64_t now_us(void)
{
    return (int64_t)(uv_hrtime() / 1000);
}

/* ---- viewers ---- */

static void end_program(program *p);

static void remove_watcher(watcher *w)
{
    program *p = w->program;
    viewer_stats stats;

    viewer_get_stats(w->viewer, now_us(), &stats);
    p->pictures += stats.pictures;
    for (size_t i = 0; i < p->count; i++)
        if (p->watchers[i] == w) {
            p->watchers[i] = p->watchers[--p->count];
            p->viewers[i] = p->viewers[p->count];
        }
    viewer_destroy(&w->viewer);
    livetcp_session_destroy(&w->session);
    free(w);
}

static void on_packet(livetcp_session *session, const livetcp_packet *packet, void *user)
{
    watcher *w = user;
    (void)session;

    if (packet->report || viewer_take(w->viewer, packet, now_us()) || w->logged)
        return;
    w->logged = true;
    fprintf(stderr, "tv_server: viewer %s sends what is no control; it is counted and ignored\n",
            viewer_remote(w->viewer));
}

static void on_state(livetcp_session *session, livetcp_session_state state,
                     const livetcp_error *error, void *user)
{
    watcher *w = user;
    program *p = w->program;
    (void)session, (void)error;

    if (state == LIVETCP_SESSION_OPEN) {
        viewer_tell(w->viewer, now_us());
        viewer_send(w->viewer, now_us());
    }
    if (state != LIVETCP_SESSION_CLOSED)
        return;
    remove_watcher(w);
    if (p->ending && p->count == 0)
        end_program(p);
}

static void on_keyframe_wanted(livetcp_session *session, uint32_t ssrc, void *user)
{
    (void)session, (void)ssrc;
    viewer_broke(((watcher *)user)->viewer);
}

static void on_drained(livetcp_session *session, void *user)
{
    (void)session;
    viewer_drained(((watcher *)user)->viewer, now_us());
}

static const livetcp_session_callbacks callbacks = {.struct_size =
                                                        sizeof(livetcp_session_callbacks),
                                                    .on_packet = on_packet,
                                                    .on_state = on_state,
                                                    .on_keyframe_wanted = on_keyframe_wanted,
                                                    .on_drained = on_drained};

static bool make_room(program *p)
{
    const size_t capacity = p->capacity ? 2 * p->capacity : 64;

    if (p->count < p->capacity)
        return true;
    watcher **watchers = realloc(p->watchers, capacity * sizeof(watcher *));
    p->watchers = watchers ? watchers : p->watchers;
    viewer **viewers = watchers ? realloc(p->viewers, capacity * sizeof(viewer *)) : NULL;
    p->viewers = viewers ? viewers : p->viewers;
    p->capacity = viewers ? capacity : p->capacity;
    return viewers;
}

static bool add_watcher(program *p, channel *c, livetcp_session *session, const char *remote)
{
    watcher *w = make_room(p) ? calloc(1, sizeof *w) : NULL;

    if (!w)
        return false;
    *w = (watcher){.program = p, .session = session};
    w->viewer = viewer_create(&p->channels, c, session, remote);
    if (!w->viewer || livetcp_session_set_callbacks(session, &callbacks, w) != LIVETCP_OK) {
        viewer_destroy(&w->viewer);
        free(w);
        return false;
    }
    p->watchers[p->count] = w;
    p->viewers[p->count++] = w->viewer;
    p->served++;
    p->max_viewers = p->count > p->max_viewers ? p->count : p->max_viewers;
    return true;
}

static channel *find_channel(const program *p, const char *name)
{
    for (unsigned i = 0; i < p->channels.count; i++)
        if (strcmp(channel_name(p->list[i]), name) == 0)
            return p->list[i];
    return NULL;
}

/* The stream id is the channel's name; without one it is the first that runs. */
static channel *choose_channel(const program *p, const char *name)
{
    if (name[0])
        return find_channel(p, name);
    for (unsigned i = 0; i < p->channels.count; i++)
        if (!channel_trouble(p->list[i]))
            return p->list[i];
    return p->list[0];
}

static bool on_session(livetcp_listener *listener, livetcp_session *session, const char *remote,
                       void *user)
{
    program *p = user;
    livetcp_caller caller = {.struct_size = sizeof caller};
    char words[120];
    (void)listener;

    if (p->ending)
        return false;
    livetcp_session_get_caller(session, &caller);
    channel *c = choose_channel(p, caller.stream_id);
    if (!c || channel_trouble(c)) {
        viewer_channels_explain(&p->channels, c, words, sizeof words);
        livetcp_session_reject(session, c ? TV_GONE : TV_NOT_FOUND, words);
        p->refused++;
        return false;
    }
    return add_watcher(p, c, session, remote);
}

static void on_rejected(livetcp_listener *listener, const char *remote, const livetcp_error *error,
                        void *user)
{
    (void)listener, (void)user;
    fprintf(stderr, "tv_server: %s%s%s\n", remote, remote[0] ? ": " : "", error->message);
}

/* ---- what the channels make ---- */

static void print_problems(program *p, unsigned i)
{
    const char *trouble = channel_trouble(p->list[i]);

    if (!trouble || p->troubled[i])
        return;
    p->troubled[i] = true;
    say(trouble);
    for (size_t j = 0; j < p->count; j++)
        if (viewer_channel(p->viewers[j]) == p->list[i])
            viewer_tell(p->viewers[j], now_us());
}

static void on_wake(uv_async_t *handle)
{
    program *p = handle->data;

    for (unsigned i = 0; i < p->channels.count; i++) {
        print_problems(p, i);
        if (!channel_collect(p->list[i]))
            continue;
        for (size_t j = 0; j < p->count; j++)
            if (viewer_channel(p->viewers[j]) == p->list[i])
                viewer_send(p->viewers[j], now_us());
    }
}

static void on_shift(uv_timer_t *timer)
{
    program *p = timer->data;

    for (size_t i = 0; i < p->count; i++)
        if (viewer_is_shifted(p->viewers[i]))
            viewer_send(p->viewers[i], now_us());
}

/* ---- bit rates ---- */

static void follow_median(program *p, channel *c, int track)
{
    uint32_t *rates = malloc((p->count + 1) * sizeof *rates);
    size_t count = 0;

    for (size_t i = 0; rates && i < p->count; i++) {
        livetcp_session_stats s = {.struct_size = sizeof s};
        viewer_stats v;
        viewer_get_stats(p->viewers[i], now_us(), &v);
        if (viewer_channel(p->viewers[i]) != c || v.track != track || v.mode != TV_IS_LIVE)
            continue;
        livetcp_session_get_stats(p->watchers[i]->session, &s);
        rates[count++] = s.sent.estimated_bitrate;
    }
    if (count > 0)
        channel_set_rate(c, track, median_kbits(rates, count));
    free(rates);
}

static void on_second(uv_timer_t *timer)
{
    program *p = timer->data;

    for (unsigned i = 0; i < p->channels.count; i++)
        for (int track = TRACK_HIGH; track <= TRACK_LOW; track++)
            follow_median(p, p->list[i], track);
    for (size_t i = 0; i < p->count; i++) /* without a packet to trigger it */
        viewer_drained(p->viewers[i], now_us());
    if (p->metrics)
        metrics_update(p->metrics, &p->channels, p->viewers, p->count, now_us());
}

/* ---- figures ---- */

static void print_viewer(const program *p, size_t i)
{
    static const char *const modes[] = {"live", "shifted", "paused", "forward"};
    static char text[16384];
    viewer_stats s;

    viewer_get_stats(p->viewers[i], now_us(), &s);
    if (livetcp_session_stats_json(p->watchers[i]->session, text, sizeof text) == 0 || !text[0])
        return;
    printf("%s{\"peer\": \"%s\", \"stream\": \"%s\", \"mode\": \"%s\", \"quality\": \"%s\", "
           "\"behind_ms\": %lld, \"pictures\": %llu, \"skipped\": %llu, \"requests\": %llu, "
           "\"garbage\": %llu, \"session\": %s}",
           i ? ", " : "", viewer_remote(p->viewers[i]), channel_name(viewer_channel(p->viewers[i])),
           modes[s.mode], s.track == TRACK_HIGH ? "high" : "low", (long long)s.behind_us / 1000,
           (unsigned long long)s.pictures, (unsigned long long)s.skipped,
           (unsigned long long)s.requests, (unsigned long long)s.garbage, text);
}

/* Prints one line of JSON. */
static void on_stats(uv_timer_t *timer)
{
    const program *p = timer->data;

    printf("{\"channels\": [");
    for (unsigned i = 0; i < p->channels.count; i++) {
        channel_stats s;
        channel_get_stats(p->list[i], &s);
        printf("%s{\"stream\": \"%s\", \"pictures\": %llu, \"key_frames\": %llu, \"skipped\": "
               "%llu, \"high_kbits\": %d, \"low_kbits\": %d, \"history_ms\": %lld, "
               "\"history_bytes\": %zu}",
               i ? ", " : "", channel_name(p->list[i]), (unsigned long long)s.pictures,
               (unsigned long long)s.keys, (unsigned long long)s.skipped, s.kbits[TRACK_HIGH],
               s.kbits[TRACK_LOW], (long long)s.history_us / 1000, s.history_bytes);
    }
    printf("], \"viewers\": [");
    for (size_t i = 0; i < p->count; i++)
        print_viewer(p, i);
    printf("]}\n");
    fflush(stdout);
}

static void print_summary(const program *p)
{
    uint64_t pictures = 0, keys = 0, skipped = 0;

    for (unsigned i = 0; i < p->channels.count; i++) {
        channel_stats s;
        channel_get_stats(p->list[i], &s);
        pictures += s.pictures;
        keys += s.keys;
        skipped += s.skipped;
    }
    printf("%.0f s: %u channels, %llu pictures encoded, %llu of them key frames, %llu skipped; "
           "%llu viewers, at most %zu at a time, %llu turned away; %llu pictures sent\n",
           (double)(uv_hrtime() - p->began_ns) / 1e9, p->channels.count,
           (unsigned long long)pictures, (unsigned long long)keys, (unsigned long long)skipped,
           (unsigned long long)p->served, p->max_viewers, (unsigned long long)p->refused,
           (unsigned long long)p->pictures);
    fflush(stdout);
}

/* ---- the end ---- */

/* The loop has no handles after this, and uv_run() returns. */
static void end_program(program *p)
{
    if (!p->context)
        return;
    p->ending = true;
    while (p->count > 0)
        remove_watcher(p->watchers[0]);
    if (p->began_ns)
        print_summary(p);
    for (unsigned i = 0; i < p->channels.count; i++)
        channel_stop(p->list[i]);
    for (unsigned i = 0; i < p->channels.count; i++)
        channel_destroy(&p->list[i]);
    p->channels.count = 0;
    metrics_close(&p->metrics);
    uv_close((uv_handle_t *)&p->second, NULL);
    uv_close((uv_handle_t *)&p->shift, NULL);
    uv_close((uv_handle_t *)&p->stats, NULL);
    uv_close((uv_handle_t *)&p->deadline, NULL);
    uv_close((uv_handle_t *)&p->interrupt, NULL);
    uv_close((uv_handle_t *)&p->terminate, NULL);
    uv_close((uv_handle_t *)&p->wake, NULL);
    livetcp_context_destroy(&p->context);
}

static void on_deadline(uv_timer_t *timer)
{
    end_program(timer->data);
}

static void on_signal(uv_signal_t *handle, int signal_number)
{
    program *p = handle->data;
    (void)signal_number;

    if (p->ending || p->count == 0) {
        end_program(p);
        return;
    }
    p->ending = true;
    uv_timer_start(&p->deadline, on_deadline, END_MS, 0);
    for (unsigned i = 0; i < p->channels.count; i++)
        channel_stop(p->list[i]);
    for (size_t i = p->count; i-- > 0;)
        livetcp_session_close(p->watchers[i]->session, DRAIN_US); /* continues in on_state() */
}

/* ---- options ---- */

static size_t list_options(options *o, option_entry *list)
{
    const option_entry all[] = {
        {"--width", "N", "of the test picture, and asked of a camera (640)", .number = &o->width,
         .min = TV_MIN_WIDTH, .max = 3840},
        {"--height", "N", "the same (360)", .number = &o->height, .min = 64, .max = 2160},
        {"--fps", "N", "pictures a second; a file has its own (25)", .number = &o->fps, .min = 1,
         .max = 120},
        {"--bitrate", "KBIT/S", "of the high quality at most (1000)", .number = &o->kbits,
         .min = 32, .max = 100000},
        {"--low-bitrate", "KBIT/S", "of the low quality at most (250)", .number = &o->low_kbits,
         .min = 16, .max = 100000},
        {"--preset", "NAME", "of x264 (superfast)", .text = &o->preset},
        {"--key-interval", "MS", "between key frames (2000)", .number = &o->key_ms, .min = 100,
         .max = 60000},
        {"--intra-refresh", NULL,
         "no periodic jumps of the rate: intra blocks wander over the "
         "picture",
         .flag = &o->intra_refresh},
        {"--history", "S", "what is kept in memory of each channel (120)", .number = &o->history_s,
         .min = 1, .max = 3600},
        {"--numbers", NULL, "draw the numbers of pictures also into files' and cameras'",
         .flag = &o->numbers},
        {"--metrics", "HOST:PORT", "serve http://HOST:PORT/metrics for Prometheus",
         .text = &o->metrics},
        {"--stats", "MS", "print figures as a line of JSON so often", .number = &o->stats_ms,
         .min = 10, .max = 3600000},
        {"--help", NULL, "this text", .flag = &o->help},
    };

    memcpy(list, all, sizeof all);
    return sizeof all / sizeof *all;
}

static void print_usage(const option_table *table, FILE *out)
{
    fputs("usage: tv_server [OPTION...] livetcp://:PORT [NAME=SOURCE[,FILE.wav] ...]\n"
          "  SOURCE is test (the test picture), a file FILE.y4m or a camera /dev/videoN;\n"
          "  without channels there are one=test two=test three=test\n",
          out);
    option_table_print(table, out);
}

/* False, after a message. */
static bool read_options(program *p, int argc, char **argv)
{
    options *o = &p->options;
    option_entry list[16];
    const option_table table = {"tv_server", list, list_options(o, list), "argument"};

    o->count = option_table_read(&table, argc, argv, o->plain, 1 + MAX_CHANNELS);
    if (o->help)
        print_usage(&table, stdout);
    else if (o->count == 0)
        print_usage(&table, stderr);
    if (o->width % 4 || o->height % 4) {
        say("--width and --height are multiples of 4: the low quality has half of each");
        return false;
    }
    return o->help || o->count > 0;
}

static livetcp_result read_config(program *p, livetcp_error *error)
{
    livetcp_config_init(&p->config);
    p->config.mode = LIVETCP_MODE_LISTENER;
    p->config.max_send_delay_us = 2 * LIVETCP_USEC_SEC; /* a picture that is later is not sent */
    p->config.max_sessions = 1000;
    livetcp_result result = livetcp_config_apply_uri(&p->config, p->options.plain[0], error);
    if (result == LIVETCP_OK && p->config.mode != LIVETCP_MODE_LISTENER) {
        snprintf(error->message, sizeof error->message,
                 "the server waits for viewers; leave mode=caller out");
        return LIVETCP_ERR_INVALID_ARGUMENT;
    }
    return result == LIVETCP_OK ? livetcp_config_check(&p->config, error) : result;
}

/* ---- channels ---- */

/* A name is a label of metrics and a path of URIs: restricted characters. */
static bool is_name(const char *name)
{
    const size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                       "0123456789-_.");

    return length > 0 && length <= NAME_MAX_ && name[length] == '\0';
}

static bool open_channel(program *p, const char *text, char *message, size_t size)
{
    const unsigned i = p->channels.count;
    char *name = p->names[i];
    const options *o = &p->options;

    snprintf(name, sizeof p->names[i], "%s", text);
    char *source = strchr(name, '=');
    if (source)
        *source++ = '\0';
    if (!source || !*source || !is_name(name)) {
        snprintf(message, size,
                 "'%s' is no channel; one is NAME=SOURCE, the name of at most %d "
                 "letters, digits, and - _ .",
                 text, NAME_MAX_);
        return false;
    }
    if (find_channel(p, name)) {
        snprintf(message, size, "there are two channels '%s'; names differ", name);
        return false;
    }
    char *wav = strrchr(source, ',');
    if (wav)
        *wav++ = '\0';
    const channel_settings settings = {.name = name,
                                       .source = source,
                                       .sound = wav,
                                       .index = i,
                                       .width = o->width,
                                       .height = o->height,
                                       .fps = o->fps,
                                       .kbits = o->kbits,
                                       .low_kbits = o->low_kbits,
                                       .key_ms = o->key_ms,
                                       .history_s = o->history_s,
                                       .intra_refresh = o->intra_refresh,
                                       .numbers = o->numbers || strcmp(source, "test") == 0,
                                       .preset = o->preset,
                                       .wake = &p->wake};
    p->list[i] = channel_create(&settings, message, size);
    p->channels.list = p->list;
    p->channels.count += p->list[i] != NULL;
    return p->list[i];
}

static bool open_channels(program *p, char *message, size_t size)
{
    static const char *const default_channels[] = {"livetcp:", "one=test", "two=test",
                                                   "three=test"};
    const char *const *names = p->options.count > 1 ? p->options.plain : default_channels;
    const int count = p->options.count > 1 ? p->options.count : 4;

    for (int i = 1; i < count; i++)
        if (!open_channel(p, names[i], message, size))
            return false;
    return true;
}

/* ---- the program ---- */

static void start_handles(program *p)
{
    uv_timer_init(&p->loop, &p->second);
    uv_timer_init(&p->loop, &p->shift);
    uv_timer_init(&p->loop, &p->stats);
    uv_timer_init(&p->loop, &p->deadline);
    uv_signal_init(&p->loop, &p->interrupt);
    uv_signal_init(&p->loop, &p->terminate);
    uv_async_init(&p->loop, &p->wake, on_wake);
    p->second.data = p->shift.data = p->stats.data = p->deadline.data = p;
    p->interrupt.data = p->terminate.data = p->wake.data = p;
    uv_timer_start(&p->second, on_second, SECOND_MS, SECOND_MS);
    uv_timer_start(&p->shift, on_shift, SHIFT_MS, SHIFT_MS);
    if (p->options.stats_ms > 0)
        uv_timer_start(&p->stats, on_stats, (uint64_t)p->options.stats_ms,
                       (uint64_t)p->options.stats_ms);
    uv_signal_start(&p->interrupt, on_signal, SIGINT);
    uv_signal_start(&p->terminate, on_signal, SIGTERM);
}

static bool start(program *p)
{
    const livetcp_listener_callbacks listening = {
        .struct_size = sizeof listening, .on_session = on_session, .on_rejected = on_rejected};
    livetcp_error error = {0};
    char message[480];
    unsigned port = 0;

    if (!open_channels(p, message, sizeof message)) {
        say(message);
        return false;
    }
    if (p->options.metrics) {
        p->metrics = metrics_open(p->options.metrics, &port, message, sizeof message);
        if (!p->metrics) {
            say(message);
            return false;
        }
        metrics_update(p->metrics, &p->channels, NULL, 0, now_us());
        printf("metrics on port %u\n", port);
    }
    if (livetcp_listener_create(p->context, &p->config, &listening, p, &p->listener, &error) !=
        LIVETCP_OK) {
        say(error.message);
        return false;
    }
    p->began_ns = uv_hrtime();
    printf("listening on port %u\n", livetcp_listener_port(p->listener));
    fflush(stdout);
    return true;
}

static bool run(program *p)
{
    livetcp_error error = {0};

    if (read_config(p, &error) != LIVETCP_OK) {
        say(error.message);
        return false;
    }
    if (uv_loop_init(&p->loop) != 0)
        return false;
    bool started = livetcp_context_create(&p->loop, &p->context, &error) == LIVETCP_OK;
    if (started) {
        start_handles(p);
        started = start(p);
        if (!started)
            end_program(p);
    } else {
        say(error.message);
    }
    uv_run(&p->loop, UV_RUN_DEFAULT);
    uv_loop_close(&p->loop);
    free(p->watchers);
    free(p->viewers);
    return started && !p->failed;
}

int main(int argc, char **argv)
{
    static program p = {.options = {.preset = "superfast",
                                    .width = 640,
                                    .height = 360,
                                    .fps = 25,
                                    .kbits = 1000,
                                    .low_kbits = 250,
                                    .key_ms = 2000,
                                    .history_s = 120}};

    if (!read_options(&p, argc, argv))
        return 1;
    return p.options.help || run(&p) ? 0 : 1;
}
