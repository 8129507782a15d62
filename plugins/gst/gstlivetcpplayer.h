/* SPDX-License-Identifier: MIT */
/*
 * A playout for buffers and events: what livetcpplayout and livetcpsrc share. It has no thread and
 * no clock; times are running time in microseconds. The owner serializes all calls with a lock.
 *
 * Timestamps. A sink renders a buffer at its timestamp plus the latency of the pipeline, of which
 * the playout's part is what it announced. So a timestamp is the time to play less the latency that
 * the pipeline was last configured with, and play times hold although the delay moves on.
 */
#ifndef GST_LIVETCP_PLAYER_H
#define GST_LIVETCP_PLAYER_H

#include "gstlivetcpplayersettings.h"

#include <livetcp/livetcp.h>
#include <livetcp/redundancy.h>

G_BEGIN_DECLS

typedef struct _GstLiveTcpPlayer {
    GstElement *element;               /* for the log */
    GstLiveTcpPlayerSettings settings; /* as set */
    GstLiveTcpPlayerSettings active;   /* as started */

    livetcp_playout *playout; /* NULL until the clock rate is known */
    guint clock_rate;         /* of the playout */
    livetcp_codec codec;
    guint caps_rate; /* 0 = the caps have none */
    livetcp_playout_media caps_media;
    gint caps_payload;                   /* -1 = the caps have none, or they say RED */
    livetcp_redundancy_decoder *decoder; /* of redundant audio; NULL = nothing is undone */
    livetcp_playout_path path;
    gint64 latest_us; /* arrival */
    gboolean begun;   /* a buffer was given since the start or a flush */

    guint held;    /* buffers in the playout */
    GQueue events; /* of GstEvent: they come after what is held */
    GQueue out;    /* of GstMiniObject: to be pushed now */

    gint64 announced_us; /* latency */
    gint64 answered_us;  /* to the last query */
    gint64 counted_us;   /* configured, as far as we know */
    gint64 lead_us;      /* how much sooner than its play time a buffer is stamped */
    gint64 played_us;    /* end of the last buffer's timestamp */
    gint64 lower_us;     /* the latency that has been enough since `lower_since_us` */
    gint64 lower_since_us;

    guint64 not_rtp; /* dropped */

    /* since gst_livetcp_player_report() */
    guint arrivals;
    gint64 waits_us;  /* sum of times from arrival to playing */
    gint64 margin_us; /* the least of them */
} GstLiveTcpPlayer;

void gst_livetcp_player_init(GstLiveTcpPlayer *player, GstElement *element,
                             livetcp_playout_mode mode);
void gst_livetcp_player_clear(GstLiveTcpPlayer *player);

/* The settings were changed. FALSE: that has no effect before the next start. */
gboolean gst_livetcp_player_settings_changed(GstLiveTcpPlayer *player);

/* Forgets everything but the settings: before a stream begins, or after it ended. */
void gst_livetcp_player_reset(GstLiveTcpPlayer *player);

/* Drops buffers and events that wait, but hands back the sticky ones other than SEGMENT and EOS
 * next. Statistics go on. */
void gst_livetcp_player_flush(GstLiveTcpPlayer *player);

/* ---- in ---- */

/* New caps for the packets that follow. When clock rate or media are others, what is held is ready
 * and a new playout begins. */
void gst_livetcp_player_set_caps(GstLiveTcpPlayer *player, const GstCaps *caps);

/* Takes a buffer that arrived. GST_FLOW_NOT_NEGOTIATED: nothing says its clock rate; see
 * gst_livetcp_player_post_no_rate(). GST_FLOW_ERROR: no playout can be made. */
GstFlowReturn gst_livetcp_player_put(GstLiveTcpPlayer *player, GstBuffer *buffer,
                                     gint64 arrival_us);

/* Takes a serialized event, which comes out behind the buffers put before it. */
void gst_livetcp_player_put_event(GstLiveTcpPlayer *player, GstEvent *event);

/* Nothing more will come: all is ready now. */
void gst_livetcp_player_drain(GstLiveTcpPlayer *player);

/* ---- the path ---- */

/*
 * livetcpsrc tells a livetcpplayout behind it about the path with the sticky event "livetcp-path"
 * (GST_EVENT_CUSTOM_DOWNSTREAM_STICKY), whose structure has, each as far as it is known:
 *
 *     "rtt-us"         gint64   round-trip time of the connections
 *     "repair"         string   "tcp", "hedge", "duplicate" or "parity": livetcp_playout_repair
 *     "hedge-delay-us" gint64
 *     "copies"         guint
 *     "parity-group"   guint
 */
GstEvent *gst_livetcp_player_path_event_new(const livetcp_playout_path *path);

/* FALSE: it is another event. */
gboolean gst_livetcp_player_path_event_parse(GstEvent *event, livetcp_playout_path *path);

void gst_livetcp_player_set_path(GstLiveTcpPlayer *player, const livetcp_playout_path *path);

/* ---- out ---- */

/* What is to be pushed at `now_us`, a buffer or an event, which the caller owns; or NULL. */
GstMiniObject *gst_livetcp_player_next(GstLiveTcpPlayer *player, gint64 now_us);

/* When there is something; LIVETCP_NEVER while that depends on what arrives. */
gint64 gst_livetcp_player_deadline(const GstLiveTcpPlayer *player);

/* ---- latency ---- */

/* Looks whether the latency to announce is another one now: then a LATENCY message is due. */
gboolean gst_livetcp_player_review(GstLiveTcpPlayer *player);

/* Adds to the answer of a LATENCY query. */
void gst_livetcp_player_answer(GstLiveTcpPlayer *player, GstQuery *query);

/* A LATENCY event came: the pipeline is configured with what was answered. */
void gst_livetcp_player_configured(GstLiveTcpPlayer *player);

/* ---- reports ---- */

/* The structure "livetcp-playout-stats", which the caller owns. */
GstStructure *gst_livetcp_player_stats(const GstLiveTcpPlayer *player);

/* For livetcp_session_report_playout(), since it was last called. FALSE: nothing came. */
gboolean gst_livetcp_player_report(GstLiveTcpPlayer *player, livetcp_playout_report *report);

/* Without the lock: the ERROR that says what caps are missing. */
void gst_livetcp_player_post_no_rate(GstElement *element);

G_END_DECLS

#endif
