/* SPDX-License-Identifier: MIT */
/*
 * A playout for buffers and events, shared by livetcpplayout and livetcpsrc. It has no thread and
 * no clock; times are running time in microseconds. The owner serializes all calls with a lock.
 *
 * Timestamps. A sink renders a buffer at its timestamp plus the latency of the pipeline; the
 * playout's part of that is the latency it announced. So a timestamp is the time to play less the
 * latency that the pipeline was last configured with, and play times hold although the delay
 * changes.
 */
#ifndef GST_LIVETCP_PLAYER_H
#define GST_LIVETCP_PLAYER_H

#include "gstlivetcpplayersettings.h"

#include <livetcp/livetcp.h>
#include <livetcp/rtp.h>

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
    gint caps_payload;                   /* -1 = the caps have none, or they are RED */
    livetcp_redundancy_decoder *decoder; /* of redundant audio; NULL = none is decoded */
    livetcp_playout_path path;
    gint64 latest_us; /* arrival */
    gboolean begun;   /* a buffer was given since the start or a flush */

    guint held;    /* buffers in the playout */
    GQueue events; /* of GstEvent: they follow the held packets */
    GQueue out;    /* of GstMiniObject: to be pushed now */

    gint64 announced_us; /* latency */
    gint64 answered_us;  /* to the last query */
    gint64 counted_us;   /* configured, as far as we know */
    gint64 lead_us;      /* lead of a buffer's timestamp over its play time */
    gint64 played_us;    /* end of the last buffer's timestamp */
    gint64 lower_us;     /* the latency that has been enough since `lower_since_us` */
    gint64 lower_since_us;

    guint64 not_rtp; /* dropped */

    /* since gst_livetcp_player_report() */
    guint arrivals;
    gint64 waits_us;  /* sum of times from arrival to playing */
    gint64 margin_us; /* the minimum of them */
} GstLiveTcpPlayer;

void gst_livetcp_player_init(GstLiveTcpPlayer *player, GstElement *element,
                             livetcp_playout_mode mode);
void gst_livetcp_player_clear(GstLiveTcpPlayer *player);

/* The settings were changed. FALSE: the change takes effect at the next start. */
gboolean gst_livetcp_player_settings_changed(GstLiveTcpPlayer *player);

/* Resets everything but the settings: before a stream begins, or after it ended. */
void gst_livetcp_player_reset(GstLiveTcpPlayer *player);

/* Drops the waiting buffers and events, but then returns the sticky ones other than SEGMENT and
 * EOS. Statistics go on. */
void gst_livetcp_player_flush(GstLiveTcpPlayer *player);

/* ---- in ---- */

/* New caps for the packets that follow. If the clock rate or the media changed, the held packets
 * are ready and a new playout begins. */
void gst_livetcp_player_set_caps(GstLiveTcpPlayer *player, const GstCaps *caps);

/* Takes a buffer that arrived. GST_FLOW_NOT_NEGOTIATED: its clock rate is unknown; see
 * gst_livetcp_player_post_no_rate(). GST_FLOW_ERROR: no playout can be made. */
GstFlowReturn gst_livetcp_player_put(GstLiveTcpPlayer *player, GstBuffer *buffer,
                                     gint64 arrival_us);

/* Takes a serialized event, which comes out behind the buffers put before it. */
void gst_livetcp_player_put_event(GstLiveTcpPlayer *player, GstEvent *event);

/* Nothing more will come: all is ready now. */
void gst_livetcp_player_drain(GstLiveTcpPlayer *player);

/* ---- the path ---- */

/*
 * livetcpsrc reports the path to a livetcpplayout behind it with the sticky event "livetcp-path"
 * (GST_EVENT_CUSTOM_DOWNSTREAM_STICKY), whose structure has, each if known:
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

/* The buffer or event to push at `now_us`, which the caller owns; or NULL. */
GstMiniObject *gst_livetcp_player_next(GstLiveTcpPlayer *player, gint64 now_us);

/* The time of the next one; LIVETCP_NEVER while that depends on arrivals. */
gint64 gst_livetcp_player_deadline(const GstLiveTcpPlayer *player);

/* ---- latency ---- */

/* Returns TRUE if the latency to announce has changed: then a LATENCY message is due. */
gboolean gst_livetcp_player_review(GstLiveTcpPlayer *player);

/* Adds to the answer of a LATENCY query. */
void gst_livetcp_player_answer(GstLiveTcpPlayer *player, GstQuery *query);

/* A LATENCY event came: the pipeline is configured with the latency last answered. */
void gst_livetcp_player_configured(GstLiveTcpPlayer *player);

/* ---- reports ---- */

/* The structure "livetcp-playout-stats", which the caller owns. */
GstStructure *gst_livetcp_player_stats(const GstLiveTcpPlayer *player);

/* For livetcp_session_report_playout(), since it was last called. FALSE: nothing arrived. */
gboolean gst_livetcp_player_report(GstLiveTcpPlayer *player, livetcp_playout_report *report);

/* Without the lock: post the ERROR that names the missing caps, and the WARNING that a latency has
 * no effect. */
void gst_livetcp_player_post_no_rate(GstElement *element);
void gst_livetcp_player_post_idle_latency(GstElement *element, const gchar *instead);

G_END_DECLS

#endif
