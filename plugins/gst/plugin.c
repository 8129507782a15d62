/* SPDX-License-Identifier: MIT */
/* The plugin: registers livetcpsink, livetcpsrc and livetcpplayout. */

/**
 * SECTION:plugin-livetcp
 * @title: livetcp
 *
 * Live RTP media over TCP that arrives on time: a session of several TCP connections carries RTP
 * and RTCP packets framed by RFC 4571, and every packet takes the connection on which it will
 * arrive soonest.
 */

#include "gstlivetcpdebug.h"
#include "gstlivetcpplayout.h"
#include "gstlivetcpsink.h"
#include "gstlivetcpsrc.h"

#include <livetcp/version.h>

#ifndef PACKAGE
#define PACKAGE "livetcp"
#endif

static gboolean plugin_init(GstPlugin *plugin)
{
    gst_livetcp_debug_init();
    gboolean sink = GST_ELEMENT_REGISTER(livetcpsink, plugin);
    gboolean src = GST_ELEMENT_REGISTER(livetcpsrc, plugin);
    gboolean playout = GST_ELEMENT_REGISTER(livetcpplayout, plugin);
    return sink && src && playout;
}

GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, livetcp,
                  "Live RTP media over TCP that arrives on time", plugin_init, LIVETCP_VERSION,
                  "MIT/X11", "LiveTCP", "Unknown package origin")
