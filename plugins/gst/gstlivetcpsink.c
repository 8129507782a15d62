/* SPDX-License-Identifier: MIT */
/* livetcpsink: hands every packet to the library from the streaming thread. */

/**
 * SECTION:element-livetcpsink
 * @title: livetcpsink
 * @see_also: livetcpsrc, srtsink, rtpstreampay, tcpclientsink
 *
 * Sends RTP and RTCP packets over TCP so that they arrive on time. A session of several TCP
 * connections carries the stream; every packet takes the connection on which it will arrive
 * soonest, so that a lost segment holds up the few packets behind it on one connection and not the
 * whole stream. Within #livetcpsink:redundancy-budget, packets are sent on a second connection, at
 * once or when they are late, or parity is, as #livetcpsink:policy says; the default, "auto",
 * chooses among these at every packet. Packets are framed as RFC 4571 says.
 *
 * ## Example pipelines
 *
 * |[
 * gst-launch-1.0 livetcpsrc uri="livetcp://:5004?mode=listener" ! rtpjitterbuffer ! rtph264depay !
 * avdec_h264 ! autovideosink gst-launch-1.0 videotestsrc is-live=true ! x264enc tune=zerolatency !
 * rtph264pay ! livetcpsink uri=livetcp://127.0.0.1:5004
 * ]| Video from one terminal to another. Start either first: a caller keeps calling.
 * |[
 * gst-launch-1.0 audiotestsrc is-live=true ! opusenc ! rtpopuspay ! livetcpsink
 * uri="livetcp://:5004?mode=listener"
 * ]| A sink that waits: every receiver that calls is sent the stream.
 * |[
 * gst-launch-1.0 filesrc location=film.mp4 ! qtdemux ! h264parse ! rtph264pay config-interval=-1 !
 * livetcpsink uri=livetcp://127.0.0.1:5004 sync=true
 * ]| A file, in real time: mind sync=true.
 * |[
 * gst-launch-1.0 tcpserversrc port=5004 !
 * application/x-rtp-stream,media=audio,clock-rate=48000,encoding-name=OPUS ! rtpstreamdepay !
 * rtpopusdepay ! opusdec ! autoaudiosink gst-launch-1.0 audiotestsrc is-live=true ! opusenc !
 * rtpopuspay ! livetcpsink uri="livetcp://127.0.0.1:5004?wire=plain"
 * ]| Any RFC 4571 receiver, here another GStreamer element: one connection and no control messages.
 *
 * ## Time
 *
 * By default packets are sent when they come (sync=false), since a live pipeline makes them in
 * time and waiting for the clock would add the latency of the whole pipeline. Whoever reads from a
 * file sets sync=true, or the send queue overflows. The streaming thread sends by itself and never
 * waits for the network: what cannot be sent at once is queued up to #livetcpsink:queue-packets and
 * #livetcpsink:queue-bytes, then the least important packets are dropped, of these the oldest
 * first, and counted in #livetcpsink:stats.
 * The end of the stream is passed on once the queue is empty, or after
 * #livetcpsink:drain-timeout.
 *
 * ## Peers
 *
 * A caller has one peer; while it cannot be reached the element posts a WARNING, keeps trying and
 * queues. With reconnect=false it posts an ERROR and ends. A listener sends to every session that
 * was opened to it, up to #livetcpsink:max-sessions, and throws packets away while there is none;
 * a slow peer loses packets of its own and stalls nobody. With wait-for-connection=true the element
 * blocks until the first peer is there.
 *
 * Whenever a session opens, or a peer lost packets and has caught up, the encoder upstream is asked
 * for a key frame (GstForceKeyUnit), and a new peer is sent the "streamheader" of the caps first.
 * So it is when packets were dropped that later ones refer to; the event then has the stream's
 * "ssrc".
 *
 * ## Importance
 *
 * When not everything can be sent in time, what matters least goes first: buffers flagged
 * DROPPABLE, then what others are not predicted from, then other pictures, then audio
 * (media=audio), and key frames last. For H.264, H.265, VP8, VP9 and AV1 the payload tells, as
 * payloaders set DELTA_UNIT on most packets of key frames, or never; for other video, and SRTP, the
 * flags do.
 *
 * ## Bit rate
 *
 * #livetcpsink:estimated-bitrate is what the connections carry without a queue, all streams
 * together, and notifies when it changes by 5 % or more, at most ten times a second. An encoder
 * that follows it is never late for sending too much:
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
 * #livetcpsink:max-bitrate to the best that the encoder is for, and #livetcpsink:min-bitrate to the
 * least that it still makes sense of: the estimate begins with the former, or else with what the
 * source sends at first, and stays between them. It is never more than twice what has been sent of
 * late, unless it was before.
 *
 * ## Redundant audio
 *
 * With #livetcpsink:redundancy every audio packet repeats the one to three before it (RFC 2198),
 * and goes on another connection than these. A receiver plays the copy where the original is late:
 *
 * |[
 * gst-launch-1.0 audiotestsrc is-live=true ! opusenc ! rtpopuspay pt=96 ! livetcpsink
 * uri=livetcp://127.0.0.1:5004 redundancy=1 policy=shortest-queue
 * gst-launch-1.0 livetcpsrc uri="livetcp://:5004?mode=listener" playout=adaptive min-latency=30
 * caps="application/x-rtp,media=audio,clock-rate=48000,encoding-name=OPUS,payload=96" !
 * rtpopusdepay ! opusdec plc=true ! autoaudiosink
 * ]| A copy comes a packet later than the original: min-latency says so.
 *
 * Packets that repeat others have the payload type #livetcpsink:redundancy-pt. Where an rtpredenc
 * upstream makes them, give redundancy its distance and redundancy-pt its pt: packets of that type
 * stay as they are, and go on other connections than what they repeat.
 *
 * ## Messages
 *
 * Element messages "livetcp-session" and "livetcp-connection" tell of every change, with "session",
 * "connection", "state", "remote", and after a failure "reason", "code", "errno" and "message". The
 * details of WARNING and ERROR messages have the latter, too.
 */
