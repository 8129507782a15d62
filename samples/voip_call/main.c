/* SPDX-License-Identifier: MIT */
/*
 * A telephone call. One end listens and the other one calls:
 *
 *     voip_call livetcp://:5004
 *     voip_call livetcp://HOST:5004
 *
 * This file is the main program: options, the session on a libuv loop, keys, the status line and
 * the end. The sound is in voice.c, in a thread of its own:
 *
 *     microphone (sound.c) -- echo.c (speexdsp) -- speaking.c (Opus) -- session (LiveTCP)
 *     session (LiveTCP) -- playout -- hearing.c (Opus) -- loudspeaker (sound.c)
 *
 * docs/guide/voip-call.md explains it.
 */
#include "quality.h"

#include "../common/calling.h"
#include "../common/keys.h"
#include "../common/options.h"

#include <livetcp/livetcp.h>

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#define SECOND_MS 1000
#define DRAIN_US  (200 * LIVETCP_USEC_MSEC) /* for the last words */
#define END_MS    600                       /* bounds the end if the network hangs */

/* Packet loss that the encoder assumes until enough packets were reported. */
#define UNKNOWN_LOSS  0.05
#define KNOWN_PACKETS 200

/* Share of packets that may be late. Most are recovered from the copy in the next packet, and
 * waiting longer would cost a call more quality than a gap. */
#define TARGET_LATE 0.02

/* Speech that would arrive later than this is dropped: the conversation has moved on. */
#define MAX_SEND_DELAY (500 * LIVETCP_USEC_MSEC)

#define MIN_BITRATE     8000
#define MAX_BITRATE     128000
#define DEFAULT_BITRATE 32000

typedef struct options {
    const char *uri;
    sound_choice sound;
    const char *record, *summary;
    const char *policy, *connections;
    int bitrate, seconds;
    bool no_dtx, no_echo, muted, once, devices, help;
} options;

typedef struct program {
    options options;
    livetcp_config config;
    uv_loop_t loop;
    uv_timer_t second, deadline; /* status line; time limit of the end */
    uv_signal_t interrupt, terminate;
    keys keys;
    bool ending, failed;
    calling calling;
    unsigned calls; /* that were answered */

    livetcp_context *context;
    livetcp_listener *listener; /* NULL on the calling end */
    sound *sound;
    recorder *recorder;
    bool muted;

    /* The call; session is NULL without one. */
    livetcp_session *session;
    livetcp_playout *playout;
    uv_mutex_t playout_lock;
    voice *voice; /* NULL before the peer answers */
    quality quality;
    livetcp_session_stats stats;
    voice_state state, before; /* now, and a second ago */
    uint32_t bitrate;
    unsigned elapsed;                 /* seconds */
    uint64_t peer_packets, peer_late; /* of our packets, a second ago */
    uv_rusage_t usage;                /* at the start of the call */
    uint64_t began_ns;
} program;

static void say(program *p, const char *text)
{
    keys_clear(&p->keys);
    fprintf(stderr, "voip_call: %s\n", text);
}

/* ---- the status line ---- */

#define STATUS_MAX 600

/* Adds to a text. */
static void add(char text[STATUS_MAX], const char *format, ...)
{
    const size_t used = strlen(text);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text + used, STATUS_MAX - used, format, arguments);
    va_end(arguments);
}

/* "####." of a peak: a step is 9 dB, the last one is where it distorts. */
static void add_level(char text[STATUS_MAX], const char *name, int peak)
{
    static const int steps[] = {518, 1460, 4125, 11628, 31000}; /* of 32768 */

    add(text, " %s ", name);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        add(text, peak >= steps[i] ? "#" : ".");
}

static long long ms(livetcp_usec us)
{
    return (us + LIVETCP_USEC_MSEC / 2) / LIVETCP_USEC_MSEC;
}

