/* SPDX-License-Identifier: MIT */
#include "gstlivetcprtcp.h"

#include <string.h>

/* Queues, filters and tees in a row that are looked through. */
#define FAR 16

/* rtpbin and rtpsession sort RTCP out themselves; so does who reads packets from an appsink. */
static gboolean refuses(GstElement *element)
{
    GstElementFactory *factory = gst_element_get_factory(element);
    if (factory == NULL) {
        return FALSE;
    }
    const gchar *klass = gst_element_factory_get_metadata(factory, GST_ELEMENT_METADATA_KLASS);
    return (klass != NULL && (strstr(klass, "Depayloader") || strstr(klass, "Decoder"))) ||
           g_str_equal(GST_OBJECT_NAME(factory), "rtpjitterbuffer");
}

static GstPad *only_src_pad(GstElement *element)
{
    GST_OBJECT_LOCK(element);
    GstPad *pad = element->numsrcpads == 1 ? gst_object_ref(element->srcpads->data) : NULL;
    GST_OBJECT_UNLOCK(element);
    return pad;
}

/* The element that follows, and in *next its way on; NULL at the end. Takes over *next. */
static GstElement *follow(GstPad **next)
{
    GstPad *peer = gst_pad_get_peer(*next);
    gst_clear_object(next);
    if (peer == NULL) {
        return NULL;
    }
    GstElement *element = gst_pad_get_parent_element(peer);
    gst_object_unref(peer);
    if (element != NULL) {
        *next = only_src_pad(element);
    }
    return element;
}

gboolean gst_livetcp_rtcp_is_welcome(GstPad *src)
{
    GstPad *next = gst_object_ref(src);
    gboolean welcome = TRUE;

    for (guint i = 0; i < FAR && welcome && next != NULL; i++) {
        GstElement *element = follow(&next);
        if (element == NULL) {
            break;
        }
        welcome = !refuses(element);
        gst_object_unref(element);
    }
    gst_clear_object(&next);
    return welcome;
}
