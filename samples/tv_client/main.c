/* SPDX-License-Identifier: MIT */
/*
 * A television set: shows the channels of a tv_server (../tv_server).
 *
 *     tv_client livetcp://HOST:5004/CHANNEL
 *
 * This file is the main program: options, the session on a libuv loop, keys, statistics and the
 * end.
 *
 *     session -- watching.c: assembly.c -- decoder.c (libavcodec) --.
 *                  playouts, lipsync.c -----------------------------+- screen.c (SDL)
 *     keys -- remote.c -- session
 *
 * docs/guide/tv.md explains it.
 */
#include "crowd.h"
#include "measure.h"
#include "remote.h"
#include "screen.h"
#include "watching.h"

#include "../common/calling.h"
#include "../common/keys.h"
#include "../common/options.h"
#include "../tv_common/rtcp.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#define TICK_MS        4
#define LATENCY_MS     120
#define STATUS_MS      1000
#define SETTLE_US      (2 * LIVETCP_USEC_SEC)
#define DRAIN_US       (50 * LIVETCP_USEC_MSEC)
#define END_MS         500 /* bounds the end if the network hangs */
#define BACK_MS        10000
#define FORWARD        200                     /* percent */
#define LOST_US        (10 * LIVETCP_USEC_SEC) /* a key press without a picture counts as lost */
#define DEFAULT_RTT_US (100 * LIVETCP_USEC_MSEC)
#define SSRC           0x4c545456u /* of requests; this program sends no media */

typedef struct options {
    const char *uri, *pictures;
    int zaps, seeks, every_ms, viewers, seconds, status_ms, latency_ms;
    bool headless, silent, json, help;
} options;

/* A key press whose first picture has not come yet. */
typedef struct press {
    uint32_t number; /* 0 = none */
    int64_t asked_us;
    measure *times;
} press;

typedef struct program {
    options options;
    livetcp_config config;
    uv_loop_t loop;
    uv_timer_t tick, second, deadline;
    uv_signal_t interrupt, terminate;
    keys keys;
    bool ending, failed;
    char typed[TV_TEXT_MAX + 1]; /* such as ":two" */
    size_t typing;

    livetcp_context *context;
    livetcp_session *session; /* NULL: the program ends, or there is a crowd */
    calling calling;
    bool was_open;
    uint64_t restarts;             /* of the server, that were seen */
    char channel[TV_TEXT_MAX + 1]; /* that was asked for */
    crowd *crowd;
    int64_t crowd_us; /* when all viewers were open */
    bool measuring;
    screen *screen;
    watching *watching;
    remote remote;
    tv_answer state;
    int64_t state_us; /* when it was so */
    bool has_state, told, overlay, paused;
    tv_quality quality;
    FILE *pictures;

    watched last;
    press press;
    int done_zaps, done_seeks;
    int64_t next_press_us;
    uint32_t random;
    unsigned elapsed; /* seconds */
    int64_t began_us;
    uint64_t unread, late, lost;
    measure zaps, seeks, glass;
} program;

static void say(program *p, const char *text)
{
    keys_clear(&p->keys);
    fprintf(stderr, "tv_client: %s\n", text);
}

static int64_t now_us(void)
{
    return (int64_t)(uv_hrtime() / 1000);
}

static int64_t wall_us(void)
{
    uv_timeval64_t wall;

    return uv_gettimeofday(&wall) == 0 ? wall.tv_sec * LIVETCP_USEC_SEC + wall.tv_usec : 0;
}

/* ---- pictures and sound ---- */

static const char *mode_name(const program *p)
{
    static const char *const names[] = {"live", "shifted", "paused", "forward"};

    return p->has_state ? names[p->state.mode] : "live";
}

/* The server says how far the picture is behind when that changes by a request; in between it is
 * known. */
static double seconds_behind(const program *p)
{
    const int64_t since_us = now_us() - p->state_us;
    int64_t us = p->state.behind_ms * LIVETCP_USEC_MSEC;

    if (p->state.mode == TV_IS_PAUSED)
        us += since_us;
    if (p->state.mode == TV_IS_FORWARD)
        us -= since_us * (FORWARD - 100) / 100;
    return us > 0 ? (double)us / LIVETCP_USEC_SEC : 0;
}

