/* SPDX-License-Identifier: MIT */
/* livetcpsrc: a live source that outputs packets on arrival. */

/* clang-format off: it would join the lines of the pipelines. */
/**
 * SECTION:element-livetcpsrc
 * @title: livetcpsrc
 * @see_also: livetcpsink, srtsrc, tcpserversrc, rtpstreamdepay
 *
 * Receives RTP and RTCP packets over one or several TCP connections from livetcpsink, another
 * program with LiveTCP, or (wire=plain) any RFC 4571 peer, one packet a buffer.
 *
 * ## Example pipelines
 *
 * |[
 * gst-launch-1.0 livetcpsrc uri="livetcp://:5004?mode=listener" ! rtpjitterbuffer ! \
 *     rtph264depay ! avdec_h264 ! videoconvert ! autovideosink
 * ]| Receives video from a sender that calls. Start either first: a caller keeps calling.
 * |[
 * gst-launch-1.0 videotestsrc is-live=true ! x264enc tune=zerolatency ! rtph264pay ! \
 *     livetcpsink uri=livetcp://127.0.0.1:5004
 * ]| Sends it, in another terminal.
 * |[
 * gst-launch-1.0 livetcpsrc uri=livetcp://127.0.0.1:5004 ! rtpopusdepay ! opusdec ! \
 *     audioconvert ! audioresample ! autoaudiosink
 * ]| Calls a livetcpsink in listener mode.
 * |[
 * gst-launch-1.0 livetcpsrc uri="livetcp://:5004?mode=listener&wire=plain" \
 *     caps="application/x-rtp,media=audio,clock-rate=48000,encoding-name=OPUS" ! \
 *     rtpopusdepay ! opusdec ! audioconvert ! audioresample ! autoaudiosink
 * ]| Receives from any RFC 4571 sender.
 * |[
 * gst-launch-1.0 audiotestsrc is-live=true ! opusenc ! rtpopuspay ! rtpstreampay ! \
 *     tcpclientsink host=127.0.0.1 port=5004
 * ]| Is such a sender, made of other elements.
 * |[
 * gst-launch-1.0 rtpbin name=bin livetcpsrc name=src uri="livetcp://:5004?mode=listener" \
 *     caps="application/x-rtp,media=video,clock-rate=90000,encoding-name=H264,payload=96" ! \
 *     bin.recv_rtp_sink_0 src.rtcp_src ! bin.recv_rtcp_sink_0 \
 *     bin. ! rtph264depay ! avdec_h264 ! videoconvert ! autovideosink
 * ]| Receives with RTCP.
 *
 * ## Time
 *
 * The source is live. A buffer's timestamp is the running time at which the packet was read from
 * the network, whenever the pipeline comes to take it, so that an rtpjitterbuffer sees the jitter
 * of the network and not that of the machine. With order=sequence it is the time at which the
 * packet's turn came. Without playout the source adds no latency, and reports that in answer to
 * the LATENCY query.
 * DISCONT is set on the first packet of a session, after a session was open again, after a gap
 * with order=sequence, and after packets were dropped because the pipeline was slow: at most
 * #livetcpsrc:queue-packets and #livetcpsrc:queue-bytes wait for it, then the oldest go.
 *
 * ## Order
 *
 * Connections overtake each other. With order=auto packets are handed on in the order of sequence
 * numbers, unless #livetcpsrc:playout or whatever is linked behind the source puts them in order:
 * an rtpjitterbuffer, rtpbin, livetcpplayout, or a network sink whose receiver does. That is looked
 * at when a session opens and when something is linked; "order" of #livetcpsrc:stats has the
 * result. A missing packet is waited for up to #livetcpsrc:order-wait.
 *
 * ## Playout
 *
 * By default the source leaves it to an rtpjitterbuffer or a livetcpplayout behind it when packets
 * are played. With #livetcpsrc:playout-mode it does what livetcpplayout does (see there), with the
 * same properties, and needs neither: it answers the LATENCY query with the playout delay, and
 * knows the path. That takes caps with a clock-rate, and one stream (SSRC) of media.
 *
 * ## RTCP
 *
 * RTCP packets leave by the sometimes pad rtcp_src, which is added with the first of them, or, with
 * #livetcpsrc:rtcp-mux, by the pad of RTP (RFC 5761): those of the sending application, and, where
 * it sends none, the sender reports of LiveTCP at the other end, which lip sync needs. While
 * nothing is linked to rtcp_src, and with rtcp=off, they are dropped and counted. The source itself
 * reports to the sender, unless off.
 *
 * ## Peers
 *
 * A listener receives from #livetcpsrc:max-sessions sessions at a time, one by default; a session
 * that has lost all its connections gives way to a new one. When the peer ends the session, the
 * source is at the end of the stream (EOS), unless keep-listening=true: then it waits for the next
 * session, or calls again. A peer that vanished ends in an ERROR instead, once it has not come back
 * in time (linger on a listener; never on a caller with auto-reconnect=true).
 *
 * A GstForceKeyUnit event from downstream has no effect: the encoder is at the other end, and
 * livetcpsink there asks it for a key frame whenever a session opens.
 */
