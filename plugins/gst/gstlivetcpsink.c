/* SPDX-License-Identifier: MIT */
/* livetcpsink: sends every packet from the streaming thread. */

/* clang-format off: it would join the lines of the pipelines. */
/**
 * SECTION:element-livetcpsink
 * @title: livetcpsink
 * @see_also: livetcpsrc, srtsink, rtpstreampay, tcpclientsink
 *
 * Sends RTP and RTCP packets over TCP so that they arrive on time. A session of several TCP
 * connections carries the stream; every packet takes the connection on which it will arrive
 * soonest, so that a lost segment holds up the few packets behind it on one connection and not the
 * whole stream. Within #livetcpsink:redundancy-budget, packets are sent on a second connection, at
 * once or when they are late, or parity is, by #livetcpsink:policy; the default, "auto",
 * chooses among these at every packet. Packets are framed by RFC 4571.
 *
 * ## Example pipelines
 *
 * |[
 * gst-launch-1.0 videotestsrc is-live=true ! x264enc tune=zerolatency ! rtph264pay ! \
 *     livetcpsink uri=livetcp://127.0.0.1:5004
 * ]| Sends video to a receiver that listens. Start either first: a caller keeps calling.
 * |[
 * gst-launch-1.0 livetcpsrc uri="livetcp://:5004?mode=listener" ! rtpjitterbuffer ! \
 *     rtph264depay ! avdec_h264 ! videoconvert ! autovideosink
 * ]| Receives it, in another terminal.
 * |[
 * gst-launch-1.0 audiotestsrc is-live=true ! opusenc ! rtpopuspay ! \
 *     livetcpsink uri="livetcp://:5004?mode=listener"
 * ]| Listens, and sends the stream to every receiver that connects.
 * |[
 * gst-launch-1.0 filesrc location=film.mp4 ! qtdemux ! h264parse ! \
 *     rtph264pay config-interval=-1 ! livetcpsink uri=livetcp://127.0.0.1:5004 sync=true
 * ]| Sends a file in real time, which needs sync=true.
 * |[
 * gst-launch-1.0 audiotestsrc is-live=true ! opusenc ! rtpopuspay ! \
 *     livetcpsink uri="livetcp://127.0.0.1:5004?wire=plain"
 * ]| Sends to any RFC 4571 receiver: one connection and no control messages.
 * |[
 * gst-launch-1.0 tcpserversrc host=0.0.0.0 port=5004 ! \
 *     application/x-rtp-stream,media=audio,clock-rate=48000,encoding-name=OPUS,payload=96 ! \
 *     rtpstreamdepay ! rtpopusdepay ! opusdec ! audioconvert ! audioresample ! autoaudiosink
 * ]| A receiver made of other elements, for the sender above.
 *
 * ## Time
 *
 * By default packets are sent when they come (sync=false), since a live pipeline makes them in
 * time and waiting for the clock would add the latency of the whole pipeline. The streaming thread
 * sends by itself. Packets that cannot be sent at once are queued up to #livetcpsink:queue-packets
 * and #livetcpsink:queue-bytes.
 *
 * A live source is never held up. Packets that would be delivered later than
 * #livetcpsink:max-send-delay are dropped. A full queue drops the least important packets first, of
 * these the oldest. A WARNING has their number and the reason, at most once a second,
 * #livetcpsink:stats counts them, and #livetcpsink:error-on-loss makes it an ERROR. A source that
 * is not live, by the LATENCY query, waits for queue space and for the first peer instead, and
 * loses nothing. #livetcpsink:leaky chooses otherwise.
 *
 * The end of the stream is passed on once the queue is empty, or after
 * #livetcpsink:drain-timeout, which begins anew with every packet of a source that is not live.
 * Packets that no peer received are reported then.
 *
 * ## Peers
 *
 * A caller has one peer; while it cannot be reached the element posts a WARNING, keeps trying and
 * queues. With auto-reconnect=false it posts an ERROR and ends. A listener sends to every session
 * that was opened to it, up to #livetcpsink:max-sessions, and drops packets of a live source while
 * there is none; a slow peer loses only its own packets, unless the source waits. With
 * wait-for-connection=true the element blocks until the first peer is there.
 *
 * Whenever a session opens, or a peer lost packets and has caught up, the encoder upstream is asked
 * for a key frame (GstForceKeyUnit), and a new peer is sent the "streamheader" of the caps first.
 * The same happens when packets were dropped that later ones refer to; the event then has the
 * stream's "ssrc". With burst-on-join=gop a peer that calls a listener is sent the packets of each
 * video stream since its last key frame instead, unless these are more than half of
 * #livetcpsink:queue-packets or #livetcpsink:queue-bytes, or older than 10 s.
 *
 * ## Importance
 *
 * When not everything can be sent in time, the least important packets go first: buffers flagged
 * DROPPABLE, then pictures that no other is predicted from, then other pictures, then audio
 * (media=audio), and key frames last. For H.264, H.265, VP8, VP9 and AV1 the payload decides, as
 * payloaders set DELTA_UNIT on most packets of key frames, or never; for other video, and SRTP, the
 * flags do.
 *
 * ## Bit rate
 *
 * #livetcpsink:estimated-bitrate is the rate that the connections carry without a queue, all
 * streams together, and notifies when it changes by 2 % or more, 5 % at low rates. An encoder that
 * follows it never builds up a queue:
 *
 * |[<!-- language="C" -->
 * static void
 * on_bitrate (GObject * sink, GParamSpec * pspec, gpointer x264enc)
 * {
 *   guint bitrate;
 *   g_object_get (sink, "estimated-bitrate", &bitrate, NULL);
 *   if (bitrate > AUDIO_BITRATE)
 *     g_object_set (x264enc, "bitrate", MAX ((bitrate - AUDIO_BITRATE) / 1000, 100), NULL);
 * }
 * ...
 * g_signal_connect (sink, "notify::estimated-bitrate", G_CALLBACK (on_bitrate), x264enc);
 * ]|
 *
 * The handler runs on the thread that reads from the network and should return soon. Set
 * #livetcpsink:estimated-bitrate-max to the encoder's maximum, and
 * #livetcpsink:estimated-bitrate-min to its useful minimum: the estimate begins with the former, or
 * else with the source's rate at first, and stays between them (URIs call
 * them max-bitrate and min-bitrate). It is never more than twice what has been sent of
 * late, unless it was before. A source that sends more than it is told, as an encoder that misses
 * its rate, is told so much less while a queue stands.
 *
 * ## Redundant audio
 *
 * With #livetcpsink:redundancy every audio packet repeats the one to three before it (RFC 2198),
 * and goes on another connection than these. A receiver plays the copy where the original is late:
 *
 * |[
 * gst-launch-1.0 audiotestsrc is-live=true ! opusenc ! rtpopuspay pt=96 ! \
 *     livetcpsink uri=livetcp://127.0.0.1:5004 redundancy=1 policy=shortest-queue
 * ]| Sends every frame twice.
 * |[
 * gst-launch-1.0 livetcpsrc uri="livetcp://:5004?mode=listener" \
 *     playout-mode=adaptive min-latency=30 \
 *     caps="application/x-rtp,media=audio,clock-rate=48000,encoding-name=OPUS,payload=96" ! \
 *     rtpopusdepay ! opusdec plc=true ! audioconvert ! audioresample ! autoaudiosink
 * ]| Plays it. A copy comes a packet later than the original: min-latency allows for that.
 *
 * Packets that repeat others have the payload type #livetcpsink:redundancy-pt. Where an rtpredenc
 * upstream makes them, give redundancy its distance and redundancy-pt its pt: packets of that type
 * stay as they are, and go on other connections than their originals.
 *
 * ## Messages
 *
 * Element messages "livetcp-session" and "livetcp-connection" report every change, with "session",
 * "connection", "state", "remote", and after a failure "reason", "code", "errno" and "message". The
 * details of WARNING and ERROR messages have the latter, too.
 */
