/* SPDX-License-Identifier: MIT */
/* The peers of an endpoint, one session each: the list, and what follows from the events of their
 * sessions, which come on the loop's thread. */
#ifndef GST_LIVETCP_PEERS_H
#define GST_LIVETCP_PEERS_H

#include "gstlivetcpendpoint.h"

G_BEGIN_DECLS

/* Of all sessions of peers; `user` is the peer. */
extern G_GNUC_INTERNAL const livetcp_session_callbacks gst_livetcp_peer_callbacks;

/* `id` is 0 for a caller's. */
GstLiveTcpPeer *gst_livetcp_peer_new(GstLiveTcpEndpoint *endpoint, guint id, const gchar *remote);

/* Ends the peer's session and frees both, now or once nobody answers it any more. The peer must be
 * out of the list already. */
void gst_livetcp_peer_free(GstLiveTcpPeer *peer);

/* With the lock held: the peer has this session, and is in the list from here on. */
void gst_livetcp_peers_add(GstLiveTcpEndpoint *endpoint, GstLiveTcpPeer *peer,
                           livetcp_session *session);

/* With the lock held: adds the counters of one that is about to leave to those of all that did. */
void gst_livetcp_peer_count(const GstLiveTcpPeer *peer);

/* Loop's thread: its session is open. */
void gst_livetcp_peer_opened(GstLiveTcpPeer *peer, livetcp_session *session);

/* With the lock held. */
gboolean gst_livetcp_peers_any_open(GstLiveTcpEndpoint *endpoint);

G_END_DECLS

#endif
