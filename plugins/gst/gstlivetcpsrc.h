/* SPDX-License-Identifier: MIT */
/* livetcpsrc: receives RTP and RTCP packets over a LiveTCP session. */
#ifndef GST_LIVETCP_SRC_H
#define GST_LIVETCP_SRC_H

#include "gstlivetcpendpoint.h"
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
    gint rtcp;           /* atomic boolean */
    gint keep_listening; /* atomic boolean */
    guint timeout_ms;
    GstClockTime last_time; /* streaming thread: of the buffer before */
    GstCaps *caps;          /* object lock; NULL = application/x-rtp */
    guint64 rtcp_dropped;   /* object lock */
} GstLiveTcpSrc;

typedef struct _GstLiveTcpSrcClass {
    GstPushSrcClass parent_class;
} GstLiveTcpSrcClass;

/* What a source does with packets and when sessions open and end. */
extern const GstLiveTcpHooks gst_livetcp_src_hooks;

G_END_DECLS

#endif