/* clang-format on */
#include "gstlivetcpsink.h"

#include "gstlivetcpcallers.h"
#include "gstlivetcpcaps.h"
#include "gstlivetcpdebug.h"
#include "gstlivetcpproperties.h"
#include "gstlivetcpreport.h"
#include "gstlivetcpuri.h"
#include "gstlivetcpwait.h"

#define GST_CAT_DEFAULT gst_livetcp_sink_debug

/* Minimum interval between WARNINGs about packets that are too large. */
#define WARNING_PAUSE_US G_USEC_PER_SEC

/* Interval between checks for dropped packets. */
#define LOSSES_INTERVAL_US (20 * G_TIME_SPAN_MILLISECOND)

enum {
    PROP_WAIT_FOR_CONNECTION = GST_LIVETCP_PROP_OWN,
    PROP_DRAIN_TIMEOUT,
    PROP_ESTIMATED_BITRATE,
    PROP_BITRATE_QUANTILE,
    PROP_REDUNDANCY,
    PROP_REDUNDANCY_PT,
    PROP_LEAKY,
    PROP_ERROR_ON_LOSS,
    PROP_BURST_ON_JOIN
};

#define SINK_ENDPOINT(handler) (&GST_LIVETCP_SINK(handler)->endpoint)
GST_LIVETCP_URI_HANDLER(gst_livetcp_sink, GST_URI_SINK, SINK_ENDPOINT)

G_DEFINE_TYPE_WITH_CODE(GstLiveTcpSink, gst_livetcp_sink, GST_TYPE_BASE_SINK,
                        G_IMPLEMENT_INTERFACE(GST_TYPE_URI_HANDLER,
                                              gst_livetcp_sink_uri_handler_init))
