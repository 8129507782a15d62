/* SPDX-License-Identifier: MIT */
/* Text of caps for messages and the log; caps of SRTP contain keys. */
#ifndef GST_LIVETCP_CAPS_H
#define GST_LIVETCP_CAPS_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* The first structure of the caps with only the fields that identify the stream. The caller frees
 * it. LiveTCP never prints caps in another way. */
gchar *gst_livetcp_caps_describe(const GstCaps *caps);

G_END_DECLS

#endif
