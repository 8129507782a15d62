/* SPDX-License-Identifier: MIT */
#include "gstlivetcpsettings.h"

/* GstBaseSink has a property max-bitrate with another type and meaning (render rate). In a URI the
 * library accepts both names. */
static const struct {
    const gchar *setting;
    const gchar *property;
} renamed[] = {
    {"min-bitrate", "estimated-bitrate-min"},
    {"max-bitrate", "estimated-bitrate-max"},
};

static const gchar *const receiving_only[] = {"order", "order-wait", "max-receive", NULL};

/* The kind of element implies the role. */
static const gchar *const of_neither[] = {"role", NULL};

/* A source sends only reports, for which these settings have no effect. */
static const gchar *const sending_only[] = {"policy",
                                            "split",
                                            "congestion-control",
                                            "max-packet",
                                            "copies",
                                            "redundancy-budget",
                                            "hedge-delay",
                                            "parity-group",
                                            "copy-spacing",
                                            "max-send-delay",
                                            "send-buffer-windows",
                                            "send-buffer-segments",
                                            "send-buffer-delay",
                                            "idle-packets",
                                            "idle-time",
                                            "tail-probes",
                                            "min-bitrate",
                                            "max-bitrate",
                                            NULL};

const gchar *gst_livetcp_setting_property(const gchar *setting)
{
    for (gsize i = 0; i < G_N_ELEMENTS(renamed); i++) {
        if (g_str_equal(setting, renamed[i].setting)) {
            return renamed[i].property;
        }
    }
    return setting;
}

const gchar *gst_livetcp_property_setting(const gchar *property)
{
    for (gsize i = 0; i < G_N_ELEMENTS(renamed); i++) {
        if (g_str_equal(property, renamed[i].property)) {
            return renamed[i].setting;
        }
    }
    return property;
}

gboolean gst_livetcp_setting_is_used(const gchar *setting, gboolean receiving)
{
    return !g_strv_contains(of_neither, setting) &&
           !g_strv_contains(receiving ? sending_only : receiving_only, setting);
}
