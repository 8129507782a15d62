/* SPDX-License-Identifier: MIT */
#include "gstlivetcplosses.h"

#include <string.h>

#define PAUSE_US G_USEC_PER_SEC

void gst_livetcp_losses_init(GstLiveTcpLosses *self, GstElement *element, GstResourceError code,
                             const gchar *advice)
{
    self->element = element;
    self->code = code;
    self->advice = advice;
    gst_livetcp_losses_reset(self);
}

void gst_livetcp_losses_reset(GstLiveTcpLosses *self)
{
    self->reported_us = 0;
    memset(self->reported, 0, sizeof(self->reported));
}

/* Losses since the last report. Packets that were queued at the end of the stream were reported as
 * lost; after a flush that count no longer holds. */
static guint64 news_of(const GstLiveTcpLosses *self, const GstLiveTcpLoss *losses, guint i)
{
    return losses[i].packets > self->reported[i] ? losses[i].packets - self->reported[i] : 0;
}

/* Composes "3 because ..., 4 because ...", and the same as fields. */
static void describe(const GstLiveTcpLosses *self, const GstLiveTcpLoss *losses, guint count,
                     GString *text, GstStructure *details)
{
    const gchar *joint = "";

    for (guint i = 0; i < count; i++) {
        guint64 news = news_of(self, losses, i);
        gst_structure_set(details, losses[i].field, G_TYPE_UINT64, news, NULL);
        if (news != 0) {
            g_string_append_printf(text, "%s%" G_GUINT64_FORMAT " because %s", joint, news,
                                   losses[i].cause);
            joint = ", ";
        }
    }
}

gboolean gst_livetcp_losses_report(GstLiveTcpLosses *self, GstMessageType type,
                                   const GstLiveTcpLoss *losses, guint count, gboolean now)
{
    guint64 packets = 0;
    gint64 time = g_get_monotonic_time();

    for (guint i = 0; i < count; i++) {
        packets += news_of(self, losses, i);
    }
    if (packets == 0 || (!now && self->reported_us != 0 && time - self->reported_us < PAUSE_US)) {
        return FALSE;
    }
    GString *text = g_string_new(NULL);
    GstStructure *details =
        gst_structure_new("livetcp-losses", "packets", G_TYPE_UINT64, packets, NULL);
    g_string_append_printf(text, "%" G_GUINT64_FORMAT " %s dropped: ", packets,
                           packets == 1 ? "packet was" : "packets were");
    describe(self, losses, count, text, details);
    g_string_append_printf(text, ". %s", self->advice);
    self->reported_us = time;
    for (guint i = 0; i < count; i++) {
        self->reported[i] = losses[i].packets;
    }
    gst_element_message_full_with_details(self->element, type, GST_RESOURCE_ERROR, (gint)self->code,
                                          g_string_free(text, FALSE), NULL, __FILE__, __func__,
                                          __LINE__, details);
    return TRUE;
}