static void describe(const program *p, char lines[4][64])
{
    watching_stats s;

    watching_get_stats(p->watching, &s);
    snprintf(lines[0], 64, "%.20s %s", p->has_state ? p->state.text : p->config.stream_id,
             mode_name(p));
    snprintf(lines[1], 64, "behind %.1f s  delay %lld ms", seconds_behind(p),
             (long long)s.delay_us / 1000);
    snprintf(lines[2], 64, "glass to glass %.0f ms", measure_ms(&p->glass, 0.5));
    snprintf(lines[3], 64, "shown %llu  late %llu  broken %llu", (unsigned long long)s.shown,
             (unsigned long long)p->late, (unsigned long long)s.undecodable);
}

/* A new picture, or NULL: the one before again. */
static void show(program *p, const tv_picture *picture)
{
    char text[4][64];
    const char *lines[5] = {NULL};

    if (!p->screen)
        return;
    if (p->overlay) {
        describe(p, text);
        for (int i = 0; i < 4; i++)
            lines[i] = text[i];
    }
    screen_show(p->screen, picture, lines);
}

static void on_picture(const watched *w, void *user)
{
    program *p = user;
    const int64_t now = now_us();
    const bool live = !p->has_state || p->state.mode == TV_IS_LIVE;

    if (p->screen && w->first)
        screen_hush(p->screen);
    show(p, w->picture);
    p->unread += !w->has_number;
    p->late += w->late_us > 2 * TICK_MS * LIVETCP_USEC_MSEC && !w->first;
    if (w->has_capture && live)
        measure_add(&p->glass, wall_us() - w->capture_us);
    if (p->press.number && w->first && w->play == p->press.number) {
        measure_add(p->press.times, now - p->press.asked_us);
        p->press.number = 0;
    }
    if (p->pictures)
        fprintf(p->pictures, "%lld %u %d %d %u %d\n", (long long)now, w->play,
                w->has_number ? (int)(w->number >> 24) : -1,
                w->has_number ? (int)(w->number & 0xffffff) : -1, (unsigned)w->picture->width,
                w->first);
    p->last = *w;
}

static void on_sound(const screen_sound *sound, void *user)
{
    program *p = user;

    if (p->screen)
        screen_play(p->screen, sound, now_us());
}

static int64_t sound_delay(void *user)
{
    const program *p = user;

    return p->screen ? screen_sound_delay(p->screen) : 0;
}

/* ---- the remote control ---- */

static int64_t round_trip(const program *p)
{
    livetcp_session_stats stats = {.struct_size = sizeof stats};

    livetcp_session_get_stats(p->session, &stats);
    return stats.rtt_us > 0 ? stats.rtt_us : DEFAULT_RTT_US;
}

static void send_requests(program *p, int64_t now)
{
    uint8_t packet[TV_CONTROL_MAX];
    const size_t size = remote_due(&p->remote, SSRC, now, round_trip(p), packet);

    if (size > 0)
        livetcp_session_send(p->session, packet, size);
}

static uint32_t ask(program *p, tv_command command, int32_t value, const char *text)
{
    const int64_t now = now_us();
    const uint32_t number = remote_ask(&p->remote, command, value, text, now);

    if (number && p->session && !p->ending)
        send_requests(p, now);
    return number;
}

static void take_state(program *p, const tv_answer *answer)
{
    p->state = *answer;
    p->state_us = now_us();
    p->has_state = true;
    p->paused = answer->mode == TV_IS_PAUSED;
}

static void print_state(program *p, const char *why)
{
    keys_clear(&p->keys);
    if (!p->options.json)
        printf("%s: channel %s, %s, %.1f s behind, quality %s\n", why, p->state.text, mode_name(p),
               p->state.behind_ms / 1000.0, p->state.quality == TV_LOW ? "low" : "high");
}

static void print_refusal(program *p, const char *what, const tv_answer *answer)
{
    keys_clear(&p->keys);
    if (!p->options.json)
        printf("%s: %s\n", what, answer->text);
}

