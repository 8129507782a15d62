/* SPDX-License-Identifier: MIT */
/* Redundant audio (RFC 2198) as livetcpsink makes it: packets that repeat those before them, for
 * receivers to play where the original is late. The streaming thread's, but for the counters. */
#ifndef GST_LIVETCP_REDUNDANCY_H
#define GST_LIVETCP_REDUNDANCY_H

#include <gst/gst.h>
#include <livetcp/rtp.h>

G_BEGIN_DECLS

/* Payload type of redundant packets by default: that of livetcp_redundancy_config. */
#define GST_LIVETCP_REDUNDANCY_PT 63

typedef struct _GstLiveTcpRedundancy {
    guint depth;        /* as set: packets before it that a packet repeats, 0 = none */
    guint payload_type; /* as set */

    gboolean applies; /* the caps are those of audio that can be repeated */
    livetcp_redundancy_encoder *encoder;
    GMutex lock; /* guards `counters` */
    livetcp_redundancy_encoder_stats counters;
} GstLiveTcpRedundancy;

void gst_livetcp_redundancy_init(GstLiveTcpRedundancy *self);
void gst_livetcp_redundancy_clear(GstLiveTcpRedundancy *self);

/* Call before the stream begins. `max_packet` is the maximum size of its packets. On failure *error
 * has the reason. */
gboolean gst_livetcp_redundancy_start(GstLiveTcpRedundancy *self, gsize max_packet,
                                      livetcp_error *error);

/* New caps. FALSE: this stream is not repeated though it should be, since it is no audio, or is
 * encrypted. */
gboolean gst_livetcp_redundancy_set_caps(GstLiveTcpRedundancy *self, const GstCaps *caps);

/* Makes a redundant packet of *data, *size bytes, if redundancy is on; it stays valid until the
 * next call. A packet that an rtpredenc upstream made redundant stays as it is. Either way `info`
 * receives the number of repeated packets. */
void gst_livetcp_redundancy_apply(GstLiveTcpRedundancy *self, const guint8 **data, gsize *size,
                                  livetcp_packet_info *info);

/* Adds to livetcpsink's statistics. Any thread. */
void gst_livetcp_redundancy_add_stats(GstLiveTcpRedundancy *self, GstStructure *structure);

G_END_DECLS

#endif
