/* SPDX-License-Identifier: MIT */
/*
 * The packets that livetcpsink sends to a new peer before those of the running stream: the
 * "streamheader" of the caps, and, where burst-on-join says so, the last group of pictures of each
 * video stream.
 */
#ifndef GST_LIVETCP_GREETING_H
#define GST_LIVETCP_GREETING_H

#include "gstlivetcpgop.h"

G_BEGIN_DECLS

typedef enum { GST_LIVETCP_BURST_KEY_FRAME, GST_LIVETCP_BURST_GOP } GstLiveTcpBurst;

/* Of the property burst-on-join. */
GType gst_livetcp_burst_get_type(void);

typedef struct _GstLiveTcpGreeting {
    GstElement *element;   /* for the log */
    GstLiveTcpBurst burst; /* as set */
    GstLiveTcpGop gop;     /* the streaming thread's */
    GMutex lock;
    GPtrArray *header; /* guarded by `lock`: of GstBuffer, or NULL */
} GstLiveTcpGreeting;

void gst_livetcp_greeting_init(GstLiveTcpGreeting *self, GstElement *element);
void gst_livetcp_greeting_clear(GstLiveTcpGreeting *self);

/* A stream begins, with these settings of the endpoint. */
void gst_livetcp_greeting_reset(GstLiveTcpGreeting *self, const livetcp_config *config);

/* Streaming thread: the caps of the following packets. */
void gst_livetcp_greeting_set_caps(GstLiveTcpGreeting *self, const GstCaps *caps);

/* Streaming thread: a listener has sent a packet to its peers. */
void gst_livetcp_greeting_sent(GstLiveTcpGreeting *self, GstBuffer *buffer, const guint8 *data,
                               gsize size, const livetcp_packet_info *info);

/* Any thread: sends the streamheader. */
void gst_livetcp_greeting_send_header(GstLiveTcpGreeting *self, livetcp_session *session);

/* Streaming thread: sends the packets that a peer joining within a group of pictures has missed.
 * FALSE: there are none. */
gboolean gst_livetcp_greeting_send_gop(const GstLiveTcpGreeting *self, livetcp_session *session);

G_END_DECLS

#endif