/* What nobody has asked for: it is so now. */
static void take_news(program *p, const tv_answer *news)
{
    const tv_answer before = p->state;
    const bool first = !p->has_state;

    if (news->code != TV_OK) {
        print_refusal(p, "now", news);
        return;
    }
    take_state(p, news);
    if (!first && (before.mode != news->mode || before.quality != news->quality))
        print_state(p, "now");
}

static void take_answer(program *p, const tv_answer *answer)
{
    tv_request request;
    int64_t asked;

    if (answer->number == 0) {
        take_news(p, answer);
    } else if (!remote_take(&p->remote, answer, &request, &asked)) {
        return; /* a repeated one */
    } else if (answer->code != TV_OK) {
        p->press.number = 0;
        print_refusal(p, tv_command_name(request.command), answer);
    } else {
        take_state(p, answer);
        if (request.command == TV_CHANNEL)
            snprintf(p->channel, sizeof p->channel, "%s", answer->text);
        print_state(p, tv_command_name(request.command));
    }
    fflush(stdout);
    send_requests(p, now_us());
}

/* ---- presses by itself, to be measured ---- */

static void start_press(program *p, measure *times, uint32_t number, int64_t now)
{
    p->press = (press){.number = number, .asked_us = now, .times = times};
}

static void next_press(program *p, int64_t now)
{
    const options *o = &p->options;

    p->random = p->random * 1664525u +
                1013904223u; /* pseudo-random, so that key presses are not in step with pictures */
    p->next_press_us = now + o->every_ms * LIVETCP_USEC_MSEC / 4 * 3 +
                       (int64_t)(p->random >> 8) % (o->every_ms * LIVETCP_USEC_MSEC / 2);
    if (p->done_zaps < o->zaps) {
        p->done_zaps++;
        start_press(p, &p->zaps, ask(p, TV_CHANNEL, 1, NULL), now);
    } else if (p->done_seeks < o->seeks) {
        const bool back = p->done_seeks++ % 2 == 0;
        start_press(p, &p->seeks, back ? ask(p, TV_BACK, BACK_MS, NULL) : ask(p, TV_LIVE, 0, NULL),
                    now);
    }
}

static void hang_up(program *p);

static void press_by_itself(program *p, int64_t now)
{
    const options *o = &p->options;

    if (o->zaps + o->seeks == 0 || !p->last.picture || p->ending)
        return;
    if (p->next_press_us == 0)
        p->next_press_us = now + 2 * LIVETCP_USEC_SEC;
    if (p->press.number && now - p->press.asked_us > LOST_US) {
        p->lost++;
        measure_add(p->press.times, LOST_US);
        p->press.number = 0;
    }
    if (p->press.number || now < p->next_press_us)
        return;
    if (p->done_zaps == o->zaps && p->done_seeks == o->seeks)
        hang_up(p);
    else
        next_press(p, now);
}

/* ---- keys ---- */

enum { CTRL_C = 3, BACKSPACE = 8, ENTER = '\r', ESCAPE = 27, DELETE = 127 };

static void cycle_quality(program *p)
{
    p->quality = (tv_quality)((p->quality + 1) % 3);
    ask(p, TV_QUALITY, (int32_t)p->quality, NULL);
}

static void press_key(program *p, char key)
{
    switch (key) {
    case 'u':
        ask(p, TV_CHANNEL, 1, NULL);
        break;
    case 'd':
        ask(p, TV_CHANNEL, -1, NULL);
        break;
    case 'p':
        p->paused = !p->paused;
        ask(p, p->paused ? TV_PAUSE : TV_RESUME, 0, NULL);
        break;
    case 'b':
        ask(p, TV_BACK, BACK_MS, NULL);
        break;
    case 'f':
        ask(p, TV_FORWARD, FORWARD, NULL);
        break;
    case 'l':
        ask(p, TV_LIVE, 0, NULL);
        break;
    case 'a':
        cycle_quality(p);
        break;
    case 's':
        p->overlay = !p->overlay;
        show(p, NULL);
        break;
    case 'q':
    case CTRL_C: /* of a raw terminal */
        hang_up(p);
        break;
    default:
        break;
    }
}

