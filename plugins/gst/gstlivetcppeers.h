/* SPDX-License-Identifier: MIT */
/* The peers of an endpoint: starting to call one, accepting those that call, and what happens when
 * their sessions open, lose connections and end. */
#ifndef GST_LIVETCP_PEERS_H
#define GST_LIVETCP_PEERS_H

#include "gstlivetcpendpoint.h"

G_BEGIN_DECLS

/* Calls the peer that `endpoint->active` names and adds it to the list. */
livetcp_result gst_livetcp_peers_call(GstLiveTcpEndpoint *endpoint, livetcp_error *error);

/* For livetcp_listener_create(); the user pointer is the endpoint. */
extern const livetcp_listener_callbacks gst_livetcp_listener_callbacks;

/* Ends the peer's session and frees both. The peer must be out of the list already. */
void gst_livetcp_peer_free(GstLiveTcpPeer *peer);

/* With `endpoint->lock` held: adds the counters of a session to `totals`. */
void gst_livetcp_totals_add(livetcp_session_stats *totals, const livetcp_session_stats *stats);

G_END_DECLS

#endif