static void add_quality(char text[STATUS_MAX], const quality *q)
{
    if (q->seconds == 0) {
        add(text, "  nothing heard yet");
        return;
    }
    add(text,
        "  you hear them after %lld ms (%lld speaking + %lld path + %lld waiting + %lld playout + "
        "%lld loudspeaker)  late %llu  concealed %llu  MOS %.1f now, %.1f call: %s",
        ms(q->mouth_to_ear_us), ms(q->speaking_us), ms(q->path_us), ms(q->waiting_us),
        ms(q->playout_us), ms(q->hearing_us), (unsigned long long)q->counts.late,
        (unsigned long long)q->concealed, q->mos_now, q->mos, quality_word(q->mos_now));
    if (q->reason[0])
        add(text, ", %s", q->reason);
}

/* Trouble that a person should hear of before anything else. */
static void add_trouble(char text[STATUS_MAX], const program *p)
{
    if (p->state.gone)
        add(text, "  YOUR %s IS GONE",
            strcmp(p->state.gone, "microphone") == 0 ? "MICROPHONE" : "LOUDSPEAKER");
    else if (p->state.undecodable - p->before.undecodable > p->state.decoded - p->before.decoded)
        add(text, "  THEY SEND payload type %d, which is not this call's Opus",
            p->state.payload_type);
}

static void show_status(program *p)
{
    char text[STATUS_MAX];

    snprintf(text, sizeof text, "%02u:%02u", p->elapsed / 60, p->elapsed % 60);
    if (livetcp_session_get_state(p->session) == LIVETCP_SESSION_OPEN) {
        add_trouble(text, p);
        add_quality(text, &p->quality);
    } else {
        add(text, "  NO CONNECTION, calling again"); /* figures are of before */
    }
    add_level(text, p->muted ? "  you (MUTED)" : "  you", p->state.spoken_peak);
    add_level(text, "they", p->state.heard_peak);
    keys_show(&p->keys, text);
}

/* ---- the summary ---- */

static double cpu_percent(const program *p)
{
    uv_rusage_t now;
    double wall = (double)(uv_hrtime() - p->began_ns) / 1e9;

    if (uv_getrusage(&now) != 0 || wall <= 0)
        return 0;
    return 100 / wall *
           ((double)(now.ru_utime.tv_sec - p->usage.ru_utime.tv_sec) +
            (double)(now.ru_stime.tv_sec - p->usage.ru_stime.tv_sec) +
            (double)(now.ru_utime.tv_usec - p->usage.ru_utime.tv_usec) / 1e6 +
            (double)(now.ru_stime.tv_usec - p->usage.ru_stime.tv_usec) / 1e6);
}

static double json_ms(livetcp_usec us)
{
    return (double)us / LIVETCP_USEC_MSEC;
}

/* Summary as JSON: times in ms, shares 0..1. */
static void write_summary(const program *p, double cpu)
{
    const quality *q = &p->quality;
    const voice_state *s = &p->state;
    FILE *out = fopen(p->options.summary, "w");

    if (!out) {
        perror(p->options.summary);
        return;
    }
    fprintf(out,
            "{\"seconds\": %u, \"start_us\": %lld, \"mouth_to_ear_ms\": %.2f, "
            "\"mouth_to_ear_max_ms\": %.2f, ",
            p->elapsed, (long long)s->start_us, json_ms(quality_mouth_to_ear(q)),
            json_ms(q->mouth_to_ear_max_us));
    fprintf(out,
            "\"speaking_ms\": %.2f, \"path_ms\": %.2f, \"waiting_ms\": %.2f, \"playout_ms\": %.2f, "
            "\"hearing_ms\": %.2f, ",
            json_ms(q->speaking_us), json_ms(q->path_us), json_ms(q->waiting_us),
            json_ms(q->playout_us), json_ms(q->hearing_us));
    fprintf(out,
            "\"sent\": %llu, \"silent\": %llu, \"played\": %llu, \"late\": %llu, \"lost\": %llu, "
            "\"corrected\": %llu, \"concealed\": %llu, \"loss\": %.6f, \"mos\": %.3f, ",
            (unsigned long long)s->packets, (unsigned long long)s->silent,
            (unsigned long long)q->counts.played, (unsigned long long)q->counts.late,
            (unsigned long long)q->counts.lost, (unsigned long long)s->corrected,
            (unsigned long long)q->concealed, q->loss, q->mos);
    fprintf(out,
            "\"bitrate\": %d, \"complexity\": %d, \"loss_percent\": %d, \"stretch_ppm\": %d, "
            "\"cpu_percent\": %.3f}\n",
            s->bitrate, s->complexity, s->loss_percent, s->stretch_ppm, cpu);
    fclose(out);
}

