/* SPDX-License-Identifier: MIT */
/* The order in which livetcpsrc outputs packets: as set, or chosen by what is linked behind it. Any
 * thread. */
#ifndef GST_LIVETCP_ORDER_H
#define GST_LIVETCP_ORDER_H

#include <gst/gst.h>
#include <livetcp/livetcp.h>

G_BEGIN_DECLS

/* The library's two orders, and "auto". */
enum { GST_LIVETCP_ORDER_AUTO = LIVETCP_ORDER_SEQUENCE + 1 };

/* Of the property. */
GType gst_livetcp_order_get_type(void);

typedef struct _GstLiveTcpOrder {
    gint set;      /* atomic: as set */
    gint in_force; /* atomic: livetcp_order */
} GstLiveTcpOrder;

void gst_livetcp_order_init(GstLiveTcpOrder *self);
void gst_livetcp_order_set(GstLiveTcpOrder *self, gint order);
gint gst_livetcp_order_get(GstLiveTcpOrder *self);

/* Chooses the order for what is linked to `src` now; `plays`: the element puts packets in order
 * itself. */
livetcp_order gst_livetcp_order_choose(GstLiveTcpOrder *self, GstPad *src, gboolean plays);

/* The last choice. */
livetcp_order gst_livetcp_order_in_force(GstLiveTcpOrder *self);

/* "sequence" or "arrival". */
const gchar *gst_livetcp_order_name(livetcp_order order);

G_END_DECLS

#endif
