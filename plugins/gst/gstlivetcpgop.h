/* SPDX-License-Identifier: MIT */
/*
 * The last group of pictures of each video stream, for a peer that joins in the middle of it: all
 * packets from a key frame on, in order. A group that exceeds the limits is dropped until the next
 * key frame, since the rest of it could not be decoded. Not thread-safe.
 */
#ifndef GST_LIVETCP_GOP_H
#define GST_LIVETCP_GOP_H

#include <gst/gst.h>
#include <livetcp/livetcp.h>

G_BEGIN_DECLS

/* Maximum number of remembered streams (SSRCs); further ones are ignored. */
#define GST_LIVETCP_GOP_STREAMS 8

/* Maximum age of the oldest packet. */
#define GST_LIVETCP_GOP_TIME_US (10 * G_TIME_SPAN_SECOND)

typedef struct _GstLiveTcpGopStream {
    guint32 ssrc;
    gboolean holds; /* its packets since the key frame are in the queue */
    gboolean keyed; /* a key frame was seen: */
    guint32 key_timestamp;
} GstLiveTcpGopStream;

typedef struct _GstLiveTcpGop {
    guint max_packets;
    gsize max_bytes;
    GQueue packets; /* of a private type */
    gsize bytes;
    guint count;
    GstLiveTcpGopStream streams[GST_LIVETCP_GOP_STREAMS];
} GstLiveTcpGop;

void gst_livetcp_gop_init(GstLiveTcpGop *self);

/* Drops all packets; sets new limits. */
void gst_livetcp_gop_reset(GstLiveTcpGop *self, guint max_packets, gsize max_bytes);

/* Adds a packet that was sent: its bytes `data` and the time `now_us`. */
void gst_livetcp_gop_add(GstLiveTcpGop *self, GstBuffer *buffer, const guint8 *data, gsize size,
                         const livetcp_packet_info *info, gint64 now_us);

/* Sends the stored packets. FALSE: there are none. */
gboolean gst_livetcp_gop_send(const GstLiveTcpGop *self, livetcp_session *session);

G_END_DECLS

#endif
