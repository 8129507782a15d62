/* SPDX-License-Identifier: MIT */
/*
 * Key frames that are wanted of the encoders upstream. Any thread may want them; the streaming
 * thread asks, so that a request never waits for, or holds up, the loop's thread. Requests for one
 * stream that come together become one event.
 */
#ifndef GST_LIVETCP_KEY_UNITS_H
#define GST_LIVETCP_KEY_UNITS_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* More streams at once than this are asked together. */
#define GST_LIVETCP_KEY_UNITS_STREAMS 16

typedef struct _GstLiveTcpKeyUnits {
    gint pending; /* atomic: something below is set */
    GMutex lock;
    gboolean all;
    guint count;
    guint32 ssrcs[GST_LIVETCP_KEY_UNITS_STREAMS];
    guint number; /* of the next event; the streaming thread's */
} GstLiveTcpKeyUnits;

void gst_livetcp_key_units_init(GstLiveTcpKeyUnits *self);
void gst_livetcp_key_units_clear(GstLiveTcpKeyUnits *self);

/* Nothing is wanted any more. */
void gst_livetcp_key_units_reset(GstLiveTcpKeyUnits *self);

/* Any thread: every stream is to start afresh, or the one with that SSRC. */
void gst_livetcp_key_units_want_all(GstLiveTcpKeyUnits *self);
void gst_livetcp_key_units_want(GstLiveTcpKeyUnits *self, guint32 ssrc);

/* Streaming thread: pushes GstForceKeyUnit events upstream from `pad`. Those for one stream have
 * its "ssrc", by which elements that merge streams (rtpfunnel) find the encoder it is for. */
void gst_livetcp_key_units_ask(GstLiveTcpKeyUnits *self, GstPad *pad);

G_END_DECLS

#endif
