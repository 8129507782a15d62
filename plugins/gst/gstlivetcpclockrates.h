/* SPDX-License-Identifier: MIT */
/* Clock rates by payload type, from caps, for the sessions. */
#ifndef GST_LIVETCP_CLOCK_RATES_H
#define GST_LIVETCP_CLOCK_RATES_H

#include <gst/gst.h>
#include <livetcp/livetcp.h>

G_BEGIN_DECLS

/* RTP payload types. */
#define GST_LIVETCP_PAYLOADS 128

/* Zero-initialized: none is known. */
typedef struct _GstLiveTcpClockRates {
    guint32 hz[GST_LIVETCP_PAYLOADS + 1]; /* [0]: of any payload type; [1 + pt]: of that one */
} GstLiveTcpClockRates;

/* Stores "clock-rate" and, if present, "payload" of the caps, and returns both. FALSE without caps
 * or clock rate. */
gboolean gst_livetcp_clock_rates_take(GstLiveTcpClockRates *rates, const GstCaps *caps,
                                      gint *payload, gint *rate);

/* Sets all known clock rates of a session. */
void gst_livetcp_clock_rates_apply(const GstLiveTcpClockRates *rates, livetcp_session *session);

G_END_DECLS

#endif
