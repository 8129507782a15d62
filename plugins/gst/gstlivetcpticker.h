/* SPDX-License-Identifier: MIT */
/* Notifies of the property "stats" at an interval, on the system clock's thread. */
#ifndef GST_LIVETCP_TICKER_H
#define GST_LIVETCP_TICKER_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Zero-initialized: stopped. */
typedef struct _GstLiveTcpTicker {
    GstClockID timer;
} GstLiveTcpTicker;

/* `interval_ms` 0 = never. Holds a reference to the element until it is stopped. */
void gst_livetcp_ticker_start(GstLiveTcpTicker *ticker, GstElement *element, guint interval_ms);
void gst_livetcp_ticker_stop(GstLiveTcpTicker *ticker);

G_END_DECLS

#endif
