/* SPDX-License-Identifier: MIT */
/* livetcpsink on the streaming thread: packets go to the library without a copy, a wake-up or a
 * wait of our own. */
#include "gstlivetcpreport.h"
#include "gstlivetcpsink.h"

#define GST_CAT_DEFAULT gst_livetcp_debug

/* At most one WARNING about packets that are too large in this time. */
#define WARNING_PAUSE_US G_USEC_PER_SEC

static GstFlowReturn complain_too_large(GstLiveTcpSink *self, gsize size)
{
    gint64 now = g_get_monotonic_time();

    self->too_large++;
    if (self->warned_us == 0 || now - self->warned_us >= WARNING_PAUSE_US) {
        GST_ELEMENT_WARNING(self, RESOURCE, WRITE,
                            ("A packet of %" G_GSIZE_FORMAT " bytes was not sent, it is larger "
                             "than max-packet: give the payloader an mtu of at most %u.",
                             size, (guint)self->endpoint.active.max_packet),
                            ("%u packets since the last warning", self->too_large));
        self->warned_us = now;
        self->too_large = 0;
    }
    return GST_FLOW_OK;
}

static GstFlowReturn complain_not_rtp(GstLiveTcpSink *self, gsize size)
{
    GST_ELEMENT_ERROR(self, STREAM, WRONG_TYPE,
                      ("A buffer of %" G_GSIZE_FORMAT
                       " bytes is neither an RTP nor an RTCP packet: "
                       "put an RTP payloader before livetcpsink.",
                       size),
                      (NULL));
    return GST_FLOW_ERROR;
}

/* Sends to everyone. Returns the first complaint about the packet itself. */
static livetcp_result send_to_peers(GstLiveTcpSink *self, GstBuffer *buffer, const guint8 *data,
                                    gsize size)
{
    GstLiveTcpEndpoint *endpoint = &self->endpoint;
    livetcp_packet_info info = gst_livetcp_importance_next(&self->importance, buffer, data, size);
    gst_livetcp_redundancy_apply(&self->redundancy, &data, &size, &info);
    livetcp_result complaint = LIVETCP_OK;
    gboolean anyone = FALSE;

    g_mutex_lock(&endpoint->lock);
    for (guint i = 0; i < endpoint->peers->len; i++) {
        GstLiveTcpPeer *peer = g_ptr_array_index(endpoint->peers, i);
        if (!peer->ready) {
            continue;
        }
        anyone = TRUE;
        livetcp_result result = livetcp_session_send_with(peer->session, data, size, &info);
        if (result == LIVETCP_ERR_PACKET_TOO_LARGE || result == LIVETCP_ERR_NOT_RTP) {
            complaint = result;
            break; /* everyone else would say the same */
        }
    }
    if (!anyone) {
        self->without_peer++;
    }
    gboolean over = endpoint->over;
    gboolean call = endpoint->call_again_us != 0;
    g_mutex_unlock(&endpoint->lock);

    if (call) {
        gst_livetcp_endpoint_call_again(endpoint);
    }
    return over ? LIVETCP_ERR_CLOSED : complaint;
}

GstFlowReturn gst_livetcp_sink_send(GstLiveTcpSink *self, GstBuffer *buffer)
{
    livetcp_result result;
    gsize size = gst_buffer_get_size(buffer);
    GstMapInfo map;

    if (gst_buffer_n_memory(buffer) != 1 && size <= GST_LIVETCP_SINK_SCRATCH_SIZE) {
        /* Payloaders keep header and payload apart; mapping would allocate to merge them. */
        gst_buffer_extract(buffer, 0, self->scratch, size);
        result = send_to_peers(self, buffer, self->scratch, size);
    } else if (gst_buffer_map(buffer, &map, GST_MAP_READ)) {
        result = send_to_peers(self, buffer, map.data, map.size);
        gst_buffer_unmap(buffer, &map);
    } else {
        GST_ELEMENT_ERROR(self, RESOURCE, READ, ("A buffer cannot be read."), (NULL));
        return GST_FLOW_ERROR;
    }

    switch (result) {
    case LIVETCP_OK:
        return GST_FLOW_OK;
    case LIVETCP_ERR_PACKET_TOO_LARGE:
        return complain_too_large(self, size);
    case LIVETCP_ERR_NOT_RTP:
        return complain_not_rtp(self, size);
    default:
        return GST_FLOW_ERROR; /* the ERROR has been posted */
    }
}
