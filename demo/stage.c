/* SPDX-License-Identifier: MIT */
/* The program around a pipeline; see stage.h. */
#include "stage.h"

#include <glib-unix.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { TICK_MS = 20, FLUSH_EVERY = 5 /* ticks */ };

/* The plugin package of an element that GStreamer could not find. */
static const char *package_of(const char *element)
{
    static const struct {
        const char *element, *package;
    } packages[] = {
        {"livetcp", "LiveTCP's own plugin: build it, and set GST_PLUGIN_PATH to its directory"},
        {"x264enc", "Debian package gstreamer1.0-plugins-ugly"},
        {"avdec_h264", "Debian package gstreamer1.0-libav"},
        {"rtp", "Debian package gstreamer1.0-plugins-good"},
        {"matroskademux", "Debian package gstreamer1.0-plugins-good"},
        {"h264parse", "Debian package gstreamer1.0-plugins-bad"},
        {"audiobuffersplit", "Debian package gstreamer1.0-plugins-bad"},
        {"autovideosink", "Debian package gstreamer1.0-plugins-good"},
        {"textoverlay", "Debian package gstreamer1.0-x"},
        {"timeoverlay", "Debian package gstreamer1.0-x"},
    };
    for (gsize i = 0; i < G_N_ELEMENTS(packages); i++) {
        if (g_str_has_prefix(element, packages[i].element)) {
            return packages[i].package;
        }
    }
    return "Debian package gstreamer1.0-plugins-base";
}

static GstElement *parse(const char *description, GError **error)
{
    GstParseContext *context = gst_parse_context_new();
    GstElement *pipeline =
        gst_parse_launch_full(description, context, GST_PARSE_FLAG_FATAL_ERRORS, error);
    gchar **missing = gst_parse_context_get_missing_elements(context);
    if (pipeline == NULL && missing != NULL && missing[0] != NULL) {
        g_clear_error(error);
        g_set_error(error, GST_PARSE_ERROR, GST_PARSE_ERROR_NO_SUCH_ELEMENT,
                    "there is no GStreamer element \"%s\"; it is in: %s", missing[0],
                    package_of(missing[0]));
    }
    g_strfreev(missing);
    gst_parse_context_free(context);
    return pipeline;
}

gboolean demo_stage_init(demo_stage *stage, const char *directory, const char *description,
                         GError **error)
{
    *stage = (demo_stage){.directory = directory};
    stage->loop = g_main_loop_new(NULL, FALSE);
    prctl(PR_SET_PDEATHSIG, SIGTERM); /* ends with its parent, however that ends */
    stage->pipeline = parse(description, error);
    return stage->pipeline != NULL;
}

GstElement *demo_stage_element(demo_stage *stage, const char *name)
{
    GstElement *element = gst_bin_get_by_name(GST_BIN(stage->pipeline), name);
    g_assert(element != NULL);
    return element;
}

GstClockTime demo_stage_running_time(const demo_stage *stage)
{
    GstClock *clock = gst_pipeline_get_pipeline_clock(GST_PIPELINE(stage->pipeline));
    GstClockTime now = gst_clock_get_time(clock) - gst_element_get_base_time(stage->pipeline);
    gst_object_unref(clock);
    return now;
}

gboolean demo_stage_trace(demo_stage *stage, const char *name, const char *element, const char *pad,
                          GError **error)
{
    g_assert(stage->trace_count < DEMO_STAGE_TRACES);
    demo_trace *trace = demo_trace_open(stage->directory, name, error);
    if (trace == NULL) {
        return FALSE;
    }
    stage->traces[stage->trace_count++] = trace;
    GstElement *owner = demo_stage_element(stage, element);
    GstPad *watched = gst_element_get_static_pad(owner, pad);
    demo_trace_watch(trace, watched);
    gst_object_unref(watched);
    gst_object_unref(owner);
    return TRUE;
}

static void fail(demo_stage *stage, const char *text)
{
    g_printerr("%s: %s\n", g_get_prgname(), text);
    stage->failed = TRUE;
    g_main_loop_quit(stage->loop);
}