GST_ELEMENT_REGISTER_DEFINE(livetcpsink, "livetcpsink", GST_RANK_PRIMARY, GST_TYPE_LIVETCP_SINK)

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE(
    "sink", GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS("application/x-rtp; application/x-rtcp; application/x-srtp; "
                    "application/x-srtcp"));

static const gchar *const uri_keys[] = {"wait-for-connection",
                                        "drain-timeout",
                                        "stats-update-interval",
                                        "redundancy",
                                        "redundancy-pt",
                                        "max-send-delay",
                                        "leaky",
                                        "error-on-loss",
                                        "burst-on-join",
                                        NULL};

static GstLiveTcpSink *sink_of(GstLiveTcpEndpoint *endpoint)
{
    return GST_LIVETCP_SINK(endpoint->element);
}

/* ---- sessions, on the loop's thread ---- */

static void peer_opened(GstLiveTcpEndpoint *endpoint, GstLiveTcpPeer *peer,
                        livetcp_session *session)
{
    GstLiveTcpSink *self = sink_of(endpoint);

    gst_livetcp_greeting_send_header(&self->greeting, session);
    if (self->greeting.burst == GST_LIVETCP_BURST_GOP && peer->id != 0 && peer->opened_us == 0) {
        peer->joins = TRUE; /* no other code reads it before the peer is ready */
    } else {
        gst_livetcp_key_units_peer_joined(&self->key_units);
    }
}

/* Dropped packets broke references. The key frame is requested only now: while the queue was full
 * it would have filled it further. */
static void peer_drained(GstLiveTcpEndpoint *endpoint, GstLiveTcpPeer *peer,
                         livetcp_session *session)
{
    livetcp_session_stats stats = {.struct_size = sizeof(stats)};
    if (livetcp_session_get_stats(session, &stats) != LIVETCP_OK) {
        return;
    }
    guint64 drops = stats.dropped.queue_full + stats.dropped.connection;
    if (drops != peer->drops_reported) {
        peer->drops_reported = drops;
        gst_livetcp_key_units_want_all(&sink_of(endpoint)->key_units);
    }
}

static void peer_ended(GstLiveTcpEndpoint *endpoint, const GstLiveTcpPeer *peer,
                       const livetcp_error *error)
{
    if (peer->id != 0) {
        return; /* for a listener peers are expected to end; the element message has reported it */
    }
    if (error->code == LIVETCP_ERR_CLOSED && endpoint->active.auto_reconnect) {
        gst_livetcp_post_warning(endpoint->element, error,
                                 "The peer ended the session, calling it again", peer->remote);
        gst_livetcp_endpoint_schedule_call(endpoint);
    } else {
        const gchar *what = peer->opened_us != 0 ? "The session ended" : "Cannot connect";
        gst_livetcp_endpoint_fail(endpoint, error, what, peer->remote);
    }
}

static void keyframe_wanted(GstLiveTcpEndpoint *endpoint, guint32 ssrc)
{
    gst_livetcp_key_units_want(&sink_of(endpoint)->key_units, ssrc);
}

/* Handlers run here, on the loop's thread; properties may be set from any thread. */
static void bitrate_changed(GstLiveTcpEndpoint *endpoint)
{
    GstLiveTcpSink *self = sink_of(endpoint);
    guint bitrate = gst_livetcp_endpoint_bitrate(endpoint, sink_of(endpoint)->bitrate_quantile);

    g_mutex_lock(&endpoint->lock);
    gboolean changed = bitrate != self->bitrate;
    self->bitrate = bitrate;
    g_mutex_unlock(&endpoint->lock);
    if (changed) {
        g_object_notify(G_OBJECT(self), "estimated-bitrate");
    }
}

static void add_stats(GstLiveTcpEndpoint *endpoint, GstStructure *structure)
{
    gst_structure_set(structure, "estimated-bitrate", G_TYPE_UINT,
                      gst_livetcp_endpoint_bitrate(endpoint, sink_of(endpoint)->bitrate_quantile),
                      NULL);
    g_mutex_lock(&endpoint->lock);
    gst_structure_set(structure, "dropped-without-peer", G_TYPE_UINT64,
                      sink_of(endpoint)->without_peer, "leaky", G_TYPE_BOOLEAN,
                      g_atomic_int_get(&sink_of(endpoint)->drops), NULL);
    g_mutex_unlock(&endpoint->lock);
    gst_livetcp_redundancy_add_stats(&sink_of(endpoint)->redundancy, structure);
}

static const GstLiveTcpHooks hooks = {
    .opened = peer_opened,
    .ended = peer_ended,
    .drained = peer_drained,
    .keyframe_wanted = keyframe_wanted,
    .bitrate = bitrate_changed,
    .stats = add_stats,
};

/* ---- packets, on the streaming thread ---- */

