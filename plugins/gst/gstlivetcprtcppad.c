/* SPDX-License-Identifier: MIT */
#include "gstlivetcprtcppad.h"

static GstStaticPadTemplate rtcp_template =
    GST_STATIC_PAD_TEMPLATE("rtcp_src", GST_PAD_SRC, GST_PAD_SOMETIMES,
                            GST_STATIC_CAPS("application/x-rtcp; application/x-srtcp"));

void gst_livetcp_rtcp_pad_install(GstElementClass *klass)
{
    gst_element_class_add_static_pad_template(klass, &rtcp_template);
}

void gst_livetcp_rtcp_pad_init(GstLiveTcpRtcpPad *self, GstElement *element)
{
    self->element = element;
    self->pad = NULL;
}

/* RTCP is live if RTP is. */
static gboolean query(GstPad *pad, GstObject *parent, GstQuery *query_)
{
    if (GST_QUERY_TYPE(query_) == GST_QUERY_LATENCY) {
        gst_query_set_latency(query_, TRUE, 0, GST_CLOCK_TIME_NONE);
        return TRUE;
    }
    return gst_pad_query_default(pad, parent, query_);
}

static const gchar *media_type(const GstCaps *media)
{
    gboolean secure =
        media != NULL && !gst_caps_is_any(media) && !gst_caps_is_empty(media) &&
        gst_structure_has_name(gst_caps_get_structure(media, 0), "application/x-srtp");
    return secure ? "application/x-srtcp" : "application/x-rtcp";
}

/* Pushes the events at the start of a stream. */
static void begin(GstLiveTcpRtcpPad *self, const GstCaps *media)
{
    GstSegment segment;
    gchar *id = gst_pad_create_stream_id(self->pad, self->element, "rtcp");
    GstCaps *caps = gst_caps_new_empty_simple(media_type(media));

    gst_segment_init(&segment, GST_FORMAT_TIME);
    gst_pad_push_event(self->pad, gst_event_new_stream_start(id));
    gst_pad_push_event(self->pad, gst_event_new_caps(caps));
    gst_pad_push_event(self->pad, gst_event_new_segment(&segment));
    gst_caps_unref(caps);
    g_free(id);
}

static void add(GstLiveTcpRtcpPad *self, const GstCaps *media)
{
    self->pad = gst_pad_new_from_static_template(&rtcp_template, "rtcp_src");
    gst_pad_set_query_function(self->pad, query);
    gst_pad_set_active(self->pad, TRUE);
    begin(self, media);
    gst_element_add_pad(self->element, self->pad);
}

gboolean gst_livetcp_rtcp_pad_push(GstLiveTcpRtcpPad *self, GstBuffer *packet, const GstCaps *media)
{
    if (self->pad == NULL) {
        add(self, media);
    }
    return gst_pad_push(self->pad, packet) != GST_FLOW_NOT_LINKED;
}

void gst_livetcp_rtcp_pad_end(GstLiveTcpRtcpPad *self)
{
    if (self->pad != NULL) {
        gst_pad_push_event(self->pad, gst_event_new_eos());
    }
}

void gst_livetcp_rtcp_pad_remove(GstLiveTcpRtcpPad *self)
{
    GstPad *pad = self->pad;

    self->pad = NULL;
    if (pad != NULL) {
        gst_pad_set_active(pad, FALSE);
        gst_element_remove_pad(self->element, pad);
    }
}