static void on_error(demo_stage *stage, GstMessage *message)
{
    GError *error = NULL;
    gchar *debug = NULL;
    gst_message_parse_error(message, &error, &debug);
    /* The first line of the debug text is a source location, the rest the cause. */
    const char *cause = debug != NULL ? strchr(debug, '\n') : NULL;
    gchar *text = g_strdup_printf("%s: %s%s%s%s", GST_OBJECT_NAME(message->src), error->message,
                                  cause != NULL ? " (" : "", cause != NULL ? cause + 1 : "",
                                  cause != NULL ? ")" : "");
    fail(stage, text);
    g_free(text);
    g_free(debug);
    g_error_free(error);
}

static void on_bus_error(GstBus *bus, GstMessage *message, gpointer user)
{
    (void)bus;
    on_error(user, message);
}

static gboolean stop_requested(const demo_stage *stage)
{
    gchar *path = g_strdup_printf("%s/%s.stop", stage->directory, g_get_prgname());
    gboolean there = g_file_test(path, G_FILE_TEST_EXISTS);
    g_free(path);
    return there;
}

static gboolean on_tick(gpointer user)
{
    demo_stage *stage = user;
    static guint ticks;
    gint64 now = g_get_monotonic_time();
    gint64 late = now - stage->last_tick_us - TICK_MS * 1000;
    stage->last_tick_us = now;
    stage->longest_stall_us = MAX(stage->longest_stall_us, late);
    if (++ticks % FLUSH_EVERY != 0) {
        return G_SOURCE_CONTINUE;
    }
    for (guint i = 0; i < stage->trace_count; i++) {
        GError *error = NULL;
        if (!demo_trace_flush(stage->traces[i], &error)) {
            fail(stage, error->message);
            g_error_free(error);
        }
    }
    if (stop_requested(stage)) {
        g_main_loop_quit(stage->loop);
    }
    return G_SOURCE_CONTINUE;
}

static gboolean on_signal(gpointer user)
{
    demo_stage *stage = user;
    g_main_loop_quit(stage->loop);
    return G_SOURCE_CONTINUE;
}

gboolean demo_stage_play(demo_stage *stage)
{
    if (gst_element_set_state(stage->pipeline, GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE) {
        return TRUE;
    }
    GstBus *bus = gst_element_get_bus(stage->pipeline);
    GstMessage *message = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR);
    if (message != NULL) {
        on_error(stage, message);
        gst_message_unref(message);
    } else {
        fail(stage, "the pipeline does not start, and says no reason; try GST_DEBUG=3");
    }
    gst_object_unref(bus);
    return FALSE;
}

gboolean demo_stage_run(demo_stage *stage)
{
    GstBus *bus = gst_element_get_bus(stage->pipeline);
    gst_bus_add_signal_watch(bus);
    gulong handler = g_signal_connect(bus, "message::error", G_CALLBACK(on_bus_error), stage);
    guint sources[] = {
        g_unix_signal_add(SIGINT, on_signal, stage),
        g_unix_signal_add(SIGTERM, on_signal, stage),
        g_timeout_add_full(G_PRIORITY_HIGH, TICK_MS, on_tick, stage, NULL),
    };
    stage->last_tick_us = g_get_monotonic_time();
    g_main_loop_run(stage->loop);
    for (gsize i = 0; i < G_N_ELEMENTS(sources); i++) {
        g_source_remove(sources[i]);
    }
    g_signal_handler_disconnect(bus, handler);
    gst_bus_remove_signal_watch(bus);
    gst_object_unref(bus);
    return !stage->failed;
}

gboolean demo_stage_publish(const demo_stage *stage, const char *name, const char *text,
                            GError **error)
{
    gchar *path = g_build_filename(stage->directory, name, NULL);
    gboolean ok = g_file_set_contents(path, text, -1, error); /* atomically, by renaming */
    g_free(path);
    return ok;
}

void demo_stage_report(const char *directory, gboolean ok, const GError *error)
{
    if (error != NULL) {
        g_printerr("%s: %s\n", g_get_prgname(), error->message);
    }
    if (!ok && directory != NULL) {
        gchar *path = g_strdup_printf("%s/%s.failed", directory, g_get_prgname());
        (void)g_file_set_contents(path, "", 0, NULL);
        g_free(path);
    }
}

void demo_stage_clear(demo_stage *stage)
{
    if (stage->pipeline != NULL) {
        gst_element_set_state(stage->pipeline, GST_STATE_NULL);
        gst_object_unref(stage->pipeline);
        stage->pipeline = NULL;
    }
    for (guint i = 0; i < stage->trace_count; i++) {
        demo_trace_close(&stage->traces[i]);
    }
    g_clear_pointer(&stage->loop, g_main_loop_unref);
}