static GstFlowReturn complain_too_large(GstLiveTcpSink *self, gsize size)
{
    gint64 now = g_get_monotonic_time();

    self->too_large++;
    if (self->warned_us == 0 || now - self->warned_us >= WARNING_PAUSE_US) {
        GST_ELEMENT_WARNING(self, RESOURCE, WRITE,
                            ("A packet of %" G_GSIZE_FORMAT " bytes was not sent, it is larger "
                             "than max-packet: give the payloader an mtu of at most %u.",
                             size, (guint)self->endpoint.active.max_packet),
                            ("%u packets since the last warning", self->too_large));
        self->warned_us = now;
        self->too_large = 0;
    }
    return GST_FLOW_OK;
}

static GstFlowReturn complain_not_rtp(GstLiveTcpSink *self, gsize size)
{
    GST_ELEMENT_ERROR(self, STREAM, WRONG_TYPE,
                      ("A buffer of %" G_GSIZE_FORMAT
                       " bytes is neither an RTP nor an RTCP packet: "
                       "put an RTP payloader before livetcpsink.",
                       size),
                      (NULL));
    return GST_FLOW_ERROR;
}

/* With the lock held: sends the packets that a peer joining within a group of pictures has missed,
 * or requests a key frame. */
static void greet(GstLiveTcpSink *self, GstLiveTcpPeer *peer)
{
    peer->joins = FALSE;
    if (!gst_livetcp_greeting_send_gop(&self->greeting, peer->session)) {
        gst_livetcp_key_units_peer_joined(&self->key_units);
    }
}

/* Sends to all peers. Returns the first error about the packet itself. */
static livetcp_result send_to_peers(GstLiveTcpSink *self, GstBuffer *buffer, const guint8 *data,
                                    gsize size)
{
    GstLiveTcpEndpoint *endpoint = &self->endpoint;
    livetcp_packet_info info = gst_livetcp_importance_next(&self->importance, buffer, data, size);
    gst_livetcp_redundancy_apply(&self->redundancy, &data, &size, &info);
    info.more = self->more;
    gst_livetcp_debug_packet(GST_CAT_DEFAULT, GST_ELEMENT(self), "sending", data, size);
    livetcp_result complaint = LIVETCP_OK;
    gboolean anyone = FALSE;

    g_mutex_lock(&endpoint->lock);
    for (guint i = 0; i < endpoint->peers->len; i++) {
        GstLiveTcpPeer *peer = g_ptr_array_index(endpoint->peers, i);
        if (!peer->ready) {
            continue;
        }
        anyone = TRUE;
        if (peer->joins) {
            greet(self, peer);
        }
        livetcp_result result = livetcp_session_send_with(peer->session, data, size, &info);
        if (result == LIVETCP_ERR_PACKET_TOO_LARGE || result == LIVETCP_ERR_NOT_RTP) {
            complaint = result;
            break; /* the others would return the same */
        }
    }
    if (!anyone) {
        self->without_peer++;
    }
    gboolean over = endpoint->over;
    gboolean call = endpoint->call_again_us != 0;
    g_mutex_unlock(&endpoint->lock);
    if (endpoint->active.mode == LIVETCP_MODE_LISTENER && complaint == LIVETCP_OK) {
        gst_livetcp_greeting_sent(&self->greeting, buffer, data, size, &info);
    }

    if (call) {
        gst_livetcp_endpoint_call_again(endpoint);
    }
    return over ? LIVETCP_ERR_CLOSED : complaint;
}

/* Sends one packet to every peer and reports an error of the packet. */
static GstFlowReturn send_buffer(GstLiveTcpSink *self, GstBuffer *buffer)
{
    livetcp_result result;
    gsize size = gst_buffer_get_size(buffer);
    GstMapInfo map;

    if (gst_buffer_n_memory(buffer) != 1 && size <= GST_LIVETCP_SINK_SCRATCH_SIZE) {
        /* Payloaders put header and payload in separate memories; mapping would allocate to merge
         * them. */
        gst_buffer_extract(buffer, 0, self->scratch, size);
        result = send_to_peers(self, buffer, self->scratch, size);
    } else if (gst_buffer_map(buffer, &map, GST_MAP_READ)) {
        result = send_to_peers(self, buffer, map.data, map.size);
        gst_buffer_unmap(buffer, &map);
    } else {
        GST_ELEMENT_ERROR(self, RESOURCE, READ, ("A buffer cannot be read."), (NULL));
        return GST_FLOW_ERROR;
    }

    switch (result) {
    case LIVETCP_OK:
        return GST_FLOW_OK;
    case LIVETCP_ERR_PACKET_TOO_LARGE:
        return complain_too_large(self, size);
    case LIVETCP_ERR_NOT_RTP:
        return complain_not_rtp(self, size);
    default:
        return GST_FLOW_ERROR; /* the ERROR has been posted */
    }
}

/* ---- dropping or waiting ---- */

