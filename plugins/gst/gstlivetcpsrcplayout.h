/* SPDX-License-Identifier: MIT */
/*
 * The playout inside livetcpsrc: a player that the streaming thread feeds and empties, while other
 * threads set its properties and answer queries. It learns the path from the endpoint, tells it to
 * elements downstream as well, and reports to the senders how packets were played.
 */
#ifndef GST_LIVETCP_SRC_PLAYOUT_H
#define GST_LIVETCP_SRC_PLAYOUT_H

#include "gstlivetcpendpoint.h"
#include "gstlivetcppath.h"
#include "gstlivetcpplayer.h"

G_BEGIN_DECLS

typedef struct _GstLiveTcpSrcPlayout {
    GstLiveTcpEndpoint *endpoint;
    GMutex lock; /* guards the player; not held while pushing or posting */
    GstLiveTcpPlayer player;
    GstLiveTcpPath path; /* streaming thread */
    gint64 reported_us;  /* streaming thread: time of the last report to the senders */
} GstLiveTcpSrcPlayout;

/* The endpoint must be initialized. */
void gst_livetcp_src_playout_init(GstLiveTcpSrcPlayout *self, GstLiveTcpEndpoint *endpoint);
void gst_livetcp_src_playout_clear(GstLiveTcpSrcPlayout *self);

/* The properties of gst_livetcp_player_settings_install(), from 0. FALSE: it is another one. */
gboolean gst_livetcp_src_playout_set(GstLiveTcpSrcPlayout *self, guint index, const GValue *value,
                                     const GParamSpec *pspec);
gboolean gst_livetcp_src_playout_get(GstLiveTcpSrcPlayout *self, guint index, GValue *value);

/* A stream begins. FALSE: the settings contradict each other, and an ERROR was posted. */
gboolean gst_livetcp_src_playout_start(GstLiveTcpSrcPlayout *self);
void gst_livetcp_src_playout_stop(GstLiveTcpSrcPlayout *self);

/* Any thread. FALSE: packets are output on arrival, and the functions below for packets are not
 * used. */
gboolean gst_livetcp_src_playout_plays(GstLiveTcpSrcPlayout *self);

/* Any thread: the caps, the LATENCY event and query, and the structure "playout" of the
 * statistics. */
void gst_livetcp_src_playout_set_caps(GstLiveTcpSrcPlayout *self, const GstCaps *caps);
void gst_livetcp_src_playout_configured(GstLiveTcpSrcPlayout *self);
void gst_livetcp_src_playout_answer(GstLiveTcpSrcPlayout *self, GstQuery *query);
void gst_livetcp_src_playout_add_stats(GstLiveTcpSrcPlayout *self, GstStructure *structure);

/* ---- streaming thread ---- */

/* Takes a packet that arrived at that time; the results of gst_livetcp_player_put(). */
GstFlowReturn gst_livetcp_src_playout_put(GstLiveTcpSrcPlayout *self, GstBuffer *buffer,
                                          gint64 arrival_us);

/* TRUE: next() would return an item whatever the time. */
gboolean gst_livetcp_src_playout_is_ready(GstLiveTcpSrcPlayout *self);

/* An item that is due, which the caller owns; or NULL, and the time until which to wait for a
 * packet (g_get_monotonic_time(); -1 = no end). */
GstMiniObject *gst_livetcp_src_playout_next(GstLiveTcpSrcPlayout *self, gint64 *until_us);

/* No packet follows: all are due. */
void gst_livetcp_src_playout_drain(GstLiveTcpSrcPlayout *self);

/* Call these regularly: passes the path to the player and downstream by `pad`; reports to the
 * senders. */
void gst_livetcp_src_playout_notify_path(GstLiveTcpSrcPlayout *self, GstPad *pad);
void gst_livetcp_src_playout_report(GstLiveTcpSrcPlayout *self);

G_END_DECLS

#endif
