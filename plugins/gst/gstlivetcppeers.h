/* SPDX-License-Identifier: MIT */
/* The peers of an endpoint, each with a session: the list, and the handling of session events on
 * the loop's thread. */
#ifndef GST_LIVETCP_PEERS_H
#define GST_LIVETCP_PEERS_H

#include "gstlivetcpendpoint.h"

G_BEGIN_DECLS

/* For all sessions of peers; `user` is the peer. */
extern G_GNUC_INTERNAL const livetcp_session_callbacks gst_livetcp_peer_callbacks;

/* `id` is 0 for a caller's peer. */
GstLiveTcpPeer *gst_livetcp_peer_new(GstLiveTcpEndpoint *endpoint, guint id, const gchar *remote);

/* Ends the peer's session and frees both, at once or after the last thread that answers it. The
 * peer must not be in the list. */
void gst_livetcp_peer_free(GstLiveTcpPeer *peer);

/* With the lock held: sets the peer's session and adds it to the list. */
void gst_livetcp_peers_add(GstLiveTcpEndpoint *endpoint, GstLiveTcpPeer *peer,
                           livetcp_session *session);

/* With the lock held: adds the counters of a leaving peer to the totals of ended sessions. */
void gst_livetcp_peer_count(const GstLiveTcpPeer *peer);

/* Loop's thread: the peer's session has opened. */
void gst_livetcp_peer_opened(GstLiveTcpPeer *peer, livetcp_session *session);

/* With the lock held. */
gboolean gst_livetcp_peers_any_open(GstLiveTcpEndpoint *endpoint);

G_END_DECLS

#endif