static void end_typing(program *p, char key)
{
    if (key == ENTER && p->typing > 1)
        ask(p, TV_CHANNEL, 0, p->typed + 1);
    p->typing = 0;
}

/* ":two" and Enter is the channel of that name. */
static void take_key(void *user, char key)
{
    program *p = user;

    if (key == '\n')
        key = ENTER;
    if ((p->typing == 0 && key != ':') || key == CTRL_C)
        press_key(p, key);
    else if (key == ENTER || key == ESCAPE)
        end_typing(p, key);
    else if (key == BACKSPACE || key == DELETE)
        p->typing--;
    else if (key >= ' ' && p->typing + 1 < sizeof p->typed)
        p->typed[p->typing++] = key;
    p->typed[p->typing] = '\0';
    if (p->keys.on_terminal && p->typing > 0)
        keys_show(&p->keys, p->typed);
}

/* ---- the session ---- */

static void end_program(program *p);

static void on_packet(livetcp_session *session, const livetcp_packet *packet, void *user)
{
    program *p = user;
    tv_request request;
    tv_answer answer;
    (void)session;

    if (p->ending || packet->report)
        return;
    if (packet->rtcp &&
        tv_read_control(packet->data, packet->size, &request, &answer) == TV_ANSWER) {
        take_answer(p, &answer);
        return;
    }
    if (watching_take(p->watching, packet, now_us()) || p->told)
        return;
    p->told = true;
    say(p, "the server sends what is no television; it is counted and ignored");
}

static void on_state(livetcp_session *session, livetcp_session_state state,
                     const livetcp_error *error, void *user)
{
    program *p = user;
    (void)session;

    if (error && !p->ending)
        say(p, error->message);
    p->was_open = p->was_open || state == LIVETCP_SESSION_OPEN;
    if (state != LIVETCP_SESSION_CLOSED)
        return;
    p->failed = p->failed || !p->ending;
    end_program(p);
}

static void on_connection(livetcp_session *session, unsigned connection,
                          livetcp_connection_state state, const livetcp_error *error, void *user)
{
    program *p = user;
    (void)session, (void)state;

    if (!p->was_open && !p->ending)
        calling_failed(&p->calling, "tv_client", connection, error);
}

static const livetcp_session_callbacks callbacks = {.struct_size =
                                                        sizeof(livetcp_session_callbacks),
                                                    .on_packet = on_packet,
                                                    .on_state = on_state,
                                                    .on_connection = on_connection};

static bool start_session(program *p, char *message, size_t size)
{
    const watching_output output = {.on_picture = on_picture,
                                    .on_sound = on_sound,
                                    .sound_delay = p->options.silent ? NULL : sound_delay,
                                    .user = p};
    livetcp_error error;

    if (p->options.viewers > 0) {
        p->crowd =
            crowd_create(&p->loop, p->context, &p->config, p->options.viewers, message, size);
        return p->crowd;
    }
    if (livetcp_session_connect(p->context, &p->config, &callbacks, p, &p->session, &error) !=
        LIVETCP_OK) {
        snprintf(message, size, "%s", error.message);
        return false;
    }
    p->watching = watching_create(p->session, &output, p->options.latency_ms * LIVETCP_USEC_MSEC,
                                  message, size);
    return p->watching;
}

/* ---- time ---- */

/* A server that was away may be another one now, which does not know what was asked for. */
static void ask_again(program *p)
{
    watching_stats s;

    watching_get_stats(p->watching, &s);
    if (s.restarts == p->restarts)
        return;
    p->restarts = s.restarts;
    if (p->channel[0])
        ask(p, TV_CHANNEL, 0, p->channel);
    if (p->quality != TV_AUTO)
        ask(p, TV_QUALITY, (int32_t)p->quality, NULL);
}

