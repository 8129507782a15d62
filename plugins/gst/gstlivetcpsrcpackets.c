/* SPDX-License-Identifier: MIT */
/* livetcpsrc's streaming thread: the next packet, and the time of its arrival. */
#include "gstlivetcpsrc.h"

/* Two clocks are read one after the other until it took no longer than this, but not for ever. */
#define CLOCK_READING_US 20
#define CLOCK_READINGS   8

/* How far `clock` is ahead of the monotonic clock. Of several readings the quickest is the best:
 * the thread may lose the processor between two clocks. */
static GstClockTimeDiff clock_lead(GstClock *clock)
{
    GstClockTimeDiff lead = 0;
    gint64 shortest = G_MAXINT64;

    for (guint i = 0; i < CLOCK_READINGS && shortest > CLOCK_READING_US; i++) {
        gint64 before = g_get_monotonic_time();
        GstClockTime now = gst_clock_get_time(clock);
        gint64 took = g_get_monotonic_time() - before;
        if (took < shortest) {
            shortest = took;
            lead = GST_CLOCK_DIFF((GstClockTime)before * GST_USECOND, now);
        }
    }
    return lead;
}

GstClockTime gst_livetcp_src_running_time(GstLiveTcpSrc *self, gint64 moment_us)
{
    GstClock *clock = gst_element_get_clock(GST_ELEMENT(self));
    if (clock == NULL) {
        return GST_CLOCK_TIME_NONE;
    }
    GstClockTimeDiff time = moment_us * (GstClockTimeDiff)GST_USECOND + clock_lead(clock) -
                            (GstClockTimeDiff)gst_element_get_base_time(GST_ELEMENT(self));
    gst_object_unref(clock);
    return (GstClockTime)MAX(time, 0);
}

static void post_timeout(GstLiveTcpSrc *self)
{
    gst_element_post_message(
        GST_ELEMENT(self),
        gst_message_new_element(GST_OBJECT(self),
                                gst_structure_new("livetcp-timeout", "timeout", G_TYPE_UINT64,
                                                  self->timeout_ms * GST_MSECOND, NULL)));
}

/* The earlier of two moments, of which -1 is never. */
static gint64 earlier(gint64 one, gint64 other)
{
    return one < 0 || other < 0 ? MAX(one, other) : MIN(one, other);
}

GstFlowReturn gst_livetcp_src_next_packet(GstLiveTcpSrc *self, gint64 until_us, GstBuffer **buffer,
                                          gint64 *arrival_us)
{
    gint64 silent = self->timeout_ms == 0
                        ? -1
                        : g_get_monotonic_time() + self->timeout_ms * G_TIME_SPAN_MILLISECOND;
    for (;;) {
        gint64 call = gst_livetcp_endpoint_next_call(&self->endpoint);
        gint64 until = earlier(earlier(call, silent), until_us);
        GstFlowReturn result = gst_livetcp_queue_pop(&self->queue, until, buffer, arrival_us);
        if (result != GST_FLOW_CUSTOM_SUCCESS) {
            return result;
        }
        gint64 now = g_get_monotonic_time();
        if (call >= 0 && now >= call) {
            gst_livetcp_endpoint_call_again(&self->endpoint);
        }
        if (silent >= 0 && now >= silent) {
            post_timeout(self);
            silent = now + self->timeout_ms * G_TIME_SPAN_MILLISECOND;
        }
        if (until_us >= 0 && now >= until_us) {
            return result;
        }
    }
}
