/* SPDX-License-Identifier: MIT */
/* livetcp:// URIs: host, port and properties as query keys. The library parses its settings; keys
 * for the element's own properties are removed before. */
#ifndef GST_LIVETCP_URI_H
#define GST_LIVETCP_URI_H

#include "gstlivetcpendpoint.h"

G_BEGIN_DECLS

/* On failure no property has changed. Fails with GST_URI_ERROR_BAD_STATE while the element is open,
 * else with GST_URI_ERROR_BAD_URI. */
gboolean gst_livetcp_uri_set(GstLiveTcpEndpoint *endpoint, const gchar *uri, GError **error);

/* A URI that sets the same properties. The caller owns it. */
gchar *gst_livetcp_uri_get(GstLiveTcpEndpoint *endpoint);

/* For G_IMPLEMENT_INTERFACE; `endpoint_of` returns the endpoint of an element. */
#define GST_LIVETCP_URI_HANDLER(name, uri_type, endpoint_of)                                       \
    static GstURIType name##_uri_get_type(GType type)                                              \
    {                                                                                              \
        (void)type;                                                                                \
        return uri_type;                                                                           \
    }                                                                                              \
    static gchar *name##_get_uri(GstURIHandler *handler)                                           \
    {                                                                                              \
        return gst_livetcp_uri_get(endpoint_of(handler));                                          \
    }                                                                                              \
    static gboolean name##_set_uri(GstURIHandler *handler, const gchar *uri, GError **error)       \
    {                                                                                              \
        return gst_livetcp_uri_set(endpoint_of(handler), uri, error);                              \
    }                                                                                              \
    static void name##_uri_handler_init(gpointer iface, gpointer data)                             \
    {                                                                                              \
        (void)data;                                                                                \
        GstURIHandlerInterface *handler = iface;                                                   \
        handler->get_type = name##_uri_get_type;                                                   \
        handler->get_protocols = gst_livetcp_uri_protocols;                                        \
        handler->get_uri = name##_get_uri;                                                         \
        handler->set_uri = name##_set_uri;                                                         \
    }

const gchar *const *gst_livetcp_uri_protocols(GType type);

G_END_DECLS

#endif
