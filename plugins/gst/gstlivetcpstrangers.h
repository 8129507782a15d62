/* SPDX-License-Identifier: MIT */
/* Strangers that a listener had to do with: which of them are worth a report. One that comes again
 * and again is reported now and then. Loop's thread only. */
#ifndef GST_LIVETCP_STRANGERS_H
#define GST_LIVETCP_STRANGERS_H

#include <gio/gio.h>
#include <livetcp/livetcp.h>

G_BEGIN_DECLS

typedef struct _GstLiveTcpStrangers {
    GHashTable *told; /* address and reason -> last report */
} GstLiveTcpStrangers;

void gst_livetcp_strangers_init(GstLiveTcpStrangers *strangers);
void gst_livetcp_strangers_clear(GstLiveTcpStrangers *strangers);

/* TRUE if this address was not reported for this reason lately; it is now. */
gboolean gst_livetcp_strangers_is_news(GstLiveTcpStrangers *strangers, GSocketAddress *from,
                                       livetcp_result reason);

/* The peer is no caller for this listener: whoever set up either end should read it. */
gboolean gst_livetcp_is_wrong_end(livetcp_result result);

G_END_DECLS

#endif
