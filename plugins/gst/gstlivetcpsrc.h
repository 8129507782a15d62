/* SPDX-License-Identifier: MIT */
/* livetcpsrc: receives RTP and RTCP packets over a LiveTCP session. */
#ifndef GST_LIVETCP_SRC_H
#define GST_LIVETCP_SRC_H

#include "gstlivetcpendpoint.h"
#include "gstlivetcplosses.h"
#include "gstlivetcporder.h"
#include "gstlivetcpqueue.h"
#include "gstlivetcprtcppad.h"
#include "gstlivetcpsrcplayout.h"

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
    GstLiveTcpOrder order;
    gboolean rtcp_mux;
    GstLiveTcpRtcpPad rtcp_pad;
    GstLiveTcpLosses losses; /* loop's thread */
    guint timeout_ms;
    GstClockTime last_time; /* streaming thread: of the previous buffer */
    GstCaps *caps;          /* object lock; NULL = application/x-rtp */
    guint64 rtcp_dropped;   /* object lock */
    GstLiveTcpSrcPlayout playout;
    GstFlowReturn ended; /* streaming thread: result after the last packet */
} GstLiveTcpSrc;

typedef struct _GstLiveTcpSrcClass {
    GstPushSrcClass parent_class;
} GstLiveTcpSrcClass;

G_END_DECLS

#endif
