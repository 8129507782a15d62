/* SPDX-License-Identifier: MIT */
/*
 * A packet's importance from caps and buffer flags.
 *
 * DELTA_UNIT from payloaders is unreliable: rtph264pay of GStreamer 1.22 omits it on the first
 * packet of a key frame only, rtph265pay sets it on all packets, rtpvp8pay and rtpvp9pay on none.
 * So its presence means nothing, and its absence counts only in streams where it occurs. In this
 * order:
 *
 * 1. DROPPABLE: never set by accident.
 * 2. media=audio, or an audio encoding name: audio, encrypted or not.
 * 3. An encoding name whose payload the library can parse: by payload. Not with SRTP.
 * 4. HEADER: key. Once DELTA_UNIT was seen in this stream (SSRC): a packet without it begins a key
 *    frame, to which all packets with its RTP timestamp belong; every other packet is delta.
 * 5. Otherwise unknown: the library recognizes audio by its headers.
 */
#ifndef GST_LIVETCP_IMPORTANCE_H
#define GST_LIVETCP_IMPORTANCE_H

#include <gst/gst.h>
#include <livetcp/rtp.h>

G_BEGIN_DECLS

/* Streams whose flags are remembered; a further one replaces another. */
#define GST_LIVETCP_IMPORTANCE_STREAMS 8

typedef struct _GstLiveTcpFlagged {
    gboolean used;
    guint32 ssrc;
    gboolean sets_delta; /* DELTA_UNIT has occurred */
    gboolean key;        /* the picture at `timestamp` began without it */
    guint32 timestamp;
} GstLiveTcpFlagged;

/* Zero-initialized; nothing to free. Streaming thread only. */
typedef struct _GstLiveTcpImportance {
    livetcp_codec codec; /* from the caps; UNKNOWN if the payload cannot be parsed */
    GstLiveTcpFlagged streams[GST_LIVETCP_IMPORTANCE_STREAMS];
    guint next_stream;
} GstLiveTcpImportance;

/* Sets new caps; forgets flags seen under the previous ones. */
void gst_livetcp_importance_set_caps(GstLiveTcpImportance *self, const GstCaps *caps);

/* The metadata of the next packet, for livetcp_session_send_with(). `packet` is the content of
 * `buffer`, and may be any bytes. */
livetcp_packet_info gst_livetcp_importance_next(GstLiveTcpImportance *self, GstBuffer *buffer,
                                                const guint8 *packet, gsize size);

G_END_DECLS

#endif
