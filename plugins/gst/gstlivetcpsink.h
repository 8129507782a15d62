/* SPDX-License-Identifier: MIT */
/* livetcpsink: sends RTP and RTCP packets over a LiveTCP session. */
#ifndef GST_LIVETCP_SINK_H
#define GST_LIVETCP_SINK_H

#include "gstlivetcpendpoint.h"
#include "gstlivetcpgreeting.h"
#include "gstlivetcpimportance.h"
#include "gstlivetcpkeyunits.h"
#include "gstlivetcplosses.h"
#include "gstlivetcpredundancy.h"

#include <gst/base/base.h>

G_BEGIN_DECLS

#define GST_TYPE_LIVETCP_SINK (gst_livetcp_sink_get_type())
#define GST_LIVETCP_SINK(object)                                                                   \
    (G_TYPE_CHECK_INSTANCE_CAST((object), GST_TYPE_LIVETCP_SINK, GstLiveTcpSink))
GType gst_livetcp_sink_get_type(void);
GST_ELEMENT_REGISTER_DECLARE(livetcpsink);

#define GST_LIVETCP_SINK_DRAIN_TIMEOUT_MS  2000
#define GST_LIVETCP_SINK_MAX_SEND_DELAY_MS 2000

/* For the property; see gst_livetcp_endpoint_bitrate(). */
#define GST_LIVETCP_SINK_BITRATE_QUANTILE 0.25

typedef enum {
    GST_LIVETCP_LEAKY_AUTO,
    GST_LIVETCP_LEAKY_NO,
    GST_LIVETCP_LEAKY_UPSTREAM
} GstLiveTcpLeaky;

/* Larger than any packet that the library accepts. */
#define GST_LIVETCP_SINK_SCRATCH_SIZE 65536

typedef struct _GstLiveTcpSink {
    GstBaseSink parent;
    GstLiveTcpEndpoint endpoint;
    gboolean wait_for_connection;
    guint drain_timeout_ms;
    gboolean error_on_loss;
    GstLiveTcpLeaky leaky;

    /* the streaming thread's */
    guint8 *scratch;  /* joins packets in several memories */
    gboolean more;    /* the next packet of a list follows */
    gint64 warned_us; /* time of the last report of an invalid packet */
    guint too_large;  /* packets that were too large since then */
    GstLiveTcpLosses losses;
    gint64 losses_us;     /* time of the last check */
    gboolean drops_known; /* `drops` was determined for this stream */
    GstLiveTcpImportance importance;
    GstLiveTcpRedundancy redundancy;

    gint drops; /* atomic boolean: late packets are dropped instead of waited for */
    GstLiveTcpKeyUnits key_units;
    GstLiveTcpGreeting greeting;
    gdouble bitrate_quantile;
    guint bitrate;        /* guarded by endpoint.lock: last notified estimate */
    guint64 without_peer; /* guarded by endpoint.lock: packets dropped without a peer */
} GstLiveTcpSink;

typedef struct _GstLiveTcpSinkClass {
    GstBaseSinkClass parent_class;
} GstLiveTcpSinkClass;

G_END_DECLS

#endif