/* clang-format on */
#include "gstlivetcpsrc.h"

#include "gstlivetcpcallers.h"
#include "gstlivetcpclock.h"
#include "gstlivetcpdebug.h"
#include "gstlivetcpproperties.h"
#include "gstlivetcpreport.h"
#include "gstlivetcpuri.h"

#define GST_CAT_DEFAULT gst_livetcp_src_debug

enum {
    PROP_CAPS = GST_LIVETCP_PROP_OWN,
    PROP_KEEP_LISTENING,
    PROP_TIMEOUT,
    PROP_ORDER,
    PROP_RTCP_MUX,
    PROP_PLAYOUT /* the playout settings follow */
};

#define SRC_ENDPOINT(handler) (&GST_LIVETCP_SRC(handler)->endpoint)
GST_LIVETCP_URI_HANDLER(gst_livetcp_src, GST_URI_SRC, SRC_ENDPOINT)

G_DEFINE_TYPE_WITH_CODE(GstLiveTcpSrc, gst_livetcp_src, GST_TYPE_PUSH_SRC,
                        G_IMPLEMENT_INTERFACE(GST_TYPE_URI_HANDLER,
                                              gst_livetcp_src_uri_handler_init))
GST_ELEMENT_REGISTER_DEFINE(livetcpsrc, "livetcpsrc", GST_RANK_PRIMARY, GST_TYPE_LIVETCP_SRC)

static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE(
    "src", GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS("application/x-rtp; application/x-rtcp; application/x-srtp; "
                    "application/x-srtcp"));

static const gchar *const uri_keys[] = {"max-sessions", "peer-sends",  "keep-listening",
                                        "timeout",      "caps",        "stats-update-interval",
                                        "order",        "rtcp-mux",    "playout-mode",
                                        "latency",      "min-latency", "max-latency",
                                        "alpha",        "beta",        "target-late",
                                        "do-lost",      "rtt",         "redundancy-pt",
                                        "playout",      NULL};

static GstLiveTcpSrc *src_of(GstLiveTcpEndpoint *endpoint)
{
    return GST_LIVETCP_SRC(endpoint->element);
}

/* Call when a session opens, or something was linked downstream. Any thread. */
static void choose_order(GstLiveTcpSrc *self)
{
    gboolean plays = gst_livetcp_src_playout_plays(&self->playout);
    livetcp_order order = gst_livetcp_order_choose(&self->order, GST_BASE_SRC_PAD(self), plays);
    gst_livetcp_endpoint_set_order(&self->endpoint, order);
}

/* ---- sessions, on the loop's thread ---- */

/* `end`: this is the last report. */
static void report_losses(GstLiveTcpSrc *self, guint64 dropped, gboolean end)
{
    const GstLiveTcpLoss loss = {
        "queue-full", "the receive queue was full (queue-packets, queue-bytes)", dropped};

    gst_livetcp_losses_report(&self->losses, GST_MESSAGE_WARNING, &loss, 1, end);
}

static void count_rtcp_dropped(GstLiveTcpSrc *self)
{
    GST_OBJECT_LOCK(self);
    self->rtcp_dropped++;
    GST_OBJECT_UNLOCK(self);
}

