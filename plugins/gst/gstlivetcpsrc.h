/* SPDX-License-Identifier: MIT */
/* livetcpsrc: receives RTP and RTCP packets over a LiveTCP session. */
#ifndef GST_LIVETCP_SRC_H
#define GST_LIVETCP_SRC_H

#include "gstlivetcpendpoint.h"
#include "gstlivetcpplayer.h"
#include "gstlivetcpqueue.h"

#include <gst/base/base.h>

G_BEGIN_DECLS

#define GST_TYPE_LIVETCP_SRC (gst_livetcp_src_get_type())
#define GST_LIVETCP_SRC(object)                                                                    \
    (G_TYPE_CHECK_INSTANCE_CAST((object), GST_TYPE_LIVETCP_SRC, GstLiveTcpSrc))
GType gst_livetcp_src_get_type(void);
GST_ELEMENT_REGISTER_DECLARE(livetcpsrc);

typedef struct _GstLiveTcpSrc {
    GstPushSrc parent;
    GstLiveTcpEndpoint endpoint;
    GstLiveTcpQueue queue;
    gint keep_listening; /* atomic boolean */
    gint rtcp_welcome;   /* atomic: whether downstream can use RTCP, -1 = to be found out */
    guint timeout_ms;
    GstClockTime last_time; /* streaming thread: of the buffer before */
    GstCaps *caps;          /* object lock; NULL = application/x-rtp */
    guint64 rtcp_dropped;   /* object lock */

    GMutex player_lock; /* not held while pushing or posting */
    GstLiveTcpPlayer player;
    GstFlowReturn ended;       /* streaming thread: what comes after the last packet */
    livetcp_playout_path path; /* streaming thread: as told */
    gint64 path_us;            /* streaming thread: when it was last looked at */
    gboolean path_told;        /* streaming thread */
    gint64 reported_us;        /* streaming thread: when playout was last reported */
} GstLiveTcpSrc;

typedef struct _GstLiveTcpSrcClass {
    GstPushSrcClass parent_class;
} GstLiveTcpSrcClass;

/* What a source does with packets and when sessions open and end. */
extern const GstLiveTcpHooks gst_livetcp_src_hooks;

/* ---- the streaming thread's: gstlivetcpsrcpackets.c ---- */

/* The running time of a moment of the monotonic clock. */
GstClockTime gst_livetcp_src_running_time(GstLiveTcpSrc *self, gint64 moment_us);

/* The next packet, calling again and complaining about silence as need be; at `until_us`
 * GST_FLOW_CUSTOM_SUCCESS (-1: wait for ever). */
GstFlowReturn gst_livetcp_src_next_packet(GstLiveTcpSrc *self, gint64 until_us, GstBuffer **buffer,
                                          gint64 *arrival_us);

/* The next packet in order, with its time to play. */
GstFlowReturn gst_livetcp_src_play(GstLiveTcpSrc *self, GstBuffer **buffer);

/* Looks at the path from time to time, and tells playout and downstream. */
void gst_livetcp_src_tell_path(GstLiveTcpSrc *self);

/* ---- playout's settings ---- */

/* On failure an ERROR is posted. */
gboolean gst_livetcp_src_start_playout(GstLiveTcpSrc *self);
void gst_livetcp_src_stop_playout(GstLiveTcpSrc *self);

/* FALSE: it is another property. */
gboolean gst_livetcp_src_set_playout(GstLiveTcpSrc *self, guint index, const GValue *value,
                                     GParamSpec *pspec);
gboolean gst_livetcp_src_get_playout(GstLiveTcpSrc *self, guint index, GValue *value);

/* Of the class, with the functions that get and set them. */
void gst_livetcp_src_install_properties(GObjectClass *klass);

/* A stream is one sender's; who mixes several says so. */
void gst_livetcp_src_get_defaults(livetcp_config *defaults);

G_END_DECLS

#endif
