/* SPDX-License-Identifier: MIT */
/* livetcpplayout's pads: buffers and events come in on the sink pad's thread, and leave on that of
 * gstlivetcpplayoutpush.c. */
#include "gstlivetcppath.h"
#include "gstlivetcpplayout.h"
#include "gstlivetcpreport.h"

#define GST_CAT_DEFAULT gst_livetcp_debug

void gst_livetcp_playout_wake(GstLiveTcpPlayout *self)
{
    g_cond_signal(&self->cond);
    if (self->waiting != NULL) {
        gst_clock_id_unschedule(self->waiting);
    }
}

/* ---- in ---- */

gint64 gst_livetcp_playout_running_time_us(GstLiveTcpPlayout *self)
{
    GstClockTime time = gst_element_get_current_running_time(GST_ELEMENT(self));
    return GST_CLOCK_TIME_IS_VALID(time) ? (gint64)(time / GST_USECOND) : -1;
}

/* With the lock held. */
static gint64 arrival_of(GstLiveTcpPlayout *self, GstBuffer *buffer)
{
    GstClockTime time = GST_CLOCK_TIME_NONE;

    if (self->segment.format == GST_FORMAT_TIME) {
        time = gst_segment_to_running_time(&self->segment, GST_FORMAT_TIME, GST_BUFFER_DTS(buffer));
    }
    return GST_CLOCK_TIME_IS_VALID(time)
               ? (gint64)(time / GST_USECOND)
               : MAX(gst_livetcp_playout_running_time_us(self) - self->upstream_us, 0);
}

/* With the lock held. */
static gboolean stats_due(GstLiveTcpPlayout *self)
{
    gint64 interval = self->stats_interval_ms * LIVETCP_USEC_MSEC;
    gboolean due = interval > 0 && self->player.latest_us - self->notified_us >= interval;

    if (due) {
        self->notified_us = self->player.latest_us;
    }
    return due;
}

static GstFlowReturn chain(GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
    GstLiveTcpPlayout *self = GST_LIVETCP_PLAYOUT(parent);
    gboolean latency = FALSE, stats = FALSE;
    (void)pad;

    g_mutex_lock(&self->lock);
    GstFlowReturn result = self->flushing ? GST_FLOW_FLUSHING : self->flow;
    if (result == GST_FLOW_OK && self->eos) {
        result = GST_FLOW_EOS;
    }
    if (result == GST_FLOW_OK) {
        result = gst_livetcp_player_put(&self->player, buffer, arrival_of(self, buffer));
        latency = gst_livetcp_player_review(&self->player);
        stats = stats_due(self);
        gst_livetcp_playout_wake(self);
    } else {
        gst_buffer_unref(buffer);
    }
    g_mutex_unlock(&self->lock);

    if (result == GST_FLOW_NOT_NEGOTIATED) {
        gst_livetcp_player_post_no_rate(GST_ELEMENT(self));
    }
    if (latency) {
        gst_element_post_message(GST_ELEMENT(self), gst_message_new_latency(GST_OBJECT(self)));
    }
    if (stats) {
        g_object_notify(G_OBJECT(self), "stats");
    }
    return result;
}

/* With the lock held: timestamps that leave here are running time. Takes ownership. */
static void take_segment(GstLiveTcpPlayout *self, GstEvent *event)
{
    gst_event_copy_segment(event, &self->segment);
    if (!self->segment_sent) {
        GstSegment ours;
        gst_segment_init(&ours, GST_FORMAT_TIME);
        GstEvent *own = gst_event_new_segment(&ours);
        gst_event_set_seqnum(own, gst_event_get_seqnum(event));
        gst_livetcp_player_put_event(&self->player, own);
        self->segment_sent = TRUE;
    }
    gst_event_unref(event);
}

/* With the lock held. Takes ownership. */
static void take_serialized(GstLiveTcpPlayout *self, GstEvent *event)
{
    livetcp_playout_path path;
    GstCaps *caps;

    switch (GST_EVENT_TYPE(event)) {
    case GST_EVENT_SEGMENT:
        take_segment(self, event);
        return;
    case GST_EVENT_STREAM_START:
        if (self->eos) {
            self->eos = FALSE;
            self->flow = GST_FLOW_OK;
            gst_pad_start_task(self->src, gst_livetcp_playout_loop, self->src, NULL);
        }
        break;
    case GST_EVENT_CAPS:
        gst_event_parse_caps(event, &caps);
        gst_livetcp_player_set_caps(&self->player, caps);
        break;
    case GST_EVENT_CUSTOM_DOWNSTREAM_STICKY:
        if (gst_livetcp_path_event_parse(event, &path)) {
            gst_livetcp_player_set_path(&self->player, &path);
        }
        break;
    case GST_EVENT_EOS:
        self->eos = TRUE;
        gst_livetcp_player_drain(&self->player);
        break;
    default:
        break;
    }
    gst_livetcp_player_put_event(&self->player, event);
}