static void packet_received(GstLiveTcpEndpoint *endpoint, const livetcp_packet *packet)
{
    GstLiveTcpSrc *self = src_of(endpoint);

    gst_livetcp_debug_packet(GST_CAT_DEFAULT, GST_ELEMENT(self), "received", packet->data,
                             packet->size);
    if (packet->rtcp && endpoint->active.rtcp == LIVETCP_RTCP_OFF) {
        count_rtcp_dropped(self);
        return;
    }
    /* A packet that waited in the reorder buffer arrives now: with its earlier time it would be
     * late by a latency that was not announced. */
    gint64 arrival_us = gst_livetcp_order_in_force(&self->order) == LIVETCP_ORDER_SEQUENCE
                            ? g_get_monotonic_time()
                            : packet->arrival_us;
    GstBuffer *buffer = gst_buffer_new_memdup(packet->data, packet->size);
    if (packet->discontinuity) {
        GST_BUFFER_FLAG_SET(buffer, GST_BUFFER_FLAG_DISCONT);
    }
    report_losses(self, gst_livetcp_queue_push(&self->queue, buffer, packet->rtcp, arrival_us),
                  FALSE);
}

static void peer_opened(GstLiveTcpEndpoint *endpoint, GstLiveTcpPeer *peer,
                        livetcp_session *session)
{
    (void)peer;
    (void)session;
    choose_order(src_of(endpoint));
    gst_livetcp_queue_mark_discont(&src_of(endpoint)->queue);
}

static gboolean any_peer(GstLiveTcpEndpoint *endpoint)
{
    g_mutex_lock(&endpoint->lock);
    gboolean any = endpoint->peers->len > 0;
    g_mutex_unlock(&endpoint->lock);
    return any;
}

/* A session without connections that was evicted by a new one. */
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
    guint packets;
    gsize bytes;
    guint64 dropped;

    gst_livetcp_queue_stats(&self->queue, &packets, &bytes, &dropped);
    report_losses(self, dropped, TRUE);
    if (calling && orderly && keep) {
        gst_livetcp_endpoint_schedule_call(endpoint);
        gst_livetcp_queue_kick(&self->queue); /* the streaming thread reconnects */
    } else if (!calling && (keep || any_peer(endpoint) || gave_way(error) || peer->stranger)) {
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
                      G_TYPE_UINT64, rtcp_dropped, "order", G_TYPE_STRING,
                      gst_livetcp_order_name(gst_livetcp_order_in_force(&self->order)), NULL);
    gst_livetcp_src_playout_add_stats(&self->playout, structure);
}

static const GstLiveTcpHooks hooks = {
    .packet = packet_received,
    .opened = peer_opened,
    .ended = peer_ended,
    .stats = add_stats,
};

/* ---- packets, on the streaming thread ---- */

static void post_timeout(GstLiveTcpSrc *self)
{
    gst_element_post_message(
        GST_ELEMENT(self),
        gst_message_new_element(
            GST_OBJECT(self),
            gst_structure_new("livetcp-timeout", "timeout", G_TYPE_UINT, self->timeout_ms, NULL)));
}

/* When continued silence will be reported; -1 = never. */
static gint64 silence_ends(const GstLiveTcpSrc *self, gint64 now)
{
    return self->timeout_ms == 0 ? -1 : now + self->timeout_ms * G_TIME_SPAN_MILLISECOND;
}

/* The earlier of two times; -1 = never. */
static gint64 earlier(gint64 one, gint64 other)
{
    return one < 0 || other < 0 ? MAX(one, other) : MIN(one, other);
}

static void stamp(GstBuffer *buffer, GstClockTime time)
{
    GST_BUFFER_PTS(buffer) = time;
    GST_BUFFER_DTS(buffer) = time;
}

/* Pushes RTCP on its own pad, if that is linked. */
static void hand_on_rtcp(GstLiveTcpSrc *self, GstBuffer *packet, gint64 arrival_us)
{
    GST_OBJECT_LOCK(self);
    GstCaps *caps = self->caps != NULL ? gst_caps_ref(self->caps) : NULL;
    GST_OBJECT_UNLOCK(self);
    stamp(packet, gst_livetcp_clock_running_time(GST_ELEMENT(self), arrival_us));
    if (!gst_livetcp_rtcp_pad_push(&self->rtcp_pad, packet, caps)) {
        count_rtcp_dropped(self);
    }
    gst_clear_caps(&caps);
}

