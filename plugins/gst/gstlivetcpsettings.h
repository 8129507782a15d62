/* SPDX-License-Identifier: MIT */
/* The library's settings in elements: their property names, and the side they belong to. */
#ifndef GST_LIVETCP_SETTINGS_H
#define GST_LIVETCP_SETTINGS_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Maps a setting's name to its property's name, and back. */
const gchar *gst_livetcp_setting_property(const gchar *setting);
const gchar *gst_livetcp_property_setting(const gchar *property);

/* TRUE if the setting applies to an element that only sends, or only receives. */
gboolean gst_livetcp_setting_is_used(const gchar *setting, gboolean receiving);

G_END_DECLS

#endif