static void on_tick(uv_timer_t *timer)
{
    program *p = timer->data;
    const int64_t now = now_us();
    uint8_t packet[TV_KEYFRAME_WANTED_SIZE];

    if (p->screen)
        for (char key; p->context && (key = screen_key(p->screen));)
            take_key(p, key);
    if (p->ending || !p->session)
        return;
    if (watching_run(p->watching, now))
        livetcp_session_send(p->session, packet,
                             tv_write_keyframe_wanted(packet, SSRC, watching_ssrc(p->watching)));
    ask_again(p);
    send_requests(p, now);
    press_by_itself(p, now);
}

static void describe_picture(const program *p, char *text, size_t size)
{
    if (livetcp_session_get_state(p->session) != LIVETCP_SESSION_OPEN)
        snprintf(text, size, p->was_open ? "NO CONNECTION, calling again" : "no connection yet");
    else if (!p->last.picture)
        snprintf(text, size, "no picture yet");
    else if (p->last.has_number)
        snprintf(text, size, "channel %u picture %u  %s, %.1f s behind", (p->last.number >> 24) + 1,
                 p->last.number & 0xffffff, mode_name(p), seconds_behind(p));
    else
        snprintf(text, size, "%d by %d  %s, %.1f s behind", p->last.picture->width,
                 p->last.picture->height, mode_name(p), seconds_behind(p));
}

/* The status of who looks at the window and not at the terminal. */
static void show_title(const program *p)
{
    char title[TV_TEXT_MAX + 20];

    if (!p->screen)
        return;
    if (livetcp_session_get_state(p->session) != LIVETCP_SESSION_OPEN)
        snprintf(title, sizeof title, "LiveTCP: no connection");
    else
        snprintf(title, sizeof title, "LiveTCP: %s, %s", p->state.text, mode_name(p));
    screen_title(p->screen, title);
}

static void show_status(program *p)
{
    char picture[100], glass[40] = "", text[300];
    watching_stats s;

    watching_get_stats(p->watching, &s);
    describe_picture(p, picture, sizeof picture);
    if (p->glass.count > 0)
        snprintf(glass, sizeof glass, "  glass to glass %.0f ms", measure_ms(&p->glass, 0.5));
    snprintf(text, sizeof text,
             "%02u:%02u  %s  shown %llu  late %llu  broken %llu  playout %lld ms%s",
             p->elapsed / 60, p->elapsed % 60, picture, (unsigned long long)s.shown,
             (unsigned long long)p->late, (unsigned long long)s.undecodable,
             (long long)s.delay_us / 1000, glass);
    keys_show(&p->keys, text);
}

/* Starts to measure after the first key frames. */
static void watch_crowd(program *p, int64_t now)
{
    if (!p->crowd_us && crowd_all_open(p->crowd))
        p->crowd_us = now;
    if (!p->crowd_us || now - p->crowd_us < SETTLE_US)
        return;
    if (!p->measuring) {
        p->measuring = true;
        crowd_begin(p->crowd);
        printf("measuring\n");
        fflush(stdout);
        p->began_us = now;
    }
}

static void on_second(uv_timer_t *timer)
{
    program *p = timer->data;
    const int64_t now = now_us();

    if (p->ending || (!p->session && !p->crowd))
        return;
    if (p->crowd)
        watch_crowd(p, now);
    p->elapsed = (unsigned)((now - p->began_us) / LIVETCP_USEC_SEC);
    if (p->session && !p->options.json && p->typing == 0)
        show_status(p);
    if (p->session)
        show_title(p);
    if (p->overlay)
        show(p, NULL);
    if (p->options.seconds > 0 && p->elapsed >= (unsigned)p->options.seconds &&
        (!p->crowd || p->measuring))
        hang_up(p);
}

/* ---- the end ---- */

static void print_json(const program *p, const watching_stats *s)
{
    printf("{\"seconds\": %u, \"shown\": %llu, \"unread\": %llu, \"late\": %llu, "
           "\"undecodable\": %llu, \"skipped_packets\": %llu, \"garbage\": %llu, \"sounds\": %llu, "
           "\"concealed\": %llu, \"requests_repeated\": %llu, \"presses_lost\": %llu, "
           "\"playout_ms\": %.1f, \"zap_ms\": ",
           p->elapsed, (unsigned long long)s->shown, (unsigned long long)p->unread,
           (unsigned long long)p->late, (unsigned long long)s->undecodable,
           (unsigned long long)s->skipped_packets, (unsigned long long)s->garbage,
           (unsigned long long)s->sounds, (unsigned long long)s->concealed,
           (unsigned long long)p->remote.repeated, (unsigned long long)p->lost,
           (double)s->delay_us / 1000);
    measure_print(&p->zaps, stdout);
    printf(", \"seek_ms\": ");
    measure_print(&p->seeks, stdout);
    printf(", \"glass_ms\": ");
    measure_print(&p->glass, stdout);
    printf("}\n");
}

