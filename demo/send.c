/* SPDX-License-Identifier: MIT */
/*
 * The sending program: plays the recorded programme in a loop and in real time, and encodes it
 * live. With --adapt each leg has an encoder of its own for the same pictures, and LiveTCP's
 * follows its estimated bit rate. Otherwise there is one encoder, and the same RTP packets go to
 * all legs at the same time.
 *
 * A trace records when each packet leaves the payloaders: "sent", or "sent-<leg>" with --adapt.
 * Control files: waits for "listening" (written by the receiving program: a line "<leg> <port>"
 * each), writes "sending" with the settings of its network namespace, and ends when
 * "demo-send.stop" appears.
 */
#include "adapt.h"
#include "leg.h"
#include "media.h"
#include "stage.h"

#include <stdio.h>

/* The programme starts this long after the pipeline, when all connections are open: the comparison
 * is about transmission, not about opening connections. */
enum { LEAD_IN_MS = 1000, LISTENING_TIMEOUT_S = 120 };

typedef struct send_options {
    char *directory, *programme, *host, *policy;
    gboolean host_is_given;
    int connections, bitrate, duration;
    gboolean adapt;
} send_options;

typedef struct sender sender;

typedef struct stream {
    sender *owner;
    GstClockTime last; /* running time of the last buffer that was passed */
    gboolean ended;
} stream;

struct sender {
    demo_stage stage;
    send_options options;
    stream video, audio;
    guint ports[DEMO_LEGS]; /* 0: not one of the receiver's legs */
    demo_adapt adapt;
    gint playing; /* streams that have not ended, atomic */
};

static gboolean parse_options(int *argc, char ***argv, send_options *o, GError **error)
{
    const GOptionEntry entries[] = {
        {"directory", 0, 0, G_OPTION_ARG_FILENAME, &o->directory, "traces and control files",
         "DIR"},
        {"programme", 0, 0, G_OPTION_ARG_FILENAME, &o->programme, "what to play", "FILE"},
        {"host", 0, 0, G_OPTION_ARG_STRING, &o->host, "where the receiving program is", "HOST"},
        {"policy", 0, 0, G_OPTION_ARG_STRING, &o->policy, "of LiveTCP", "NAME"},
        {"connections", 0, 0, G_OPTION_ARG_INT, &o->connections, "of LiveTCP", "N"},
        {"bitrate", 0, 0, G_OPTION_ARG_INT, &o->bitrate, "of the video", "KBIT/S"},
        {"adapt", 0, 0, G_OPTION_ARG_NONE, &o->adapt, "LiveTCP's encoder to what it carries", NULL},
        {"duration", 0, 0, G_OPTION_ARG_INT, &o->duration, "of the programme", "SECONDS"},
        {0},
    };
    GOptionContext *context = g_option_context_new("- sends the demonstration's programme");
    g_option_context_add_main_entries(context, entries, NULL);
    g_option_context_add_group(context, gst_init_get_option_group());
    gboolean ok = g_option_context_parse(context, argc, argv, error);
    g_option_context_free(context);
    o->host_is_given = o->host != NULL;
    if (ok && o->host == NULL) {
        o->host = g_strdup(g_getenv("LIVETCP_FAR")); /* set by livetcp emulate */
    }
    if (ok && (o->directory == NULL || o->programme == NULL || o->host == NULL)) {
        g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_FAILED,
                    "--directory, --programme and --host (or LIVETCP_FAR) are needed");
        ok = FALSE;
    }
    return ok;
}

/* Destination of a leg: an address of its own where `livetcp emulate` has a link for each. */
static const char *host_of(const send_options *o, int leg)
{
    char *name = g_strdup_printf("LIVETCP_FAR_%d", leg + 1);
    const char *own = o->host_is_given ? NULL : g_getenv(name);
    g_free(name);
    return own ? own : o->host;
}

/* Finds the port of `leg` in the file "listening". */
static guint port_of(const char *listening, const demo_leg *leg)
{
    guint port = 0;
    gchar **lines = g_strsplit(listening, "\n", -1);
    gsize length = strlen(leg->name);
    for (gchar **line = lines; *line != NULL; line++) {
        if (strncmp(*line, leg->name, length) == 0 && (*line)[length] == ' ') {
            port = (guint)g_ascii_strtoull(*line + length, NULL, 10);
        }
    }
    g_strfreev(lines);
    return port;
}