/* Waits for the next packet; reconnects and reports silence when due. GST_FLOW_CUSTOM_SUCCESS at
 * `until_us` (-1: no time-out). */
static GstFlowReturn next_packet(GstLiveTcpSrc *self, gint64 until_us, GstBuffer **buffer,
                                 gint64 *arrival_us)
{
    gint64 silent = silence_ends(self, g_get_monotonic_time());
    for (;;) {
        gboolean rtcp = FALSE;
        gint64 call = gst_livetcp_endpoint_next_call(&self->endpoint);
        gint64 until = earlier(earlier(call, silent), until_us);
        GstFlowReturn result =
            gst_livetcp_queue_pop(&self->queue, until, buffer, &rtcp, arrival_us);
        gint64 now = g_get_monotonic_time();
        if (result == GST_FLOW_OK && rtcp && !self->rtcp_mux) {
            hand_on_rtcp(self, *buffer, *arrival_us);
            silent = silence_ends(self, now);
            continue;
        }
        if (result != GST_FLOW_CUSTOM_SUCCESS) {
            return result;
        }
        if (call >= 0 && now >= call) {
            gst_livetcp_endpoint_call_again(&self->endpoint);
        }
        if (silent >= 0 && now >= silent) {
            post_timeout(self);
            silent = silence_ends(self, now);
        }
        if (until_us >= 0 && now >= until_us) {
            return result;
        }
    }
}

/* ---- playout ---- */

/* Waits for a packet, or until a missing one is due. */
static GstFlowReturn receive(GstLiveTcpSrc *self, gint64 until_us)
{
    gint64 arrival_us = 0;
    GstBuffer *buffer = NULL;

    if (self->ended != GST_FLOW_OK) {
        return self->ended;
    }
    GstFlowReturn result = next_packet(self, until_us, &buffer, &arrival_us);
    if (result == GST_FLOW_OK) {
        return gst_livetcp_src_playout_put(&self->playout, buffer, arrival_us);
    }
    if (result == GST_FLOW_EOS) {
        self->ended = result;
        gst_livetcp_src_playout_drain(&self->playout);
        return GST_FLOW_OK;
    }
    return result == GST_FLOW_CUSTOM_SUCCESS ? GST_FLOW_OK : result;
}

/* Passes packets that have arrived meanwhile to the playout before its time advances: a sink may
 * have blocked this thread until long after their arrival, and then none of them counts as
 * missing. */
static GstFlowReturn receive_waiting(GstLiveTcpSrc *self)
{
    GstFlowReturn result = GST_FLOW_OK;
    guint packets;
    gsize bytes;
    guint64 dropped;

    gboolean ready = gst_livetcp_src_playout_is_ready(&self->playout);
    gst_livetcp_queue_stats(&self->queue, &packets, &bytes, &dropped);
    for (; !ready && packets > 0 && result == GST_FLOW_OK; packets--) {
        result = receive(self, 0);
    }
    return result;
}

/* The next packet in order, with its time to play. */
static GstFlowReturn play(GstLiveTcpSrc *self, GstBuffer **buffer)
{
    for (;;) {
        gint64 until_us;
        GstFlowReturn waiting = receive_waiting(self);
        if (waiting != GST_FLOW_OK) {
            return waiting;
        }
        GstMiniObject *object = gst_livetcp_src_playout_next(&self->playout, &until_us);
        if (GST_IS_BUFFER(object)) {
            *buffer = GST_BUFFER(object);
            return GST_FLOW_OK;
        }
        if (object != NULL) {
            gst_pad_push_event(GST_BASE_SRC_PAD(self), GST_EVENT(object));
            continue;
        }
        GstFlowReturn result = receive(self, until_us);
        if (result != GST_FLOW_OK) {
            return result;
        }
        gst_livetcp_src_playout_notify_path(&self->playout, GST_BASE_SRC_PAD(self));
        gst_livetcp_src_playout_report(&self->playout);
    }
}

/* ---- source ---- */

