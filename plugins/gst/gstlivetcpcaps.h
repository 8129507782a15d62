/* SPDX-License-Identifier: MIT */
/* Caps as messages and the log may show them: those of SRTP have keys in them. */
#ifndef GST_LIVETCP_CAPS_H
#define GST_LIVETCP_CAPS_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* The first structure of the caps, reduced to the fields that identify the stream. The caller frees
 * it. LiveTCP prints caps in no other way. */
gchar *gst_livetcp_caps_describe(const GstCaps *caps);

G_END_DECLS

#endif