/* Default: dropping blocks nothing. */
static gboolean is_live(GstLiveTcpSink *self)
{
    gboolean live = TRUE;
    GstQuery *query = gst_query_new_latency();

    if (gst_pad_peer_query(GST_BASE_SINK_PAD(self), query)) {
        gst_query_parse_latency(query, &live, NULL, NULL);
    }
    gst_query_unref(query);
    return live;
}

/* Without drops there is no limit to the delay either. */
static void decide_drops(GstLiveTcpSink *self)
{
    GstLiveTcpEndpoint *endpoint = &self->endpoint;
    livetcp_usec limit = endpoint->active.max_send_delay_us;
    gboolean drops = self->leaky == GST_LIVETCP_LEAKY_UPSTREAM ||
                     (self->leaky == GST_LIVETCP_LEAKY_AUTO && is_live(self));

    self->drops_known = TRUE;
    g_atomic_int_set(&self->drops, drops);
    gst_livetcp_endpoint_set_lossless(endpoint, !drops);
    GST_INFO_OBJECT(self, "packets that cannot be sent in time are %s",
                    drops ? "dropped" : "waited for");
    if (!drops && limit != 0 &&
        limit != GST_LIVETCP_SINK_MAX_SEND_DELAY_MS * (livetcp_usec)LIVETCP_USEC_MSEC) {
        GST_ELEMENT_WARNING(self, LIBRARY, SETTINGS,
                            ("max-send-delay has no effect, since nothing is dropped from a source "
                             "that is not live: set leaky=upstream to have it."),
                            (NULL));
    }
}

/* A wait was interrupted, by an error, a flush or a pause; after a pause it continues. */
static GstFlowReturn interrupted(GstLiveTcpSink *self)
{
    g_mutex_lock(&self->endpoint.lock);
    gboolean over = self->endpoint.over;
    g_mutex_unlock(&self->endpoint.lock);
    return over ? GST_FLOW_ERROR : gst_base_sink_wait_preroll(GST_BASE_SINK(self));
}

/* Waits until a packet of that size may be sent. */
static GstFlowReturn wait_for_turn(GstLiveTcpSink *self, gsize size)
{
    GstLiveTcpEndpoint *endpoint = &self->endpoint;
    GstFlowReturn result = GST_FLOW_OK;

    if (!self->drops_known) {
        decide_drops(self);
    }
    while (result == GST_FLOW_OK) {
        if ((!self->wait_for_connection || gst_livetcp_wait_open(endpoint)) &&
            (g_atomic_int_get(&self->drops) || gst_livetcp_wait_space(endpoint, size))) {
            break;
        }
        result = interrupted(self);
    }
    return result;
}

/* Reports dropped packets; `end`: also those that will be dropped. FALSE: an ERROR was posted. */
static gboolean report_losses(GstLiveTcpSink *self, gboolean end)
{
    GstLiveTcpEndpoint *endpoint = &self->endpoint;
    livetcp_session_stats totals;

    self->losses_us = g_get_monotonic_time();
    gst_livetcp_endpoint_totals(endpoint, &totals);
    g_mutex_lock(&endpoint->lock);
    const GstLiveTcpLoss losses[] = {
        {"queue-full", "the send queue was full (queue-packets, queue-bytes)",
         totals.dropped.queue_full},
        {"late", "they would have been delivered later than max-send-delay", totals.dropped.late},
        {"connection", "a connection was lost while they were sent", totals.dropped.connection},
        {"session", "the session ended before they were sent", endpoint->never_sent},
        {"not-sent", "they could not be sent within drain-timeout",
         end ? totals.sent.queue_packets : 0},
        {"nobody", "no peer was connected",
         end && endpoint->sessions_total == 0 ? self->without_peer : 0},
    };
    g_mutex_unlock(&endpoint->lock);
    gboolean reported = gst_livetcp_losses_report(
        &self->losses, self->error_on_loss ? GST_MESSAGE_ERROR : GST_MESSAGE_WARNING, losses,
        G_N_ELEMENTS(losses), end || self->error_on_loss);
    if (reported && self->error_on_loss) {
        gst_livetcp_endpoint_finish(endpoint);
    }
    return !(reported && self->error_on_loss);
}

static GstFlowReturn render_packet(GstLiveTcpSink *self, GstBuffer *buffer)
{
    GstFlowReturn result = wait_for_turn(self, gst_buffer_get_size(buffer));

    if (result == GST_FLOW_OK) {
        result = send_buffer(self, buffer);
    }
    if (result == GST_FLOW_OK && g_get_monotonic_time() - self->losses_us >= LOSSES_INTERVAL_US &&
        !report_losses(self, FALSE)) {
        result = GST_FLOW_ERROR;
    }
    return result;
}

static GstFlowReturn render(GstBaseSink *base, GstBuffer *buffer)
{
    GstLiveTcpSink *self = GST_LIVETCP_SINK(base);

    gst_livetcp_key_units_ask(&self->key_units, GST_BASE_SINK_PAD(self));
    return render_packet(self, buffer);
}

