/* SPDX-License-Identifier: MIT */
/* livetcpsink on the loop's thread: what a peer needs when its session opens, drains and ends. */
#include "gstlivetcpreport.h"
#include "gstlivetcpsink.h"

#define GST_CAT_DEFAULT gst_livetcp_debug

static GstLiveTcpSink *sink_of(GstLiveTcpEndpoint *endpoint)
{
    return GST_LIVETCP_SINK(endpoint->element);
}

void gst_livetcp_sink_set_stream_header(GstLiveTcpSink *self, const GValue *value)
{
    GPtrArray *header = NULL;

    if (value != NULL && GST_VALUE_HOLDS_ARRAY(value)) {
        header = g_ptr_array_new_with_free_func((GDestroyNotify)gst_buffer_unref);
        for (guint i = 0; i < gst_value_array_get_size(value); i++) {
            const GValue *item = gst_value_array_get_value(value, i);
            if (GST_VALUE_HOLDS_BUFFER(item)) {
                g_ptr_array_add(header, gst_buffer_ref(gst_value_get_buffer(item)));
            }
        }
    }
    g_mutex_lock(&self->endpoint.lock);
    GPtrArray *former = self->stream_header;
    self->stream_header = header;
    g_mutex_unlock(&self->endpoint.lock);
    g_clear_pointer(&former, g_ptr_array_unref);
}

static void send_stream_header(GstLiveTcpSink *self, livetcp_session *session)
{
    /* Nothing that follows can be decoded without it. */
    const livetcp_packet_info info = {sizeof(info), LIVETCP_IMPORTANCE_KEY, LIVETCP_CODEC_UNKNOWN,
                                      0};

    g_mutex_lock(&self->endpoint.lock);
    GPtrArray *header = self->stream_header != NULL ? g_ptr_array_ref(self->stream_header) : NULL;
    g_mutex_unlock(&self->endpoint.lock);

    for (guint i = 0; header != NULL && i < header->len; i++) {
        GstMapInfo map;
        if (gst_buffer_map(g_ptr_array_index(header, i), &map, GST_MAP_READ)) {
            livetcp_result result = livetcp_session_send_with(session, map.data, map.size, &info);
            if (result != LIVETCP_OK) {
                GST_WARNING_OBJECT(self, "buffer %u of the streamheader was not sent: %s", i,
                                   livetcp_result_text(result));
            }
            gst_buffer_unmap(g_ptr_array_index(header, i), &map);
        }
    }
    g_clear_pointer(&header, g_ptr_array_unref);
}

static void peer_opened(GstLiveTcpEndpoint *endpoint, GstLiveTcpPeer *peer,
                        livetcp_session *session)
{
    (void)peer;
    send_stream_header(sink_of(endpoint), session);
    gst_livetcp_key_units_want_all(&sink_of(endpoint)->key_units);
}

/* Drops broke references. A key frame helps only now that it will get through: asking while the
 * queue is full would fill it further. */
static void peer_drained(GstLiveTcpEndpoint *endpoint, GstLiveTcpPeer *peer,
                         livetcp_session *session)
{
    livetcp_session_stats stats = {.struct_size = sizeof(stats)};
    if (livetcp_session_get_stats(session, &stats) != LIVETCP_OK) {
        return;
    }
    guint64 drops = stats.dropped.queue_full + stats.dropped.connection;
    if (drops != peer->drops_reported) {
        peer->drops_reported = drops;
        gst_livetcp_key_units_want_all(&sink_of(endpoint)->key_units);
    }
}

static void peer_ended(GstLiveTcpEndpoint *endpoint, const GstLiveTcpPeer *peer,
                       const livetcp_error *error)
{
    if (peer->id != 0) {
        return; /* callers come and go; the element message has told */
    }
    if (error->code == LIVETCP_ERR_CLOSED && endpoint->active.reconnect) {
        gst_livetcp_post_warning(endpoint->element, error,
                                 "The peer ended the session, calling it again", peer->remote);
        gst_livetcp_endpoint_schedule_call(endpoint);
    } else {
        const gchar *what = peer->opened_us != 0 ? "The session ended" : "Cannot connect";
        gst_livetcp_endpoint_fail(endpoint, error, what, peer->remote);
    }
}

static void keyframe_wanted(GstLiveTcpEndpoint *endpoint, guint32 ssrc)
{
    gst_livetcp_key_units_want(&sink_of(endpoint)->key_units, ssrc);
}

/* Handlers run here, on the loop's thread; GObject's properties may be set from any. */
static void bitrate_changed(GstLiveTcpEndpoint *endpoint)
{
    GstLiveTcpSink *self = sink_of(endpoint);
    guint bitrate = gst_livetcp_endpoint_bitrate(endpoint);

    g_mutex_lock(&endpoint->lock);
    gboolean changed = bitrate != self->bitrate;
    self->bitrate = bitrate;
    g_mutex_unlock(&endpoint->lock);
    if (changed) {
        g_object_notify(G_OBJECT(self), "estimated-bitrate");
    }
}

static void add_stats(GstLiveTcpEndpoint *endpoint, GstStructure *structure)
{
    gst_structure_set(structure, "estimated-bitrate", G_TYPE_UINT,
                      gst_livetcp_endpoint_bitrate(endpoint), NULL);
    g_mutex_lock(&endpoint->lock);
    gst_structure_set(structure, "dropped-without-peer", G_TYPE_UINT64,
                      sink_of(endpoint)->without_peer, NULL);
    g_mutex_unlock(&endpoint->lock);
    gst_livetcp_redundancy_add_stats(&sink_of(endpoint)->redundancy, structure);
}

const GstLiveTcpHooks gst_livetcp_sink_hooks = {
    .opened = peer_opened,
    .ended = peer_ended,
    .drained = peer_drained,
    .keyframe_wanted = keyframe_wanted,
    .bitrate = bitrate_changed,
    .stats = add_stats,
};
