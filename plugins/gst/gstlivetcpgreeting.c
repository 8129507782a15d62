/* SPDX-License-Identifier: MIT */
#include "gstlivetcpgreeting.h"

#include "gstlivetcpdebug.h"

#define GST_CAT_DEFAULT gst_livetcp_sink_debug

GType gst_livetcp_burst_get_type(void)
{
    static const GEnumValue values[] = {
        {GST_LIVETCP_BURST_KEY_FRAME, "nothing; a key frame is requested upstream", "key-frame"},
        {GST_LIVETCP_BURST_GOP, "the packets of each video stream since its last key frame", "gop"},
        {0, NULL, NULL}};
    static gsize type;

    if (g_once_init_enter(&type)) {
        g_once_init_leave(&type, g_enum_register_static("GstLiveTcpBurst", values));
    }
    return (GType)type;
}

void gst_livetcp_greeting_init(GstLiveTcpGreeting *self, GstElement *element)
{
    *self = (GstLiveTcpGreeting){.element = element, .burst = GST_LIVETCP_BURST_KEY_FRAME};
    g_mutex_init(&self->lock);
    gst_livetcp_gop_init(&self->gop);
}

void gst_livetcp_greeting_clear(GstLiveTcpGreeting *self)
{
    g_clear_pointer(&self->header, g_ptr_array_unref);
    gst_livetcp_gop_reset(&self->gop, 0, 0);
    g_mutex_clear(&self->lock);
}

/* A burst takes half of the queue at most: the stream goes on meanwhile. */
void gst_livetcp_greeting_reset(GstLiveTcpGreeting *self, const livetcp_config *config)
{
    gst_livetcp_gop_reset(&self->gop, (guint)(config->queue_packets / 2), config->queue_bytes / 2);
}

/* The buffers of the caps' "streamheader"; NULL if it has none. */
static GPtrArray *stream_header(const GstCaps *caps)
{
    const GValue *value = gst_structure_get_value(gst_caps_get_structure(caps, 0), "streamheader");
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
    return header;
}

void gst_livetcp_greeting_set_caps(GstLiveTcpGreeting *self, const GstCaps *caps)
{
    GPtrArray *header = stream_header(caps);

    g_mutex_lock(&self->lock);
    GPtrArray *former = self->header;
    self->header = header;
    g_mutex_unlock(&self->lock);
    g_clear_pointer(&former, g_ptr_array_unref);
}

void gst_livetcp_greeting_sent(GstLiveTcpGreeting *self, GstBuffer *buffer, const guint8 *data,
                               gsize size, const livetcp_packet_info *info)
{
    if (self->burst == GST_LIVETCP_BURST_GOP) {
        gst_livetcp_gop_add(&self->gop, buffer, data, size, info, g_get_monotonic_time());
    }
}

void gst_livetcp_greeting_send_header(GstLiveTcpGreeting *self, livetcp_session *session)
{
    /* Without it nothing that follows can be decoded. */
    const livetcp_packet_info info = {.struct_size = sizeof(info),
                                      .importance = LIVETCP_IMPORTANCE_KEY};

    g_mutex_lock(&self->lock);
    GPtrArray *header = self->header != NULL ? g_ptr_array_ref(self->header) : NULL;
    g_mutex_unlock(&self->lock);

    for (guint i = 0; header != NULL && i < header->len; i++) {
        GstMapInfo map;
        if (gst_buffer_map(g_ptr_array_index(header, i), &map, GST_MAP_READ)) {
            livetcp_result result = livetcp_session_send_with(session, map.data, map.size, &info);
            if (result != LIVETCP_OK) {
                GST_WARNING_OBJECT(self->element, "buffer %u of the streamheader was not sent: %s",
                                   i, livetcp_result_text(result));
            }
            gst_buffer_unmap(g_ptr_array_index(header, i), &map);
        }
    }
    g_clear_pointer(&header, g_ptr_array_unref);
}

gboolean gst_livetcp_greeting_send_gop(const GstLiveTcpGreeting *self, livetcp_session *session)
{
    return gst_livetcp_gop_send(&self->gop, session);
}
