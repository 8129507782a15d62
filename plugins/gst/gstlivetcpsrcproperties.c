/* SPDX-License-Identifier: MIT */
/* The properties of livetcpsrc. */
#include "gstlivetcpclockrates.h"
#include "gstlivetcpproperties.h"
#include "gstlivetcpsrc.h"

enum {
    PROP_CAPS = GST_LIVETCP_PROP_OWN,
    PROP_KEEP_LISTENING,
    PROP_TIMEOUT,
    PROP_PLAYOUT /* and the settings of playout that follow */
};

static void set_caps_property(GstLiveTcpSrc *self, const GstCaps *caps)
{
    GST_OBJECT_LOCK(self);
    gst_clear_caps(&self->caps);
    self->caps = caps != NULL ? gst_caps_copy(caps) : NULL;
    GST_OBJECT_UNLOCK(self);
    gst_livetcp_clock_rates_set_caps(&self->endpoint, caps);
    gst_pad_mark_reconfigure(GST_BASE_SRC_PAD(self));
}

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
    GstLiveTcpSrc *self = GST_LIVETCP_SRC(object);

    switch (id) {
    case PROP_CAPS:
        set_caps_property(self, gst_value_get_caps(value));
        break;
    case PROP_KEEP_LISTENING:
        g_atomic_int_set(&self->keep_listening, g_value_get_boolean(value));
        break;
    case PROP_TIMEOUT:
        self->timeout_ms = g_value_get_uint(value);
        break;
    default:
        if (!gst_livetcp_src_set_playout(self, id - PROP_PLAYOUT, value, pspec) &&
            !gst_livetcp_properties_set(&self->endpoint, id, value, pspec)) {
            G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
        }
    }
}

static void get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
    GstLiveTcpSrc *self = GST_LIVETCP_SRC(object);

    switch (id) {
    case PROP_CAPS:
        GST_OBJECT_LOCK(self);
        gst_value_set_caps(value, self->caps);
        GST_OBJECT_UNLOCK(self);
        break;
    case PROP_KEEP_LISTENING:
        g_value_set_boolean(value, g_atomic_int_get(&self->keep_listening));
        break;
    case PROP_TIMEOUT:
        g_value_set_uint(value, self->timeout_ms);
        break;
    default:
        if (!gst_livetcp_src_get_playout(self, id - PROP_PLAYOUT, value) &&
            !gst_livetcp_properties_get(&self->endpoint, id, value, pspec)) {
            G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
        }
    }
}

void gst_livetcp_src_install_properties(GObjectClass *klass)
{
    const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS;
    livetcp_config defaults;

    gst_livetcp_src_get_defaults(&defaults);
    klass->set_property = set_property;
    klass->get_property = get_property;
    gst_livetcp_properties_install(klass, &defaults, TRUE);
    g_object_class_install_property(
        klass, PROP_CAPS,
        g_param_spec_boxed("caps", "Caps",
                           "What the stream is, as the sender's payloader or an SDP says; without "
                           "them application/x-rtp and what downstream asks for",
                           GST_TYPE_CAPS, flags));
    g_object_class_install_property(
        klass, PROP_KEEP_LISTENING,
        g_param_spec_boolean("keep-listening", "Keep listening",
                             "When a session has ended, wait for the next one (a listener) or call "
                             "again (a caller) instead of ending the stream",
                             FALSE, flags));
    g_object_class_install_property(
        klass, PROP_TIMEOUT,
        g_param_spec_uint("timeout", "Timeout",
                          "Post the element message \"livetcp-timeout\" whenever nothing was "
                          "received for so many milliseconds (0 = never)",
                          0, 86400000, 0, flags | GST_PARAM_MUTABLE_READY));
    gst_livetcp_player_settings_install(klass, PROP_PLAYOUT, "playout", LIVETCP_PLAYOUT_NONE);
}
