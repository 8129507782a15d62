/* SPDX-License-Identifier: MIT */
/* livetcpplayout: the element, its properties and states. */

/* clang-format off: it would join the lines of the pipelines. */
/**
 * SECTION:element-livetcpplayout
 * @title: livetcpplayout
 * @see_also: livetcpsrc, rtpjitterbuffer, rtpstreamdepay
 *
 * Sets the play times of received RTP packets, for streams that came over TCP: in place of an
 * rtpjitterbuffer, which takes a queue that stands on the path for the sender's clock, and so lets
 * the delay creep up. The playout delay is counted from the arrival a packet would have had over
 * the minimum transit time; a standing queue is reported (stats), not absorbed.
 *
 * ## Example pipelines
 *
 * |[
 * gst-launch-1.0 livetcpsrc uri="livetcp://:5004?mode=listener" \
 *     caps="application/x-rtp,media=audio,clock-rate=48000,encoding-name=OPUS" ! \
 *     livetcpplayout ! rtpopusdepay ! opusdec plc=true ! \
 *     audioconvert ! audioresample ! autoaudiosink
 * ]| Plays voice, and conceals losses.
 * |[
 * gst-launch-1.0 tcpserversrc host=0.0.0.0 port=5004 ! \
 *     application/x-rtp-stream,media=video,clock-rate=90000,encoding-name=H264 ! \
 *     rtpstreamdepay ! livetcpplayout playout-mode=fixed latency=300 ! \
 *     rtph264depay ! avdec_h264 ! videoconvert ! autovideosink
 * ]| Plays video from any RFC 4571 sender, 300 ms after its earliest arrival.
 *
 * ## Time
 *
 * A packet's arrival is the running time of its DTS, as with rtpjitterbuffer, or when it has none
 * (behind tcpserversrc) the time at which it came here. Packets leave in order and at once; only
 * missing packets are waited for, until they are due. Their timestamps are such that a sink, which
 * adds the pipeline's latency, renders them at their time to play.
 *
 * The element answers the LATENCY query with the playout delay. When that changes it posts a
 * LATENCY message; timestamps follow when the pipeline has been configured anew, so that play times
 * hold also where the application ignores the message. To keep sinks from being disturbed, the
 * announced latency rises in steps of 10 ms, and falls only when less was enough for ten seconds.
 *
 * ## Missing packets
 *
 * Duplicates are dropped, and audio that came too late; late video is handed on, since other
 * pictures refer to it. The buffer after a gap has DISCONT. For every missing packet a
 * GstRTPPacketLost event (#livetcpplayout:do-lost) goes downstream, as rtpjitterbuffer sends it:
 * "seqnum", "timestamp", "duration", "retry". Depayloaders make a GAP of it, decoders conceal.
 *
 * With playout-mode=none nothing is held or ordered: packets pass as they come, but not twice, and
 * are counted. RTCP passes in any mode.
 *
 * ## The path
 *
 * The modes static and policy-aware need the round-trip time and the sender's repair of
 * losses. livetcpsrc reports both with the sticky event "livetcp-path"; with another source give
 * #livetcpplayout:rtt. Without either, the delay is #livetcpplayout:latency.
 *
 * One element plays one stream: put rtpssrcdemux or rtpptdemux before it for several. When another
 * SSRC takes over, the new stream starts after a DISCONT. Caps need clock-rate, but for the static
 * payload types of RFC 3551; media=video chooses the rules for video.
 */
/* clang-format on */
#include "gstlivetcpplayout.h"

#include "gstlivetcpdebug.h"

#define GST_CAT_DEFAULT gst_livetcp_playout_debug

enum {
    PROP_SETTINGS = 1,
    PROP_STATS = PROP_SETTINGS + GST_LIVETCP_PLAYER_PROPERTIES,
    PROP_STATS_UPDATE_INTERVAL
};

