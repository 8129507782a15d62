/* SPDX-License-Identifier: MIT */
/* The bounded queue between the network and the pipeline. */
#include "gstlivetcpqueue.h"

typedef struct {
    GstBuffer *buffer;
    gint64 arrival_us;
    gboolean rtcp;
} Item;

void gst_livetcp_queue_init(GstLiveTcpQueue *queue)
{
    memset(queue, 0, sizeof(*queue));
    g_mutex_init(&queue->lock);
    g_cond_init(&queue->cond);
    queue->items = gst_queue_array_new_for_struct(sizeof(Item), 64);
    queue->discont = TRUE;
}

static void drop_oldest(GstLiveTcpQueue *queue)
{
    Item *item = gst_queue_array_pop_head_struct(queue->items);
    queue->bytes -= gst_buffer_get_size(item->buffer);
    gst_buffer_unref(item->buffer);
}

static void drop_all(GstLiveTcpQueue *queue)
{
    while (!gst_queue_array_is_empty(queue->items)) {
        drop_oldest(queue);
    }
}

void gst_livetcp_queue_clear(GstLiveTcpQueue *queue)
{
    drop_all(queue);
    gst_queue_array_free(queue->items);
    g_cond_clear(&queue->cond);
    g_mutex_clear(&queue->lock);
}

void gst_livetcp_queue_reset(GstLiveTcpQueue *queue, guint max_packets, gsize max_bytes)
{
    g_mutex_lock(&queue->lock);
    drop_all(queue);
    queue->max_packets = max_packets;
    queue->max_bytes = max_bytes;
    queue->discont = TRUE;
    queue->end = GST_FLOW_OK;
    queue->dropped = 0;
    g_mutex_unlock(&queue->lock);
}

/* Drops packets. The next packet returned follows a gap: the one at the head, else the next one
 * pushed. */
static void make_space(GstLiveTcpQueue *queue, gsize size)
{
    gboolean dropped = FALSE;
    while (!gst_queue_array_is_empty(queue->items) &&
           (gst_queue_array_get_length(queue->items) >= queue->max_packets ||
            queue->bytes + size > queue->max_bytes)) {
        drop_oldest(queue);
        queue->dropped++;
        dropped = TRUE;
    }
    if (dropped) {
        Item *head = gst_queue_array_peek_head_struct(queue->items);
        if (head != NULL) {
            GST_BUFFER_FLAG_SET(head->buffer, GST_BUFFER_FLAG_DISCONT);
        } else {
            queue->discont = TRUE;
        }
    }
}

guint64 gst_livetcp_queue_push(GstLiveTcpQueue *queue, GstBuffer *buffer, gboolean rtcp,
                               gint64 arrival_us)
{
    Item item = {buffer, arrival_us, rtcp};
    gsize size = gst_buffer_get_size(buffer);

    g_mutex_lock(&queue->lock);
    make_space(queue, size);
    if (queue->discont && !rtcp) {
        GST_BUFFER_FLAG_SET(buffer, GST_BUFFER_FLAG_DISCONT);
        queue->discont = FALSE;
    }
    gst_queue_array_push_tail_struct(queue->items, &item);
    queue->bytes += size;
    if (queue->waiting) {
        g_cond_signal(&queue->cond);
    }
    guint64 dropped = queue->dropped;
    g_mutex_unlock(&queue->lock);
    return dropped;
}

void gst_livetcp_queue_mark_discont(GstLiveTcpQueue *queue)
{
    g_mutex_lock(&queue->lock);
    queue->discont = TRUE;
    g_mutex_unlock(&queue->lock);
}

void gst_livetcp_queue_end(GstLiveTcpQueue *queue, GstFlowReturn end)
{
    g_mutex_lock(&queue->lock);
    queue->end = end;
    g_cond_broadcast(&queue->cond);
    g_mutex_unlock(&queue->lock);
}

void gst_livetcp_queue_set_flushing(GstLiveTcpQueue *queue, gboolean flushing)
{
    g_mutex_lock(&queue->lock);
    queue->flushing = flushing;
    g_cond_broadcast(&queue->cond);
    g_mutex_unlock(&queue->lock);
}

void gst_livetcp_queue_kick(GstLiveTcpQueue *queue)
{
    g_mutex_lock(&queue->lock);
    queue->kicked = TRUE;
    g_cond_broadcast(&queue->cond);
    g_mutex_unlock(&queue->lock);
}

GstFlowReturn gst_livetcp_queue_pop(GstLiveTcpQueue *queue, gint64 until_us, GstBuffer **buffer,
                                    gboolean *rtcp, gint64 *arrival_us)
{
    GstFlowReturn result = GST_FLOW_OK;

    g_mutex_lock(&queue->lock);
    queue->waiting = TRUE;
    while (!queue->flushing && queue->end == GST_FLOW_OK && result == GST_FLOW_OK &&
           gst_queue_array_is_empty(queue->items)) {
        if (queue->kicked) {
            result = GST_FLOW_CUSTOM_SUCCESS;
        } else if (until_us < 0) {
            g_cond_wait(&queue->cond, &queue->lock);
        } else if (!g_cond_wait_until(&queue->cond, &queue->lock, until_us)) {
            result = GST_FLOW_CUSTOM_SUCCESS;
        }
    }
    queue->waiting = queue->kicked = FALSE;
    if (queue->flushing) {
        result = GST_FLOW_FLUSHING;
    } else if (!gst_queue_array_is_empty(queue->items)) {
        Item *item = gst_queue_array_pop_head_struct(queue->items);
        *buffer = item->buffer;
        *rtcp = item->rtcp;
        *arrival_us = item->arrival_us;
        queue->bytes -= gst_buffer_get_size(item->buffer);
        result = GST_FLOW_OK;
    } else if (queue->end != GST_FLOW_OK) {
        result = queue->end;
    }
    g_mutex_unlock(&queue->lock);
    return result;
}

void gst_livetcp_queue_stats(GstLiveTcpQueue *queue, guint *packets, gsize *bytes, guint64 *dropped)
{
    g_mutex_lock(&queue->lock);
    *packets = gst_queue_array_get_length(queue->items);
    *bytes = queue->bytes;
    *dropped = queue->dropped;
    g_mutex_unlock(&queue->lock);
}
