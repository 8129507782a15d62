/* SPDX-License-Identifier: MIT */
/* The sometimes pad "rtcp_src" of livetcpsrc, for RTCP. It exists from the first RTCP packet until
 * the element stops. */
#ifndef GST_LIVETCP_RTCP_PAD_H
#define GST_LIVETCP_RTCP_PAD_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _GstLiveTcpRtcpPad {
    GstElement *element;
    GstPad *pad; /* NULL = not added yet; used by the streaming thread while that runs */
} GstLiveTcpRtcpPad;

void gst_livetcp_rtcp_pad_install(GstElementClass *klass);

void gst_livetcp_rtcp_pad_init(GstLiveTcpRtcpPad *self, GstElement *element);

/* Streaming thread: pushes a packet, which it takes over; adds the pad before the first. `media` is
 * the caps of the stream, or NULL. FALSE: the pad is not linked, and the packet is dropped. */
gboolean gst_livetcp_rtcp_pad_push(GstLiveTcpRtcpPad *self, GstBuffer *packet,
                                   const GstCaps *media);

/* Streaming thread: pushes EOS. */
void gst_livetcp_rtcp_pad_end(GstLiveTcpRtcpPad *self);

/* Call after the streaming thread has ended. */
void gst_livetcp_rtcp_pad_remove(GstLiveTcpRtcpPad *self);

G_END_DECLS

#endif
