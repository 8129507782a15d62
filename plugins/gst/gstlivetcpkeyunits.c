/* SPDX-License-Identifier: MIT */
/* Requests for key frames to the encoders upstream. */
#include "gstlivetcpkeyunits.h"

#include <gst/video/video.h>
#include <string.h>

void gst_livetcp_key_units_init(GstLiveTcpKeyUnits *self)
{
    memset(self, 0, sizeof(*self));
    g_mutex_init(&self->lock);
}

void gst_livetcp_key_units_clear(GstLiveTcpKeyUnits *self)
{
    g_mutex_clear(&self->lock);
}

void gst_livetcp_key_units_reset(GstLiveTcpKeyUnits *self)
{
    g_mutex_lock(&self->lock);
    self->all = self->joined = FALSE;
    self->last_all_us = 0;
    self->count = 0;
    g_atomic_int_set(&self->pending, FALSE);
    g_mutex_unlock(&self->lock);
}

void gst_livetcp_key_units_peer_joined(GstLiveTcpKeyUnits *self)
{
    g_mutex_lock(&self->lock);
    self->joined = TRUE;
    g_atomic_int_set(&self->pending, TRUE);
    g_mutex_unlock(&self->lock);
}

void gst_livetcp_key_units_want_all(GstLiveTcpKeyUnits *self)
{
    g_mutex_lock(&self->lock);
    self->all = TRUE;
    g_atomic_int_set(&self->pending, TRUE);
    g_mutex_unlock(&self->lock);
}

void gst_livetcp_key_units_want(GstLiveTcpKeyUnits *self, guint32 ssrc)
{
    gboolean known = FALSE;

    g_mutex_lock(&self->lock);
    for (guint i = 0; i < self->count; i++) {
        known = known || self->ssrcs[i] == ssrc;
    }
    if (!known && self->count < GST_LIVETCP_KEY_UNITS_STREAMS) {
        self->ssrcs[self->count++] = ssrc;
    } else if (!known) {
        self->all = TRUE;
    }
    g_atomic_int_set(&self->pending, TRUE);
    g_mutex_unlock(&self->lock);
}

static void push(GstLiveTcpKeyUnits *self, GstPad *pad, const guint32 *ssrc)
{
    GstEvent *event =
        gst_video_event_new_upstream_force_key_unit(GST_CLOCK_TIME_NONE, TRUE, self->number++);
    if (ssrc != NULL) {
        gst_structure_set(gst_event_writable_structure(event), "ssrc", G_TYPE_UINT, *ssrc, NULL);
    }
    gst_pad_push_event(pad, event);
}

void gst_livetcp_key_units_ask(GstLiveTcpKeyUnits *self, GstPad *pad)
{
    guint32 ssrcs[GST_LIVETCP_KEY_UNITS_STREAMS];

    if (!g_atomic_int_get(&self->pending)) {
        return;
    }
    gint64 now = g_get_monotonic_time();
    g_mutex_lock(&self->lock);
    gboolean soon =
        self->last_all_us != 0 && now - self->last_all_us < GST_LIVETCP_KEY_UNITS_JOIN_US;
    gboolean all = self->all || (self->joined && !soon);
    guint count = self->count;
    memcpy(ssrcs, self->ssrcs, sizeof(ssrcs));
    self->all = FALSE;
    self->count = 0;
    if (all) {
        self->joined = FALSE;
        self->last_all_us = now;
    }
    g_atomic_int_set(&self->pending, self->joined);
    g_mutex_unlock(&self->lock);

    if (all) {
        push(self, pad, NULL);
    }
    for (guint i = 0; i < count && !all; i++) {
        push(self, pad, &ssrcs[i]);
    }
}
