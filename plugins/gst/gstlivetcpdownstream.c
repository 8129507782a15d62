/* SPDX-License-Identifier: MIT */
#include "gstlivetcpdownstream.h"

#include <string.h>

/* Maximum number of elements to follow in a row: queues, filters, tees, bins. */
#define FAR 32

/* Need of the elements behind a pad. Of several branches the largest value counts. */
typedef enum {
    NOBODY,
    REORDERS,
    NEEDS_ORDER /* or unknown */
} Behind;

static gboolean reorders(GstElementFactory *factory)
{
    static const gchar *const names[] = {"rtpjitterbuffer", "rtpbin", "livetcpplayout", "webrtcbin",
                                         NULL};
    const gchar *klass = gst_element_factory_get_metadata(factory, GST_ELEMENT_METADATA_KLASS);

    return g_strv_contains(names, GST_OBJECT_NAME(factory)) ||
           (klass != NULL && strstr(klass, "Sink") && strstr(klass, "Network"));
}

/* Elements whose output is not RTP. */
static gboolean consumes(GstElementFactory *factory)
{
    const gchar *klass = gst_element_factory_get_metadata(factory, GST_ELEMENT_METADATA_KLASS);

    return klass != NULL && (strstr(klass, "Depayloader") || strstr(klass, "Decoder"));
}

static Behind look(GstPad *src, guint far);

typedef struct {
    guint far;
    gboolean any;
    Behind most;
} Look;

static void look_behind(const GValue *src, gpointer user)
{
    Look *look_ = user;
    look_->any = TRUE;
    look_->most = MAX(look_->most, look(g_value_get_object(src), look_->far));
}

/* Follows the data from `sink`: to the other pads of an element, into a bin and out of it. */
static Behind look_through(GstPad *sink, guint far)
{
    Look look_ = {far, FALSE, NOBODY};
    GstIterator *links = gst_pad_iterate_internal_links(sink);

    while (links != NULL &&
           gst_iterator_foreach(links, look_behind, &look_) == GST_ITERATOR_RESYNC) {
        look_ = (Look){far, FALSE, NOBODY};
        gst_iterator_resync(links);
    }
    g_clear_pointer(&links, gst_iterator_free);
    return look_.any ? look_.most : NEEDS_ORDER;
}

static Behind look(GstPad *src, guint far)
{
    Behind behind = NEEDS_ORDER;
    GstPad *peer = gst_pad_get_peer(src);
    GstElement *element = peer != NULL ? gst_pad_get_parent_element(peer) : NULL;
    GstElementFactory *factory = element != NULL ? gst_element_get_factory(element) : NULL;

    if (peer == NULL) {
        behind = NOBODY;
    } else if (factory != NULL && reorders(factory)) {
        behind = REORDERS;
    } else if (far > 0 && (factory == NULL || !consumes(factory))) {
        behind = look_through(peer, far - 1);
    }
    gst_clear_object(&element);
    gst_clear_object(&peer);
    return behind;
}

gboolean gst_livetcp_downstream_reorders(GstPad *src)
{
    return look(src, FAR) == REORDERS;
}
