/* SPDX-License-Identifier: MIT */
/* livetcpsrc on the loop's thread: packets into the queue, and what the end of a session means. */
#include "gstlivetcpreport.h"
#include "gstlivetcprtcp.h"
#include "gstlivetcpsrc.h"

#define GST_CAT_DEFAULT gst_livetcp_debug

static GstLiveTcpSrc *src_of(GstLiveTcpEndpoint *endpoint)
{
    return GST_LIVETCP_SRC(endpoint->element);
}

/* Who follows is looked for once a session. */
static gboolean hands_on_rtcp(GstLiveTcpSrc *self)
{
    if (self->endpoint.active.rtcp != LIVETCP_RTCP_AUTO) {
        return self->endpoint.active.rtcp == LIVETCP_RTCP_ON;
    }
    gint welcome = g_atomic_int_get(&self->rtcp_welcome);
    if (welcome < 0) {
        welcome = gst_livetcp_rtcp_is_welcome(GST_BASE_SRC_PAD(self));
        g_atomic_int_set(&self->rtcp_welcome, welcome);
    }
    return welcome;
}

static void packet_received(GstLiveTcpEndpoint *endpoint, const livetcp_packet *packet)
{
    GstLiveTcpSrc *self = src_of(endpoint);

    if (packet->rtcp && !hands_on_rtcp(self)) {
        GST_OBJECT_LOCK(self);
        self->rtcp_dropped++;
        GST_OBJECT_UNLOCK(self);
        return;
    }
    /* What was held back for the order of sequence numbers did not come to us earlier: its time is
     * now, or it would be late by a latency that nobody announced. */
    gint64 arrival_us = endpoint->active.order == LIVETCP_ORDER_SEQUENCE ? g_get_monotonic_time()
                                                                         : packet->arrival_us;
    GstBuffer *buffer = gst_buffer_new_memdup(packet->data, packet->size);
    if (packet->discontinuity) {
        GST_BUFFER_FLAG_SET(buffer, GST_BUFFER_FLAG_DISCONT);
    }
    gst_livetcp_queue_push(&self->queue, buffer, packet->rtcp, arrival_us);
}

static void peer_opened(GstLiveTcpEndpoint *endpoint, GstLiveTcpPeer *peer,
                        livetcp_session *session)
{
    (void)peer;
    (void)session;
    g_atomic_int_set(&src_of(endpoint)->rtcp_welcome, -1);
    gst_livetcp_queue_mark_discont(&src_of(endpoint)->queue);
}

static gboolean any_peer(GstLiveTcpEndpoint *endpoint)
{
    g_mutex_lock(&endpoint->lock);
    gboolean any = endpoint->peers->len > 0;
    g_mutex_unlock(&endpoint->lock);
    return any;
}

/* Without a connection, it made room for a session that wants to begin. */
static gboolean gave_way(const livetcp_error *error)
{
    return error->code == LIVETCP_ERR_TOO_MANY_SESSIONS;
}

static void peer_ended(GstLiveTcpEndpoint *endpoint, const GstLiveTcpPeer *peer,
                       const livetcp_error *error)
{
    gboolean calling = peer->id == 0;
    GstLiveTcpSrc *self = src_of(endpoint);
    gboolean orderly = error->code == LIVETCP_ERR_CLOSED;
    gboolean keep = g_atomic_int_get(&self->keep_listening);

    if (calling && orderly && keep) {
        gst_livetcp_endpoint_schedule_call(endpoint);
        gst_livetcp_queue_kick(&self->queue); /* it is the streaming thread that calls */
    } else if (!calling && (keep || any_peer(endpoint) || gave_way(error))) {
        GST_INFO_OBJECT(self, "waiting for the next caller");
    } else if (orderly) {
        gst_livetcp_endpoint_finish(endpoint);
        gst_livetcp_queue_end(&self->queue, GST_FLOW_EOS);
    } else {
        const gchar *what = peer->opened_us != 0 ? "The session was lost" : "Cannot connect";
        gst_livetcp_endpoint_fail(endpoint, error, what, peer->remote);
        gst_livetcp_queue_end(&self->queue, GST_FLOW_ERROR);
    }
}

static void add_stats(GstLiveTcpEndpoint *endpoint, GstStructure *structure)
{
    GstLiveTcpSrc *self = src_of(endpoint);
    guint packets;
    gsize bytes;
    guint64 dropped;

    gst_livetcp_queue_stats(&self->queue, &packets, &bytes, &dropped);
    GST_OBJECT_LOCK(self);
    guint64 rtcp_dropped = self->rtcp_dropped;
    GST_OBJECT_UNLOCK(self);
    gst_structure_set(structure, "receive-queue-packets", G_TYPE_UINT, packets,
                      "receive-queue-bytes", G_TYPE_UINT64, (guint64)bytes,
                      "dropped-receive-queue-full", G_TYPE_UINT64, dropped, "rtcp-dropped",
                      G_TYPE_UINT64, rtcp_dropped, NULL);
    if (self->player.active.mode != LIVETCP_PLAYOUT_NONE) {
        g_mutex_lock(&self->player_lock);
        GstStructure *playout = gst_livetcp_player_stats(&self->player);
        g_mutex_unlock(&self->player_lock);
        gst_structure_set(structure, "playout", GST_TYPE_STRUCTURE, playout, NULL);
        gst_structure_free(playout);
    }
}

const GstLiveTcpHooks gst_livetcp_src_hooks = {
    .packet = packet_received,
    .opened = peer_opened,
    .ended = peer_ended,
    .stats = add_stats,
};
