/* SPDX-License-Identifier: MIT */
/* Redundant audio (RFC 2198) of livetcpsink: packets that repeat the previous ones, which receivers
 * play where the original is late. Streaming thread only, except for the counters. */
#ifndef GST_LIVETCP_REDUNDANCY_H
#define GST_LIVETCP_REDUNDANCY_H

#include <gst/gst.h>
#include <livetcp/rtp.h>

G_BEGIN_DECLS

/* Default payload type of redundant packets, as in livetcp_redundancy_config. */
#define GST_LIVETCP_REDUNDANCY_PT 63

typedef struct _GstLiveTcpRedundancy {
    guint depth;        /* as set: number of previous packets that a packet repeats, 0 = none */
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

/* Sets new caps. FALSE: redundancy is on, and this stream is not audio, or is encrypted. */
gboolean gst_livetcp_redundancy_set_caps(GstLiveTcpRedundancy *self, const GstCaps *caps);

/* With redundancy on, replaces *data (*size bytes) by a redundant packet, valid until the next
 * call. A packet that rtpredenc upstream has made redundant is unchanged. Sets the number of
 * repeated packets in `info` in either case. */
void gst_livetcp_redundancy_apply(GstLiveTcpRedundancy *self, const guint8 **data, gsize *size,
                                  livetcp_packet_info *info);

/* Adds the counters to livetcpsink's statistics. Any thread. */
void gst_livetcp_redundancy_add_stats(GstLiveTcpRedundancy *self, GstStructure *structure);

G_END_DECLS

#endif
