/* SPDX-License-Identifier: MIT */
/* Clock rates of payload types, as caps say them, told to every session of an endpoint. */
#ifndef GST_LIVETCP_CLOCK_RATES_H
#define GST_LIVETCP_CLOCK_RATES_H

#include "gstlivetcpendpoint.h"

G_BEGIN_DECLS

/* Takes "clock-rate" and, if there is one, "payload" of the caps, for sessions there are and those
 * to come. Caps without a clock rate, and NULL, change nothing. */
void gst_livetcp_clock_rates_set_caps(GstLiveTcpEndpoint *endpoint, const GstCaps *caps);

/* With `endpoint->lock` held: tells a session all that is known. */
void gst_livetcp_clock_rates_tell(GstLiveTcpEndpoint *endpoint, livetcp_session *session);

G_END_DECLS

#endif
