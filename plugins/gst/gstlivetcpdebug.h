/* SPDX-License-Identifier: MIT */
/* The log, GST_DEBUG: a category for each element, and one for sessions, connections and settings,
 * which the library's own log feeds. Packets are at LOG. */
#ifndef GST_LIVETCP_DEBUG_H
#define GST_LIVETCP_DEBUG_H

#include <gst/gst.h>
#include <livetcp/livetcp.h>

G_BEGIN_DECLS

GST_DEBUG_CATEGORY_EXTERN(gst_livetcp_sink_debug);    /* livetcpsink */
GST_DEBUG_CATEGORY_EXTERN(gst_livetcp_src_debug);     /* livetcpsrc */
GST_DEBUG_CATEGORY_EXTERN(gst_livetcp_playout_debug); /* livetcpplayout */
GST_DEBUG_CATEGORY_EXTERN(gst_livetcp_session_debug); /* livetcp-session */

/* Once, before anything is logged. */
void gst_livetcp_debug_init(void);

/* Has the library log to livetcp-session, in the name of the element, which outlives the context.
 */
void gst_livetcp_debug_feed(livetcp_context *context, GstElement *element);

/* Logs a packet, RTP or RTCP, and its fate (`what`). */
void gst_livetcp_debug_packet(GstDebugCategory *category, GstElement *element, const gchar *what,
                              const void *data, gsize size);

G_END_DECLS

#endif
