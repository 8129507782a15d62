/* SPDX-License-Identifier: MIT */
/* Properties. The library's table of settings is their only definition: every setting is a property
 * with the same name, range and meaning, and a URI key. */
#ifndef GST_LIVETCP_PROPERTIES_H
#define GST_LIVETCP_PROPERTIES_H

#include "gstlivetcpendpoint.h"

G_BEGIN_DECLS

/* First number of an element's own properties; smaller numbers are shared ones. */
#define GST_LIVETCP_PROP_OWN 16

/* Installs the shared properties and one per setting; `receiving` adds those for sources.
 * `defaults` are the element's, which may differ from the library's. */
void gst_livetcp_properties_install(GObjectClass *klass, const livetcp_config *defaults,
                                    gboolean receiving);

/* Sets or gets a property installed above. FALSE: it is another one. */
gboolean gst_livetcp_properties_set(GstLiveTcpEndpoint *endpoint, guint id, const GValue *value,
                                    GParamSpec *pspec);
gboolean gst_livetcp_properties_get(GstLiveTcpEndpoint *endpoint, guint id, GValue *value,
                                    GParamSpec *pspec);

G_END_DECLS

#endif
