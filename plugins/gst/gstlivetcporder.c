/* SPDX-License-Identifier: MIT */
#include "gstlivetcporder.h"

#include "gstlivetcpdebug.h"
#include "gstlivetcpdownstream.h"

#define GST_CAT_DEFAULT gst_livetcp_src_debug

GType gst_livetcp_order_get_type(void)
{
    static const GEnumValue orders[] = {
        {LIVETCP_ORDER_ARRIVAL, "in order of arrival", "arrival"},
        {LIVETCP_ORDER_SEQUENCE, "by RTP sequence number, waiting for missing packets", "sequence"},
        {GST_LIVETCP_ORDER_AUTO,
         "sequence, unless playout or an element downstream puts packets in order", "auto"},
        {0, NULL, NULL}};
    static gsize type;

    if (g_once_init_enter(&type)) {
        g_once_init_leave(&type, g_enum_register_static("GstLiveTcpOrder", orders));
    }
    return (GType)type;
}

void gst_livetcp_order_init(GstLiveTcpOrder *self)
{
    *self = (GstLiveTcpOrder){.set = GST_LIVETCP_ORDER_AUTO, .in_force = LIVETCP_ORDER_ARRIVAL};
}

void gst_livetcp_order_set(GstLiveTcpOrder *self, gint order)
{
    g_atomic_int_set(&self->set, order);
}

gint gst_livetcp_order_get(GstLiveTcpOrder *self)
{
    return g_atomic_int_get(&self->set);
}

livetcp_order gst_livetcp_order_choose(GstLiveTcpOrder *self, GstPad *src, gboolean plays)
{
    gint chosen = gst_livetcp_order_get(self);

    if (chosen == GST_LIVETCP_ORDER_AUTO) {
        chosen = plays || gst_livetcp_downstream_reorders(src) ? LIVETCP_ORDER_ARRIVAL
                                                               : LIVETCP_ORDER_SEQUENCE;
    }
    if (g_atomic_int_get(&self->in_force) != chosen) {
        GST_INFO_OBJECT(src, "packets are handed on in order of %s",
                        gst_livetcp_order_name((livetcp_order)chosen));
    }
    g_atomic_int_set(&self->in_force, chosen);
    return (livetcp_order)chosen;
}

livetcp_order gst_livetcp_order_in_force(GstLiveTcpOrder *self)
{
    return (livetcp_order)g_atomic_int_get(&self->in_force);
}

const gchar *gst_livetcp_order_name(livetcp_order order)
{
    return order == LIVETCP_ORDER_SEQUENCE ? "sequence" : "arrival";
}