static gboolean wait_for_receiver(const char *directory, char **listening, GError **error)
{
    gchar *path = g_build_filename(directory, "listening", NULL);
    gint64 deadline = g_get_monotonic_time() + LISTENING_TIMEOUT_S * G_USEC_PER_SEC;
    while (!g_file_test(path, G_FILE_TEST_EXISTS) && g_get_monotonic_time() < deadline) {
        g_usleep(20000);
    }
    gboolean ok = g_file_get_contents(path, listening, NULL, NULL);
    if (!ok) {
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_NOENT,
                    "the receiving program does not listen after %d s; its own message says why",
                    LISTENING_TIMEOUT_S);
    }
    g_free(path);
    return ok;
}

static char *describe(sender *s, const char *listening)
{
    const send_options *o = &s->options;
    GString *p = g_string_new(NULL);
    demo_media_append_source(p, LEAD_IN_MS);
    if (!o->adapt) {
        demo_media_append_encoder(p, "shared", o->bitrate);
    }
    for (int i = 0; i < DEMO_LEGS; i++) {
        const demo_leg *leg = &demo_legs[i];
        gboolean follows = o->adapt && leg->estimates;
        s->ports[i] = port_of(listening, leg);
        if (s->ports[i] == 0) {
            continue;
        }
        const demo_leg_options options = {
            .host = host_of(o, i),
            .port = s->ports[i],
            .policy = o->policy,
            .connections = (guint)o->connections,
            .min_bitrate = follows ? demo_adapt_min((guint)o->bitrate) : 0,
            .max_bitrate = follows ? demo_adapt_max((guint)o->bitrate) : 0,
        };
        if (o->adapt) {
            demo_media_append_encoder(p, leg->name, o->bitrate);
        }
        char *fragment = leg->send(&options);
        g_string_append_printf(p, " %s-packets. ! %s", o->adapt ? leg->name : "shared", fragment);
        g_free(fragment);
    }
    return g_string_free(p, FALSE);
}

static gboolean trace_legs(sender *s, GError **error)
{
    gboolean ok = TRUE;

    if (!s->options.adapt) {
        return demo_stage_trace(&s->stage, "sent", "shared-packets", "sink", error);
    }
    for (int i = 0; ok && i < DEMO_LEGS; i++) {
        const char *name = demo_legs[i].name;
        if (s->ports[i] == 0) {
            continue;
        }
        gchar *trace = g_strdup_printf("sent-%s", name);
        gchar *packets = g_strdup_printf("%s-packets", name);
        ok = demo_stage_trace(&s->stage, trace, packets, "sink", error);
        g_free(packets);
        g_free(trace);
    }
    return ok;
}

static gboolean start_adapting(sender *s, GError **error)
{
    gboolean ok = TRUE;

    for (int i = 0; ok && i < DEMO_LEGS; i++) {
        if (s->ports[i] == 0 || !s->options.adapt || !demo_legs[i].estimates) {
            continue;
        }
        gchar *encoder = g_strdup_printf("%s-encoder", demo_legs[i].name);
        gchar *sink = g_strdup_printf("%s-transport", demo_legs[i].name);
        ok = demo_adapt_start(&s->adapt, demo_stage_element(&s->stage, encoder),
                              demo_stage_element(&s->stage, sink), (guint)s->options.bitrate,
                              s->options.directory, error);
        g_free(sink);
        g_free(encoder);
    }
    return ok;
}

/*
 * Plays the whole file as one segment. Sent to the demuxer before it has read the headers, the
 * first seek waits inside until then; later ones continue without a gap in running time.
 */
static gboolean play_segment(demo_stage *stage)
{
    GstElement *demux = demo_stage_element(stage, "demux");
    gboolean ok = gst_element_seek(demux, 1.0, GST_FORMAT_TIME, GST_SEEK_FLAG_SEGMENT,
                                   GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_NONE, -1);
    gst_object_unref(demux);
    return ok;
}

static void on_segment_done(GstBus *bus, GstMessage *message, gpointer user)
{
    (void)bus;
    (void)message;
    sender *s = user;
    if (!play_segment(&s->stage)) {
        g_printerr("%s: the programme cannot be played from the start again\n", g_get_prgname());
        s->stage.failed = TRUE;
        g_main_loop_quit(s->stage.loop);
    }
}

static gboolean publish_ended(gpointer user)
{
    sender *s = user;
    (void)demo_stage_publish(&s->stage, "ended", "", NULL);
    return G_SOURCE_REMOVE;
}

static GstClockTime running_time(GstPad *pad, GstBuffer *buffer)
{
    GstEvent *event = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0);
    GstClockTime at = GST_CLOCK_TIME_NONE;
    if (event != NULL) {
        const GstSegment *segment;
        gst_event_parse_segment(event, &segment);
        at = gst_segment_to_running_time(segment, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer));
        gst_event_unref(event);
    }
    return at;
}

/*
 * Before the encoders: ends the programme with a complete frame, and drops what a new round would
 * repeat: the demuxer starts it where the last buffer of the previous round began, not where it
 * ended.
 */