static void print_summary(program *p)
{
    watching_stats s;

    keys_clear(&p->keys);
    watching_get_stats(p->watching, &s);
    if (p->options.json) {
        print_json(p, &s);
        return;
    }
    printf("%u s: %llu pictures shown, %llu late, %llu broken; %llu sounds, %llu concealed\n",
           p->elapsed, (unsigned long long)s.shown, (unsigned long long)p->late,
           (unsigned long long)s.undecodable, (unsigned long long)s.sounds,
           (unsigned long long)s.concealed);
}

/* The loop has no handles after this, and uv_run() returns. */
static void end_program(program *p)
{
    if (!p->context)
        return;
    p->ending = true;
    if (p->watching)
        print_summary(p);
    if (p->crowd)
        crowd_print(p->crowd, p->elapsed);
    fflush(stdout);
    watching_destroy(&p->watching);
    if (p->session)
        livetcp_session_destroy(&p->session); /* allowed in every callback of its own */
    crowd_destroy(&p->crowd);
    uv_close((uv_handle_t *)&p->tick, NULL);
    uv_close((uv_handle_t *)&p->second, NULL);
    uv_close((uv_handle_t *)&p->deadline, NULL);
    uv_close((uv_handle_t *)&p->interrupt, NULL);
    uv_close((uv_handle_t *)&p->terminate, NULL);
    keys_stop(&p->keys);
    livetcp_context_destroy(&p->context);
}

static void on_deadline(uv_timer_t *timer)
{
    end_program(timer->data);
}

static void hang_up(program *p)
{
    if (p->ending || !p->session) {
        end_program(p); /* at once, or on a second request */
        return;
    }
    p->ending = true;
    livetcp_session_close(p->session, DRAIN_US); /* continues in on_state() */
    uv_timer_start(&p->deadline, on_deadline, END_MS, 0);
}

static void on_signal(uv_signal_t *handle, int signal_number)
{
    (void)signal_number;
    hang_up(handle->data);
}

/* ---- options ---- */

static size_t list_options(options *o, option_entry *list)
{
    const option_entry all[] = {
        {"--headless", NULL, "no window and no sound: for measuring", .flag = &o->headless},
        {"--silent", NULL, "no sound", .flag = &o->silent},
        {"--json", NULL, "print the figures as JSON at the end, and nothing else",
         .flag = &o->json},
        {"--latency", "MS", "of the playout at most; what is later makes the picture jump (120)",
         .number = &o->latency_ms, .min = 1, .max = 10000},
        {"--pictures", "FILE",
         "write a line for each picture: time in us, play, channel and "
         "number read from it, width, first of its play",
         .text = &o->pictures},
        {"--zaps", "N", "change the channel so often by itself, and end", .number = &o->zaps,
         .min = 1, .max = 100000},
        {"--seeks", "N", "after that, go 10 s back, live, back...", .number = &o->seeks, .min = 1,
         .max = 100000},
        {"--every", "MS", "between them (1000)", .number = &o->every_ms, .min = 10, .max = 60000},
        {"--viewers", "N", "so many viewers, which only measure arrival times",
         .number = &o->viewers, .min = 1, .max = 10000},
        {"--status", "MS", "a status line so often (1000)", .number = &o->status_ms, .min = 10,
         .max = 60000},
        {"--seconds", "N", "end after so long", .number = &o->seconds, .min = 1, .max = 1000000},
        {"--help", NULL, "this text", .flag = &o->help},
    };

    memcpy(list, all, sizeof all);
    return sizeof all / sizeof *all;
}