static GstFlowReturn render_list(GstBaseSink *base, GstBufferList *list)
{
    GstLiveTcpSink *self = GST_LIVETCP_SINK(base);
    guint length = gst_buffer_list_length(list);
    GstFlowReturn result = GST_FLOW_OK;

    gst_livetcp_key_units_ask(&self->key_units, GST_BASE_SINK_PAD(self));
    for (guint i = 0; i < length && result == GST_FLOW_OK; i++) {
        self->more = i + 1 < length;
        result = render_packet(self, gst_buffer_list_get(list, i));
    }
    self->more = FALSE;
    return result;
}

static gboolean set_caps(GstBaseSink *base, GstCaps *caps)
{
    GstLiveTcpSink *self = GST_LIVETCP_SINK(base);
    gst_livetcp_importance_set_caps(&self->importance, caps);
    gst_livetcp_endpoint_set_caps(&self->endpoint, caps);
    gchar *description = gst_livetcp_caps_describe(caps);
    GST_DEBUG_OBJECT(self, "caps %s", description);
    if (!gst_livetcp_redundancy_set_caps(&self->redundancy, caps)) {
        GST_ELEMENT_WARNING(self, STREAM, FORMAT,
                            ("This stream is sent without redundancy: RFC 2198 is for audio, and "
                             "not for SRTP."),
                            ("caps %s", description));
    }
    g_free(description);
    gst_livetcp_greeting_set_caps(&self->greeting, caps);
    return TRUE;
}

static guint64 packets_sent(GstLiveTcpSink *self)
{
    livetcp_session_stats totals;
    gst_livetcp_endpoint_totals(&self->endpoint, &totals);
    return totals.sent.packets;
}

/* If packets are never dropped, waits as long as there is progress. */
static void drain(GstLiveTcpSink *self)
{
    guint64 before;

    do {
        before = packets_sent(self);
    } while (!gst_livetcp_wait_drained(&self->endpoint, self->drain_timeout_ms) &&
             !g_atomic_int_get(&self->drops) && packets_sent(self) != before);
}

static gboolean event(GstBaseSink *base, GstEvent *event_)
{
    GstLiveTcpSink *self = GST_LIVETCP_SINK(base);
    if (GST_EVENT_TYPE(event_) == GST_EVENT_STREAM_START) {
        self->drops_known = FALSE;
    }
    if (GST_EVENT_TYPE(event_) == GST_EVENT_EOS) {
        drain(self);
        if (!report_losses(self, TRUE)) {
            gst_event_unref(event_);
            return FALSE;
        }
    }
    return GST_BASE_SINK_CLASS(gst_livetcp_sink_parent_class)->event(base, event_);
}

static gboolean unlock(GstBaseSink *base)
{
    gst_livetcp_endpoint_set_flushing(&GST_LIVETCP_SINK(base)->endpoint, TRUE);
    return TRUE;
}

static gboolean unlock_stop(GstBaseSink *base)
{
    gst_livetcp_endpoint_set_flushing(&GST_LIVETCP_SINK(base)->endpoint, FALSE);
    return TRUE;
}

/* ---- properties ---- */

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
    GstLiveTcpSink *self = GST_LIVETCP_SINK(object);

    switch (id) {
    case PROP_WAIT_FOR_CONNECTION:
        self->wait_for_connection = g_value_get_boolean(value);
        break;
    case PROP_DRAIN_TIMEOUT:
        self->drain_timeout_ms = g_value_get_uint(value);
        break;
    case PROP_BITRATE_QUANTILE:
        self->bitrate_quantile = g_value_get_double(value);
        break;
    case PROP_REDUNDANCY:
        self->redundancy.depth = g_value_get_uint(value);
        break;
    case PROP_REDUNDANCY_PT:
        self->redundancy.payload_type = g_value_get_uint(value);
        break;
    case PROP_LEAKY:
        self->leaky = (GstLiveTcpLeaky)g_value_get_enum(value);
        break;
    case PROP_ERROR_ON_LOSS:
        self->error_on_loss = g_value_get_boolean(value);
        break;
    case PROP_BURST_ON_JOIN:
        self->greeting.burst = (GstLiveTcpBurst)g_value_get_enum(value);
        break;
    default:
        if (!gst_livetcp_properties_set(&self->endpoint, id, value, pspec)) {
            G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
        }
    }
}