#include "gstlivetcpsink.h"

#include "gstlivetcpclockrates.h"
#include "gstlivetcpsignals.h"
#include "gstlivetcpuri.h"

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

static const gchar *const uri_keys[] = {"wait-for-connection",   "drain-timeout",
                                        "stats-update-interval", "redundancy",
                                        "redundancy-pt",         NULL};

/* ---- what happens on the streaming thread ---- */

static gboolean wait_for_peer(GstLiveTcpSink *self)
{
    return !self->wait_for_connection || gst_livetcp_endpoint_wait_open(&self->endpoint);
}

/* Waiting was interrupted: because it should be, or because there is no hope. */
static GstFlowReturn interrupted(GstLiveTcpSink *self)
{
    g_mutex_lock(&self->endpoint.lock);
    gboolean over = self->endpoint.over;
    g_mutex_unlock(&self->endpoint.lock);
    return over ? GST_FLOW_ERROR : GST_FLOW_FLUSHING;
}

static GstFlowReturn render(GstBaseSink *base, GstBuffer *buffer)
{
    GstLiveTcpSink *self = GST_LIVETCP_SINK(base);
    if (!wait_for_peer(self)) {
        return interrupted(self);
    }
    gst_livetcp_key_units_ask(&self->key_units, GST_BASE_SINK_PAD(self));
    return gst_livetcp_sink_send(self, buffer);
}

static GstFlowReturn render_list(GstBaseSink *base, GstBufferList *list)
{
    GstLiveTcpSink *self = GST_LIVETCP_SINK(base);
    guint length = gst_buffer_list_length(list);
    GstFlowReturn result = GST_FLOW_OK;

    if (!wait_for_peer(self)) {
        return interrupted(self);
    }
    gst_livetcp_key_units_ask(&self->key_units, GST_BASE_SINK_PAD(self));
    for (guint i = 0; i < length && result == GST_FLOW_OK; i++) {
        result = gst_livetcp_sink_send(self, gst_buffer_list_get(list, i));
    }
    return result;
}

static gboolean set_caps(GstBaseSink *base, GstCaps *caps)
{
    GstLiveTcpSink *self = GST_LIVETCP_SINK(base);
    const GstStructure *structure = gst_caps_get_structure(caps, 0);
    gst_livetcp_importance_set_caps(&self->importance, caps);
    gst_livetcp_clock_rates_set_caps(&self->endpoint, caps);
    if (!gst_livetcp_redundancy_set_caps(&self->redundancy, caps)) {
        GST_ELEMENT_WARNING(self, STREAM, FORMAT,
                            ("This stream is sent without redundancy: RFC 2198 is for audio, and "
                             "not for SRTP."),
                            ("caps %" GST_PTR_FORMAT, (gpointer)caps));
    }
    gst_livetcp_sink_set_stream_header(self, gst_structure_get_value(structure, "streamheader"));
    return TRUE;
}

static gboolean event(GstBaseSink *base, GstEvent *event_)
{
    GstLiveTcpSink *self = GST_LIVETCP_SINK(base);
    if (GST_EVENT_TYPE(event_) == GST_EVENT_EOS) {
        gst_livetcp_endpoint_wait_drained(&self->endpoint, self->drain_timeout_ms);
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

/* ---- object and element ---- */

static gboolean open_session(GstLiveTcpSink *self)
{
    livetcp_error error;

    self->warned_us = 0;
    self->without_peer = 0;
    gst_livetcp_key_units_reset(&self->key_units);
    self->bitrate = 0;
    if (!gst_livetcp_redundancy_start(&self->redundancy, self->endpoint.config.max_packet,
                                      &error)) {
        GST_ELEMENT_ERROR(self, LIBRARY, SETTINGS, ("redundancy: %s", error.message), (NULL));
        return FALSE;
    }
    return gst_livetcp_endpoint_open(&self->endpoint);
}

/* GstBaseSink starts on the way to READY, when properties may still change: too early for us. */
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
    g_clear_pointer(&self->stream_header, g_ptr_array_unref);
    g_free(self->scratch);
    gst_livetcp_redundancy_clear(&self->redundancy);
    gst_livetcp_key_units_clear(&self->key_units);
    G_OBJECT_CLASS(gst_livetcp_sink_parent_class)->finalize(object);
}

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

    gst_livetcp_sink_install_properties(object);
    gst_livetcp_signals_install(element);
    gst_element_class_add_static_pad_template(element, &sink_template);
    gst_element_class_set_static_metadata(
        element, "LiveTCP sink", "Sink/Network",
        "Sends RTP packets over several TCP connections so that they arrive on time", "LiveTCP");
}

static void gst_livetcp_sink_init(GstLiveTcpSink *self)
{
    livetcp_config defaults;
    livetcp_config_init(&defaults);
    gst_livetcp_endpoint_init(&self->endpoint, GST_ELEMENT(self), &gst_livetcp_sink_hooks,
                              &defaults, uri_keys);
    self->drain_timeout_ms = GST_LIVETCP_SINK_DRAIN_TIMEOUT_MS;
    gst_livetcp_key_units_init(&self->key_units);
    gst_livetcp_redundancy_init(&self->redundancy);
    self->scratch = g_malloc(GST_LIVETCP_SINK_SCRATCH_SIZE);
    gst_base_sink_set_sync(GST_BASE_SINK(self), FALSE);
    gst_base_sink_set_last_sample_enabled(GST_BASE_SINK(self), FALSE);
}
