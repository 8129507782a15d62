/* SPDX-License-Identifier: MIT */
/* Rate-limits reports about unauthenticated peers of a listener: repeated ones are reported at
 * intervals. Loop's thread only. */
#ifndef GST_LIVETCP_STRANGERS_H
#define GST_LIVETCP_STRANGERS_H

#include <gio/gio.h>
#include <livetcp/livetcp.h>

G_BEGIN_DECLS

typedef struct _GstLiveTcpStrangers {
    GHashTable *reported; /* address and reason -> last report */
} GstLiveTcpStrangers;

void gst_livetcp_strangers_init(GstLiveTcpStrangers *strangers);
void gst_livetcp_strangers_clear(GstLiveTcpStrangers *strangers);

/* TRUE if this address was not reported for this reason recently; marks it as reported. */
gboolean gst_livetcp_strangers_is_news(GstLiveTcpStrangers *strangers, GSocketAddress *from,
                                       livetcp_result reason);

/* TRUE if the peer speaks a protocol that this listener does not serve: a misconfiguration of
 * either end. */
gboolean gst_livetcp_is_wrong_end(livetcp_result result);

G_END_DECLS

#endif