static GstFlowReturn create(GstPushSrc *push, GstBuffer **buffer)
{
    GstLiveTcpSrc *self = GST_LIVETCP_SRC(push);
    gint64 arrival_us = 0;

    gst_livetcp_src_playout_notify_path(&self->playout, GST_BASE_SRC_PAD(self));
    if (gst_livetcp_src_playout_plays(&self->playout)) {
        return play(self, buffer);
    }
    GstFlowReturn result = next_packet(self, -1, buffer, &arrival_us);
    if (result == GST_FLOW_OK) {
        GstClockTime time = gst_livetcp_clock_running_time(GST_ELEMENT(self), arrival_us);
        if (GST_CLOCK_TIME_IS_VALID(time)) {
            /* packets are in order, and readings of two clocks agree to a few microseconds */
            time = self->last_time = MAX(time, self->last_time);
        }
        stamp(*buffer, time);
    }
    return result;
}

static GstCaps *get_caps(GstBaseSrc *base, GstCaps *filter)
{
    GstLiveTcpSrc *self = GST_LIVETCP_SRC(base);

    GST_OBJECT_LOCK(self);
    GstCaps *caps = self->caps != NULL ? gst_caps_ref(self->caps)
                                       : gst_caps_new_empty_simple("application/x-rtp");
    GST_OBJECT_UNLOCK(self);
    if (filter != NULL) {
        GstCaps *narrowed = gst_caps_intersect_full(filter, caps, GST_CAPS_INTERSECT_FIRST);
        gst_caps_unref(caps);
        caps = narrowed;
    }
    return caps;
}

/* Without caps of our own, a depayloader's caps have a range of clock rates; all video formats use
 * 90 kHz. */
static GstCaps *fixate(GstBaseSrc *base, GstCaps *caps)
{
    caps = gst_caps_make_writable(gst_caps_truncate(caps));
    GstStructure *structure = gst_caps_get_structure(caps, 0);
    if (gst_structure_has_field(structure, "clock-rate")) {
        gst_structure_fixate_field_nearest_int(structure, "clock-rate", 90000);
    }
    return GST_BASE_SRC_CLASS(gst_livetcp_src_parent_class)->fixate(base, caps);
}

static gboolean start(GstBaseSrc *base)
{
    GstLiveTcpSrc *self = GST_LIVETCP_SRC(base);
    const livetcp_config *config = &self->endpoint.config;

    GST_OBJECT_LOCK(self);
    self->rtcp_dropped = 0;
    GST_OBJECT_UNLOCK(self);
    self->last_time = 0;
    self->ended = GST_FLOW_OK;
    if (!gst_livetcp_src_playout_start(&self->playout)) {
        return FALSE;
    }
    gst_livetcp_losses_reset(&self->losses);
    gst_livetcp_queue_reset(&self->queue, (guint)config->queue_packets, config->queue_bytes);
    choose_order(self);
    return gst_livetcp_endpoint_open(&self->endpoint);
}

static gboolean stop(GstBaseSrc *base)
{
    GstLiveTcpSrc *self = GST_LIVETCP_SRC(base);
    gst_livetcp_endpoint_close(&self->endpoint);
    gst_livetcp_queue_reset(&self->queue, 1, 1);
    gst_livetcp_rtcp_pad_remove(&self->rtcp_pad);
    gst_livetcp_src_playout_stop(&self->playout);
    return TRUE;
}

static gboolean unlock(GstBaseSrc *base)
{
    gst_livetcp_queue_set_flushing(&GST_LIVETCP_SRC(base)->queue, TRUE);
    return TRUE;
}

static gboolean unlock_stop(GstBaseSrc *base)
{
    gst_livetcp_queue_set_flushing(&GST_LIVETCP_SRC(base)->queue, FALSE);
    return TRUE;
}

static gboolean is_seekable(GstBaseSrc *base)
{
    (void)base;
    return FALSE;
}

static gboolean set_caps(GstBaseSrc *base, GstCaps *caps)
{
    gst_livetcp_src_playout_set_caps(&GST_LIVETCP_SRC(base)->playout, caps);
    return TRUE;
}

static gboolean event(GstBaseSrc *base, GstEvent *event_)
{
    GstLiveTcpSrc *self = GST_LIVETCP_SRC(base);

    if (GST_EVENT_TYPE(event_) == GST_EVENT_LATENCY) {
        gst_livetcp_src_playout_configured(&self->playout);
    } else if (GST_EVENT_TYPE(event_) == GST_EVENT_RECONFIGURE) {
        choose_order(self); /* something was linked */
    }
    return GST_BASE_SRC_CLASS(gst_livetcp_src_parent_class)->event(base, event_);
}