G_DEFINE_TYPE(GstLiveTcpPlayout, gst_livetcp_playout, GST_TYPE_ELEMENT)
GST_ELEMENT_REGISTER_DEFINE(livetcpplayout, "livetcpplayout", GST_RANK_NONE,
                            GST_TYPE_LIVETCP_PLAYOUT)

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE(
    "sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS("application/x-rtp"));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE(
    "src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS("application/x-rtp"));

/* With the lock held: wakes the streaming thread after a change. */
static void wake(GstLiveTcpPlayout *self)
{
    g_cond_signal(&self->cond);
    if (self->waiting != NULL) {
        gst_clock_id_unschedule(self->waiting);
    }
}

/* Running time in microseconds; -1 without a clock. */
static gint64 running_time_us(GstLiveTcpPlayout *self)
{
    GstClockTime time = gst_element_get_current_running_time(GST_ELEMENT(self));
    return GST_CLOCK_TIME_IS_VALID(time) ? (gint64)(time / GST_USECOND) : -1;
}

/* ---- the source pad's thread: waits until an item is due, and pushes it ---- */

/* With the lock held, which is released meanwhile. */
static void wait_for_clock(GstLiveTcpPlayout *self, gint64 until_us)
{
    GstClock *clock = gst_element_get_clock(GST_ELEMENT(self));
    if (clock == NULL) {
        g_cond_wait(&self->cond, &self->lock);
        return;
    }
    GstClockTime base = gst_element_get_base_time(GST_ELEMENT(self));
    GstClockTime until = base + (GstClockTime)MAX(until_us, 0) * GST_USECOND;
    GstClockID id = gst_clock_new_single_shot_id(clock, until);
    self->waiting = id;
    g_mutex_unlock(&self->lock);
    gst_clock_id_wait(id, NULL);
    g_mutex_lock(&self->lock);
    self->waiting = NULL;
    gst_clock_id_unref(id);
    gst_object_unref(clock);
}

/* The next item to push; NULL when flushing. */
static GstMiniObject *wait_next(GstLiveTcpPlayout *self)
{
    GstMiniObject *object = NULL;

    g_mutex_lock(&self->lock);
    while (!self->flushing && object == NULL) {
        gint64 deadline = LIVETCP_NEVER;
        if (self->playing) {
            object =
                gst_livetcp_player_next(&self->player, running_time_us(self) - self->upstream_us);
            deadline = gst_livetcp_player_deadline(&self->player);
        }
        if (object != NULL) {
            break;
        }
        if (deadline == LIVETCP_NEVER) {
            g_cond_wait(&self->cond, &self->lock);
        } else {
            wait_for_clock(self, deadline + self->upstream_us);
        }
    }
    g_mutex_unlock(&self->lock);
    return object;
}

static GstFlowReturn push(GstLiveTcpPlayout *self, GstMiniObject *object)
{
    if (GST_IS_BUFFER(object)) {
        return gst_pad_push(self->src, GST_BUFFER(object));
    }
    gboolean eos = GST_EVENT_TYPE(object) == GST_EVENT_EOS;
    gst_pad_push_event(self->src, GST_EVENT(object));
    return eos ? GST_FLOW_EOS : GST_FLOW_OK;
}

/* Upstream gets the flow return with its next buffer; after EOS there is none. */
static void stop_pushing(GstLiveTcpPlayout *self, GstFlowReturn flow)
{
    g_mutex_lock(&self->lock);
    gboolean eos = self->eos;
    if (!self->flushing) {
        self->flow = flow;
    }
    gst_pad_pause_task(self->src);
    g_mutex_unlock(&self->lock);
    if (eos && (flow < GST_FLOW_EOS || flow == GST_FLOW_NOT_LINKED)) {
        GST_ELEMENT_FLOW_ERROR(self, flow);
    }
}

static void loop(gpointer pad)
{
    GstLiveTcpPlayout *self = GST_LIVETCP_PLAYOUT(GST_PAD_PARENT(GST_PAD(pad)));
    GstMiniObject *object = wait_next(self);
    GstFlowReturn flow = object != NULL ? push(self, object) : GST_FLOW_FLUSHING;

    if (flow != GST_FLOW_OK) {
        stop_pushing(self, flow);
    }
}

/* ---- the sink pad ---- */

/* With the lock held. */
static gint64 arrival_of(GstLiveTcpPlayout *self, GstBuffer *buffer)
{
    GstClockTime time = GST_CLOCK_TIME_NONE;

    if (self->segment.format == GST_FORMAT_TIME) {
        time = gst_segment_to_running_time(&self->segment, GST_FORMAT_TIME, GST_BUFFER_DTS(buffer));
    }
    return GST_CLOCK_TIME_IS_VALID(time) ? (gint64)(time / GST_USECOND)
                                         : MAX(running_time_us(self) - self->upstream_us, 0);
}

/* With the lock held. */
static gboolean stats_due(GstLiveTcpPlayout *self)
{
    gint64 interval = self->stats_interval_ms * LIVETCP_USEC_MSEC;
    gboolean due = interval > 0 && self->player.latest_us - self->notified_us >= interval;

    if (due) {
        self->notified_us = self->player.latest_us;
    }
    return due;
}

static GstFlowReturn chain(GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
    GstLiveTcpPlayout *self = GST_LIVETCP_PLAYOUT(parent);
    gboolean latency = FALSE, stats = FALSE;
    (void)pad;

    g_mutex_lock(&self->lock);
    GstFlowReturn result = self->flushing ? GST_FLOW_FLUSHING : self->flow;
    if (result == GST_FLOW_OK && self->eos) {
        result = GST_FLOW_EOS;
    }
    if (result == GST_FLOW_OK) {
        result = gst_livetcp_player_put(&self->player, buffer, arrival_of(self, buffer));
        latency = gst_livetcp_player_review(&self->player);
        stats = stats_due(self);
        wake(self);
    } else {
        gst_buffer_unref(buffer);
    }
    g_mutex_unlock(&self->lock);

    if (result == GST_FLOW_NOT_NEGOTIATED) {
        gst_livetcp_player_post_no_rate(GST_ELEMENT(self));
    }
    if (latency) {
        gst_element_post_message(GST_ELEMENT(self), gst_message_new_latency(GST_OBJECT(self)));
    }
    if (stats) {
        g_object_notify(G_OBJECT(self), "stats");
    }
    return result;
}

/* With the lock held: outgoing timestamps are running time. Takes ownership. */
static void take_segment(GstLiveTcpPlayout *self, GstEvent *event)
{
    gst_event_copy_segment(event, &self->segment);
    if (!self->segment_sent) {
        GstSegment ours;
        gst_segment_init(&ours, GST_FORMAT_TIME);
        GstEvent *own = gst_event_new_segment(&ours);
        gst_event_set_seqnum(own, gst_event_get_seqnum(event));
        gst_livetcp_player_put_event(&self->player, own);
        self->segment_sent = TRUE;
    }
    gst_event_unref(event);
}

/* With the lock held. Takes ownership. */
static void take_serialized(GstLiveTcpPlayout *self, GstEvent *event)
{
    livetcp_playout_path path;
    GstCaps *caps;

    switch (GST_EVENT_TYPE(event)) {
    case GST_EVENT_SEGMENT:
        take_segment(self, event);
        return;
    case GST_EVENT_STREAM_START:
        if (self->eos) {
            self->eos = FALSE;
            self->flow = GST_FLOW_OK;
            gst_pad_start_task(self->src, loop, self->src, NULL);
        }
        break;
    case GST_EVENT_CAPS:
        gst_event_parse_caps(event, &caps);
        gst_livetcp_player_set_caps(&self->player, caps);
        break;
    case GST_EVENT_CUSTOM_DOWNSTREAM_STICKY:
        if (gst_livetcp_player_path_event_parse(event, &path)) {
            gst_livetcp_player_set_path(&self->player, &path);
        }
        break;
    case GST_EVENT_EOS:
        self->eos = TRUE;
        gst_livetcp_player_drain(&self->player);
        break;
    default:
        break;
    }
    gst_livetcp_player_put_event(&self->player, event);
}

static void set_flushing(GstLiveTcpPlayout *self, gboolean flushing)
{
    g_mutex_lock(&self->lock);
    self->flushing = flushing;
    if (!flushing) {
        self->flow = GST_FLOW_OK;
    }
    wake(self);
    g_mutex_unlock(&self->lock);
}

static gboolean start_pushing(GstLiveTcpPlayout *self)
{
    set_flushing(self, FALSE);
    return gst_pad_start_task(self->src, loop, self->src, NULL);
}

static gboolean flush_start(GstLiveTcpPlayout *self, GstEvent *event)
{
    gboolean result = gst_pad_push_event(self->src, event);
    set_flushing(self, TRUE);
    gst_pad_pause_task(self->src);
    return result;
}

static gboolean flush_stop(GstLiveTcpPlayout *self, GstEvent *event)
{
    gboolean result = gst_pad_push_event(self->src, event);
    g_mutex_lock(&self->lock);
    gst_livetcp_player_flush(&self->player);
    gst_segment_init(&self->segment, GST_FORMAT_TIME);
    self->segment_sent = self->eos = FALSE;
    g_mutex_unlock(&self->lock);
    start_pushing(self);
    return result;
}

static gboolean sink_event(GstPad *pad, GstObject *parent, GstEvent *event)
{
    GstLiveTcpPlayout *self = GST_LIVETCP_PLAYOUT(parent);

    if (GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_START) {
        return flush_start(self, event);
    }
    if (GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_STOP) {
        return flush_stop(self, event);
    }
    if (!GST_EVENT_IS_SERIALIZED(event)) {
        return gst_pad_event_default(pad, parent, event);
    }
    g_mutex_lock(&self->lock);
    gboolean accepted = !self->flushing;
    if (accepted) {
        take_serialized(self, event);
        wake(self);
    } else {
        gst_event_unref(event);
    }
    g_mutex_unlock(&self->lock);
    return accepted;
}

static gboolean sink_query(GstPad *pad, GstObject *parent, GstQuery *query)
{
    /* Buffers are held here: a downstream pool would run out of them. */
    if (GST_QUERY_TYPE(query) == GST_QUERY_ALLOCATION) {
        return FALSE;
    }
    return gst_pad_query_default(pad, parent, query);
}

/* ---- the source pad ---- */

static gboolean activate_src(GstPad *pad, GstObject *parent, GstPadMode mode, gboolean active)
{
    GstLiveTcpPlayout *self = GST_LIVETCP_PLAYOUT(parent);

    if (mode != GST_PAD_MODE_PUSH) {
        return FALSE;
    }
    if (active) {
        return start_pushing(self);
    }
    set_flushing(self, TRUE);
    return gst_pad_stop_task(pad);
}

static gboolean src_event(GstPad *pad, GstObject *parent, GstEvent *event)
{
    GstLiveTcpPlayout *self = GST_LIVETCP_PLAYOUT(parent);

    if (GST_EVENT_TYPE(event) == GST_EVENT_LATENCY) {
        g_mutex_lock(&self->lock);
        gst_livetcp_player_configured(&self->player);
        g_mutex_unlock(&self->lock);
    }
    return gst_pad_event_default(pad, parent, event);
}

static gboolean query_latency(GstLiveTcpPlayout *self, GstQuery *query)
{
    GstClockTime minimum;

    if (!gst_pad_peer_query(self->sink, query)) {
        return FALSE;
    }
    gst_query_parse_latency(query, NULL, &minimum, NULL);
    g_mutex_lock(&self->lock);
    self->upstream_us = GST_CLOCK_TIME_IS_VALID(minimum) ? (gint64)(minimum / GST_USECOND) : 0;
    gst_livetcp_player_answer(&self->player, query);
    wake(self);
    g_mutex_unlock(&self->lock);
    return TRUE;
}

static gboolean src_query(GstPad *pad, GstObject *parent, GstQuery *query)
{
    if (GST_QUERY_TYPE(query) == GST_QUERY_LATENCY) {
        return query_latency(GST_LIVETCP_PLAYOUT(parent), query);
    }
    return gst_pad_query_default(pad, parent, query);
}

static void init_pads(GstLiveTcpPlayout *self)
{
    gst_pad_set_chain_function(self->sink, chain);
    gst_pad_set_event_function(self->sink, sink_event);
    gst_pad_set_query_function(self->sink, sink_query);
    gst_pad_set_activatemode_function(self->src, activate_src);
    gst_pad_set_event_function(self->src, src_event);
    gst_pad_set_query_function(self->src, src_query);
    GST_PAD_SET_PROXY_CAPS(self->sink);
    GST_PAD_SET_PROXY_CAPS(self->src);
    gst_element_add_pad(GST_ELEMENT(self), self->sink);
    gst_element_add_pad(GST_ELEMENT(self), self->src);
}

/* ---- states ---- */

static gboolean prepare(GstLiveTcpPlayout *self)
{
    g_mutex_lock(&self->lock);
    const gchar *wrong = gst_livetcp_player_settings_check(&self->player.settings);
    gboolean idle = gst_livetcp_player_settings_latency_is_idle(&self->player.settings);
    gst_livetcp_player_reset(&self->player);
    gst_segment_init(&self->segment, GST_FORMAT_TIME);
    self->segment_sent = self->eos = self->playing = FALSE;
    self->upstream_us = 0;
    self->notified_us = 0;
    g_mutex_unlock(&self->lock);
    if (wrong != NULL) {
        GST_ELEMENT_ERROR(self, LIBRARY, SETTINGS, ("Cannot play out: %s.", wrong), (NULL));
    }
    if (idle) {
        gst_livetcp_player_post_idle_latency(GST_ELEMENT(self), "");
    }
    return wrong == NULL;
}

static void set_playing(GstLiveTcpPlayout *self, gboolean playing)
{
    g_mutex_lock(&self->lock);
    self->playing = playing;
    wake(self);
    g_mutex_unlock(&self->lock);
}

static GstStateChangeReturn change_state(GstElement *element, GstStateChange transition)
{
    GstLiveTcpPlayout *self = GST_LIVETCP_PLAYOUT(element);

    if (transition == GST_STATE_CHANGE_READY_TO_PAUSED && !prepare(self)) {
        return GST_STATE_CHANGE_FAILURE;
    }
    if (transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED) {
        set_playing(self, FALSE);
    }
    GstStateChangeReturn result =
        GST_ELEMENT_CLASS(gst_livetcp_playout_parent_class)->change_state(element, transition);
    if (transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING) {
        set_playing(self, TRUE);
    } else if (transition == GST_STATE_CHANGE_PAUSED_TO_READY) {
        g_mutex_lock(&self->lock);
        gst_livetcp_player_reset(&self->player);
        g_mutex_unlock(&self->lock);
    }
    /* A live element: pushes by the clock, so it does not preroll. */
    gboolean live = transition == GST_STATE_CHANGE_READY_TO_PAUSED ||
                    transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED;
    return live && result != GST_STATE_CHANGE_FAILURE ? GST_STATE_CHANGE_NO_PREROLL : result;
}

/* ---- object ---- */

static void set_property(GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
    GstLiveTcpPlayout *self = GST_LIVETCP_PLAYOUT(object);

    g_mutex_lock(&self->lock);
    if (id < PROP_STATS) {
        gst_livetcp_player_settings_set(&self->player.settings, id - PROP_SETTINGS, value);
        if (!gst_livetcp_player_settings_changed(&self->player)) {
            GST_WARNING_OBJECT(self, "%s will change when the element starts again", pspec->name);
        }
    } else if (id == PROP_STATS_UPDATE_INTERVAL) {
        self->stats_interval_ms = g_value_get_uint(value);
    } else {
        G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
    }
    g_mutex_unlock(&self->lock);
}

static void get_property(GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
    GstLiveTcpPlayout *self = GST_LIVETCP_PLAYOUT(object);

    g_mutex_lock(&self->lock);
    if (id < PROP_STATS) {
        gst_livetcp_player_settings_get(&self->player.settings, id - PROP_SETTINGS, value);
    } else if (id == PROP_STATS) {
        g_value_take_boxed(value, gst_livetcp_player_stats(&self->player));
    } else if (id == PROP_STATS_UPDATE_INTERVAL) {
        g_value_set_uint(value, self->stats_interval_ms);
    } else {
        G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, pspec);
    }
    g_mutex_unlock(&self->lock);
}