static void print_summary(program *p)
{
    const quality *q = &p->quality;
    double cpu = cpu_percent(p);

    keys_clear(&p->keys);
    printf("call of %02u:%02u", p->elapsed / 60, p->elapsed % 60);
    if (q->seconds == 0)
        printf(": nothing was heard");
    else
        printf(": heard after %lld ms (at most %lld), %llu packets played, %llu late, %llu lost, "
               "%llu filled from the next packet, MOS %.2f (%s)",
               ms(quality_mouth_to_ear(q)), ms(q->mouth_to_ear_max_us),
               (unsigned long long)q->counts.played, (unsigned long long)q->counts.late,
               (unsigned long long)q->counts.lost, (unsigned long long)p->state.corrected, q->mos,
               quality_word(q->mos));
    printf("; %llu packets sent; CPU %.1f %% of a core\n", (unsigned long long)p->state.packets,
           cpu);
    fflush(stdout);
    if (p->options.summary)
        write_summary(p, cpu);
}

/* ---- once a second ---- */

/* Loss for which forward error correction is configured: the path's loss, since a repair may come
 * too late, or the recent share that the peer could not play, if that is more. */
static double expected_loss(program *p)
{
    const livetcp_peer_stats *peer = &p->stats.peer;
    uint64_t packets = peer->packets - p->peer_packets, late = peer->late_playout - p->peer_late;
    double share = packets > 0 && late <= packets ? (double)late / (double)packets : 0;

    if (p->stats.losses.known < KNOWN_PACKETS && share < UNKNOWN_LOSS)
        share = UNKNOWN_LOSS;
    p->peer_packets = peer->packets;
    p->peer_late = peer->late_playout;
    return share > p->stats.losses.ratio ? share : p->stats.losses.ratio;
}

static void update(program *p)
{
    livetcp_playout_stats playout = {.struct_size = sizeof playout};

    p->stats.struct_size = sizeof p->stats;
    livetcp_session_get_stats(p->session, &p->stats);
    uv_mutex_lock(&p->playout_lock);
    livetcp_playout_get_stats(p->playout, &playout);
    uv_mutex_unlock(&p->playout_lock);
    p->before = p->state;
    voice_get_state(p->voice, &p->state);
    quality_update(&p->quality, &p->stats, &playout, &p->state);
    voice_adapt(p->voice, p->bitrate, expected_loss(p));
}

static void hang_up(program *p);

static void on_second(uv_timer_t *timer)
{
    program *p = timer->data;

    if (!p->voice || p->ending)
        return;
    p->elapsed++;
    update(p);
    show_status(p);
    if (p->options.seconds > 0 && p->elapsed >= (unsigned)p->options.seconds)
        hang_up(p);
}

/* ---- the call ---- */

static void end_program(program *p);

/* Frees a call. The voice goes first, since it uses session and playout. */
static void end_call(program *p)
{
    if (p->voice) {
        update(p);
        voice_stop(&p->voice);
        print_summary(p);
    }
    if (p->session)
        livetcp_session_destroy(&p->session); /* allowed in every callback of its own */
    livetcp_playout_destroy(&p->playout);
}

static void start_voice(program *p)
{
    const voice_settings settings = {.session = p->session,
                                     .playout = p->playout,
                                     .lock = &p->playout_lock,
                                     .sound = p->sound,
                                     .recorder = p->recorder,
                                     .max_bitrate = p->options.bitrate,
                                     .dtx = !p->options.no_dtx,
                                     .cancel_echo = !p->options.no_echo};
    char message[240];

    p->voice = voice_start(&settings, message, sizeof message);
    if (!p->voice) {
        say(p, message);
        p->failed = true;
        hang_up(p);
        return;
    }
    voice_mute(p->voice, p->muted);
    voice_adapt(p->voice, 0, UNKNOWN_LOSS);
    p->calls++;
    p->elapsed = 0;
    p->quality = (quality){0};
    p->state = (voice_state){0};
    p->bitrate = 0;
    p->peer_packets = p->peer_late = 0;
    p->began_ns = uv_hrtime();
    uv_getrusage(&p->usage);
    uv_timer_start(&p->second, on_second, SECOND_MS, SECOND_MS);
}

