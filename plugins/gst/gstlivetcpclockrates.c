/* SPDX-License-Identifier: MIT */
#include "gstlivetcpclockrates.h"

static gboolean read_caps(const GstCaps *caps, gint *payload, gint *rate)
{
    if (caps == NULL || gst_caps_is_any(caps) || gst_caps_is_empty(caps)) {
        return FALSE;
    }
    const GstStructure *structure = gst_caps_get_structure(caps, 0);
    *payload = LIVETCP_ANY_PAYLOAD;
    gst_structure_get_int(structure, "payload", payload);
    return gst_structure_get_int(structure, "clock-rate", rate) && *rate > 0 &&
           *payload >= LIVETCP_ANY_PAYLOAD && *payload < GST_LIVETCP_PAYLOADS;
}

gboolean gst_livetcp_clock_rates_take(GstLiveTcpClockRates *rates, const GstCaps *caps,
                                      gint *payload, gint *rate)
{
    if (!read_caps(caps, payload, rate)) {
        return FALSE;
    }
    rates->hz[*payload - LIVETCP_ANY_PAYLOAD] = (guint32)*rate;
    return TRUE;
}

void gst_livetcp_clock_rates_apply(const GstLiveTcpClockRates *rates, livetcp_session *session)
{
    for (gint payload = LIVETCP_ANY_PAYLOAD; payload < GST_LIVETCP_PAYLOADS; payload++) {
        guint32 rate = rates->hz[payload - LIVETCP_ANY_PAYLOAD];
        if (rate != 0) {
            livetcp_session_set_clock_rate(session, payload, rate);
        }
    }
}