static GstPadProbeReturn on_live(GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
    stream *st = user;
    sender *s = st->owner;
    GstClockTime at = running_time(pad, GST_PAD_PROBE_INFO_BUFFER(info));
    if (at == GST_CLOCK_TIME_NONE) {
        return GST_PAD_PROBE_OK;
    }
    if (at >= (GstClockTime)s->options.duration * GST_SECOND) {
        if (!st->ended && g_atomic_int_dec_and_test(&s->playing)) {
            g_timeout_add(500, publish_ended, s); /* the encoders are empty by then */
        }
        st->ended = TRUE;
        return GST_PAD_PROBE_DROP;
    }
    if (st->last != GST_CLOCK_TIME_NONE && at < st->last + 10 * GST_MSECOND) {
        return GST_PAD_PROBE_DROP;
    }
    st->last = at;
    return GST_PAD_PROBE_OK;
}

static void watch_stream(sender *s, stream *st, const char *element)
{
    *st = (stream){.owner = s, .last = GST_CLOCK_TIME_NONE};
    GstElement *clock = demo_stage_element(&s->stage, element);
    GstPad *pad = gst_element_get_static_pad(clock, "src");
    gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, on_live, st, NULL);
    g_atomic_int_inc(&s->playing);
    gst_object_unref(pad);
    gst_object_unref(clock);
}

/* Publishes the settings of the path's near end for the report. */
static gboolean publish_sending(sender *s, GError **error)
{
    gchar *control = NULL;
    if (!g_file_get_contents("/proc/sys/net/ipv4/tcp_congestion_control", &control, NULL, error)) {
        return FALSE;
    }
    gint64 start = (gint64)gst_element_get_base_time(s->stage.pipeline) / 1000 + LEAD_IN_MS * 1000;
    gchar *version = gst_version_string();
    gchar *text = g_strdup_printf("{\"start_us\": %" G_GINT64_FORMAT
                                  ", \"congestion_control\": \"%s\", \"gstreamer\": \"%s\"}\n",
                                  start, g_strstrip(control), version);
    gboolean ok = demo_stage_publish(&s->stage, "sending", text, error);
    g_free(text);
    g_free(version);
    g_free(control);
    return ok;
}

static gboolean prepare(sender *s, GError **error)
{
    gchar *listening = NULL;
    if (!wait_for_receiver(s->options.directory, &listening, error)) {
        return FALSE;
    }
    gchar *description = describe(s, listening);
    gboolean ok = demo_stage_init(&s->stage, s->options.directory, description, error) &&
                  trace_legs(s, error) && start_adapting(s, error);
    g_free(description);
    g_free(listening);
    if (!ok) {
        return FALSE;
    }
    GstElement *file = demo_stage_element(&s->stage, "file");
    g_object_set(file, "location", s->options.programme, NULL);
    gst_object_unref(file);

    GstClock *clock = gst_system_clock_obtain(); /* CLOCK_MONOTONIC */
    gst_pipeline_use_clock(GST_PIPELINE(s->stage.pipeline), clock);
    gst_object_unref(clock);
    watch_stream(s, &s->video, "video-clock");
    watch_stream(s, &s->audio, "audio-clock");
    return TRUE;
}

static gboolean run(sender *s, GError **error)
{
    GstBus *bus = gst_element_get_bus(s->stage.pipeline);
    gst_bus_add_signal_watch(bus);
    gulong handler = g_signal_connect(bus, "message::segment-done", G_CALLBACK(on_segment_done), s);
    gboolean ok =
        gst_element_set_state(s->stage.pipeline, GST_STATE_READY) != GST_STATE_CHANGE_FAILURE &&
        play_segment(&s->stage) && demo_stage_play(&s->stage) && publish_sending(s, error) &&
        demo_stage_run(&s->stage);
    g_signal_handler_disconnect(bus, handler);
    gst_bus_remove_signal_watch(bus);
    gst_object_unref(bus);
    return ok;
}

int main(int argc, char **argv)
{
    sender s = {.options = {.connections = 5, .bitrate = 1500, .duration = 60}};
    GError *error = NULL;
    g_set_prgname("demo-send");
    gboolean ok =
        parse_options(&argc, &argv, &s.options, &error) && prepare(&s, &error) && run(&s, &error);
    demo_stage_report(s.options.directory, ok, error);
    g_clear_error(&error);
    demo_stage_clear(&s.stage);
    demo_adapt_stop(&s.adapt);
    g_free(s.options.directory);
    g_free(s.options.programme);
    g_free(s.options.host);
    g_free(s.options.policy);
    return ok ? 0 : 1;
}
