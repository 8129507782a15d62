/* SPDX-License-Identifier: MIT */
#include "gstlivetcpsrcplayout.h"

#include "gstlivetcpclock.h"
#include "gstlivetcpdebug.h"

#define GST_CAT_DEFAULT gst_livetcp_src_debug

#define REPORT_INTERVAL_US (100 * G_TIME_SPAN_MILLISECOND)

static GstElement *element_of(const GstLiveTcpSrcPlayout *self)
{
    return self->endpoint->element;
}

/* ---- settings ---- */

void gst_livetcp_src_playout_init(GstLiveTcpSrcPlayout *self, GstLiveTcpEndpoint *endpoint)
{
    *self = (GstLiveTcpSrcPlayout){.endpoint = endpoint};
    g_mutex_init(&self->lock);
    gst_livetcp_player_init(&self->player, endpoint->element, LIVETCP_PLAYOUT_NONE);
}

void gst_livetcp_src_playout_clear(GstLiveTcpSrcPlayout *self)
{
    gst_livetcp_player_clear(&self->player);
    g_mutex_clear(&self->lock);
}

gboolean gst_livetcp_src_playout_set(GstLiveTcpSrcPlayout *self, guint index, const GValue *value,
                                     const GParamSpec *pspec)
{
    if (index >= GST_LIVETCP_PLAYER_PROPERTIES) {
        return FALSE;
    }
    g_mutex_lock(&self->lock);
    gst_livetcp_player_settings_set(&self->player.settings, index, value);
    if (!gst_livetcp_player_settings_changed(&self->player)) {
        GST_WARNING_OBJECT(element_of(self), "%s will change when the element starts again",
                           pspec->name);
    }
    g_mutex_unlock(&self->lock);
    return TRUE;
}

gboolean gst_livetcp_src_playout_get(GstLiveTcpSrcPlayout *self, guint index, GValue *value)
{
    if (index >= GST_LIVETCP_PLAYER_PROPERTIES) {
        return FALSE;
    }
    g_mutex_lock(&self->lock);
    gst_livetcp_player_settings_get(&self->player.settings, index, value);
    g_mutex_unlock(&self->lock);
    return TRUE;
}

/* ---- begin and end ---- */

gboolean gst_livetcp_src_playout_start(GstLiveTcpSrcPlayout *self)
{
    GstElement *element = element_of(self);

    g_mutex_lock(&self->lock);
    const gchar *wrong = gst_livetcp_player_settings_check(&self->player.settings);
    gboolean idle = gst_livetcp_player_settings_latency_is_idle(&self->player.settings);
    gst_livetcp_player_reset(&self->player);
    g_mutex_unlock(&self->lock);
    gst_livetcp_path_reset(&self->path);
    self->reported_us = 0;
    if (wrong != NULL) {
        GST_ELEMENT_ERROR(element, LIBRARY, SETTINGS, ("Cannot play out: %s.", wrong), (NULL));
    }
    if (idle) {
        gst_livetcp_player_post_idle_latency(
            element, ", or give the latency to the rtpjitterbuffer that follows");
    }
    return wrong == NULL;
}

void gst_livetcp_src_playout_stop(GstLiveTcpSrcPlayout *self)
{
    g_mutex_lock(&self->lock);
    gst_livetcp_player_reset(&self->player);
    g_mutex_unlock(&self->lock);
}

gboolean gst_livetcp_src_playout_plays(GstLiveTcpSrcPlayout *self)
{
    g_mutex_lock(&self->lock);
    gboolean plays = self->player.active.mode != LIVETCP_PLAYOUT_NONE;
    g_mutex_unlock(&self->lock);
    return plays;
}

/* ---- the pipeline ---- */

void gst_livetcp_src_playout_set_caps(GstLiveTcpSrcPlayout *self, const GstCaps *caps)
{
    g_mutex_lock(&self->lock);
    gst_livetcp_player_set_caps(&self->player, caps);
    g_mutex_unlock(&self->lock);
}

void gst_livetcp_src_playout_configured(GstLiveTcpSrcPlayout *self)
{
    g_mutex_lock(&self->lock);
    gst_livetcp_player_configured(&self->player);
    g_mutex_unlock(&self->lock);
}

void gst_livetcp_src_playout_answer(GstLiveTcpSrcPlayout *self, GstQuery *query)
{
    g_mutex_lock(&self->lock);
    gst_livetcp_player_answer(&self->player, query);
    g_mutex_unlock(&self->lock);
}

