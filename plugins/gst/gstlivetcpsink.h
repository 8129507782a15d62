/* SPDX-License-Identifier: MIT */
/* livetcpsink: sends RTP and RTCP packets over a LiveTCP session. */
#ifndef GST_LIVETCP_SINK_H
#define GST_LIVETCP_SINK_H

#include "gstlivetcpendpoint.h"
#include "gstlivetcpimportance.h"
#include "gstlivetcpkeyunits.h"
#include "gstlivetcpredundancy.h"

#include <gst/base/base.h>

G_BEGIN_DECLS

#define GST_TYPE_LIVETCP_SINK (gst_livetcp_sink_get_type())
#define GST_LIVETCP_SINK(object)                                                                   \
    (G_TYPE_CHECK_INSTANCE_CAST((object), GST_TYPE_LIVETCP_SINK, GstLiveTcpSink))
GType gst_livetcp_sink_get_type(void);
GST_ELEMENT_REGISTER_DECLARE(livetcpsink);

#define GST_LIVETCP_SINK_DRAIN_TIMEOUT_MS 2000

/* Larger than any packet the library takes. */
#define GST_LIVETCP_SINK_SCRATCH_SIZE 65536

typedef struct _GstLiveTcpSink {
    GstBaseSink parent;
    GstLiveTcpEndpoint endpoint;
    gboolean wait_for_connection;
    guint drain_timeout_ms;

    /* the streaming thread's */
    guint8 *scratch;  /* packets that lie in pieces are put together here */
    gint64 warned_us; /* when a packet was last complained about */
    guint too_large;  /* packets too large since then */
    GstLiveTcpImportance importance;
    GstLiveTcpRedundancy redundancy;

    GstLiveTcpKeyUnits key_units;
    guint bitrate;            /* guarded by endpoint.lock: estimate that was last notified */
    guint64 without_peer;     /* guarded by endpoint.lock: packets nobody was there for */
    GPtrArray *stream_header; /* guarded by endpoint.lock: of GstBuffer, or NULL */
} GstLiveTcpSink;

typedef struct _GstLiveTcpSinkClass {
    GstBaseSinkClass parent_class;
} GstLiveTcpSinkClass;

G_END_DECLS

#endif
