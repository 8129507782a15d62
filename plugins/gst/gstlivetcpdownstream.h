/* SPDX-License-Identifier: MIT */
/* Detects elements behind livetcpsrc that reorder packets. */
#ifndef GST_LIVETCP_DOWNSTREAM_H
#define GST_LIVETCP_DOWNSTREAM_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* TRUE: every element linked to the source pad `src`, directly or behind other elements, reorders
 * packets itself (rtpjitterbuffer, rtpbin, livetcpplayout) or sends them to a network, where the
 * receiver does. FALSE also if nothing is linked. Any thread. */
gboolean gst_livetcp_downstream_reorders(GstPad *src);

G_END_DECLS

#endif
