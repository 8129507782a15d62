/* SPDX-License-Identifier: MIT */
/* Received packets between the loop's thread, which must not block, and the streaming thread, which
 * may be slow. Bounded in packets and bytes; a full queue drops the oldest packets. */
#ifndef GST_LIVETCP_QUEUE_H
#define GST_LIVETCP_QUEUE_H

#include <gst/base/base.h>
#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _GstLiveTcpQueue {
    GMutex lock;
    GCond cond;
    GstQueueArray *items;
    gsize bytes;
    guint max_packets;
    gsize max_bytes;
    gboolean waiting;  /* pop() is waiting: push() must wake it */
    gboolean flushing; /* pop() returns at once */
    gboolean kicked;   /* pop() returns once as if its time-out had expired */
    gboolean discont;  /* the next packet pushed follows a gap */
    GstFlowReturn end; /* what pop() returns when empty; GST_FLOW_OK = wait */
    guint64 dropped;
} GstLiveTcpQueue;

void gst_livetcp_queue_init(GstLiveTcpQueue *queue);
void gst_livetcp_queue_clear(GstLiveTcpQueue *queue);

/* Empties the queue and sets new bounds; the next packet is a discontinuity. */
void gst_livetcp_queue_reset(GstLiveTcpQueue *queue, guint max_packets, gsize max_bytes);

/* Takes ownership of `buffer`. `arrival_us` is its arrival as g_get_monotonic_time(). Returns the
 * number of packets dropped for lack of space since the queue was reset. */
guint64 gst_livetcp_queue_push(GstLiveTcpQueue *queue, GstBuffer *buffer, gboolean rtcp,
                               gint64 arrival_us);

/* The next packet pushed is a discontinuity. */
void gst_livetcp_queue_mark_discont(GstLiveTcpQueue *queue);

/* pop() returns `end` after the queued packets; GST_FLOW_OK cancels that. */
void gst_livetcp_queue_end(GstLiveTcpQueue *queue, GstFlowReturn end);

void gst_livetcp_queue_set_flushing(GstLiveTcpQueue *queue, gboolean flushing);

/* Makes a waiting pop() return GST_FLOW_CUSTOM_SUCCESS. */
void gst_livetcp_queue_kick(GstLiveTcpQueue *queue);

/* Waits for a packet. GST_FLOW_OK: the caller owns *buffer, and *rtcp is TRUE for RTCP.
 * GST_FLOW_FLUSHING: interrupted. GST_FLOW_CUSTOM_SUCCESS: no packet until `until_us` (-1: no
 * time-out). Otherwise the end of the stream. */
GstFlowReturn gst_livetcp_queue_pop(GstLiveTcpQueue *queue, gint64 until_us, GstBuffer **buffer,
                                    gboolean *rtcp, gint64 *arrival_us);

/* Counters: packets and bytes waiting now, packets dropped since the queue exists. */
void gst_livetcp_queue_stats(GstLiveTcpQueue *queue, guint *packets, gsize *bytes,
                             guint64 *dropped);

G_END_DECLS

#endif
