/* SPDX-License-Identifier: MIT */
#include "gstlivetcpgop.h"

#include <livetcp/rtp.h>
#include <string.h>

#define RTP_HEADER_SIZE 12

typedef struct {
    GstBuffer *buffer;
    livetcp_packet_info info;
    guint32 ssrc;
    gint64 time_us;
} Packet;

void gst_livetcp_gop_init(GstLiveTcpGop *self)
{
    memset(self, 0, sizeof(*self));
    g_queue_init(&self->packets);
}

static void drop(GstLiveTcpGop *self, GList *link)
{
    Packet *packet = link->data;

    self->bytes -= gst_buffer_get_size(packet->buffer);
    gst_buffer_unref(packet->buffer);
    g_free(packet);
    g_queue_delete_link(&self->packets, link);
}

void gst_livetcp_gop_reset(GstLiveTcpGop *self, guint max_packets, gsize max_bytes)
{
    while (!g_queue_is_empty(&self->packets)) {
        drop(self, self->packets.head);
    }
    self->count = 0;
    self->max_packets = max_packets;
    self->max_bytes = max_bytes;
}

/* NULL: too many streams. */
static GstLiveTcpGopStream *find_stream(GstLiveTcpGop *self, guint32 ssrc)
{
    for (guint i = 0; i < self->count; i++) {
        if (self->streams[i].ssrc == ssrc) {
            return &self->streams[i];
        }
    }
    if (self->count == GST_LIVETCP_GOP_STREAMS) {
        return NULL;
    }
    self->streams[self->count] = (GstLiveTcpGopStream){.ssrc = ssrc};
    return &self->streams[self->count++];
}

static void forget(GstLiveTcpGop *self, GstLiveTcpGopStream *stream)
{
    for (GList *link = self->packets.head, *next; link != NULL; link = next) {
        next = link->next;
        if (((const Packet *)link->data)->ssrc == stream->ssrc) {
            drop(self, link);
        }
    }
    stream->holds = FALSE;
}

static gboolean within_bounds(const GstLiveTcpGop *self, gint64 now_us)
{
    const Packet *oldest = g_queue_peek_head((GQueue *)&self->packets);

    return oldest == NULL ||
           (g_queue_get_length((GQueue *)&self->packets) <= self->max_packets &&
            self->bytes <= self->max_bytes && now_us - oldest->time_us <= GST_LIVETCP_GOP_TIME_US);
}

/* Drops the groups with the oldest packets until the bounds hold. */
static void enforce_bounds(GstLiveTcpGop *self, gint64 now_us)
{
    while (!within_bounds(self, now_us)) {
        const Packet *oldest = g_queue_peek_head(&self->packets);
        forget(self, find_stream(self, oldest->ssrc));
    }
}

static livetcp_importance importance_of(const livetcp_packet_info *info, const guint8 *data,
                                        gsize size)
{
    return info->importance != LIVETCP_IMPORTANCE_UNKNOWN
               ? info->importance
               : livetcp_importance_of(info->codec, data, size);
}

static void append(GstLiveTcpGop *self, GstBuffer *buffer, const livetcp_packet_info *info,
                   guint32 ssrc, gint64 now_us)
{
    Packet *packet = g_new(Packet, 1);
    *packet = (Packet){gst_buffer_ref(buffer), *info, ssrc, now_us};
    g_queue_push_tail(&self->packets, packet);
    self->bytes += gst_buffer_get_size(buffer);
}

void gst_livetcp_gop_add(GstLiveTcpGop *self, GstBuffer *buffer, const guint8 *data, gsize size,
                         const livetcp_packet_info *info, gint64 now_us)
{
    gboolean rtp = size >= RTP_HEADER_SIZE && (data[1] < 192 || data[1] > 223); /* RFC 5761 */
    GstLiveTcpGopStream *stream = rtp ? find_stream(self, GST_READ_UINT32_BE(data + 8)) : NULL;

    if (stream == NULL) {
        return;
    }
    guint32 timestamp = GST_READ_UINT32_BE(data + 4);
    if (importance_of(info, data, size) == LIVETCP_IMPORTANCE_KEY &&
        !(stream->keyed && stream->key_timestamp == timestamp)) {
        forget(self, stream);
        stream->holds = stream->keyed = TRUE;
        stream->key_timestamp = timestamp;
    }
    if (stream->holds) {
        append(self, buffer, info, stream->ssrc, now_us);
        enforce_bounds(self, now_us);
    }
}

gboolean gst_livetcp_gop_send(const GstLiveTcpGop *self, livetcp_session *session)
{
    for (GList *link = self->packets.head; link != NULL; link = link->next) {
        const Packet *packet = link->data;
        livetcp_packet_info info = packet->info;
        GstMapInfo map;
        info.more = link->next != NULL;
        if (gst_buffer_map(packet->buffer, &map, GST_MAP_READ)) {
            livetcp_session_send_with(session, map.data, map.size, &info);
            gst_buffer_unmap(packet->buffer, &map);
        }
    }
    return self->packets.head != NULL;
}
