/* SPDX-License-Identifier: MIT */
/* livetcpsrc: a live source that hands on packets as they come. */

/**
 * SECTION:element-livetcpsrc
 * @title: livetcpsrc
 * @see_also: livetcpsink, srtsrc, tcpserversrc, rtpstreamdepay
 *
 * Receives what livetcpsink, another program with LiveTCP, or (wire=plain) any RFC 4571 peer
 * sends: RTP and RTCP packets over one or several TCP connections, one packet a buffer.
 *
 * ## Example pipelines
 *
 * |[
 * gst-launch-1.0 livetcpsrc uri="livetcp://:5004?mode=listener" ! rtpjitterbuffer ! rtph264depay !
 * avdec_h264 ! autovideosink gst-launch-1.0 videotestsrc is-live=true ! x264enc tune=zerolatency !
 * rtph264pay ! livetcpsink uri=livetcp://127.0.0.1:5004
 * ]| Video from one terminal to another. Start either first: a caller keeps calling.
 * |[
 * gst-launch-1.0 livetcpsrc uri=livetcp://127.0.0.1:5004 ! rtpopusdepay ! opusdec ! autoaudiosink
 * ]| Calls a livetcpsink in listener mode.
 * |[
 * gst-launch-1.0 livetcpsrc uri="livetcp://:5004?mode=listener&wire=plain"
 * caps="application/x-rtp,media=audio,clock-rate=48000,encoding-name=OPUS" ! rtpopusdepay ! opusdec
 * ! autoaudiosink gst-launch-1.0 audiotestsrc is-live=true ! opusenc ! rtpopuspay ! rtpstreampay !
 * tcpclientsink port=5004
 * ]| From any RFC 4571 sender, here another GStreamer element.
 * |[
 * gst-launch-1.0 rtpbin name=bin livetcpsrc uri="livetcp://:5004?mode=listener"
 * caps="application/x-rtp,media=video,clock-rate=90000,encoding-name=H264,payload=96" !
 * bin.recv_rtp_sink_0 bin. ! rtph264depay ! avdec_h264 ! autovideosink
 * ]| With RTCP: rtpbin takes RTP and RTCP on one pad (RFC 5761).
 *
 * ## Time
 *
 * The source is live. A buffer's timestamp is the running time at which the packet was read from
 * the network, whenever the pipeline comes to take it, so that an rtpjitterbuffer sees the jitter
 * of the network and not that of the machine. With order=sequence it is the time at which the
 * packet's turn came. Without playout the source adds no latency, and says so in answer to
 * the LATENCY query.
 * DISCONT is set on the first packet of a session, after a session was open again, after a gap
 * with order=sequence, and after packets were dropped because the pipeline was slow: at most
 * #livetcpsrc:queue-packets and #livetcpsrc:queue-bytes wait for it, then the oldest go.
 *
 * ## Playout
 *
 * By default the source leaves it to an rtpjitterbuffer or a livetcpplayout behind it when packets
 * are played. With #livetcpsrc:playout it does what livetcpplayout does (see there), with the same
 * properties, and needs neither: it answers the LATENCY query with the playout delay, and knows
 * the path. That takes caps with a clock-rate, and one stream (SSRC) of media.
 *
 * ## RTCP
 *
 * RTCP packets come on the same pad, as rtpbin expects: those of the sending application, and,
 * where it sends none, the sender reports of LiveTCP at the other end, which lip sync needs. With
 * #livetcpsrc:rtcp=auto they are handed on unless the elements that follow are a depayloader, an
 * rtpjitterbuffer or a decoder, which would take them for broken RTP; on hands on all of it, off
 * none. The source itself reports to the sender, unless off.
 *
 * ## Peers
 *
 * A listener receives from #livetcpsrc:max-sessions sessions at a time, one by default; a session
 * that has lost all its connections gives way to a new one. When the peer ends the session, the
 * source is at the end of the stream (EOS), unless keep-listening=true: then it waits for the next
 * session, or calls again. A peer that vanished ends in an ERROR instead, once it has not come back
 * in time (linger on a listener; never on a caller with reconnect=true).
 *
 * A GstForceKeyUnit event from downstream has no effect: the encoder is at the other end, and
 * livetcpsink there asks it for a key frame whenever a session opens.
 */
#include "gstlivetcpsrc.h"

#include "gstlivetcpreport.h"
#include "gstlivetcpsignals.h"
#include "gstlivetcpuri.h"

#define GST_CAT_DEFAULT gst_livetcp_debug

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

static const gchar *const uri_keys[] = {
    "max-sessions", "keep-listening", "timeout",     "caps",          "stats-update-interval",
    "playout",      "latency",        "min-latency", "max-latency",   "alpha",
    "beta",         "do-lost",        "rtt",         "redundancy-pt", NULL};

void gst_livetcp_src_get_defaults(livetcp_config *defaults)
{
    livetcp_config_init(defaults);
    defaults->max_sessions = 1;
}

/* ---- caps ---- */

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

/* Without caps of our own, what a depayloader wants has a range of clock rates; 90 kHz is that of
 * every video format. */