/* When GstBaseSrc ends the stream, RTCP ends as well. */
static GstPadProbeReturn on_end(GstPad *pad, GstPadProbeInfo *info, gpointer user)
{
    GstLiveTcpSrc *self = user;

    (void)pad;
    if (GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) == GST_EVENT_EOS) {
        gst_livetcp_rtcp_pad_end(&self->rtcp_pad);
    }
    return GST_PAD_PROBE_OK;
}

static gboolean query(GstBaseSrc *base, GstQuery *query_)
{
    GstLiveTcpSrc *self = GST_LIVETCP_SRC(base);

    if (GST_QUERY_TYPE(query_) == GST_QUERY_LATENCY) {
        gst_query_set_latency(query_, TRUE, 0, GST_CLOCK_TIME_NONE);
        gst_livetcp_src_playout_answer(&self->playout, query_);
        return TRUE;
    }
    return GST_BASE_SRC_CLASS(gst_livetcp_src_parent_class)->query(base, query_);
}

/* ---- properties ---- */

/* By default a stream has one sender. */
static void get_defaults(livetcp_config *defaults)
{
    livetcp_config_init(defaults);
    defaults->max_sessions = 1;
    defaults->peer_sends = true;
}

static void set_caps_property(GstLiveTcpSrc *self, const GstCaps *caps)
{
    GST_OBJECT_LOCK(self);
    gst_clear_caps(&self->caps);
    self->caps = caps != NULL ? gst_caps_copy(caps) : NULL;
    GST_OBJECT_UNLOCK(self);
    gst_livetcp_endpoint_set_caps(&self->endpoint, caps);
    gst_pad_mark_reconfigure(GST_BASE_SRC_PAD(self));
}

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
    GstLiveTcpSrc *self = GST_LIVETCP_SRC(object);

    switch (id) {
    case PROP_CAPS:
        set_caps_property(self, gst_value_get_caps(value));
        break;
    case PROP_KEEP_LISTENING:
        g_atomic_int_set(&self->keep_listening, g_value_get_boolean(value));
        break;
    case PROP_TIMEOUT:
        self->timeout_ms = g_value_get_uint(value);
        break;
    case PROP_ORDER:
        gst_livetcp_order_set(&self->order, g_value_get_enum(value));
        break;
    case PROP_RTCP_MUX:
        self->rtcp_mux = g_value_get_boolean(value);
        break;
    default:
        if (!gst_livetcp_src_playout_set(&self->playout, id - PROP_PLAYOUT, value, pspec) &&
            !gst_livetcp_properties_set(&self->endpoint, id, value, pspec)) {
            G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
        }
    }
}

static void get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
    GstLiveTcpSrc *self = GST_LIVETCP_SRC(object);

    switch (id) {
    case PROP_CAPS:
        GST_OBJECT_LOCK(self);
        gst_value_set_caps(value, self->caps);
        GST_OBJECT_UNLOCK(self);
        break;
    case PROP_KEEP_LISTENING:
        g_value_set_boolean(value, g_atomic_int_get(&self->keep_listening));
        break;
    case PROP_TIMEOUT:
        g_value_set_uint(value, self->timeout_ms);
        break;
    case PROP_ORDER:
        g_value_set_enum(value, gst_livetcp_order_get(&self->order));
        break;
    case PROP_RTCP_MUX:
        g_value_set_boolean(value, self->rtcp_mux);
        break;
    default:
        if (!gst_livetcp_src_playout_get(&self->playout, id - PROP_PLAYOUT, value) &&
            !gst_livetcp_properties_get(&self->endpoint, id, value, pspec)) {
            G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
        }
    }
}

