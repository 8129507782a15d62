/* SPDX-License-Identifier: MIT */
/* livetcpplayout's source pad has a thread that waits for what is due, and pushes it. */
#include "gstlivetcpplayout.h"

/* With the lock held, which is let go meanwhile. */
static void wait_for_clock(GstLiveTcpPlayout *self, gint64 until_us)
{
    GstClock *clock = gst_element_get_clock(GST_ELEMENT(self));
    if (clock == NULL) {
        g_cond_wait(&self->cond, &self->lock);
        return;
    }
    GstClockTime base = gst_element_get_base_time(GST_ELEMENT(self));
    GstClockTime until = base + (GstClockTime)MAX(until_us, 0) * GST_USECOND;
    GstClockID id = gst_clock_new_single_shot_id(clock, until);
    self->waiting = id;
    g_mutex_unlock(&self->lock);
    gst_clock_id_wait(id, NULL);
    g_mutex_lock(&self->lock);
    self->waiting = NULL;
    gst_clock_id_unref(id);
    gst_object_unref(clock);
}

/* What is to be pushed next; NULL when flushing. */
static GstMiniObject *wait_next(GstLiveTcpPlayout *self)
{
    GstMiniObject *object = NULL;

    g_mutex_lock(&self->lock);
    while (!self->flushing && object == NULL) {
        gint64 deadline = LIVETCP_NEVER;
        if (self->playing) {
            object = gst_livetcp_player_next(
                &self->player, gst_livetcp_playout_running_time_us(self) - self->upstream_us);
            deadline = gst_livetcp_player_deadline(&self->player);
        }
        if (object != NULL) {
            break;
        }
        if (deadline == LIVETCP_NEVER) {
            g_cond_wait(&self->cond, &self->lock);
        } else {
            wait_for_clock(self, deadline + self->upstream_us);
        }
    }
    g_mutex_unlock(&self->lock);
    return object;
}

static GstFlowReturn push(GstLiveTcpPlayout *self, GstMiniObject *object)
{
    if (GST_IS_BUFFER(object)) {
        return gst_pad_push(self->src, GST_BUFFER(object));
    }
    gboolean eos = GST_EVENT_TYPE(object) == GST_EVENT_EOS;
    gst_pad_push_event(self->src, GST_EVENT(object));
    return eos ? GST_FLOW_EOS : GST_FLOW_OK;
}

/* Upstream hears of it with its next buffer; after the end of the stream there is none. */
static void stop_pushing(GstLiveTcpPlayout *self, GstFlowReturn flow)
{
    g_mutex_lock(&self->lock);
    gboolean eos = self->eos;
    if (!self->flushing) {
        self->flow = flow;
    }
    gst_pad_pause_task(self->src);
    g_mutex_unlock(&self->lock);
    if (eos && (flow < GST_FLOW_EOS || flow == GST_FLOW_NOT_LINKED)) {
        GST_ELEMENT_FLOW_ERROR(self, flow);
    }
}

void gst_livetcp_playout_loop(gpointer pad)
{
    GstLiveTcpPlayout *self = GST_LIVETCP_PLAYOUT(GST_PAD_PARENT(GST_PAD(pad)));
    GstMiniObject *object = wait_next(self);
    GstFlowReturn flow = object != NULL ? push(self, object) : GST_FLOW_FLUSHING;

    if (flow != GST_FLOW_OK) {
        stop_pushing(self, flow);
    }
}
