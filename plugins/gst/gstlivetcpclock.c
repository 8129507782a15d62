/* SPDX-License-Identifier: MIT */
#include "gstlivetcpclock.h"

/* Two clocks are read one after the other until that takes no longer than this (a limited number of
 * attempts). */
#define CLOCK_READING_US 20
#define CLOCK_READINGS   8

/* Lead of `clock` over the monotonic clock. The quickest of several readings is the most accurate:
 * the thread may be preempted between two clocks. */
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

GstClockTime gst_livetcp_clock_running_time(GstElement *element, gint64 moment_us)
{
    GstClock *clock = gst_element_get_clock(element);
    if (clock == NULL) {
        return GST_CLOCK_TIME_NONE;
    }
    GstClockTimeDiff time = moment_us * (GstClockTimeDiff)GST_USECOND + clock_lead(clock) -
                            (GstClockTimeDiff)gst_element_get_base_time(element);
    gst_object_unref(clock);
    return (GstClockTime)MAX(time, 0);
}

gint64 gst_livetcp_clock_running_us(GstElement *element, gint64 moment_us)
{
    GstClockTime time = gst_livetcp_clock_running_time(element, moment_us);
    return GST_CLOCK_TIME_IS_VALID(time) ? (gint64)(time / GST_USECOND) : moment_us;
}