static void on_state(livetcp_session *session, livetcp_session_state state,
                     const livetcp_error *error, void *user)
{
    program *p = user;
    (void)session;

    if (error && !p->ending)
        say(p, error->message);
    if (state == LIVETCP_SESSION_OPEN && !p->voice && !p->ending) {
        printf("the call begins; m mutes, q hangs up\n");
        fflush(stdout);
        start_voice(p);
    }
    if (state != LIVETCP_SESSION_CLOSED)
        return;
    if (!p->voice && !p->ending)
        p->failed = true; /* no answer */
    end_call(p);
    if (p->ending || p->options.once || !p->listener)
        end_program(p); /* otherwise another caller is accepted */
}

/* Nobody answers yet. */
static void on_connection(livetcp_session *session, unsigned connection,
                          livetcp_connection_state state, const livetcp_error *error, void *user)
{
    program *p = user;

    (void)session, (void)state;
    if (!p->voice && !p->ending)
        calling_failed(&p->calling, "voip_call", connection, error);
}

static void on_bitrate(livetcp_session *session, uint32_t bitrate, void *user)
{
    (void)session;
    ((program *)user)->bitrate = bitrate;
}

static void on_warning(livetcp_session *session, const livetcp_error *warning, void *user)
{
    (void)session;
    say(user, warning->message);
}

static const livetcp_session_callbacks callbacks = {.struct_size =
                                                        sizeof(livetcp_session_callbacks),
                                                    .on_state = on_state,
                                                    .on_connection = on_connection,
                                                    .on_bitrate = on_bitrate,
                                                    .on_warning = on_warning};

static void lock(void *user)
{
    uv_mutex_lock(user);
}

static void unlock(void *user)
{
    uv_mutex_unlock(user);
}

/* The session feeds the playout on the loop's thread; the voice pulls on its own thread. */
static livetcp_result take_session(program *p, livetcp_session *session, livetcp_error *error)
{
    const livetcp_playout_attachment attachment = {
        .struct_size = sizeof attachment, .lock = lock, .unlock = unlock, .user = &p->playout_lock};
    livetcp_playout_config config;
    livetcp_result result;

    livetcp_playout_config_init(&config);
    config.mode = LIVETCP_PLAYOUT_POLICY_AWARE;
    config.clock_rate = SAMPLE_RATE;
    config.latency_us = 60 * LIVETCP_USEC_MSEC;     /* until the path is known */
    config.min_latency_us = 30 * LIVETCP_USEC_MSEC; /* includes the next packet, with its copy */
    config.target_late = TARGET_LATE;
    config.max_latency_us =
        250 * LIVETCP_USEC_MSEC; /* a longer delay makes people interrupt each other */
    result = livetcp_playout_create(&config, &p->playout, error);
    if (result == LIVETCP_OK) {
        result = livetcp_playout_attach(p->playout, session, &attachment);
        if (result != LIVETCP_OK)
            snprintf(error->message, sizeof error->message, "%s", livetcp_result_detail(result));
    }
    if (result == LIVETCP_OK) {
        p->session = session;
        livetcp_session_set_clock_rate(session, LIVETCP_ANY_PAYLOAD, SAMPLE_RATE);
    } else {
        livetcp_playout_destroy(&p->playout);
    }
    return result;
}

static bool on_session(livetcp_listener *listener, livetcp_session *session, const char *remote,
                       void *user)
{
    program *p = user;
    livetcp_error error;
    (void)listener;

    if (p->session || p->ending)
        return false; /* busy: one call at a time */
    printf("call from %s\n", remote);
    livetcp_session_set_callbacks(session, &callbacks, p);
    if (take_session(p, session, &error) == LIVETCP_OK)
        return true;
    say(p, error.message);
    return false;
}

