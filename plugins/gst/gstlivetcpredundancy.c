/* SPDX-License-Identifier: MIT */
#include "gstlivetcpredundancy.h"

#include <string.h>

void gst_livetcp_redundancy_init(GstLiveTcpRedundancy *self)
{
    memset(self, 0, sizeof(*self));
    self->payload_type = GST_LIVETCP_REDUNDANCY_PT;
    g_mutex_init(&self->lock);
}

void gst_livetcp_redundancy_clear(GstLiveTcpRedundancy *self)
{
    livetcp_redundancy_encoder_destroy(&self->encoder);
    g_mutex_clear(&self->lock);
}

gboolean gst_livetcp_redundancy_start(GstLiveTcpRedundancy *self, gsize max_packet,
                                      livetcp_error *error)
{
    livetcp_redundancy_config config;

    livetcp_redundancy_encoder_destroy(&self->encoder);
    self->applies = FALSE;
    memset(&self->counters, 0, sizeof(self->counters));
    if (self->depth == 0) {
        return TRUE;
    }
    livetcp_redundancy_config_init(&config);
    config.depth = self->depth;
    config.payload_type = self->payload_type;
    config.max_packet = CLAMP(max_packet, 64, 65535);
    return livetcp_redundancy_encoder_create(&config, &self->encoder, error) == LIVETCP_OK;
}

gboolean gst_livetcp_redundancy_set_caps(GstLiveTcpRedundancy *self, const GstCaps *caps)
{
    const GstStructure *structure = gst_caps_get_structure(caps, 0);
    const gchar *name = gst_structure_get_string(structure, "encoding-name");
    gboolean audio = g_strcmp0(gst_structure_get_string(structure, "media"), "audio") == 0 ||
                     livetcp_codec_from_name(name) == LIVETCP_CODEC_AUDIO;

    self->applies = gst_structure_has_name(structure, "application/x-rtp") && audio;
    return self->applies || self->encoder == NULL;
}

/* RTCP may be multiplexed with RTP (RFC 5761). */
static gboolean is_rtp(const guint8 *packet, gsize size)
{
    return size >= 12 && (packet[1] < 192 || packet[1] > 223);
}

void gst_livetcp_redundancy_apply(GstLiveTcpRedundancy *self, const guint8 **data, gsize *size,
                                  livetcp_packet_info *info)
{
    const void *red = *data;
    size_t red_size = *size;

    if (!self->applies || self->encoder == NULL || !is_rtp(*data, *size)) {
        return;
    }
    if (((*data)[1] & 0x7f) != self->payload_type &&
        livetcp_redundancy_encode(self->encoder, *data, *size, NULL, &red, &red_size, NULL) !=
            LIVETCP_OK) {
        return; /* too large, or not RTP: reported by the session */
    }
    *data = red;
    *size = red_size;
    info->repeats = self->depth;
    g_mutex_lock(&self->lock);
    self->counters.struct_size = sizeof(self->counters);
    livetcp_redundancy_encoder_get_stats(self->encoder, &self->counters);
    g_mutex_unlock(&self->lock);
}

void gst_livetcp_redundancy_add_stats(GstLiveTcpRedundancy *self, GstStructure *structure)
{
    g_mutex_lock(&self->lock);
    const livetcp_redundancy_encoder_stats counters = self->counters;
    g_mutex_unlock(&self->lock);
    gst_structure_set(structure, "redundant-frames", G_TYPE_UINT64, counters.repeated,
                      "redundant-bytes", G_TYPE_UINT64, counters.repeated_bytes,
                      "redundant-frames-left-out", G_TYPE_UINT64,
                      counters.left_out_length + counters.left_out_age + counters.left_out_room +
                          counters.left_out_unbroken,
                      NULL);
}