static void get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
    GstLiveTcpSink *self = GST_LIVETCP_SINK(object);

    switch (id) {
    case PROP_WAIT_FOR_CONNECTION:
        g_value_set_boolean(value, self->wait_for_connection);
        break;
    case PROP_DRAIN_TIMEOUT:
        g_value_set_uint(value, self->drain_timeout_ms);
        break;
    case PROP_REDUNDANCY:
        g_value_set_uint(value, self->redundancy.depth);
        break;
    case PROP_REDUNDANCY_PT:
        g_value_set_uint(value, self->redundancy.payload_type);
        break;
    case PROP_BITRATE_QUANTILE:
        g_value_set_double(value, self->bitrate_quantile);
        break;
    case PROP_ESTIMATED_BITRATE:
        g_value_set_uint(value,
                         gst_livetcp_endpoint_bitrate(&self->endpoint, self->bitrate_quantile));
        break;
    case PROP_LEAKY:
        g_value_set_enum(value, self->leaky);
        break;
    case PROP_ERROR_ON_LOSS:
        g_value_set_boolean(value, self->error_on_loss);
        break;
    case PROP_BURST_ON_JOIN:
        g_value_set_enum(value, self->greeting.burst);
        break;
    default:
        if (!gst_livetcp_properties_get(&self->endpoint, id, value, pspec)) {
            G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
        }
    }
}

static void install_redundancy(GObjectClass *klass)
{
    const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;

    g_object_class_install_property(
        klass, PROP_REDUNDANCY,
        g_param_spec_uint(
            "redundancy", "Redundancy",
            "Audio: number of previous packets that every packet repeats (RFC 2198); "
            "livetcpplayout, livetcpsrc with playout or rtpreddec plays the copy of a "
            "late packet",
            0, LIVETCP_REDUNDANCY_MAX_DEPTH, 0, flags));
    g_object_class_install_property(klass, PROP_REDUNDANCY_PT,
                                    g_param_spec_uint("redundancy-pt", "Redundancy payload type",
                                                      "RTP payload type of redundant audio", 0, 127,
                                                      GST_LIVETCP_REDUNDANCY_PT, flags));
}

static GType leaky_type(void)
{
    static const GEnumValue values[] = {
        {GST_LIVETCP_LEAKY_AUTO, "upstream if the pipeline is live, otherwise no", "auto"},
        {GST_LIVETCP_LEAKY_NO,
         "block until the queue is writable and a first peer is there; drop nothing", "no"},
        {GST_LIVETCP_LEAKY_UPSTREAM, "drop packets that cannot be sent in time", "upstream"},
        {0, NULL, NULL}};
    static gsize type;

    if (g_once_init_enter(&type)) {
        g_once_init_leave(&type, g_enum_register_static("GstLiveTcpLeaky", values));
    }
    return (GType)type;
}

static void install_flow(GObjectClass *klass)
{
    const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;

    g_object_class_install_property(
        klass, PROP_LEAKY,
        g_param_spec_enum("leaky", "Leaky", "Drop packets that cannot be sent in time, or block",
                          leaky_type(), GST_LIVETCP_LEAKY_AUTO, flags));
    g_object_class_install_property(
        klass, PROP_ERROR_ON_LOSS,
        g_param_spec_boolean("error-on-loss", "Error on loss",
                             "Post an ERROR instead of a WARNING when packets were dropped", FALSE,
                             flags));
    g_object_class_install_property(
        klass, PROP_BURST_ON_JOIN,
        g_param_spec_enum("burst-on-join", "Burst on join",
                          "What a listener sends first to a peer that joins a running stream",
                          gst_livetcp_burst_get_type(), GST_LIVETCP_BURST_KEY_FRAME, flags));
}

/* Packets later than this are of no use to a viewer. */
static void get_defaults(livetcp_config *defaults)
{
    livetcp_config_init(defaults);
    defaults->max_send_delay_us = GST_LIVETCP_SINK_MAX_SEND_DELAY_MS * LIVETCP_USEC_MSEC;
}