static void finalize(GObject *object)
{
    GstLiveTcpPlayout *self = GST_LIVETCP_PLAYOUT(object);
    gst_livetcp_player_clear(&self->player);
    g_cond_clear(&self->cond);
    g_mutex_clear(&self->lock);
    G_OBJECT_CLASS(gst_livetcp_playout_parent_class)->finalize(object);
}

static void gst_livetcp_playout_class_init(GstLiveTcpPlayoutClass *klass)
{
    GObjectClass *object = G_OBJECT_CLASS(klass);
    GstElementClass *element = GST_ELEMENT_CLASS(klass);

    object->set_property = set_property;
    object->get_property = get_property;
    object->finalize = finalize;
    element->change_state = change_state;

    gst_livetcp_player_settings_install(object, PROP_SETTINGS, "mode", LIVETCP_PLAYOUT_ADAPTIVE);
    g_object_class_install_property(
        object, PROP_STATS,
        g_param_spec_boxed("stats", "Statistics",
                           "Packets played, late and lost, and the delay with its components",
                           GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
    g_object_class_install_property(
        object, PROP_STATS_UPDATE_INTERVAL,
        g_param_spec_uint("stats-update-interval", "Statistics update interval",
                          "Interval of notifications of \"stats\" while packets arrive; 0 = none "
                          "(ms)",
                          0, 3600000, 0, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS));
    gst_element_class_add_static_pad_template(element, &sink_template);
    gst_element_class_add_static_pad_template(element, &src_template);
    gst_element_class_set_static_metadata(element, "LiveTCP playout", "Filter/Network/RTP",
                                          "Schedules the playout of RTP packets received over TCP",
                                          "LiveTCP");
}

static void gst_livetcp_playout_init(GstLiveTcpPlayout *self)
{
    g_mutex_init(&self->lock);
    g_cond_init(&self->cond);
    gst_livetcp_player_init(&self->player, GST_ELEMENT(self), LIVETCP_PLAYOUT_ADAPTIVE);
    gst_segment_init(&self->segment, GST_FORMAT_TIME);
    self->flushing = TRUE;
    self->sink = gst_pad_new_from_static_template(&sink_template, "sink");
    self->src = gst_pad_new_from_static_template(&src_template, "src");
    init_pads(self);
}
