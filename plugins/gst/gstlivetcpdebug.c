/* SPDX-License-Identifier: MIT */
#include "gstlivetcpdebug.h"

GST_DEBUG_CATEGORY(gst_livetcp_sink_debug);
GST_DEBUG_CATEGORY(gst_livetcp_src_debug);
GST_DEBUG_CATEGORY(gst_livetcp_playout_debug);
GST_DEBUG_CATEGORY(gst_livetcp_session_debug);

void gst_livetcp_debug_init(void)
{
    GST_DEBUG_CATEGORY_INIT(gst_livetcp_sink_debug, "livetcpsink", 0, "LiveTCP sink");
    GST_DEBUG_CATEGORY_INIT(gst_livetcp_src_debug, "livetcpsrc", 0, "LiveTCP source");
    GST_DEBUG_CATEGORY_INIT(gst_livetcp_playout_debug, "livetcpplayout", 0, "LiveTCP playout");
    GST_DEBUG_CATEGORY_INIT(gst_livetcp_session_debug, "livetcp-session", 0,
                            "LiveTCP sessions, connections and settings");
}

static GstDebugLevel level_of(livetcp_log_level level)
{
    switch (level) {
    case LIVETCP_LOG_ERROR:
        return GST_LEVEL_ERROR;
    case LIVETCP_LOG_WARNING:
        return GST_LEVEL_WARNING;
    case LIVETCP_LOG_INFO:
        return GST_LEVEL_INFO;
    case LIVETCP_LOG_DEBUG:
        return GST_LEVEL_DEBUG;
    default:
        return GST_LEVEL_TRACE;
    }
}

static void on_log(livetcp_log_level level, const char *category, const char *text, void *user)
{
    GST_CAT_LEVEL_LOG(gst_livetcp_session_debug, level_of(level), user, "%s: %s", category, text);
}

/* All levels, which cost little: thresholds may change while the element is open. */
void gst_livetcp_debug_feed(livetcp_context *context, GstElement *element)
{
    livetcp_context_set_log(context, LIVETCP_LOG_TRACE, on_log, element);
}

/* Packets in a read buffer are unaligned. */
static guint big_endian(const guint8 *bytes, gsize size)
{
    guint number = 0;

    for (gsize i = 0; i < size; i++) {
        number = number << 8 | bytes[i];
    }
    return number;
}

void gst_livetcp_debug_packet(GstDebugCategory *category, GstElement *element, const gchar *what,
                              const void *data, gsize size)
{
    const guint8 *bytes = data;

    if (gst_debug_category_get_threshold(category) < GST_LEVEL_LOG || size < 12) {
        return;
    }
    if (bytes[1] >= 192 && bytes[1] <= 223) { /* RTCP (RFC 5761) */
        GST_CAT_LOG_OBJECT(category, element, "%s RTCP, type %u, %" G_GSIZE_FORMAT " bytes", what,
                           bytes[1], size);
    } else {
        GST_CAT_LOG_OBJECT(category, element,
                           "%s RTP, SSRC %08x, sequence number %u, payload type %u, "
                           "%" G_GSIZE_FORMAT " bytes",
                           what, big_endian(bytes + 8, 4), big_endian(bytes + 2, 2),
                           bytes[1] & 0x7fu, size);
    }
}
