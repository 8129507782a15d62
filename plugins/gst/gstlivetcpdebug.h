/* SPDX-License-Identifier: MIT */
/* Logging by GST_DEBUG: a category for each element, and one for sessions, connections and settings
 * with the library's log. Packets are logged at LOG. */
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

/* Passes the library's log to livetcp-session, for the element, which must outlive the context. */
void gst_livetcp_debug_feed(livetcp_context *context, GstElement *element);

/* Logs an RTP or RTCP packet and what happens to it (`what`). */
void gst_livetcp_debug_packet(GstDebugCategory *category, GstElement *element, const gchar *what,
                              const void *data, gsize size);

G_END_DECLS

#endif
