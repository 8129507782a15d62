/* SPDX-License-Identifier: MIT */
#include "gstlivetcpticker.h"

static gboolean notify_stats(GstClock *clock, GstClockTime time, GstClockID id, gpointer element)
{
    (void)clock;
    (void)time;
    (void)id;
    g_object_notify(G_OBJECT(element), "stats");
    return TRUE;
}

void gst_livetcp_ticker_start(GstLiveTcpTicker *ticker, GstElement *element, guint interval_ms)
{
    if (interval_ms == 0) {
        return;
    }
    GstClock *clock = gst_system_clock_obtain();
    GstClockTime interval = interval_ms * GST_MSECOND;
    ticker->timer =
        gst_clock_new_periodic_id(clock, gst_clock_get_time(clock) + interval, interval);
    gst_clock_id_wait_async(ticker->timer, notify_stats, gst_object_ref(element), gst_object_unref);
    gst_object_unref(clock);
}

void gst_livetcp_ticker_stop(GstLiveTcpTicker *ticker)
{
    if (ticker->timer != NULL) {
        gst_clock_id_unschedule(ticker->timer);
        gst_clock_id_unref(ticker->timer);
        ticker->timer = NULL;
    }
}
