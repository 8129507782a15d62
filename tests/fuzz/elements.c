/* SPDX-License-Identifier: MIT */
/* Input of a pipeline to livetcpsink and livetcpplayout: buffers in pieces and in lists, RTP
 * of any shape, RTCP, metas, caps, events, queries, changes of properties. The first byte chooses
 * the element and its settings, the rest is a list of operations. Nothing but the element's own
 * attempts to connect, to a port that refuses, goes to the network. A GLib critical is a failure,
 * and so are buffers that livetcpplayout invents. */
#include "fuzz.h"

#include "gstlivetcpdebug.h"
#include "gstlivetcpplayout.h"
#include "gstlivetcpsink.h"

#include <gst/check/gstharness.h>
#include <gst/check/gsttestclock.h>
#include <gst/rtp/rtp.h>
#include <gst/video/video.h>

#include <string.h>

#define OPERATIONS_MAX 200
#define BUFFERS_MAX    12
#define PAYLOAD_MAX    400

typedef struct subject {
    fuzz_reader in;
    GstElement *element;
    GstHarness *harness;
    gboolean is_sink;
    guint16 sequence;
    guint32 timestamp;
    guint64 packets; /* pushed */
    GstClockTime now;
} subject;

static guint word(fuzz_reader *in)
{
    guint high = fuzz_byte(in);

    return high << 8 | fuzz_byte(in);
}

/* ---- elements ---- */

/* Values out of range, buffers before a segment: GLib and GStreamer warn, which is their business.
 */
static void ignore(const gchar *domain, GLogLevelFlags level, const gchar *message, gpointer data)
{
    (void)data;
    if (level & (G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_ERROR))
        g_log_default_handler(domain, level, message, data);
}

static void start_gstreamer(void)
{
    static gboolean started;

    if (started)
        return;
    started = TRUE;
    /* No plugin is looked for: the elements are linked in. */
    g_setenv("GST_REGISTRY_DISABLE", "yes", TRUE);
    g_setenv("GST_PLUGIN_SYSTEM_PATH_1_0", "", TRUE);
    g_setenv("GST_PLUGIN_PATH_1_0", "", TRUE);
    g_setenv("GST_PLUGIN_SYSTEM_PATH", "", TRUE);
    g_setenv("GST_PLUGIN_PATH", "", TRUE);
    gst_init(NULL, NULL);
    gst_livetcp_debug_init();
    g_log_set_default_handler(ignore, NULL);
    g_log_set_always_fatal(G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_ERROR);
    gst_debug_set_default_threshold(GST_LEVEL_NONE);
}

static void set(GstElement *element, const char *name, const char *value)
{
    FUZZ_REQUIRE(g_object_class_find_property(G_OBJECT_GET_CLASS(element), name));
    gst_util_set_object_arg(G_OBJECT(element), name, value);
}

static GstElement *make_sink(unsigned first)
{
    static const char *const depths[] = {"0", "1", "2", "3"};
    GstElement *sink = g_object_new(GST_TYPE_LIVETCP_SINK, NULL);

    set(sink, "leaky", "upstream"); /* nobody takes the packets, and nobody waits for that */
    set(sink, "drain-timeout", "0");
    set(sink, "redundancy", depths[first >> 1 & 3]);
    set(sink, "queue-packets", "64");
    set(sink, "policy", first & 8 ? "auto" : "single");
    set(sink, "burst-on-join", first & 16 ? "gop" : "key-frame");
    set(sink, "mode", first & 32 ? "listener" : "caller");
    set(sink, "host", "127.0.0.1");
    set(sink, "port", first & 32 ? "0" : "1");
    set(sink, "connections", first & 8 ? "2" : "1");
    set(sink, "reconnect-max", "60000");
    set(sink, "reconnect-min", "60000");
    return sink;
}

