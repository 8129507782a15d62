/* SPDX-License-Identifier: MIT */
/* livetcpsrc: receives RTP and RTCP packets over a LiveTCP session. */
#ifndef GST_LIVETCP_SRC_H
#define GST_LIVETCP_SRC_H

#include "gstlivetcpendpoint.h"
#include "gstlivetcplosses.h"
#include "gstlivetcppath.h"
#include "gstlivetcpplayer.h"
#include "gstlivetcpqueue.h"
#include "gstlivetcprtcppad.h"

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
    gint order;          /* atomic: as set */
    gint order_in_force; /* atomic: livetcp_order */
    gboolean rtcp_mux;
    GstLiveTcpRtcpPad rtcp_pad;
    GstLiveTcpLosses losses; /* loop's thread */
    guint timeout_ms;
    GstClockTime last_time; /* streaming thread: of the previous buffer */
    GstCaps *caps;          /* object lock; NULL = application/x-rtp */
    guint64 rtcp_dropped;   /* object lock */

    GMutex player_lock; /* not held while pushing or posting */
    GstLiveTcpPlayer player;
    GstFlowReturn ended; /* streaming thread: result after the last packet */
    GstLiveTcpPath path; /* streaming thread */
    gint64 reported_us;  /* streaming thread: time of the last playout report */
} GstLiveTcpSrc;

typedef struct _GstLiveTcpSrcClass {
    GstPushSrcClass parent_class;
} GstLiveTcpSrcClass;

G_END_DECLS

#endif
