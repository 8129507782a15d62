/* SPDX-License-Identifier: MIT */
/* livetcpplayout: sets the play times of received RTP packets. */
#ifndef GST_LIVETCP_PLAYOUT_H
#define GST_LIVETCP_PLAYOUT_H

#include "gstlivetcpplayer.h"

G_BEGIN_DECLS

#define GST_TYPE_LIVETCP_PLAYOUT (gst_livetcp_playout_get_type())
#define GST_LIVETCP_PLAYOUT(object)                                                                \
    (G_TYPE_CHECK_INSTANCE_CAST((object), GST_TYPE_LIVETCP_PLAYOUT, GstLiveTcpPlayout))
GType gst_livetcp_playout_get_type(void);
GST_ELEMENT_REGISTER_DECLARE(livetcpplayout);

typedef struct _GstLiveTcpPlayout {
    GstElement parent;
    GstPad *sink;
    GstPad *src;

    GMutex lock; /* guards the following; not held while pushing or posting */
    GCond cond;
    GstLiveTcpPlayer player;
    GstSegment segment;    /* of the input */
    gboolean segment_sent; /* our own */
    gboolean playing;      /* the clock is running */
    gboolean flushing;
    gboolean eos;            /* received */
    GstFlowReturn flow;      /* of the last push */
    GstClockID waiting;      /* NULL unless the streaming thread is waiting for the clock */
    gint64 upstream_us;      /* latency of the elements upstream */
    guint stats_interval_ms; /* 0 = no notification */
    gint64 notified_us;
} GstLiveTcpPlayout;

typedef struct _GstLiveTcpPlayoutClass {
    GstElementClass parent_class;
} GstLiveTcpPlayoutClass;

G_END_DECLS

#endif
