/* SPDX-License-Identifier: MIT */
/* The library's settings in elements: property names, and the direction they apply to. */
#ifndef GST_LIVETCP_SETTINGS_H
#define GST_LIVETCP_SETTINGS_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* The property name of a setting, and the reverse. */
const gchar *gst_livetcp_setting_property(const gchar *setting);
const gchar *gst_livetcp_property_setting(const gchar *property);

/* TRUE if the setting applies to an element that only sends, or only receives. */
gboolean gst_livetcp_setting_is_used(const gchar *setting, gboolean receiving);

G_END_DECLS

#endif