static GstElement *make_playout(unsigned first)
{
    static const char *const modes[] = {"none",     "fixed",        "static", "adaptive",
                                        "adaptive", "policy-aware", "fixed",  "static"};
    GstElement *playout = g_object_new(GST_TYPE_LIVETCP_PLAYOUT, NULL);

    set(playout, "playout-mode", modes[first >> 1 & 7]);
    set(playout, "do-lost", first & 16 ? "true" : "false");
    if (first & 32)
        set(playout, "rtt", "40");
    return playout;
}

static void begin(subject *self)
{
    unsigned first = fuzz_byte(&self->in);

    self->is_sink = first & 1;
    self->element = self->is_sink ? make_sink(first) : make_playout(first);
    gst_object_ref_sink(self->element);
    self->harness =
        gst_harness_new_with_element(self->element, "sink", self->is_sink ? NULL : "src");
    gst_harness_use_testclock(self->harness);
    if (first & 64)
        gst_harness_set_src_caps_str(self->harness,
                                     "application/x-rtp,media=video,clock-rate=90000,"
                                     "encoding-name=H264,payload=96");
    gst_harness_play(self->harness);
}

static void end(subject *self)
{
    guint64 came = 0;

    if (!self->is_sink)
        came = gst_harness_buffers_received(self->harness);
    gst_element_set_state(self->element, GST_STATE_NULL);
    FUZZ_REQUIRE(came <= self->packets);
    gst_harness_teardown(self->harness);
    gst_object_unref(self->element);
}

/* ---- packets ---- */

static GstMemory *memory_of(const guint8 *bytes, gsize size)
{
    guint8 *copy = g_memdup2(bytes, size);

    return gst_memory_new_wrapped(0, copy, size, 0, size, copy, g_free);
}

/* In several memories, now and then. */
static GstBuffer *buffer_of(subject *self, const guint8 *bytes, gsize size)
{
    GstBuffer *buffer = gst_buffer_new();
    gsize piece = 1 + fuzz_byte(&self->in);

    if (piece & 1 || piece > size)
        piece = size ? size : 1;
    for (gsize at = 0; at < size; at += piece)
        gst_buffer_append_memory(buffer, memory_of(bytes + at, MIN(piece, size - at)));
    return buffer;
}

static gsize read_bytes(subject *self, guint8 *bytes, gsize size)
{
    gsize count = MIN(size, self->in.size);

    memcpy(bytes, self->in.data, count);
    self->in.data += count;
    self->in.size -= count;
    return count;
}

static GstBuffer *raw_packet(subject *self)
{
    guint8 bytes[PAYLOAD_MAX];

    return buffer_of(self, bytes, read_bytes(self, bytes, fuzz_byte(&self->in)));
}

/* Almost RTP: what is odd about it is up to the input. */
static GstBuffer *rtp_packet(subject *self)
{
    static const guint32 ssrcs[] = {0x11223344, 1, 0, 0xffffffff};
    guint8 bytes[12 + PAYLOAD_MAX] = {0};
    guint odd = fuzz_byte(&self->in);

    self->sequence += odd & 1 ? (guint16)(gint8)fuzz_byte(&self->in) : 1;
    self->timestamp += odd & 2 ? word(&self->in) << 6 : 160;
    bytes[0] = (guint8)(0x80 | (odd & 4 ? fuzz_byte(&self->in) & 0x7f : 0));
    bytes[1] = (guint8)(odd & 8 ? fuzz_byte(&self->in) : 96);
    GST_WRITE_UINT16_BE(bytes + 2, self->sequence);
    GST_WRITE_UINT32_BE(bytes + 4, self->timestamp);
    GST_WRITE_UINT32_BE(bytes + 8, ssrcs[odd >> 4 & 3]);
    return buffer_of(self, bytes, 12 + read_bytes(self, bytes + 12, fuzz_byte(&self->in)));
}

