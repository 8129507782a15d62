/* SPDX-License-Identifier: MIT */
/* A packet's importance from caps and buffer flags; the rules are in the header. */
#include "gstlivetcpimportance.h"

#include <string.h>

#define RTP_HEADER_SIZE 12

void gst_livetcp_importance_set_caps(GstLiveTcpImportance *self, const GstCaps *caps)
{
    const GstStructure *structure = gst_caps_get_structure(caps, 0);
    const gchar *media = gst_structure_get_string(structure, "media");
    gboolean readable = gst_structure_has_name(structure, "application/x-rtp");

    memset(self, 0, sizeof(*self));
    self->codec = livetcp_codec_from_name(gst_structure_get_string(structure, "encoding-name"));
    if (g_strcmp0(media, "audio") == 0) {
        self->codec = LIVETCP_CODEC_AUDIO;
    } else if (!readable && self->codec != LIVETCP_CODEC_AUDIO) {
        self->codec = LIVETCP_CODEC_UNKNOWN;
    }
}

static GstLiveTcpFlagged *find_stream(GstLiveTcpImportance *self, guint32 ssrc)
{
    for (guint i = 0; i < GST_LIVETCP_IMPORTANCE_STREAMS; i++) {
        if (self->streams[i].used && self->streams[i].ssrc == ssrc) {
            return &self->streams[i];
        }
    }
    GstLiveTcpFlagged *stream = &self->streams[self->next_stream];
    self->next_stream = (self->next_stream + 1) % GST_LIVETCP_IMPORTANCE_STREAMS;
    *stream = (GstLiveTcpFlagged){.used = TRUE, .ssrc = ssrc};
    return stream;
}

static livetcp_importance read_flags(GstLiveTcpFlagged *stream, GstBuffer *buffer,
                                     guint32 timestamp)
{
    if (GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_HEADER)) {
        return LIVETCP_IMPORTANCE_KEY;
    }
    if (!GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_DELTA_UNIT)) {
        stream->key = TRUE;
        stream->timestamp = timestamp;
    } else {
        stream->sets_delta = TRUE;
        if (stream->timestamp != timestamp) {
            stream->key = FALSE;
        }
    }
    if (!stream->sets_delta) {
        return LIVETCP_IMPORTANCE_UNKNOWN;
    }
    return stream->key ? LIVETCP_IMPORTANCE_KEY : LIVETCP_IMPORTANCE_DELTA;
}

/* RTCP may be multiplexed with RTP (RFC 5761). */
static gboolean has_rtp_header(const guint8 *packet, gsize size)
{
    return size >= RTP_HEADER_SIZE && (packet[1] < 192 || packet[1] > 223);
}

livetcp_packet_info gst_livetcp_importance_next(GstLiveTcpImportance *self, GstBuffer *buffer,
                                                const guint8 *packet, gsize size)
{
    livetcp_packet_info info = {.struct_size = sizeof(info), .codec = self->codec};

    if (GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_DROPPABLE)) {
        info.importance = LIVETCP_IMPORTANCE_DROPPABLE;
    }
    if (self->codec == LIVETCP_CODEC_UNKNOWN && has_rtp_header(packet, size)) {
        GstLiveTcpFlagged *stream = find_stream(self, GST_READ_UINT32_BE(packet + 8));
        livetcp_importance flags = read_flags(stream, buffer, GST_READ_UINT32_BE(packet + 4));
        if (info.importance == LIVETCP_IMPORTANCE_UNKNOWN) {
            info.importance = flags;
        }
    }
    return info;
}
