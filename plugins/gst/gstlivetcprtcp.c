/* SPDX-License-Identifier: MIT */
#include "gstlivetcprtcp.h"

#include <string.h>

/* Elements in a row that are looked through: queues, filters, tees. */
#define FAR 16

/* rtpbin and rtpsession sort RTCP out themselves, whatever comes behind them. */
static gboolean sorts_out(GstElementFactory *factory)
{
    return g_str_equal(GST_OBJECT_NAME(factory), "rtpbin") ||
           g_str_equal(GST_OBJECT_NAME(factory), "rtpsession");
}

static gboolean refuses(GstElementFactory *factory)
{
    const gchar *klass = gst_element_factory_get_metadata(factory, GST_ELEMENT_METADATA_KLASS);

    return (klass != NULL && (strstr(klass, "Depayloader") || strstr(klass, "Decoder"))) ||
           g_str_equal(GST_OBJECT_NAME(factory), "rtpjitterbuffer");
}

static gboolean is_welcome(GstPad *src, guint far);

/* All branches: what goes into a tee comes out of each. */
static gboolean is_welcome_behind(GstElement *element, guint far)
{
    gboolean welcome = TRUE;

    GST_OBJECT_LOCK(element);
    GList *pads =
        g_list_copy_deep(element->srcpads, (GCopyFunc)(void (*)(void))gst_object_ref, NULL);
    GST_OBJECT_UNLOCK(element);
    for (GList *pad = pads; pad != NULL && welcome; pad = pad->next) {
        welcome = is_welcome(pad->data, far);
    }
    g_list_free_full(pads, gst_object_unref);
    return welcome;
}

static gboolean is_welcome(GstPad *src, guint far)
{
    gboolean welcome = TRUE;
    GstPad *peer = far > 0 ? gst_pad_get_peer(src) : NULL;
    GstElement *element = peer != NULL ? gst_pad_get_parent_element(peer) : NULL;
    GstElementFactory *factory = element != NULL ? gst_element_get_factory(element) : NULL;

    if (factory != NULL && refuses(factory)) {
        welcome = FALSE;
    } else if (factory != NULL && !sorts_out(factory)) {
        welcome = is_welcome_behind(element, far - 1);
    }
    gst_clear_object(&element);
    gst_clear_object(&peer);
    return welcome;
}

gboolean gst_livetcp_rtcp_is_welcome(GstPad *src)
{
    return is_welcome(src, FAR);
}
