/* SPDX-License-Identifier: MIT */
/*
 * A packet's importance from caps and buffer flags.
 *
 * Payloaders are no help with DELTA_UNIT: rtph264pay of GStreamer 1.22 leaves it out on the first
 * packet of a key frame only, rtph265pay sets it on all packets, rtpvp8pay and rtpvp9pay on none.
 * So the flag's presence means nothing, and its absence something only where it is present
 * elsewhere. In this order:
 *
 * 1. DROPPABLE: nobody sets that by accident.
 * 2. media=audio, or an encoding name that is audio's: audio, encrypted or not.
 * 3. An encoding name whose payload the library reads: the library decides. Not with SRTP.
 * 4. HEADER: key. DELTA_UNIT once seen in this stream (SSRC): a packet without it begins a key
 *    frame, to which the packets with the same RTP timestamp belong; every other packet is delta.
 * 5. Otherwise unknown: flags are missing.
 */
#ifndef GST_LIVETCP_IMPORTANCE_H
#define GST_LIVETCP_IMPORTANCE_H

#include <gst/gst.h>
#include <livetcp/rtp.h>

G_BEGIN_DECLS

/* Streams whose flags are remembered; one more takes the place of another. */
#define GST_LIVETCP_IMPORTANCE_STREAMS 8

typedef struct _GstLiveTcpFlagged {
    gboolean used;
    guint32 ssrc;
    gboolean sets_delta; /* DELTA_UNIT was seen */
    gboolean key;        /* the picture at `timestamp` began without it */
    guint32 timestamp;
} GstLiveTcpFlagged;

/* Zeroes are a valid start; there is nothing to free. The streaming thread's. */
typedef struct _GstLiveTcpImportance {
    livetcp_codec codec; /* of the caps; UNKNOWN if it cannot be read */
    GstLiveTcpFlagged streams[GST_LIVETCP_IMPORTANCE_STREAMS];
    guint next_stream;
} GstLiveTcpImportance;

/* New caps; forgets the flags seen under the former ones. */
void gst_livetcp_importance_set_caps(GstLiveTcpImportance *self, const GstCaps *caps);

/* The metadata of the next packet, for livetcp_session_send_with(). `packet` is the content of
 * `buffer`; any bytes are valid. */
livetcp_packet_info gst_livetcp_importance_next(GstLiveTcpImportance *self, GstBuffer *buffer,
                                                const guint8 *packet, gsize size);

G_END_DECLS

#endif
