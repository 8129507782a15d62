/* SPDX-License-Identifier: MIT */
/*
 * A playout for buffers and events, shared by livetcpplayout and livetcpsrc. It has no thread and
 * no clock; times are running time in microseconds. The owner serializes all calls with a lock.
 *
 * Timestamps. A sink renders a buffer at its timestamp plus the pipeline's latency; the playout's
 * part of that is the latency that it announced. So a timestamp is the time to play minus the
 * latency that the pipeline was last configured with, and play times stay right when the delay
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
    guint caps_rate; /* 0 = not in the caps */
    livetcp_playout_media caps_media;
    gint caps_payload;                   /* -1 = not in the caps, or RED */
    livetcp_redundancy_decoder *decoder; /* of redundant audio; NULL = not decoded */
    livetcp_playout_path path;
    gint64 latest_us; /* arrival of the newest packet */
    gboolean begun;   /* a buffer was returned since the start or a flush */

    guint held;    /* buffers in the playout */
    GQueue events; /* of GstEvent: after the held packets */
    GQueue out;    /* of GstMiniObject: ready to be pushed */

    gint64 announced_us; /* latency, as announced */
    gint64 answered_us;  /* latency in the last answer to a query */
    gint64 counted_us;   /* latency that the pipeline is configured with, as far as known */
    gint64 lead_us;      /* time to play minus a buffer's timestamp */
    gint64 played_us;    /* end of the last buffer's timestamp */
    gint64 lower_us;     /* latency that has been sufficient since `lower_since_us` */
    gint64 lower_since_us;

    guint64 not_rtp; /* dropped packets */

    /* Since gst_livetcp_player_report(): */
    guint arrivals;
    gint64 waits_us;  /* sum of the times from arrival to playout */
    gint64 margin_us; /* minimum of them */
} GstLiveTcpPlayer;

void gst_livetcp_player_init(GstLiveTcpPlayer *player, GstElement *element,
                             livetcp_playout_mode mode);
void gst_livetcp_player_clear(GstLiveTcpPlayer *player);

/* Call after settings were changed. FALSE: the change takes effect at the next start. */
gboolean gst_livetcp_player_settings_changed(GstLiveTcpPlayer *player);

/* Resets everything but the settings: before a stream begins, or after its end. */
void gst_livetcp_player_reset(GstLiveTcpPlayer *player);

/* Drops waiting buffers and events; sticky events other than SEGMENT and EOS are returned next.
 * Statistics continue. */
void gst_livetcp_player_flush(GstLiveTcpPlayer *player);

/* ---- in ---- */

/* Sets the caps of the following packets. If clock rate or media changed, held packets become ready
 * and a new playout begins. */
void gst_livetcp_player_set_caps(GstLiveTcpPlayer *player, const GstCaps *caps);

/* Takes a buffer that has arrived. GST_FLOW_NOT_NEGOTIATED: its clock rate is unknown; see
 * gst_livetcp_player_post_no_rate(). GST_FLOW_ERROR: the playout cannot be created. */
GstFlowReturn gst_livetcp_player_put(GstLiveTcpPlayer *player, GstBuffer *buffer,
                                     gint64 arrival_us);

/* Takes a serialized event, which is returned after the buffers put before it. */
void gst_livetcp_player_put_event(GstLiveTcpPlayer *player, GstEvent *event);

/* End of the stream: everything becomes ready. */
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

/* The next buffer or event to push at `now_us`, which the caller owns; NULL if there is none. */
GstMiniObject *gst_livetcp_player_next(GstLiveTcpPlayer *player, gint64 now_us);

/* The time of the next item; LIVETCP_NEVER while it depends on arrivals. */
gint64 gst_livetcp_player_deadline(const GstLiveTcpPlayer *player);

/* ---- latency ---- */

/* TRUE if the latency to announce has changed: post a LATENCY message. */
gboolean gst_livetcp_player_review(GstLiveTcpPlayer *player);

/* Adds the playout's latency to the answer of a LATENCY query. */
void gst_livetcp_player_answer(GstLiveTcpPlayer *player, GstQuery *query);

/* Call on a LATENCY event: the pipeline is configured with the latency last answered. */
void gst_livetcp_player_configured(GstLiveTcpPlayer *player);

/* ---- reports ---- */

/* The structure "livetcp-playout-stats", which the caller owns. */
GstStructure *gst_livetcp_player_stats(const GstLiveTcpPlayer *player);

/* A report for livetcp_session_report_playout() about the time since the last call. FALSE: nothing
 * arrived. */
gboolean gst_livetcp_player_report(GstLiveTcpPlayer *player, livetcp_playout_report *report);

/* Without the lock: post the ERROR about missing caps, and the WARNING that a latency has no
 * effect. */
void gst_livetcp_player_post_no_rate(GstElement *element);
void gst_livetcp_player_post_idle_latency(GstElement *element, const gchar *instead);

G_END_DECLS

#endif
