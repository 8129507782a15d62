/* SPDX-License-Identifier: MIT */
#include "gstlivetcpcaps.h"

/* Fields to show. Not a list of fields to hide, since keys have many names. */
static const gchar *const shown[] = {"media", "encoding-name", "encoding-params", "payload",
                                     "clock-rate"};

gchar *gst_livetcp_caps_describe(const GstCaps *caps)
{
    if (gst_caps_is_any(caps) || gst_caps_is_empty(caps)) {
        return g_strdup(gst_caps_is_any(caps) ? "ANY" : "EMPTY");
    }
    const GstStructure *whole = gst_caps_get_structure(caps, 0);
    GstStructure *structure = gst_structure_new_empty(gst_structure_get_name(whole));
    for (gsize i = 0; i < G_N_ELEMENTS(shown); i++) {
        const GValue *value = gst_structure_get_value(whole, shown[i]);
        if (value != NULL) {
            gst_structure_set_value(structure, shown[i], value);
        }
    }
    gchar *text = gst_structure_to_string(structure);
    gst_structure_free(structure);
    return text;
}
