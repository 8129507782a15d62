/* SPDX-License-Identifier: MIT */
/* livetcpsrc with playout: what livetcpplayout does, on the source's own streaming thread. */
#include "gstlivetcppath.h"
#include "gstlivetcpreport.h"
#include "gstlivetcpsrc.h"

#define GST_CAT_DEFAULT gst_livetcp_debug

/* How often to look at the path: until it was told, and then. */
#define PATH_SOON_US     (100 * G_TIME_SPAN_MILLISECOND)
#define PATH_INTERVAL_US G_TIME_SPAN_SECOND

#define REPORT_INTERVAL_US (100 * G_TIME_SPAN_MILLISECOND)

/* ---- the path ---- */

/* FALSE: the stream has not begun. */
static gboolean push_path(GstLiveTcpSrc *self)
{
    GstPad *pad = GST_BASE_SRC_PAD(self);
    GstEvent *segment = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0);

    if (segment == NULL) {
        return FALSE;
    }
    gst_event_unref(segment);
    gst_pad_push_event(pad, gst_livetcp_path_event_new(&self->path));
    return TRUE;
}

void gst_livetcp_src_tell_path(GstLiveTcpSrc *self)
{
    gint64 now = g_get_monotonic_time();
    livetcp_playout_path path;

    if (self->path_us != 0 &&
        now - self->path_us < (self->path_told ? PATH_INTERVAL_US : PATH_SOON_US)) {
        return;
    }
    self->path_us = now;
    gst_livetcp_path_measure(&self->endpoint, &path);
    if (path.rtt_us == 0 || (self->path_told && !gst_livetcp_path_differs(&self->path, &path))) {
        return;
    }
    self->path = path;
    g_mutex_lock(&self->player_lock);
    gst_livetcp_player_set_path(&self->player, &path);
    g_mutex_unlock(&self->player_lock);
    self->path_told = push_path(self);
}

/* Tells the sender what became of its packets. */
static void report(GstLiveTcpSrc *self)
{
    gint64 now = g_get_monotonic_time();
    livetcp_playout_report news;

    if (now - self->reported_us < REPORT_INTERVAL_US) {
        return;
    }
    self->reported_us = now;
    g_mutex_lock(&self->player_lock);
    gboolean any = gst_livetcp_player_report(&self->player, &news);
    g_mutex_unlock(&self->player_lock);
    g_mutex_lock(&self->endpoint.lock);
    for (guint i = 0; any && i < self->endpoint.peers->len; i++) {
        const GstLiveTcpPeer *peer = g_ptr_array_index(self->endpoint.peers, i);
        if (peer->open) {
            livetcp_session_report_playout(peer->session, &news);
        }
    }
    g_mutex_unlock(&self->endpoint.lock);
}

/* ---- packets ---- */

/* Running time in microseconds; without a clock that of the machine, which is as good to wait by.
 */
static gint64 running_us(GstLiveTcpSrc *self, gint64 moment_us)
{
    GstClockTime time = gst_livetcp_src_running_time(self, moment_us);
    return GST_CLOCK_TIME_IS_VALID(time) ? (gint64)(time / GST_USECOND) : moment_us;
}

/* What is ready, and else until when to wait for the next packet. */
static GstMiniObject *take_ready(GstLiveTcpSrc *self, gint64 *until_us)
{
    gint64 now = g_get_monotonic_time(), running = running_us(self, now);

    g_mutex_lock(&self->player_lock);
    GstMiniObject *object = gst_livetcp_player_next(&self->player, running);
    gint64 deadline = gst_livetcp_player_deadline(&self->player);
    g_mutex_unlock(&self->player_lock);
    *until_us = deadline == LIVETCP_NEVER ? -1 : now + MAX(deadline - running, 0);
    return object;
}

static GstFlowReturn put(GstLiveTcpSrc *self, GstBuffer *buffer, gint64 arrival_us)
{
    gint64 running = running_us(self, arrival_us);

    g_mutex_lock(&self->player_lock);
    GstFlowReturn result = gst_livetcp_player_put(&self->player, buffer, running);
    gboolean news = gst_livetcp_player_review(&self->player);
    g_mutex_unlock(&self->player_lock);
    if (result == GST_FLOW_NOT_NEGOTIATED) {
        gst_livetcp_player_post_no_rate(GST_ELEMENT(self));
    }
    if (news) {
        gst_element_post_message(GST_ELEMENT(self), gst_message_new_latency(GST_OBJECT(self)));
    }
    return result;
}

