/* SPDX-License-Identifier: MIT */
/*
 * The receiving program: takes the packets of each leg from its transport, records each arrival,
 * and decodes pictures and sound on arrival, as a viewer's player would. Jitter buffers restore the
 * order of packets, and pass packets in order at once. There is no playout delay.
 *
 * Control files: writes "listening" when all legs are listening, ends when "demo-receive.stop"
 * appears, and leaves "received" with the counts of decoded buffers.
 */
#include "canvas.h"
#include "leg.h"
#include "stage.h"

enum { VIDEO_PAYLOAD = 96, AUDIO_PAYLOAD = 97, LISTENING_TIMEOUT_S = 60 };

/* Waits up to a second for a missing packet. */
#define JITTER_BUFFER "rtpjitterbuffer latency=1000"

typedef struct receive_options {
    char *directory;
    char *legs; /* names, comma-separated */
    gboolean window;
    int port; /* of the first leg, the others follow; 0: any */
} receive_options;

typedef struct decoded {
    gint video, audio; /* decoded buffers, atomic */
} decoded;

typedef struct receiver {
    demo_stage stage;
    receive_options options;
    decoded decoded[DEMO_LEGS];
    demo_canvas canvas; /* with --window */
} receiver;

static gboolean parse_options(int *argc, char ***argv, receive_options *o, GError **error)
{
    const GOptionEntry entries[] = {
        {"directory", 0, 0, G_OPTION_ARG_FILENAME, &o->directory, "traces and control files",
         "DIR"},
        {"legs", 0, 0, G_OPTION_ARG_STRING, &o->legs, "which legs, comma-separated", "NAMES"},
        {"port", 0, 0, G_OPTION_ARG_INT, &o->port, "first port to listen on; 0: any", "PORT"},
        {"window", 0, 0, G_OPTION_ARG_NONE, &o->window, "show the pictures", NULL},
        {0},
    };
    GOptionContext *context = g_option_context_new("- receives the demonstration's programme");
    g_option_context_add_main_entries(context, entries, NULL);
    g_option_context_add_group(context, gst_init_get_option_group());
    gboolean ok = g_option_context_parse(context, argc, argv, error);
    g_option_context_free(context);
    if (ok && o->directory == NULL) {
        g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_FAILED, "--directory is needed");
        ok = FALSE;
    }
    return ok;
}

static gboolean leg_wanted(const receive_options *o, const demo_leg *leg)
{
    gboolean wanted = o->legs == NULL;
    gchar **names = g_strsplit(o->legs != NULL ? o->legs : "", ",", -1);
    for (gchar **name = names; *name != NULL; name++) {
        wanted = wanted || strcmp(*name, leg->name) == 0;
    }
    g_strfreev(names);
    return wanted;
}

static void append_leg(GString *p, int index, const receive_options *o)
{
    const demo_leg *leg = &demo_legs[index];
    demo_leg_options options = {.port = o->port == 0 ? 0 : (guint)(o->port + index)};
    char *fragment = leg->receive(&options);
    g_string_append_printf(p,
                           " %s ! rtpptdemux name=%s-demux"
                           " %s-demux.src_%d ! " JITTER_BUFFER " name=%s-order"
                           " ! queue ! rtph264depay ! h264parse"
                           " ! avdec_h264 name=%s-video max-threads=1 qos=false",
                           fragment, leg->name, leg->name, VIDEO_PAYLOAD, leg->name, leg->name);
    g_free(fragment);
    if (o->window) {
        demo_canvas_append_leg(p, index);
    } else {
        g_string_append(p, " ! fakesink sync=false async=false");
    }
    g_string_append_printf(p,
                           " %s-demux.src_%d ! " JITTER_BUFFER " ! queue ! rtpopusdepay"
                           " ! opusdec name=%s-audio ! fakesink sync=false async=false",
                           leg->name, AUDIO_PAYLOAD, leg->name);
}

static char *describe(const receive_options *o)
{
    GString *p = g_string_new(NULL);
    if (o->window) {
        demo_canvas_append(p);
    }
    for (int i = 0; i < DEMO_LEGS; i++) {
        if (leg_wanted(o, &demo_legs[i])) {
            append_leg(p, i, o);
        }
    }
    return g_string_free(p, FALSE);
}

static GstCaps *on_request_pt_map(GstElement *demux, guint payload, gpointer user)
{
    (void)demux;
    (void)user;
    return gst_caps_from_string(
        payload == VIDEO_PAYLOAD
            ? "application/x-rtp,media=video,clock-rate=90000,encoding-name=H264"
            : "application/x-rtp,media=audio,clock-rate=48000,encoding-name=OPUS");
}

/* Timestamps of both legs are times of arrival; the transports' own ones differ. */
static GstPadProbeReturn timestamp_arrival(GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
    (void)pad;
    receiver *r = user;
    GstBuffer *buffer = gst_buffer_make_writable(GST_PAD_PROBE_INFO_BUFFER(info));
    GST_BUFFER_PTS(buffer) = demo_stage_running_time(&r->stage);
    GST_BUFFER_DTS(buffer) = GST_CLOCK_TIME_NONE;
    GST_PAD_PROBE_INFO_DATA(info) = buffer;
    return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn count(GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
    (void)pad;
    (void)info;
    g_atomic_int_inc((gint *)user);
    return GST_PAD_PROBE_OK;
}

static void probe(receiver *r, const char *leg, const char *suffix, GstPadProbeCallback callback,
                  gpointer user)
{
    gchar *name = g_strconcat(leg, suffix, NULL);
    GstElement *element = demo_stage_element(&r->stage, name);
    GstPad *pad = gst_element_get_static_pad(element, "src");
    gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, callback, user, NULL);
    gst_object_unref(pad);
    gst_object_unref(element);
    g_free(name);
}