static void install_properties(GObjectClass *klass)
{
    const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS;
    livetcp_config defaults;

    get_defaults(&defaults);
    klass->set_property = set_property;
    klass->get_property = get_property;
    gst_livetcp_properties_install(klass, &defaults, TRUE);
    g_object_class_install_property(
        klass, PROP_CAPS,
        g_param_spec_boxed("caps", "Caps",
                           "Format of the stream, from the sender's payloader or an SDP; if unset, "
                           "application/x-rtp and the fields that downstream requests",
                           GST_TYPE_CAPS, flags));
    g_object_class_install_property(
        klass, PROP_KEEP_LISTENING,
        g_param_spec_boolean("keep-listening", "Keep listening",
                             "When a session has ended, wait for the next one (listener) or call "
                             "again (caller) instead of ending the stream",
                             FALSE, flags));
    g_object_class_install_property(
        klass, PROP_TIMEOUT,
        g_param_spec_uint("timeout", "Timeout",
                          "Post the element message \"livetcp-timeout\" whenever nothing was "
                          "received for this time; 0 = never (ms)",
                          0, 86400000, 0, flags | GST_PARAM_MUTABLE_READY));
    g_object_class_install_property(
        klass, PROP_ORDER,
        g_param_spec_enum("order", "Order",
                          "Order in which packets are output; \"order\" in \"stats\" shows the "
                          "choice of auto",
                          gst_livetcp_order_get_type(), GST_LIVETCP_ORDER_AUTO,
                          flags | GST_PARAM_MUTABLE_READY));
    g_object_class_install_property(
        klass, PROP_RTCP_MUX,
        g_param_spec_boolean("rtcp-mux", "RTCP multiplexing",
                             "Output RTCP on the RTP pad (RFC 5761) instead of rtcp_src", FALSE,
                             flags | GST_PARAM_MUTABLE_READY));
    gst_livetcp_player_settings_install(klass, PROP_PLAYOUT, "playout", LIVETCP_PLAYOUT_NONE);
}

/* ---- object ---- */

static void finalize(GObject *object)
{
    GstLiveTcpSrc *self = GST_LIVETCP_SRC(object);
    gst_livetcp_endpoint_clear(&self->endpoint);
    gst_livetcp_queue_clear(&self->queue);
    gst_livetcp_src_playout_clear(&self->playout);
    gst_clear_caps(&self->caps);
    G_OBJECT_CLASS(gst_livetcp_src_parent_class)->finalize(object);
}

GST_LIVETCP_ACTIONS(actions, SRC_ENDPOINT)

static void gst_livetcp_src_class_init(GstLiveTcpSrcClass *klass)
{
    GObjectClass *object = G_OBJECT_CLASS(klass);
    GstElementClass *element = GST_ELEMENT_CLASS(klass);
    GstBaseSrcClass *base = GST_BASE_SRC_CLASS(klass);

    object->finalize = finalize;
    base->get_caps = get_caps;
    base->fixate = fixate;
    base->set_caps = set_caps;
    base->start = start;
    base->stop = stop;
    base->unlock = unlock;
    base->unlock_stop = unlock_stop;
    base->is_seekable = is_seekable;
    base->event = event;
    base->query = query;
    GST_PUSH_SRC_CLASS(klass)->create = create;

    install_properties(object);
    gst_livetcp_signals_install(element, &actions);
    gst_element_class_add_static_pad_template(element, &src_template);
    gst_livetcp_rtcp_pad_install(element);
    gst_element_class_set_static_metadata(
        element, "LiveTCP source", "Source/Network",
        "Receives RTP packets over several TCP connections, on time", "LiveTCP");
}

static void gst_livetcp_src_init(GstLiveTcpSrc *self)
{
    livetcp_config defaults;
    get_defaults(&defaults);
    gst_livetcp_endpoint_init(&self->endpoint, GST_ELEMENT(self), &hooks, &defaults, uri_keys);
    gst_livetcp_queue_init(&self->queue);
    gst_livetcp_src_playout_init(&self->playout, &self->endpoint);
    gst_livetcp_order_init(&self->order);
    gst_livetcp_rtcp_pad_init(&self->rtcp_pad, GST_ELEMENT(self));
    gst_livetcp_losses_init(&self->losses, GST_ELEMENT(self), GST_RESOURCE_ERROR_READ,
                            "The pipeline takes packets more slowly than they come: put a queue "
                            "before what is slow, or raise queue-packets and queue-bytes.");
    gst_pad_add_probe(GST_BASE_SRC_PAD(self), GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, on_end, self,
                      NULL);
    gst_base_src_set_live(GST_BASE_SRC(self), TRUE);
    gst_base_src_set_format(GST_BASE_SRC(self), GST_FORMAT_TIME);
}