static void set_flushing(GstLiveTcpPlayout *self, gboolean flushing)
{
    g_mutex_lock(&self->lock);
    self->flushing = flushing;
    if (!flushing) {
        self->flow = GST_FLOW_OK;
    }
    gst_livetcp_playout_wake(self);
    g_mutex_unlock(&self->lock);
}

static gboolean start_pushing(GstLiveTcpPlayout *self)
{
    set_flushing(self, FALSE);
    return gst_pad_start_task(self->src, gst_livetcp_playout_loop, self->src, NULL);
}

static gboolean flush_start(GstLiveTcpPlayout *self, GstEvent *event)
{
    gboolean result = gst_pad_push_event(self->src, event);
    set_flushing(self, TRUE);
    gst_pad_pause_task(self->src);
    return result;
}

static gboolean flush_stop(GstLiveTcpPlayout *self, GstEvent *event)
{
    gboolean result = gst_pad_push_event(self->src, event);
    g_mutex_lock(&self->lock);
    gst_livetcp_player_flush(&self->player);
    gst_segment_init(&self->segment, GST_FORMAT_TIME);
    self->segment_sent = self->eos = FALSE;
    g_mutex_unlock(&self->lock);
    start_pushing(self);
    return result;
}

static gboolean sink_event(GstPad *pad, GstObject *parent, GstEvent *event)
{
    GstLiveTcpPlayout *self = GST_LIVETCP_PLAYOUT(parent);

    if (GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_START) {
        return flush_start(self, event);
    }
    if (GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_STOP) {
        return flush_stop(self, event);
    }
    if (!GST_EVENT_IS_SERIALIZED(event)) {
        return gst_pad_event_default(pad, parent, event);
    }
    g_mutex_lock(&self->lock);
    gboolean accepted = !self->flushing;
    if (accepted) {
        take_serialized(self, event);
        gst_livetcp_playout_wake(self);
    } else {
        gst_event_unref(event);
    }
    g_mutex_unlock(&self->lock);
    return accepted;
}

static gboolean sink_query(GstPad *pad, GstObject *parent, GstQuery *query)
{
    /* Buffers wait here: pools of downstream would run dry. */
    if (GST_QUERY_TYPE(query) == GST_QUERY_ALLOCATION) {
        return FALSE;
    }
    return gst_pad_query_default(pad, parent, query);
}

static gboolean activate_src(GstPad *pad, GstObject *parent, GstPadMode mode, gboolean active)
{
    GstLiveTcpPlayout *self = GST_LIVETCP_PLAYOUT(parent);

    if (mode != GST_PAD_MODE_PUSH) {
        return FALSE;
    }
    if (active) {
        return start_pushing(self);
    }
    set_flushing(self, TRUE);
    return gst_pad_stop_task(pad);
}

static gboolean src_event(GstPad *pad, GstObject *parent, GstEvent *event)
{
    GstLiveTcpPlayout *self = GST_LIVETCP_PLAYOUT(parent);

    if (GST_EVENT_TYPE(event) == GST_EVENT_LATENCY) {
        g_mutex_lock(&self->lock);
        gst_livetcp_player_configured(&self->player);
        g_mutex_unlock(&self->lock);
    }
    return gst_pad_event_default(pad, parent, event);
}

static gboolean query_latency(GstLiveTcpPlayout *self, GstQuery *query)
{
    GstClockTime least;

    if (!gst_pad_peer_query(self->sink, query)) {
        return FALSE;
    }
    gst_query_parse_latency(query, NULL, &least, NULL);
    g_mutex_lock(&self->lock);
    self->upstream_us = GST_CLOCK_TIME_IS_VALID(least) ? (gint64)(least / GST_USECOND) : 0;
    gst_livetcp_player_answer(&self->player, query);
    gst_livetcp_playout_wake(self);
    g_mutex_unlock(&self->lock);
    return TRUE;
}

static gboolean src_query(GstPad *pad, GstObject *parent, GstQuery *query)
{
    if (GST_QUERY_TYPE(query) == GST_QUERY_LATENCY) {
        return query_latency(GST_LIVETCP_PLAYOUT(parent), query);
    }
    return gst_pad_query_default(pad, parent, query);
}

void gst_livetcp_playout_init_pads(GstLiveTcpPlayout *self)
{
    gst_pad_set_chain_function(self->sink, chain);
    gst_pad_set_event_function(self->sink, sink_event);
    gst_pad_set_query_function(self->sink, sink_query);
    gst_pad_set_activatemode_function(self->src, activate_src);
    gst_pad_set_event_function(self->src, src_event);
    gst_pad_set_query_function(self->src, src_query);
    GST_PAD_SET_PROXY_CAPS(self->sink);
    GST_PAD_SET_PROXY_CAPS(self->src);
    gst_element_add_pad(GST_ELEMENT(self), self->sink);
    gst_element_add_pad(GST_ELEMENT(self), self->src);
}
