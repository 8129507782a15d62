/* SPDX-License-Identifier: MIT */
/*
 * What livetcpsrc knows about the path, for a livetcpplayout behind it: the sticky event
 * "livetcp-path" (GST_EVENT_CUSTOM_DOWNSTREAM_STICKY), whose structure has, each as far as it is
 * known:
 *
 *     "rtt-us"         gint64   round-trip time of the connections
 *     "repair"         string   "tcp", "hedge", "duplicate" or "parity": livetcp_playout_repair
 *     "hedge-delay-us" gint64
 *     "copies"         guint
 *     "parity-group"   guint
 */
#ifndef GST_LIVETCP_PATH_H
#define GST_LIVETCP_PATH_H

#include "gstlivetcpendpoint.h"

G_BEGIN_DECLS

GstEvent *gst_livetcp_path_event_new(const livetcp_playout_path *path);

/* FALSE: it is another event. */
gboolean gst_livetcp_path_event_parse(GstEvent *event, livetcp_playout_path *path);

/* The path of the session that carries packets now; all zero if there is none. */
void gst_livetcp_path_measure(GstLiveTcpEndpoint *endpoint, livetcp_playout_path *path);

/* Whether it is worth telling that `now` is no more `before`. */
gboolean gst_livetcp_path_differs(const livetcp_playout_path *before,
                                  const livetcp_playout_path *now);

G_END_DECLS

#endif
