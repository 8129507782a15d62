/* SPDX-License-Identifier: MIT */
/* The properties of livetcpsink. */
#include "gstlivetcpproperties.h"
#include "gstlivetcpsink.h"

enum {
    PROP_WAIT_FOR_CONNECTION = GST_LIVETCP_PROP_OWN,
    PROP_DRAIN_TIMEOUT,
    PROP_ESTIMATED_BITRATE,
    PROP_REDUNDANCY,
    PROP_REDUNDANCY_PT
};

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
    GstLiveTcpSink *self = GST_LIVETCP_SINK(object);

    switch (id) {
    case PROP_WAIT_FOR_CONNECTION:
        self->wait_for_connection = g_value_get_boolean(value);
        break;
    case PROP_DRAIN_TIMEOUT:
        self->drain_timeout_ms = g_value_get_uint(value);
        break;
    case PROP_REDUNDANCY:
        self->redundancy.depth = g_value_get_uint(value);
        break;
    case PROP_REDUNDANCY_PT:
        self->redundancy.payload_type = g_value_get_uint(value);
        break;
    default:
        if (!gst_livetcp_properties_set(&self->endpoint, id, value, pspec)) {
            G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
        }
    }
}

static void get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
    GstLiveTcpSink *self = GST_LIVETCP_SINK(object);

    switch (id) {
    case PROP_WAIT_FOR_CONNECTION:
        g_value_set_boolean(value, self->wait_for_connection);
        break;
    case PROP_DRAIN_TIMEOUT:
        g_value_set_uint(value, self->drain_timeout_ms);
        break;
    case PROP_REDUNDANCY:
        g_value_set_uint(value, self->redundancy.depth);
        break;
    case PROP_REDUNDANCY_PT:
        g_value_set_uint(value, self->redundancy.payload_type);
        break;
    case PROP_ESTIMATED_BITRATE:
        g_value_set_uint(value, gst_livetcp_endpoint_bitrate(&self->endpoint));
        break;
    default:
        if (!gst_livetcp_properties_get(&self->endpoint, id, value, pspec)) {
            G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
        }
    }
}

static void install_redundancy(GObjectClass *klass)
{
    const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;

    g_object_class_install_property(
        klass, PROP_REDUNDANCY,
        g_param_spec_uint("redundancy", "Redundancy",
                          "Audio: how many packets before it every packet repeats (RFC 2198), for "
                          "livetcpplayout, livetcpsrc with playout, or rtpreddec to play where the "
                          "original is late",
                          0, LIVETCP_REDUNDANCY_MAX_DEPTH, 0, flags));
    g_object_class_install_property(
        klass, PROP_REDUNDANCY_PT,
        g_param_spec_uint("redundancy-pt", "Redundancy payload type",
                          "RTP payload type of packets that repeat others", 0, 127,
                          GST_LIVETCP_REDUNDANCY_PT, flags));
}

void gst_livetcp_sink_install_properties(GObjectClass *klass)
{
    livetcp_config defaults;
    livetcp_config_init(&defaults);
    klass->set_property = set_property;
    klass->get_property = get_property;
    gst_livetcp_properties_install(klass, &defaults, FALSE);
    g_object_class_install_property(
        klass, PROP_WAIT_FOR_CONNECTION,
        g_param_spec_boolean("wait-for-connection", "Wait for connection",
                             "Block the stream while no peer is connected; otherwise a caller "
                             "queues packets and a listener throws them away",
                             FALSE, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS));
    g_object_class_install_property(
        klass, PROP_DRAIN_TIMEOUT,
        g_param_spec_uint("drain-timeout", "Drain timeout",
                          "How long the end of the stream waits for queued packets to be sent, in "
                          "milliseconds",
                          0, 600000, GST_LIVETCP_SINK_DRAIN_TIMEOUT_MS,
                          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS));
    g_object_class_install_property(
        klass, PROP_ESTIMATED_BITRATE,
        g_param_spec_uint("estimated-bitrate", "Estimated bit rate",
                          "What the connections carry without delay, all streams together, in "
                          "bit/s: encoders should follow it. With several peers that of the "
                          "slowest; 0 while it is not known",
                          0, G_MAXUINT, 0, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
    install_redundancy(klass);
}
