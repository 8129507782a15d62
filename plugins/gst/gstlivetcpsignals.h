/* SPDX-License-Identifier: MIT */
/* The signals of a listener, the same on both elements and named as those of srtsink. */
#ifndef GST_LIVETCP_SIGNALS_H
#define GST_LIVETCP_SIGNALS_H

#include <gio/gio.h>
#include <gst/gst.h>

G_BEGIN_DECLS

void gst_livetcp_signals_install(GstElementClass *klass);

/* Emitters; the loop's thread calls them. Without a handler everyone may connect. */
gboolean gst_livetcp_signal_caller_connecting(GstElement *element, GSocketAddress *address);
void gst_livetcp_signal_caller_added(GstElement *element, guint id, GSocketAddress *address);
void gst_livetcp_signal_caller_removed(GstElement *element, guint id, GSocketAddress *address);
void gst_livetcp_signal_caller_rejected(GstElement *element, GSocketAddress *address,
                                        const gchar *reason);

/* The address in "1.2.3.4:5" or "[::1]:5", or NULL when it is neither. The caller owns it. */
GSocketAddress *gst_livetcp_parse_address(const gchar *text);

G_END_DECLS

#endif