static void install_properties(GObjectClass *klass)
{
    livetcp_config defaults;
    get_defaults(&defaults);
    klass->set_property = set_property;
    klass->get_property = get_property;
    gst_livetcp_properties_install(klass, &defaults, FALSE);
    g_object_class_install_property(
        klass, PROP_WAIT_FOR_CONNECTION,
        g_param_spec_boolean("wait-for-connection", "Wait for connection",
                             "Block the stream while no peer is connected; otherwise a caller "
                             "queues packets, and a listener drops those of a live source",
                             FALSE, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS));
    g_object_class_install_property(
        klass, PROP_DRAIN_TIMEOUT,
        g_param_spec_uint("drain-timeout", "Drain timeout",
                          "How long EOS waits for queued packets to be sent (ms)", 0, 600000,
                          GST_LIVETCP_SINK_DRAIN_TIMEOUT_MS,
                          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS));
    g_object_class_install_property(
        klass, PROP_ESTIMATED_BITRATE,
        g_param_spec_uint(
            "estimated-bitrate", "Estimated bit rate",
            "Bit rate that the connections carry without a queue, all streams together: "
            "encoders should follow it. With several peers see bitrate-quantile; 0 while it is "
            "unknown. Notifies (bit/s)",
            0, G_MAXUINT, 0, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
    g_object_class_install_property(
        klass, PROP_BITRATE_QUANTILE,
        g_param_spec_double(
            "bitrate-quantile", "Bit rate quantile",
            "Share of a listener's peers for which estimated-bitrate may be too high: they lose "
            "packets, as does a peer below an eighth of the median; 0 = follow the slowest",
            0, 1, GST_LIVETCP_SINK_BITRATE_QUANTILE, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS));
    install_redundancy(klass);
    install_flow(klass);
}

/* ---- object and element ---- */

static gboolean open_session(GstLiveTcpSink *self)
{
    livetcp_error error;

    self->warned_us = 0;
    self->without_peer = 0;
    self->losses_us = 0;
    self->drops_known = FALSE;
    gst_livetcp_losses_reset(&self->losses);
    gst_livetcp_greeting_reset(&self->greeting, &self->endpoint.config);
    gst_livetcp_key_units_reset(&self->key_units);
    self->bitrate = 0;
    if (!gst_livetcp_redundancy_start(&self->redundancy, self->endpoint.config.max_packet,
                                      &error)) {
        GST_ELEMENT_ERROR(self, LIBRARY, SETTINGS, ("redundancy: %s", error.message), (NULL));
        return FALSE;
    }
    return gst_livetcp_endpoint_open(&self->endpoint);
}

/* GstBaseSink starts on the way to READY, when properties may still change: too early to
 * connect. */
static GstStateChangeReturn change_state(GstElement *element, GstStateChange transition)
{
    GstLiveTcpSink *self = GST_LIVETCP_SINK(element);
    GstElementClass *parent = GST_ELEMENT_CLASS(gst_livetcp_sink_parent_class);

    if (transition == GST_STATE_CHANGE_READY_TO_PAUSED && !open_session(self)) {
        return GST_STATE_CHANGE_FAILURE;
    }
    GstStateChangeReturn result = parent->change_state(element, transition);
    if (transition == GST_STATE_CHANGE_PAUSED_TO_READY ||
        (transition == GST_STATE_CHANGE_READY_TO_PAUSED && result == GST_STATE_CHANGE_FAILURE)) {
        gst_livetcp_endpoint_close(&self->endpoint);
    }
    return result;
}

static void finalize(GObject *object)
{
    GstLiveTcpSink *self = GST_LIVETCP_SINK(object);
    gst_livetcp_endpoint_clear(&self->endpoint);
    g_free(self->scratch);
    gst_livetcp_redundancy_clear(&self->redundancy);
    gst_livetcp_greeting_clear(&self->greeting);
    gst_livetcp_key_units_clear(&self->key_units);
    G_OBJECT_CLASS(gst_livetcp_sink_parent_class)->finalize(object);
}

GST_LIVETCP_ACTIONS(actions, SINK_ENDPOINT)

static void gst_livetcp_sink_class_init(GstLiveTcpSinkClass *klass)
{
    GObjectClass *object = G_OBJECT_CLASS(klass);
    GstElementClass *element = GST_ELEMENT_CLASS(klass);
    GstBaseSinkClass *base = GST_BASE_SINK_CLASS(klass);

    object->finalize = finalize;
    element->change_state = change_state;
    base->set_caps = set_caps;
    base->event = event;
    base->render = render;
    base->render_list = render_list;
    base->unlock = unlock;
    base->unlock_stop = unlock_stop;

    install_properties(object);
    gst_livetcp_signals_install(element, &actions);
    gst_element_class_add_static_pad_template(element, &sink_template);
    gst_element_class_set_static_metadata(
        element, "LiveTCP sink", "Sink/Network",
        "Sends RTP packets over several TCP connections so that they arrive on time", "LiveTCP");
}

static void gst_livetcp_sink_init(GstLiveTcpSink *self)
{
    livetcp_config defaults;
    get_defaults(&defaults);
    self->bitrate_quantile = GST_LIVETCP_SINK_BITRATE_QUANTILE;
    gst_livetcp_endpoint_init(&self->endpoint, GST_ELEMENT(self), &hooks, &defaults, uri_keys);
    self->drain_timeout_ms = GST_LIVETCP_SINK_DRAIN_TIMEOUT_MS;
    gst_livetcp_key_units_init(&self->key_units);
    gst_livetcp_redundancy_init(&self->redundancy);
    gst_livetcp_greeting_init(&self->greeting, GST_ELEMENT(self));
    self->drops = TRUE;
    gst_livetcp_losses_init(&self->losses, GST_ELEMENT(self), GST_RESOURCE_ERROR_WRITE,
                            "The connections carry less than the stream needs, or there are none: "
                            "lower its bit rate, or let a source that is not live wait (leaky).");
    self->scratch = g_malloc(GST_LIVETCP_SINK_SCRATCH_SIZE);
    gst_base_sink_set_sync(GST_BASE_SINK(self), FALSE);
    gst_base_sink_set_last_sample_enabled(GST_BASE_SINK(self), FALSE);
}