static GstBuffer *rtcp_packet(subject *self)
{
    guint8 bytes[4 + PAYLOAD_MAX] = {0x80, (guint8)(200 + (fuzz_byte(&self->in) & 7))};
    gsize size = 4 + read_bytes(self, bytes + 4, fuzz_byte(&self->in) & 0x7c);

    bytes[0] |= (guint8)(fuzz_byte(&self->in) & 0x3f);
    GST_WRITE_UINT16_BE(bytes + 2, (guint16)(size / 4 - 1 + (fuzz_byte(&self->in) & 1)));
    return buffer_of(self, bytes, size);
}

static void dress(subject *self, GstBuffer *buffer)
{
    guint odd = fuzz_byte(&self->in);

    GST_BUFFER_PTS(buffer) = odd & 1 ? GST_CLOCK_TIME_NONE : self->now;
    GST_BUFFER_DTS(buffer) = odd & 2 ? GST_CLOCK_TIME_NONE : self->now;
    if (odd & 4)
        GST_BUFFER_PTS(buffer) = (GstClockTime)word(&self->in) << (fuzz_byte(&self->in) & 47);
    if (odd & 8)
        GST_BUFFER_FLAG_SET(buffer, 1u << (4 + (fuzz_byte(&self->in) & 15)));
    if (odd & 16) {
        guint32 csrcs[3] = {word(&self->in), 2, 3};
        gst_buffer_add_rtp_source_meta(buffer, odd & 32 ? csrcs : NULL, csrcs, odd & 3);
    }
    if (odd & 64) {
        GstCaps *caps = gst_caps_new_empty_simple("timestamp/x-ntp");
        gst_buffer_add_reference_timestamp_meta(buffer, caps, word(&self->in), GST_CLOCK_TIME_NONE);
        gst_caps_unref(caps);
    }
    if (odd & 128)
        gst_buffer_add_protection_meta(
            buffer, gst_structure_new("x", "iv_size", G_TYPE_UINT, word(&self->in), NULL));
}

static GstBuffer *packet(subject *self)
{
    guint kind = fuzz_byte(&self->in) % 8;
    GstBuffer *buffer = kind == 0   ? raw_packet(self)
                        : kind == 1 ? rtcp_packet(self)
                                    : rtp_packet(self);

    dress(self, buffer);
    self->packets++;
    return buffer;
}

static void push_list(subject *self)
{
    guint count = fuzz_byte(&self->in) % BUFFERS_MAX;
    GstBufferList *list = gst_buffer_list_new_sized(count + 1);

    for (guint i = 0; i < count; i++)
        gst_buffer_list_add(list, packet(self));
    gst_pad_push_list(self->harness->srcpad, list);
}

/* ---- caps ---- */

static void add_header(subject *self, GstStructure *structure)
{
    GValue array = G_VALUE_INIT, item = G_VALUE_INIT;

    g_value_init(&array, GST_TYPE_ARRAY);
    for (guint count = fuzz_byte(&self->in) % 4; count; count--) {
        g_value_init(&item, GST_TYPE_BUFFER);
        gst_value_take_buffer(&item, packet(self));
        gst_value_array_append_and_take_value(&array, &item);
        item = (GValue)G_VALUE_INIT;
    }
    gst_structure_take_value(structure, "streamheader", &array);
}

