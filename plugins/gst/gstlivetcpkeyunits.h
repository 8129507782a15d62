/* SPDX-License-Identifier: MIT */
/*
 * Requests for key frames to the encoders upstream. Any thread may request them; the streaming
 * thread sends the events, so a request never waits for, or holds up, the loop's thread.
 * Simultaneous requests for one stream become one event.
 */
#ifndef GST_LIVETCP_KEY_UNITS_H
#define GST_LIVETCP_KEY_UNITS_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Above this number of streams one event is for all. */
#define GST_LIVETCP_KEY_UNITS_STREAMS 16

/* Key frames for peers that join have at least this interval, so that peers that come and go do not
 * spoil the picture of all others. */
#define GST_LIVETCP_KEY_UNITS_JOIN_US G_USEC_PER_SEC

typedef struct _GstLiveTcpKeyUnits {
    gint pending; /* atomic: something below is set */
    GMutex lock;
    gboolean all;
    gboolean joined;    /* a peer joined since the last one for all */
    gint64 last_all_us; /* g_get_monotonic_time() of that; 0 = none */
    guint count;
    guint32 ssrcs[GST_LIVETCP_KEY_UNITS_STREAMS];
    guint number; /* of the next event; the streaming thread's */
} GstLiveTcpKeyUnits;

void gst_livetcp_key_units_init(GstLiveTcpKeyUnits *self);
void gst_livetcp_key_units_clear(GstLiveTcpKeyUnits *self);

/* Clears all requests. */
void gst_livetcp_key_units_reset(GstLiveTcpKeyUnits *self);

/* Any thread: requests a key frame of every stream, or of the one with that SSRC. */
void gst_livetcp_key_units_want_all(GstLiveTcpKeyUnits *self);
void gst_livetcp_key_units_want(GstLiveTcpKeyUnits *self, guint32 ssrc);

/* Any thread: requests a key frame of every stream for a peer that has joined, now or when the
 * interval is over. */
void gst_livetcp_key_units_peer_joined(GstLiveTcpKeyUnits *self);

/* Streaming thread: pushes GstForceKeyUnit events upstream from `pad`. Those for one stream have
 * its "ssrc", by which elements that merge streams (rtpfunnel) find the encoder it is for. */
void gst_livetcp_key_units_ask(GstLiveTcpKeyUnits *self, GstPad *pad);

G_END_DECLS

#endif