static void on_rejected(livetcp_listener *listener, const char *remote, const livetcp_error *error,
                        void *user)
{
    (void)listener;
    keys_clear(&((program *)user)->keys);
    fprintf(stderr, "voip_call: %s%s%s\n", remote, remote[0] ? ": " : "", error->message);
}

static livetcp_result start_session(program *p, livetcp_error *error)
{
    const livetcp_listener_callbacks listening = {
        .struct_size = sizeof listening, .on_session = on_session, .on_rejected = on_rejected};
    livetcp_session *session;
    livetcp_result result;

    if (p->config.mode == LIVETCP_MODE_CALLER) {
        result = livetcp_session_connect(p->context, &p->config, &callbacks, p, &session, error);
        if (result == LIVETCP_OK && (result = take_session(p, session, error)) != LIVETCP_OK)
            livetcp_session_destroy(&session);
        if (result == LIVETCP_OK)
            printf("calling %s\n", p->config.host);
        fflush(stdout);
        return result;
    }
    result = livetcp_listener_create(p->context, &p->config, &listening, p, &p->listener, error);
    if (result == LIVETCP_OK)
        printf("listening on port %u\n", livetcp_listener_port(p->listener));
    fflush(stdout);
    return result;
}

/* ---- the end ---- */

/* The loop has no handles after this, and uv_run() returns. */
static void end_program(program *p)
{
    if (!p->context)
        return;
    p->ending = true;
    end_call(p);
    if (p->keys.on_key && !p->calls) /* it had started */
        printf("no call: nobody %s\n", p->listener ? "called" : "answered");
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

/* ---- keys ---- */

static void press(void *user, char key)
{
    program *p = user;

    if (key == 'm') {
        p->muted = !p->muted;
        if (p->voice)
            voice_mute(p->voice, p->muted);
        keys_clear(&p->keys);
        printf("you are %s\n", p->muted ? "muted" : "heard");
        fflush(stdout);
    } else if (key == 'q' || key == 3) { /* Ctrl-C, in raw mode */
        hang_up(p);
    }
}

/* ---- options ---- */

#define OPTIONS 16

static size_t list_options(options *o, option_entry *list)
{
    const option_entry all[] = {
        {"--microphone", "NAME", "a device, or none", .text = &o->sound.microphone},
        {"--loudspeaker", "NAME", "a device, or none", .text = &o->sound.loudspeaker},
        {"--play", "FILE", "speak a WAV file, over and over, instead of the microphone",
         .text = &o->sound.play},
        {"--devices", NULL, "list the devices and end", .flag = &o->devices},
        {"--record", "FILE", "record as WAV: what you say left, what you hear right",
         .text = &o->record},
        {"--muted", NULL, "begin muted", .flag = &o->muted},
        {"--no-echo", NULL, "take no echo out of the microphone's sound: for headphones",
         .flag = &o->no_echo},
        {"--no-dtx", NULL, "send packets also while nobody speaks", .flag = &o->no_dtx},
        {"--bitrate", "BIT/S", "of Opus at most, 8000..128000 (32000)", .number = &o->bitrate,
         .min = MIN_BITRATE, .max = MAX_BITRATE},
        {"--policy", "NAME", "as policy= in the URI", .text = &o->policy},
        {"--connections", "N", "as connections= in the URI", .text = &o->connections},
        {"--seconds", "N", "hang up after so long", .number = &o->seconds, .min = 1,
         .max = 1000000},
        {"--once", NULL, "a listener ends after its first call", .flag = &o->once},
        {"--summary", "FILE", "write the summary of a call as JSON", .text = &o->summary},
        {"--help", NULL, "this text", .flag = &o->help},
    };

    memcpy(list, all, sizeof all);
    return sizeof all / sizeof *all;
}

static void print_usage(const option_table *table, FILE *out)
{
    fputs("usage: voip_call [OPTION...] livetcp://HOST:PORT           call\n"
          "       voip_call [OPTION...] livetcp://:PORT               wait for calls\n",
          out);
    option_table_print(table, out);
}

/* False, after a message. */
static bool read_options(options *o, int argc, char **argv)
{
    option_entry list[OPTIONS];
    const option_table table = {"voip_call", list, list_options(o, list), "URI"};

    if (option_table_read(&table, argc, argv, &o->uri, 1) < 0)
        return false;
    if (o->help)
        print_usage(&table, stdout);
    else if (!o->uri && !o->devices)
        print_usage(&table, stderr);
    return o->uri || o->help || o->devices;
}

static livetcp_result read_config(program *p, livetcp_error *error)
{
    const options *o = &p->options;
    livetcp_result result;

    livetcp_config_init(&p->config);
    p->config.max_send_delay_us = MAX_SEND_DELAY;
    result = livetcp_config_apply_uri(&p->config, o->uri, error);
    if (result == LIVETCP_OK && !p->config.host[0])
        p->config.mode = LIVETCP_MODE_LISTENER; /* whom would it call? */
    if (result == LIVETCP_OK && o->policy)
        result = livetcp_config_set(&p->config, "policy", o->policy, error);
    if (result == LIVETCP_OK && o->connections)
        result = livetcp_config_set(&p->config, "connections", o->connections, error);
    return result == LIVETCP_OK ? livetcp_config_check(&p->config, error) : result;
}

/* ---- the program ---- */

/* Before a call, and not when its figures are there. */
static bool can_write(const char *path, char *message, size_t size)
{
    FILE *out = fopen(path, "a");

    if (!out)
        snprintf(message, size, "%s cannot be written: %s", path, strerror(errno));
    else
        fclose(out);
    return out;
}

static bool open_sound(program *p, char *message, size_t size)
{
    const options *o = &p->options;

    if (o->summary && !can_write(o->summary, message, size))
        return false;
    p->sound = sound_open(&o->sound, message, size);
    if (p->sound && o->record)
        p->recorder = recorder_open(o->record, SAMPLE_RATE, message, size);
    return p->sound && (!o->record || p->recorder);
}

static livetcp_result start(program *p, livetcp_error *error)
{
    livetcp_result result = livetcp_context_create(&p->loop, &p->context, error);

    if (result != LIVETCP_OK)
        return result;
    uv_timer_init(&p->loop, &p->second);
    uv_timer_init(&p->loop, &p->deadline);
    uv_signal_init(&p->loop, &p->interrupt);
    uv_signal_init(&p->loop, &p->terminate);
    p->second.data = p->deadline.data = p->interrupt.data = p->terminate.data = p;
    uv_signal_start(&p->interrupt, on_signal, SIGINT);
    uv_signal_start(&p->terminate, on_signal, SIGTERM);
    result = start_session(p, error);
    if (result == LIVETCP_OK)
        keys_start(&p->keys, &p->loop, press, p);
    else
        end_program(p);
    return result;
}

static bool run(program *p)
{
    livetcp_error error = {0};
    char message[480];

    p->muted = p->options.muted;
    if (read_config(p, &error) != LIVETCP_OK) {
        say(p, error.message);
        return false;
    }
    bool ready = open_sound(p, message, sizeof message);
    if (!ready)
        say(p, message);
    if (ready && uv_loop_init(&p->loop) == 0) {
        uv_mutex_init(&p->playout_lock);
        ready = start(p, &error) == LIVETCP_OK;
        if (!ready)
            say(p, error.message);
        uv_run(&p->loop, UV_RUN_DEFAULT);
        uv_tty_reset_mode();
        uv_loop_close(&p->loop);
        uv_mutex_destroy(&p->playout_lock);
    }
    const char *unwritten = p->recorder ? recorder_close(&p->recorder) : NULL;
    if (unwritten)
        fprintf(stderr, "voip_call: the recording is not whole: %s\n", unwritten);
    sound_close(&p->sound);
    return ready && !p->failed && !unwritten;
}

int main(int argc, char **argv)
{
    static program p = {.options.bitrate = DEFAULT_BITRATE};
    char message[240];

    if (!read_options(&p.options, argc, argv))
        return 1;
    if (p.options.help)
        return 0;
    if (p.options.devices) {
        bool listed = sound_list(message, sizeof message);
        if (!listed)
            say(&p, message);
        return listed ? 0 : 1;
    }
    return run(&p) ? 0 : 1;
}