static void print_usage(const option_table *table, FILE *out)
{
    fputs("usage: tv_client [OPTION...] livetcp://HOST:PORT[/CHANNEL]\n", out);
    option_table_print(table, out);
    fputs("keys: u up, d down (channel), p pause, b 10 s back, l live, f fast forward, a quality\n"
          "      (automatic, high, low), s statistics, :NAME Enter channel, q end; in the window\n"
          "      the arrows, space, Home and Escape, too\n",
          out);
}

/* False, after a message. */
static bool read_options(options *o, int argc, char **argv)
{
    option_entry list[16];
    const option_table table = {"tv_client", list, list_options(o, list), "argument"};
    const int count = option_table_read(&table, argc, argv, &o->uri, 1);

    if (o->help)
        print_usage(&table, stdout);
    else if (count == 0)
        print_usage(&table, stderr);
    o->headless = o->headless || o->viewers > 0;
    return count >= 0 && (o->help || count > 0);
}

static bool read_config(program *p)
{
    livetcp_error error;

    livetcp_config_init(&p->config);
    p->config.role = LIVETCP_ROLE_BOTH; /* requests go to the server */
    if (livetcp_config_apply_uri(&p->config, p->options.uri, &error) != LIVETCP_OK ||
        livetcp_config_check(&p->config, &error) != LIVETCP_OK) {
        say(p, error.message);
        return false;
    }
    if (p->config.mode == LIVETCP_MODE_CALLER)
        return true;
    say(p, "the client calls the server; leave mode=listener out");
    return false;
}

/* ---- the program ---- */

static void start_handles(program *p)
{
    uv_timer_init(&p->loop, &p->tick);
    uv_timer_init(&p->loop, &p->second);
    uv_timer_init(&p->loop, &p->deadline);
    uv_signal_init(&p->loop, &p->interrupt);
    uv_signal_init(&p->loop, &p->terminate);
    p->tick.data = p->second.data = p->deadline.data = p;
    p->interrupt.data = p->terminate.data = p;
    uv_timer_start(&p->tick, on_tick, TICK_MS, TICK_MS);
    uv_timer_start(&p->second, on_second, (uint64_t)p->options.status_ms,
                   (uint64_t)p->options.status_ms);
    p->began_us = now_us();
    uv_signal_start(&p->interrupt, on_signal, SIGINT);
    uv_signal_start(&p->terminate, on_signal, SIGTERM);
}

static bool start(program *p, char *message, size_t size)
{
    if (!p->options.headless) {
        p->screen = screen_open(!p->options.silent, message, size);
        if (!p->screen)
            return false;
    }
    if (p->options.pictures && !(p->pictures = fopen(p->options.pictures, "w"))) {
        snprintf(message, size, "%s cannot be written: %s", p->options.pictures, strerror(errno));
        return false;
    }
    if (!start_session(p, message, size))
        return false;
    keys_start(&p->keys, &p->loop, take_key, p);
    return true;
}

static bool run(program *p)
{
    livetcp_error error;
    char message[480];

    if (!read_config(p) || uv_loop_init(&p->loop) != 0)
        return false;
    bool started = livetcp_context_create(&p->loop, &p->context, &error) == LIVETCP_OK;
    if (started) {
        start_handles(p);
        started = start(p, message, sizeof message);
        if (!started) {
            say(p, message);
            end_program(p);
        }
    } else {
        say(p, error.message);
    }
    uv_run(&p->loop, UV_RUN_DEFAULT);
    uv_tty_reset_mode();
    uv_loop_close(&p->loop);
    if (p->pictures)
        fclose(p->pictures);
    screen_close(&p->screen);
    measure_free(&p->zaps);
    measure_free(&p->seeks);
    measure_free(&p->glass);
    return started && !p->failed;
}

int main(int argc, char **argv)
{
    static program p = {
        .options = {.every_ms = 1000, .status_ms = STATUS_MS, .latency_ms = LATENCY_MS},
        .random = 1};

    if (!read_options(&p.options, argc, argv))
        return 1;
    return p.options.help || run(&p) ? 0 : 1;
}