static GstCaps *caps_of(subject *self)
{
    static const char *const names[] = {"application/x-rtp", "application/x-srtp",
                                        "application/x-rtcp", "application/x-rtp"};
    static const char *const media[] = {"audio", "video", "application", "", NULL};
    static const char *const codecs[] = {"OPUS", "PCMU", "H264", "H265", "VP8",  "VP9",
                                         "AV1",  "RED",  "rtx",  "",     "MP2T", NULL};
    static const gint rates[] = {90000, 48000, 8000, 0, -1, 1, G_MAXINT, G_MININT};
    guint odd = fuzz_byte(&self->in), more = fuzz_byte(&self->in);
    const char *kind = media[odd >> 2 & 3], *codec = codecs[more % G_N_ELEMENTS(codecs)];
    GstStructure *structure = gst_structure_new_empty(names[odd & 3]);
    GstCaps *caps = gst_caps_new_empty();

    if (odd & 16)
        gst_structure_set(structure, "media", G_TYPE_STRING, kind, NULL);
    if (codec && odd & 32)
        gst_structure_set(structure, "encoding-name", G_TYPE_STRING, codec, NULL);
    if (odd & 64)
        gst_structure_set(structure, "clock-rate", G_TYPE_INT, rates[more & 7], NULL);
    if (odd & 128)
        gst_structure_set(structure, "payload", G_TYPE_INT,
                          more & 128 ? (gint)(gint16)word(&self->in) : 96, "ssrc", G_TYPE_UINT,
                          word(&self->in), "encoding-params", G_TYPE_STRING, "2", NULL);
    if (more & 64) /* of another type than everybody expects */
        gst_structure_set(structure, "clock-rate", G_TYPE_STRING, "90000", "payload",
                          GST_TYPE_INT_RANGE, 96, 127, "sprop-parameter-sets", G_TYPE_STRING,
                          "Z0IAHtoCgL/lwFqDAwNoUJqA,aM48gA==", NULL);
    if (more & 32 && self->is_sink)
        add_header(self, structure);
    gst_caps_append_structure(caps, structure);
    return caps;
}

/* ---- events and queries ---- */

static GstEvent *segment_event(subject *self)
{
    GstSegment segment;
    guint odd = fuzz_byte(&self->in);

    gst_segment_init(&segment, odd & 1 ? GST_FORMAT_BYTES : GST_FORMAT_TIME);
    if (odd & 2) {
        segment.rate = segment.applied_rate = -1;
        segment.stop = GST_SECOND; /* without, it is none */
    }
    if (odd & 4)
        segment.start = (guint64)word(&self->in) * GST_MSECOND;
    if (odd & 8)
        segment.base = (guint64)word(&self->in) * GST_SECOND;
    if (odd & 16)
        segment.offset = word(&self->in);
    return gst_event_new_segment(&segment);
}

static GstStructure *structure_of(subject *self)
{
    static const char *const names[] = {"GstForceKeyUnit", "GstRTPPacketLost", "livetcp-path",
                                        "livetcp-redundancy", "x"};
    guint odd = fuzz_byte(&self->in);

    return gst_structure_new(names[odd % G_N_ELEMENTS(names)], "seqnum", G_TYPE_UINT,
                             word(&self->in), "timestamp", G_TYPE_UINT64,
                             (guint64)word(&self->in) << 20, "rtt",
                             odd & 128 ? G_TYPE_UINT64 : G_TYPE_INT64,
                             (gint64)word(&self->in) * 1000, "ssrc", G_TYPE_UINT, word(&self->in),
                             "all-headers", G_TYPE_BOOLEAN, TRUE, "count", G_TYPE_UINT, 1u, NULL);
}

static void flush(subject *self)
{
    gst_harness_push_event(self->harness, gst_event_new_flush_start());
    gst_harness_push_event(self->harness, gst_event_new_flush_stop(fuzz_byte(&self->in) & 1));
}

/* GStreamer itself demands that they are. */
static GstCaps *fixed_caps_of(subject *self)
{
    return gst_caps_fixate(caps_of(self));
}

static void push_caps(subject *self)
{
    GstCaps *caps = fixed_caps_of(self);

    gst_harness_push_event(self->harness, gst_event_new_caps(caps));
    gst_caps_unref(caps);
}

