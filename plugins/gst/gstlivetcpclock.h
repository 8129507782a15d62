/* SPDX-License-Identifier: MIT */
/* Running time of arrivals, which the library measures with the monotonic clock. Any thread. */
#ifndef GST_LIVETCP_CLOCK_H
#define GST_LIVETCP_CLOCK_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* The element's running time at `moment_us` (g_get_monotonic_time()); GST_CLOCK_TIME_NONE while it
 * has no clock. */
GstClockTime gst_livetcp_clock_running_time(GstElement *element, gint64 moment_us);

/* The same in microseconds; without a clock `moment_us`, which is sufficient for waiting. */
gint64 gst_livetcp_clock_running_us(GstElement *element, gint64 moment_us);

G_END_DECLS

#endif