void gst_livetcp_src_playout_add_stats(GstLiveTcpSrcPlayout *self, GstStructure *structure)
{
    GstStructure *stats = NULL;

    g_mutex_lock(&self->lock);
    if (self->player.active.mode != LIVETCP_PLAYOUT_NONE) {
        stats = gst_livetcp_player_stats(&self->player);
    }
    g_mutex_unlock(&self->lock);
    if (stats != NULL) {
        gst_structure_set(structure, "playout", GST_TYPE_STRUCTURE, stats, NULL);
        gst_structure_free(stats);
    }
}

/* ---- packets ---- */

GstFlowReturn gst_livetcp_src_playout_put(GstLiveTcpSrcPlayout *self, GstBuffer *buffer,
                                          gint64 arrival_us)
{
    GstElement *element = element_of(self);
    gint64 running = gst_livetcp_clock_running_us(element, arrival_us);

    g_mutex_lock(&self->lock);
    GstFlowReturn result = gst_livetcp_player_put(&self->player, buffer, running);
    gboolean news = gst_livetcp_player_review(&self->player);
    g_mutex_unlock(&self->lock);
    if (result == GST_FLOW_NOT_NEGOTIATED) {
        gst_livetcp_player_post_no_rate(element);
    }
    if (news) {
        gst_element_post_message(element, gst_message_new_latency(GST_OBJECT(element)));
    }
    return result;
}

gboolean gst_livetcp_src_playout_is_ready(GstLiveTcpSrcPlayout *self)
{
    g_mutex_lock(&self->lock);
    gboolean ready = !g_queue_is_empty(&self->player.out);
    g_mutex_unlock(&self->lock);
    return ready;
}

GstMiniObject *gst_livetcp_src_playout_next(GstLiveTcpSrcPlayout *self, gint64 *until_us)
{
    gint64 now = g_get_monotonic_time();
    gint64 running = gst_livetcp_clock_running_us(element_of(self), now);

    g_mutex_lock(&self->lock);
    GstMiniObject *object = gst_livetcp_player_next(&self->player, running);
    gint64 deadline = gst_livetcp_player_deadline(&self->player);
    g_mutex_unlock(&self->lock);
    *until_us = deadline == LIVETCP_NEVER ? -1 : now + MAX(deadline - running, 0);
    return object;
}

void gst_livetcp_src_playout_drain(GstLiveTcpSrcPlayout *self)
{
    g_mutex_lock(&self->lock);
    gst_livetcp_player_drain(&self->player);
    g_mutex_unlock(&self->lock);
}

/* ---- the path, and reports ---- */

/* FALSE: the stream has not begun. */
static gboolean push_path(const GstLiveTcpSrcPlayout *self, GstPad *pad)
{
    GstEvent *segment = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0);

    if (segment == NULL) {
        return FALSE;
    }
    gst_event_unref(segment);
    gst_pad_push_event(pad, gst_livetcp_player_path_event_new(&self->path.path));
    return TRUE;
}

void gst_livetcp_src_playout_notify_path(GstLiveTcpSrcPlayout *self, GstPad *pad)
{
    if (!gst_livetcp_path_look(&self->path, self->endpoint)) {
        return;
    }
    g_mutex_lock(&self->lock);
    gst_livetcp_player_set_path(&self->player, &self->path.path);
    g_mutex_unlock(&self->lock);
    gst_livetcp_path_delivered(&self->path, push_path(self, pad));
}

void gst_livetcp_src_playout_report(GstLiveTcpSrcPlayout *self)
{
    GstLiveTcpEndpoint *endpoint = self->endpoint;
    gint64 now = g_get_monotonic_time();
    livetcp_playout_report news;

    if (now - self->reported_us < REPORT_INTERVAL_US) {
        return;
    }
    self->reported_us = now;
    g_mutex_lock(&self->lock);
    gboolean any = gst_livetcp_player_report(&self->player, &news);
    g_mutex_unlock(&self->lock);
    g_mutex_lock(&endpoint->lock);
    for (guint i = 0; any && i < endpoint->peers->len; i++) {
        const GstLiveTcpPeer *peer = g_ptr_array_index(endpoint->peers, i);
        if (peer->open) {
            livetcp_session_report_playout(peer->session, &news);
        }
    }
    g_mutex_unlock(&endpoint->lock);
}