static void push_event(subject *self)
{
    GstHarness *harness = self->harness;

    switch (fuzz_byte(&self->in) % 12) {
    case 0:
        gst_harness_push_event(harness, segment_event(self));
        break;
    case 1:
        flush(self);
        gst_harness_push_event(harness, segment_event(self));
        break;
    case 2:
        gst_harness_push_event(
            harness, gst_event_new_gap(self->now, (GstClockTime)word(&self->in) * GST_MSECOND));
        break;
    case 3:
        gst_harness_push_event(harness, gst_event_new_stream_start("x"));
        break;
    case 4:
        push_caps(self);
        break;
    case 5:
        gst_harness_push_event(
            harness, gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM, structure_of(self)));
        break;
    case 6:
        gst_harness_push_event(
            harness, gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM_STICKY, structure_of(self)));
        break;
    case 7:
        gst_harness_push_event(
            harness, gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM_OOB, structure_of(self)));
        break;
    case 8:
        gst_harness_push_event(harness, gst_event_new_tag(gst_tag_list_new_empty()));
        break;
    case 9:
        gst_element_send_event(self->element,
                               gst_event_new_custom(GST_EVENT_CUSTOM_UPSTREAM, structure_of(self)));
        break;
    case 10:
        gst_element_send_event(self->element,
                               gst_event_new_latency((GstClockTime)word(&self->in) * GST_MSECOND));
        break;
    default:
        gst_harness_push_event(harness, gst_event_new_eos());
        flush(self); /* or nothing would come in any more */
        gst_harness_push_event(harness, segment_event(self));
        break;
    }
}

static void ask(subject *self)
{
    GstPad *pad = self->harness->srcpad;
    guint kind = fuzz_byte(&self->in) % 6;
    GstCaps *caps = kind == 1 ? caps_of(self) : fixed_caps_of(self);
    GstQuery *query = NULL;

    switch (kind) {
    case 0:
        query = gst_query_new_latency();
        break;
    case 1:
        query = gst_query_new_caps(caps);
        break;
    case 2:
        query = gst_query_new_accept_caps(caps);
        break;
    case 3:
        query = gst_query_new_allocation(caps, TRUE);
        break;
    case 4:
        query = gst_query_new_position(GST_FORMAT_TIME);
        break;
    default:
        query = gst_query_new_drain();
        break;
    }
    if (fuzz_byte(&self->in) & 1)
        gst_pad_peer_query(pad, query);
    else
        gst_element_query(self->element, query);
    gst_query_unref(query);
    gst_caps_unref(caps);
}

/* ---- properties, time ---- */

static void set_property(subject *self)
{
    static const char *const of_sink[] = {
        "max-send-delay",        "policy",        "redundancy-budget", "copies", "queue-packets",
        "estimated-bitrate-max", "error-on-loss", "bitrate-quantile"};
    static const char *const of_playout[] = {"latency", "min-latency", "max-latency",  "beta",
                                             "alpha",   "do-lost",     "playout-mode", "rtt"};
    static const char *const values[] = {"0",    "1",  "40",       "100000",
                                         "auto", "-1", "adaptive", "duplicate"};
    const char *name = (self->is_sink ? of_sink : of_playout)[fuzz_byte(&self->in) & 7];

    set(self->element, name, values[fuzz_byte(&self->in) & 7]);
}

static void read_stats(subject *self)
{
    GstStructure *stats = NULL;

    g_object_get(self->element, "stats", &stats, NULL);
    FUZZ_REQUIRE(stats);
    gst_structure_free(stats);
}

static void pass_time(subject *self)
{
    self->now += (GstClockTime)fuzz_byte(&self->in) * GST_MSECOND;
    gst_harness_set_time(self->harness, self->now);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    subject self = {.in = {data, size}};

    start_gstreamer();
    begin(&self);
    for (int i = 0; i < OPERATIONS_MAX && self.in.size; i++) {
        switch (fuzz_byte(&self.in) % 10) {
        case 0:
            push_list(&self);
            break;
        case 1:
            push_event(&self);
            break;
        case 2:
            ask(&self);
            break;
        case 3:
            set_property(&self);
            break;
        case 4:
            read_stats(&self);
            break;
        case 5:
        case 6:
            pass_time(&self);
            break;
        default:
            gst_pad_push(self.harness->srcpad, packet(&self));
            break;
        }
    }
    end(&self);
    return 0;
}