static void drain(GstLiveTcpSrc *self, GstFlowReturn end)
{
    self->ended = end;
    g_mutex_lock(&self->player_lock);
    gst_livetcp_player_drain(&self->player);
    g_mutex_unlock(&self->player_lock);
}

/* Waits for a packet, or for the time when one that is missing was due. */
static GstFlowReturn receive(GstLiveTcpSrc *self, gint64 until_us)
{
    gint64 arrival_us = 0;
    GstBuffer *buffer = NULL;

    if (self->ended != GST_FLOW_OK) {
        return self->ended;
    }
    GstFlowReturn result = gst_livetcp_src_next_packet(self, until_us, &buffer, &arrival_us);
    if (result == GST_FLOW_OK) {
        return put(self, buffer, arrival_us);
    }
    if (result == GST_FLOW_EOS) {
        drain(self, result);
        return GST_FLOW_OK;
    }
    return result == GST_FLOW_CUSTOM_SUCCESS ? GST_FLOW_OK : result;
}

/* Before time passes for the playout it gets what came meanwhile: a sink may have kept this thread
 * until long after that, and then nothing of it is missing. */
static GstFlowReturn receive_waiting(GstLiveTcpSrc *self)
{
    GstFlowReturn result = GST_FLOW_OK;
    guint packets;
    gsize bytes;
    guint64 dropped;

    g_mutex_lock(&self->player_lock);
    gboolean ready = !g_queue_is_empty(&self->player.out);
    g_mutex_unlock(&self->player_lock);
    gst_livetcp_queue_stats(&self->queue, &packets, &bytes, &dropped);
    for (; !ready && packets > 0 && result == GST_FLOW_OK; packets--) {
        result = receive(self, 0);
    }
    return result;
}

GstFlowReturn gst_livetcp_src_play(GstLiveTcpSrc *self, GstBuffer **buffer)
{
    for (;;) {
        gint64 until_us;
        GstFlowReturn waiting = receive_waiting(self);
        if (waiting != GST_FLOW_OK) {
            return waiting;
        }
        GstMiniObject *object = take_ready(self, &until_us);
        if (GST_IS_BUFFER(object)) {
            *buffer = GST_BUFFER(object);
            return GST_FLOW_OK;
        }
        if (object != NULL) {
            gst_pad_push_event(GST_BASE_SRC_PAD(self), GST_EVENT(object));
            continue;
        }
        GstFlowReturn result = receive(self, until_us);
        if (result != GST_FLOW_OK) {
            return result;
        }
        gst_livetcp_src_tell_path(self);
        report(self);
    }
}

/* ---- settings ---- */

gboolean gst_livetcp_src_start_playout(GstLiveTcpSrc *self)
{
    g_mutex_lock(&self->player_lock);
    const gchar *wrong = gst_livetcp_player_settings_check(&self->player.settings);
    gst_livetcp_player_reset(&self->player);
    g_mutex_unlock(&self->player_lock);
    self->ended = GST_FLOW_OK;
    self->path = (livetcp_playout_path){.struct_size = sizeof(self->path)};
    self->path_us = self->reported_us = 0;
    self->path_told = FALSE;
    if (wrong != NULL) {
        GST_ELEMENT_ERROR(self, LIBRARY, SETTINGS, ("Cannot play out: %s.", wrong), (NULL));
    }
    return wrong == NULL;
}

void gst_livetcp_src_stop_playout(GstLiveTcpSrc *self)
{
    g_mutex_lock(&self->player_lock);
    gst_livetcp_player_reset(&self->player);
    g_mutex_unlock(&self->player_lock);
}

gboolean gst_livetcp_src_set_playout(GstLiveTcpSrc *self, guint index, const GValue *value,
                                     GParamSpec *pspec)
{
    if (index >= GST_LIVETCP_PLAYER_PROPERTIES) {
        return FALSE;
    }
    g_mutex_lock(&self->player_lock);
    gst_livetcp_player_settings_set(&self->player.settings, index, value);
    if (!gst_livetcp_player_settings_changed(&self->player)) {
        GST_WARNING_OBJECT(self, "%s will change when the element starts again", pspec->name);
    }
    g_mutex_unlock(&self->player_lock);
    return TRUE;
}

gboolean gst_livetcp_src_get_playout(GstLiveTcpSrc *self, guint index, GValue *value)
{
    if (index >= GST_LIVETCP_PLAYER_PROPERTIES) {
        return FALSE;
    }
    g_mutex_lock(&self->player_lock);
    gst_livetcp_player_settings_get(&self->player.settings, index, value);
    g_mutex_unlock(&self->player_lock);
    return TRUE;
}