static gboolean set_up_leg(receiver *r, int index, GError **error)
{
    const char *leg = demo_legs[index].name;
    gchar *packets = g_strconcat(leg, "-packets", NULL);
    gchar *demux_name = g_strconcat(leg, "-demux", NULL);
    GstElement *demux = demo_stage_element(&r->stage, demux_name);
    g_signal_connect(demux, "request-pt-map", G_CALLBACK(on_request_pt_map), NULL);

    gboolean ok = demo_stage_trace(&r->stage, leg, packets, "src", error);
    probe(r, leg, "-packets", timestamp_arrival, r);
    probe(r, leg, "-order", timestamp_arrival, r);
    probe(r, leg, "-video", count, &r->decoded[index].video);
    probe(r, leg, "-audio", count, &r->decoded[index].audio);

    gst_object_unref(demux);
    g_free(demux_name);
    g_free(packets);
    return ok;
}

static gboolean prepare(receiver *r, GError **error)
{
    gchar *description = describe(&r->options);
    gboolean ok = demo_stage_init(&r->stage, r->options.directory, description, error);
    g_free(description);
    for (int i = 0; ok && i < DEMO_LEGS; i++) {
        ok = !leg_wanted(&r->options, &demo_legs[i]) || set_up_leg(r, i, error);
    }
    if (ok && r->options.window) {
        demo_canvas_init(&r->canvas, &r->stage);
    }
    if (ok) {
        GstClock *clock = gst_system_clock_obtain();
        gst_pipeline_use_clock(GST_PIPELINE(r->stage.pipeline), clock);
        gst_object_unref(clock);
    }
    return ok;
}

/* The port of the leg's listener; 0 if it does not listen in time. */
static guint wait_for_port(receiver *r, const demo_leg *leg)
{
    gchar *name = g_strconcat(leg->name, "-transport", NULL);
    GstElement *element = demo_stage_element(&r->stage, name);
    gint64 deadline = g_get_monotonic_time() + LISTENING_TIMEOUT_S * G_USEC_PER_SEC;
    gint port = 0;
    g_object_get(element, leg->port_property, &port, NULL);
    while (port <= 0 && g_get_monotonic_time() < deadline) {
        g_usleep(10000);
        g_object_get(element, leg->port_property, &port, NULL);
    }
    gst_object_unref(element);
    g_free(name);
    return port > 0 ? (guint)port : 0;
}

static gboolean publish_listening(receiver *r, GError **error)
{
    GString *text = g_string_new(NULL);
    gboolean ok = TRUE;
    for (int i = 0; ok && i < DEMO_LEGS; i++) {
        if (!leg_wanted(&r->options, &demo_legs[i])) {
            continue;
        }
        guint port = wait_for_port(r, &demo_legs[i]);
        g_string_append_printf(text, "%s %u\n", demo_legs[i].name, port);
        if (port == 0) {
            g_set_error(error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_READ,
                        "%s does not listen after %d s", demo_legs[i].title, LISTENING_TIMEOUT_S);
            ok = FALSE;
        }
    }
    ok = ok && demo_stage_publish(&r->stage, "listening", text->str, error);
    g_string_free(text, TRUE);
    return ok;
}

static gboolean publish_received(receiver *r, GError **error)
{
    GString *text = g_string_new("{");
    for (int i = 0; i < DEMO_LEGS; i++) {
        g_string_append_printf(text, "\"%s\": {\"video\": %d, \"audio\": %d}, ", demo_legs[i].name,
                               g_atomic_int_get(&r->decoded[i].video),
                               g_atomic_int_get(&r->decoded[i].audio));
    }
    g_string_append_printf(text, "\"longest_stall_us\": %" G_GINT64_FORMAT "}\n",
                           r->stage.longest_stall_us);
    gboolean ok = demo_stage_publish(&r->stage, "received", text->str, error);
    g_string_free(text, TRUE);
    return ok;
}

static gboolean run(receiver *r, GError **error)
{
    if (!demo_stage_play(&r->stage) ||
        (r->options.window && !demo_canvas_visible(&r->canvas, error)) ||
        !publish_listening(r, error)) {
        return FALSE;
    }
    if (r->options.window) {
        demo_canvas_start(&r->canvas);
    }
    gboolean ok = demo_stage_run(&r->stage);
    if (r->options.window) {
        demo_canvas_stop(&r->canvas);
    }
    return ok && publish_received(r, error);
}

int main(int argc, char **argv)
{
    receiver r = {.options = {.port = 0}};
    GError *error = NULL;
    g_set_prgname("demo-receive");
    gboolean ok =
        parse_options(&argc, &argv, &r.options, &error) && prepare(&r, &error) && run(&r, &error);
    demo_stage_report(r.options.directory, ok, error);
    g_clear_error(&error);
    demo_stage_clear(&r.stage);
    g_free(r.options.directory);
    g_free(r.options.legs);
    return ok ? 0 : 1;
}