static GstCaps *fixate(GstBaseSrc *base, GstCaps *caps)
{
    caps = gst_caps_make_writable(gst_caps_truncate(caps));
    GstStructure *structure = gst_caps_get_structure(caps, 0);
    if (gst_structure_has_field(structure, "clock-rate")) {
        gst_structure_fixate_field_nearest_int(structure, "clock-rate", 90000);
    }
    return GST_BASE_SRC_CLASS(gst_livetcp_src_parent_class)->fixate(base, caps);
}

/* ---- packets ---- */

static GstFlowReturn create(GstPushSrc *push, GstBuffer **buffer)
{
    GstLiveTcpSrc *self = GST_LIVETCP_SRC(push);
    gint64 arrival_us = 0;

    gst_livetcp_src_tell_path(self);
    if (self->player.active.mode != LIVETCP_PLAYOUT_NONE) {
        return gst_livetcp_src_play(self, buffer);
    }
    GstFlowReturn result = gst_livetcp_src_next_packet(self, -1, buffer, &arrival_us);
    if (result == GST_FLOW_OK) {
        GstClockTime time = gst_livetcp_src_running_time(self, arrival_us);
        if (GST_CLOCK_TIME_IS_VALID(time)) {
            /* Packets come in order, readings of two clocks agree to a few microseconds. */
            time = self->last_time = MAX(time, self->last_time);
        }
        GST_BUFFER_PTS(*buffer) = time;
        GST_BUFFER_DTS(*buffer) = time;
    }
    return result;
}

/* ---- source ---- */

static gboolean start(GstBaseSrc *base)
{
    GstLiveTcpSrc *self = GST_LIVETCP_SRC(base);
    const livetcp_config *config = &self->endpoint.config;

    GST_OBJECT_LOCK(self);
    self->rtcp_dropped = 0;
    GST_OBJECT_UNLOCK(self);
    self->last_time = 0;
    if (!gst_livetcp_src_start_playout(self)) {
        return FALSE;
    }
    g_atomic_int_set(&self->rtcp_welcome, -1);
    gst_livetcp_queue_reset(&self->queue, (guint)config->queue_packets, config->queue_bytes);
    return gst_livetcp_endpoint_open(&self->endpoint);
}

static gboolean stop(GstBaseSrc *base)
{
    GstLiveTcpSrc *self = GST_LIVETCP_SRC(base);
    gst_livetcp_endpoint_close(&self->endpoint);
    gst_livetcp_queue_reset(&self->queue, 1, 1);
    gst_livetcp_src_stop_playout(self);
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
    GstLiveTcpSrc *self = GST_LIVETCP_SRC(base);

    g_mutex_lock(&self->player_lock);
    gst_livetcp_player_set_caps(&self->player, caps);
    g_mutex_unlock(&self->player_lock);
    return TRUE;
}

static gboolean event(GstBaseSrc *base, GstEvent *event_)
{
    GstLiveTcpSrc *self = GST_LIVETCP_SRC(base);

    if (GST_EVENT_TYPE(event_) == GST_EVENT_LATENCY) {
        g_mutex_lock(&self->player_lock);
        gst_livetcp_player_configured(&self->player);
        g_mutex_unlock(&self->player_lock);
    }
    return GST_BASE_SRC_CLASS(gst_livetcp_src_parent_class)->event(base, event_);
}

static gboolean query(GstBaseSrc *base, GstQuery *query_)
{
    GstLiveTcpSrc *self = GST_LIVETCP_SRC(base);

    if (GST_QUERY_TYPE(query_) == GST_QUERY_LATENCY) {
        gst_query_set_latency(query_, TRUE, 0, GST_CLOCK_TIME_NONE);
        g_mutex_lock(&self->player_lock);
        gst_livetcp_player_answer(&self->player, query_);
        g_mutex_unlock(&self->player_lock);
        return TRUE;
    }
    return GST_BASE_SRC_CLASS(gst_livetcp_src_parent_class)->query(base, query_);
}

/* ---- object ---- */

static void finalize(GObject *object)
{
    GstLiveTcpSrc *self = GST_LIVETCP_SRC(object);
    gst_livetcp_endpoint_clear(&self->endpoint);
    gst_livetcp_queue_clear(&self->queue);
    gst_livetcp_player_clear(&self->player);
    g_mutex_clear(&self->player_lock);
    gst_clear_caps(&self->caps);
    G_OBJECT_CLASS(gst_livetcp_src_parent_class)->finalize(object);
}

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

    gst_livetcp_src_install_properties(object);
    gst_livetcp_signals_install(element);
    gst_element_class_add_static_pad_template(element, &src_template);
    gst_element_class_set_static_metadata(
        element, "LiveTCP source", "Source/Network",
        "Receives RTP packets over several TCP connections that arrive on time", "LiveTCP");
}

static void gst_livetcp_src_init(GstLiveTcpSrc *self)
{
    livetcp_config defaults;
    gst_livetcp_src_get_defaults(&defaults);
    gst_livetcp_endpoint_init(&self->endpoint, GST_ELEMENT(self), &gst_livetcp_src_hooks, &defaults,
                              uri_keys);
    gst_livetcp_queue_init(&self->queue);
    g_mutex_init(&self->player_lock);
    gst_livetcp_player_init(&self->player, GST_ELEMENT(self), LIVETCP_PLAYOUT_NONE);
    self->rtcp_welcome = -1;
    gst_base_src_set_live(GST_BASE_SRC(self), TRUE);
    gst_base_src_set_format(GST_BASE_SRC(self), GST_FORMAT_TIME);
}
