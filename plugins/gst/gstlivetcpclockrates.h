/* SPDX-License-Identifier: MIT */
/* Clock rates of payload types, as caps have them, for the sessions that need them. */
#ifndef GST_LIVETCP_CLOCK_RATES_H
#define GST_LIVETCP_CLOCK_RATES_H

#include <gst/gst.h>
#include <livetcp/livetcp.h>

G_BEGIN_DECLS

/* RTP payload types. */
#define GST_LIVETCP_PAYLOADS 128

/* All zero, none is known. */
typedef struct _GstLiveTcpClockRates {
    guint32 hz[GST_LIVETCP_PAYLOADS + 1]; /* first of any payload type, then of each */
} GstLiveTcpClockRates;

/* Takes "clock-rate" and, if present, "payload" of the caps, and says what it took. FALSE without a
 * clock rate, or caps. */
gboolean gst_livetcp_clock_rates_take(GstLiveTcpClockRates *rates, const GstCaps *caps,
                                      gint *payload, gint *rate);

/* Passes all that are known to a session. */
void gst_livetcp_clock_rates_tell(const GstLiveTcpClockRates *rates, livetcp_session *session);

G_END_DECLS

#endif
