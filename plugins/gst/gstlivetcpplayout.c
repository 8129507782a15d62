/* SPDX-License-Identifier: MIT */
/* livetcpplayout: the element, its properties and states. */

/**
 * SECTION:element-livetcpplayout
 * @title: livetcpplayout
 * @see_also: livetcpsrc, rtpjitterbuffer, rtpstreamdepay
 *
 * Says when received RTP packets are to be played, for streams that came over TCP: in place of an
 * rtpjitterbuffer, which takes a queue that stands on the path for the sender's clock, and so lets
 * the delay creep up. The playout delay is counted from the arrival a packet would have had over
 * the least transit time seen; a standing queue is reported (stats), not absorbed.
 *
 * ## Example pipelines
 *
 * |[
 * gst-launch-1.0 livetcpsrc uri="livetcp://:5004?mode=listener"
 * caps="application/x-rtp,media=audio,clock-rate=48000,encoding-name=OPUS" ! livetcpplayout !
 * rtpopusdepay ! opusdec plc=true ! autoaudiosink
 * ]| Voice, with what is lost concealed.
 * |[
 * gst-launch-1.0 tcpserversrc port=5004 !
 * "application/x-rtp-stream,media=video,clock-rate=90000,encoding-name=H264" ! rtpstreamdepay !
 * livetcpplayout mode=fixed latency=300 ! rtph264depay ! avdec_h264 ! autovideosink
 * ]| From any RFC 4571 sender.
 *
 * ## Time
 *
 * A packet's arrival is the running time of its DTS, as with rtpjitterbuffer, or when it has none
 * (behind tcpserversrc) the time at which it came here. Packets leave in order and at once; only
 * what is missing is waited for, until it is due. Their timestamps are such that a sink, which adds
 * the pipeline's latency, renders them at their time to play.
 *
 * The element answers the LATENCY query with the playout delay. When that changes it posts a
 * LATENCY message; timestamps follow when the pipeline has been configured anew, so that play times
 * hold also where the application ignores the message. To keep sinks from being disturbed, what
 * is announced rises in steps of 10 ms, and falls only when less was enough for ten seconds.
 *
 * ## What is missing
 *
 * Duplicates are dropped, and audio that came too late; late video is handed on, since other
 * pictures refer to it. The buffer after a gap has DISCONT. For every missing packet a
 * GstRTPPacketLost event (#livetcpplayout:do-lost) goes downstream, as rtpjitterbuffer sends it:
 * "seqnum", "timestamp", "duration", "retry". Depayloaders make a GAP of it, decoders conceal.
 *
 * With mode=none nothing is held or ordered: packets pass as they come, but not twice, and are
 * counted. RTCP passes in any mode.
 *
 * ## The path
 *
 * The modes static and policy-aware want to know the round-trip time and how the sender repairs
 * losses. livetcpsrc tells that with the sticky event "livetcp-path"; with another source give
 * #livetcpplayout:rtt. Without either, the delay is #livetcpplayout:latency.
 *
 * One element plays one stream: put rtpssrcdemux or rtpptdemux before it for several. When another
 * SSRC takes over, the new stream starts after a DISCONT. Caps need clock-rate, but for the static
 * payload types of RFC 3551; media=video chooses the rules for video.
 */
#include "gstlivetcpplayout.h"

#include "gstlivetcpreport.h"

#define GST_CAT_DEFAULT gst_livetcp_debug

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

/* ---- states ---- */

static gboolean prepare(GstLiveTcpPlayout *self)
{
    g_mutex_lock(&self->lock);
    const gchar *wrong = gst_livetcp_player_settings_check(&self->player.settings);
    gst_livetcp_player_reset(&self->player);
    gst_segment_init(&self->segment, GST_FORMAT_TIME);
    self->segment_sent = self->eos = self->playing = FALSE;
    self->upstream_us = 0;
    self->notified_us = 0;
    g_mutex_unlock(&self->lock);
    if (wrong != NULL) {
        GST_ELEMENT_ERROR(self, LIBRARY, SETTINGS, ("Cannot play out: %s.", wrong), (NULL));
    }
    return wrong == NULL;
}

static void set_playing(GstLiveTcpPlayout *self, gboolean playing)
{
    g_mutex_lock(&self->lock);
    self->playing = playing;
    gst_livetcp_playout_wake(self);
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
    /* The clock decides what is handed on: there is nothing to preroll with. */
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
                           "What was played, late and lost, the delay and what it is made of",
                           GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
    g_object_class_install_property(
        object, PROP_STATS_UPDATE_INTERVAL,
        g_param_spec_uint("stats-update-interval", "Statistics update interval",
                          "Time between notifications of \"stats\" in milliseconds (0 = none), "
                          "while packets come",
                          0, 3600000, 0, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS));
    gst_element_class_add_static_pad_template(element, &sink_template);
    gst_element_class_add_static_pad_template(element, &src_template);
    gst_element_class_set_static_metadata(
        element, "LiveTCP playout", "Filter/Network/RTP",
        "Says when RTP packets that came over TCP are to be played", "LiveTCP");
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
    gst_livetcp_playout_init_pads(self);
}
