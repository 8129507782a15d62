/* SPDX-License-Identifier: MIT */
/* The network path for a playout, checked regularly by the streaming thread. */
#ifndef GST_LIVETCP_PATH_H
#define GST_LIVETCP_PATH_H

#include "gstlivetcpendpoint.h"

G_BEGIN_DECLS

typedef struct _GstLiveTcpPath {
    livetcp_playout_path path; /* as last reported */
    gint64 looked_us;          /* time of the last check; 0 = never */
    gboolean delivered;        /* downstream has received it */
} GstLiveTcpPath;

void gst_livetcp_path_reset(GstLiveTcpPath *path);

/* TRUE if `path` has changed for the playout and downstream; follow with delivered(). Checks again
 * soon where downstream was not reached. */
gboolean gst_livetcp_path_look(GstLiveTcpPath *path, GstLiveTcpEndpoint *endpoint);
void gst_livetcp_path_delivered(GstLiveTcpPath *path, gboolean reached);

G_END_DECLS

#endif
