/* SPDX-License-Identifier: MIT */
/* The window; see canvas.h. */
#include "canvas.h"

#include <stdio.h>

enum { NOW_MS = 40, LATENCY_MS = 100 };

/* Live, so that it continues when a leg has nothing to show: its last picture stays. */
void demo_canvas_append(GString *description)
{
    g_string_append_printf(description,
                           " compositor name=screen force-live=true latency=%" G_GINT64_FORMAT
                           " background=black ! video/x-raw,width=1312,height=440,framerate=25/1"
                           " ! textoverlay name=now halignment=center valignment=bottom"
                           " font-desc=\"Sans 12\" ypad=16 text=\" \""
                           " ! videoconvert ! autovideosink name=display sync=false",
                           (gint64)LATENCY_MS * GST_MSECOND);
}

/* Pictures that the compositor drops are decoded and counted as well: qos=false. */
void demo_canvas_append_leg(GString *description, int index)
{
    g_string_append_printf(description,
                           " ! textoverlay text=\"%s\" halignment=left valignment=top"
                           " font-desc=\"Sans Bold 22\" shaded-background=true"
                           " ! videoconvert qos=false ! queue name=%s-shown ! screen.sink_%d",
                           demo_legs[index].title, demo_legs[index].name, index + 1);
}

/* Decoding may take longer than the compositor waits for a picture of its arrival time. */
static GstPadProbeReturn timestamp_arrival(GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
    (void)pad;
    demo_canvas *canvas = user;
    GstBuffer *buffer = gst_buffer_make_writable(GST_PAD_PROBE_INFO_BUFFER(info));
    GST_BUFFER_PTS(buffer) = demo_stage_running_time(canvas->stage);
    GST_PAD_PROBE_INFO_DATA(info) = buffer;
    return GST_PAD_PROBE_OK;
}

/* The compositor draws each of its frames, however late, unless an element reports the lateness.
 * The sink does not wait for frame times, so it cannot. On a busy machine the window would show
 * pictures received minutes ago. */
static GstPadProbeReturn keep_up(GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
    demo_canvas *canvas = user;
    GstClockTime at = GST_BUFFER_PTS(GST_PAD_PROBE_INFO_BUFFER(info)); /* running time, here */
    GstClockTimeDiff late =
        GST_CLOCK_DIFF(at + LATENCY_MS * GST_MSECOND, demo_stage_running_time(canvas->stage));
    gst_pad_send_event(pad,
                       gst_event_new_qos(late > 0 ? GST_QOS_TYPE_UNDERFLOW : GST_QOS_TYPE_OVERFLOW,
                                         1.0, late, at));
    return GST_PAD_PROBE_OK;
}

/* The sink would report every frame as in time. */
static GstPadProbeReturn drop_qos(GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
    (void)pad;
    (void)user;
    GstEvent *event = GST_PAD_PROBE_INFO_EVENT(info);
    return GST_EVENT_TYPE(event) == GST_EVENT_QOS ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
}

static void watch(demo_canvas *canvas, GstElement *element, GstPadProbeType type,
                  GstPadProbeCallback callback)
{
    GstPad *pad = gst_element_get_static_pad(element, "src");
    gst_pad_add_probe(pad, type, callback, canvas, NULL);
    gst_object_unref(pad);
}

static void prepare_leg(demo_canvas *canvas, GstElement *screen, int index)
{
    gchar *sink = g_strdup_printf("sink_%d", index + 1);
    gchar *queue = g_strdup_printf("%s-shown", demo_legs[index].name);
    GstPad *pad = gst_element_get_static_pad(screen, sink);
    if (pad != NULL) { /* the receiver has this leg */
        GstElement *shown = demo_stage_element(canvas->stage, queue);
        g_object_set(pad, "xpos", 8 + index * 656, "ypos", 8, "zorder", 1 + index, NULL);
        watch(canvas, shown, GST_PAD_PROBE_TYPE_BUFFER, timestamp_arrival);
        gst_object_unref(shown);
        gst_object_unref(pad);
    }
    g_free(queue);
    g_free(sink);
}

void demo_canvas_init(demo_canvas *canvas, demo_stage *stage)
{
    *canvas = (demo_canvas){.stage = stage};
    GstElement *screen = demo_stage_element(stage, "screen");
    GstElement *now = demo_stage_element(stage, "now");
    watch(canvas, screen, GST_PAD_PROBE_TYPE_BUFFER, keep_up);
    watch(canvas, now, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, drop_qos);
    for (int i = 0; i < DEMO_LEGS; i++) {
        prepare_leg(canvas, screen, i);
    }
    gst_object_unref(now);
    gst_object_unref(screen);
}

/* Without a display autovideosink uses a fake sink and does not report it. */
gboolean demo_canvas_visible(const demo_canvas *canvas, GError **error)
{
    GstElement *display = demo_stage_element(canvas->stage, "display");
    GstElement *chosen = NULL;
    if (GST_IS_BIN(display) && GST_BIN_NUMCHILDREN(display) > 0) {
        chosen = gst_object_ref(GST_BIN_CHILDREN(display)->data);
    }
    gboolean found = chosen != NULL && !g_str_has_prefix(G_OBJECT_TYPE_NAME(chosen), "GstFake");
    if (!found) {
        g_set_error(error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_WRITE,
                    "--window: no display can be opened (DISPLAY is \"%s\")",
                    g_getenv("DISPLAY") != NULL ? g_getenv("DISPLAY") : "");
    }
    g_clear_object(&chosen);
    gst_object_unref(display);
    return found;
}

/* Shows the current time of the programme, beside the times in the pictures. */
static gboolean on_now(gpointer user)
{
    demo_canvas *canvas = user;
    if (canvas->start_us == 0) {
        gchar *path = g_build_filename(canvas->stage->directory, "sending", NULL);
        gchar *text = NULL;
        if (g_file_get_contents(path, &text, NULL, NULL)) {
            sscanf(text, "{\"start_us\": %" G_GINT64_FORMAT, &canvas->start_us);
        }
        g_free(text);
        g_free(path);
        return G_SOURCE_CONTINUE;
    }
    gint64 at = MAX(g_get_monotonic_time() - canvas->start_us, 0) / 10000;
    gchar *text = g_strdup_printf("the sender is at %" G_GINT64_FORMAT ":%02d.%02d", at / 6000,
                                  (int)(at / 100 % 60), (int)(at % 100));
    GstElement *now = demo_stage_element(canvas->stage, "now");
    g_object_set(now, "text", text, NULL);
    gst_object_unref(now);
    g_free(text);
    return G_SOURCE_CONTINUE;
}

void demo_canvas_start(demo_canvas *canvas)
{
    canvas->timer = g_timeout_add(NOW_MS, on_now, canvas);
}

void demo_canvas_stop(demo_canvas *canvas)
{
    g_source_remove(canvas->timer);
}
