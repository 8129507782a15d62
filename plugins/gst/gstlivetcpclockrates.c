/* SPDX-License-Identifier: MIT */
#include "gstlivetcpclockrates.h"

void gst_livetcp_clock_rates_tell(GstLiveTcpEndpoint *endpoint, livetcp_session *session)
{
    for (gint payload = LIVETCP_ANY_PAYLOAD; payload < GST_LIVETCP_PAYLOADS; payload++) {
        guint32 rate = endpoint->clock_rates[payload - LIVETCP_ANY_PAYLOAD];
        if (rate != 0) {
            livetcp_session_set_clock_rate(session, payload, rate);
        }
    }
}

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

void gst_livetcp_clock_rates_set_caps(GstLiveTcpEndpoint *endpoint, const GstCaps *caps)
{
    gint payload, rate;

    if (!read_caps(caps, &payload, &rate)) {
        return;
    }
    g_mutex_lock(&endpoint->lock);
    endpoint->clock_rates[payload - LIVETCP_ANY_PAYLOAD] = (guint32)rate;
    for (guint i = 0; i < endpoint->peers->len; i++) {
        GstLiveTcpPeer *peer = g_ptr_array_index(endpoint->peers, i);
        if (peer->session != NULL) {
            livetcp_session_set_clock_rate(peer->session, payload, (guint32)rate);
        }
    }
    g_mutex_unlock(&endpoint->lock);
}
