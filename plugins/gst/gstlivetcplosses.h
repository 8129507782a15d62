/* SPDX-License-Identifier: MIT */
/* Reports dropped packets to the application, at once and at most once a second. */
#ifndef GST_LIVETCP_LOSSES_H
#define GST_LIVETCP_LOSSES_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Maximum number of causes of one element. */
#define GST_LIVETCP_LOSSES_CAUSES 6

/* Packets dropped for one cause since the element started. */
typedef struct _GstLiveTcpLoss {
    const gchar *field; /* in the message's details */
    const gchar *cause; /* "N packets were dropped: N because ..." */
    guint64 packets;
} GstLiveTcpLoss;

/* Used by one thread. */
typedef struct _GstLiveTcpLosses {
    GstElement *element;
    const gchar *advice; /* one sentence: the remedy */
    GstResourceError code;
    gint64 reported_us; /* time of the last report, g_get_monotonic_time(); 0 = never */
    guint64 reported[GST_LIVETCP_LOSSES_CAUSES];
} GstLiveTcpLosses;

/* `advice` is static. */
void gst_livetcp_losses_init(GstLiveTcpLosses *self, GstElement *element, GstResourceError code,
                             const gchar *advice);

/* Resets the counts: nothing was dropped yet. */
void gst_livetcp_losses_reset(GstLiveTcpLosses *self);

/* Posts a message of that type about drops since the last one, if there are any, and that was a
 * second ago or `now` is set. Causes are always the same, in the same order; the details have
 * "packets" and a field for each cause. Returns TRUE if it posted. */
gboolean gst_livetcp_losses_report(GstLiveTcpLosses *self, GstMessageType type,
                                   const GstLiveTcpLoss *losses, guint count, gboolean now);

G_END_DECLS

#endif
