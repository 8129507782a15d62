/* SPDX-License-Identifier: MIT */
/*
 * Key frame requests to the encoders upstream. Any thread may request them; the streaming thread
 * sends the events, so that a request never blocks the loop's thread. Simultaneous requests for one
 * stream become one event.
 */
#ifndef GST_LIVETCP_KEY_UNITS_H
#define GST_LIVETCP_KEY_UNITS_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* With more streams than this, one event for all is sent. */
#define GST_LIVETCP_KEY_UNITS_STREAMS 16

/* Minimum interval of key frames for joining peers, since each one affects the picture quality of
 * all peers. */
#define GST_LIVETCP_KEY_UNITS_JOIN_US G_USEC_PER_SEC

typedef struct _GstLiveTcpKeyUnits {
    gint pending; /* atomic: a request below is set */
    GMutex lock;
    gboolean all;
    gboolean joined;    /* a peer has joined since the last request for all */
    gint64 last_all_us; /* time of that request, g_get_monotonic_time(); 0 = none */
    guint count;
    guint32 ssrcs[GST_LIVETCP_KEY_UNITS_STREAMS];
    guint number; /* of the next event; streaming thread only */
} GstLiveTcpKeyUnits;

void gst_livetcp_key_units_init(GstLiveTcpKeyUnits *self);
void gst_livetcp_key_units_clear(GstLiveTcpKeyUnits *self);

/* Clears all requests. */
void gst_livetcp_key_units_reset(GstLiveTcpKeyUnits *self);

/* Any thread: requests a key frame of every stream, or of the one with that SSRC. */
void gst_livetcp_key_units_want_all(GstLiveTcpKeyUnits *self);
void gst_livetcp_key_units_want(GstLiveTcpKeyUnits *self, guint32 ssrc);

/* Any thread: requests a key frame of every stream for a peer that has joined, at once or after the
 * minimum interval. */
void gst_livetcp_key_units_peer_joined(GstLiveTcpKeyUnits *self);

/* Streaming thread: pushes the requested GstForceKeyUnit events upstream from `pad`. An event for
 * one stream has its "ssrc", by which elements that merge streams (rtpfunnel) find the encoder. */
void gst_livetcp_key_units_ask(GstLiveTcpKeyUnits *self, GstPad *pad);

G_END_DECLS

#endif
