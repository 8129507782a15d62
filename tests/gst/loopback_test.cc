/* SPDX-License-Identifier: MIT */
/* Packets from sink to source, either of them the caller, and what both say about it. */
#include "catch.h"
#include "support.h"

#include <gst/video/video.h>

using namespace lt;

namespace
{

/* A connected pair; `listening` says who waits for the other. */
struct Pair {
    Pair(const std::string &listening, const std::string &query = "")
    {
        std::string joint = query.empty() ? "" : "&" + query;
        std::string uri = "livetcp://127.0.0.1:0?mode=listener" + joint;
        if (listening == "source") {
            source = std::make_unique<Harness>("livetcpsrc", uri);
            sink = std::make_unique<Harness>("livetcpsink", call_uri(source->get(), query));
        } else {
            sink = std::make_unique<Harness>("livetcpsink", uri);
            source = std::make_unique<Harness>("livetcpsrc", call_uri(sink->get(), query));
        }
        /* to a source that listens, a plain peer is nobody before its first packet */
        bool silent = listening == "source" && query.find("wire=plain") != std::string::npos;
        REQUIRE(eventually([&] {
            return get_string(sink->get(), "state") == "open" &&
                   (silent || get_string(source->get(), "state") == "open");
        }));
    }
    std::unique_ptr<Harness> sink, source;
};

} // namespace

/* In order of sequence numbers a stream's first packets wait 50 ms for earlier ones, and a busy
 * machine may take longer than that to read five connections: the first packet goes alone. */
static const char in_sequence[] = "order=sequence&order-wait=60000";

TEST_CASE("packets arrive as they were, whoever listens")
{
    std::string listening = GENERATE("source", "sink");
    std::string query = GENERATE("", "wire=plain", "connections=1", in_sequence, "split=3");
    INFO(listening << " listens, " << query);
    Pair pair(listening, query);
    constexpr guint count = 200;
    REQUIRE(pair.sink->push(rtp_packet(0, 12)) == GST_FLOW_OK);
    REQUIRE(pair.source->pull());
    for (guint i = 1; i < count; i++) {
        REQUIRE(pair.sink->push(rtp_packet((guint16)i, 12 + 7 * i)) == GST_FLOW_OK);
    }
    std::vector<bool> seen(count, false);
    for (guint i = 1; i < count; i++) {
        Buffer buffer = pair.source->pull();
        REQUIRE(buffer);
        guint16 sequence = sequence_of(buffer.get());
        REQUIRE(sequence < count);
        CHECK(same_bytes(buffer.get(), rtp_packet(sequence, 12 + 7 * sequence).get()));
        CHECK(!seen[sequence]);
        seen[sequence] = true;
        CHECK((query != in_sequence || sequence == i));
    }
}

TEST_CASE("buffers in several pieces and lists of buffers are sent whole")
{
    Pair pair("source", "connections=1");
    Buffer head = rtp_packet(1, 30);
    GstBuffer *pieces = gst_buffer_append(head.release(), rtp_packet(2, 100).release());
    REQUIRE(gst_buffer_n_memory(pieces) == 2);
    Buffer expected(gst_buffer_copy_deep(pieces));
    REQUIRE(gst_harness_push(pair.sink->harness(), pieces) == GST_FLOW_OK);

    GstBufferList *list = gst_buffer_list_new();
    for (guint16 i = 2; i < 12; i++) {
        gst_buffer_list_add(list, rtp_packet(i, 500).release());
    }
    GstPad *pad = gst_element_get_static_pad(pair.sink->get(), "sink");
    GstPad *peer = gst_pad_get_peer(pad);
    REQUIRE(gst_pad_push_list(peer, list) == GST_FLOW_OK);
    gst_object_unref(peer);
    gst_object_unref(pad);

    Buffer buffer = pair.source->pull();
    REQUIRE(buffer);
    CHECK(same_bytes(buffer.get(), expected.get()));
    for (guint16 i = 2; i < 12; i++) {
        buffer = pair.source->pull();
        REQUIRE(buffer);
        CHECK(same_bytes(buffer.get(), rtp_packet(i, 500).get()));
    }
}

TEST_CASE("a caller's packets wait for the connection")
{
    std::string port = std::to_string(free_port());
    Harness sink("livetcpsink", "livetcp://127.0.0.1:" + port +
                                    "?connections=1&reconnect-min=10&reconnect-max=50");
    for (guint16 i = 0; i < 10; i++) {
        REQUIRE(sink.push(rtp_packet(i)) == GST_FLOW_OK);
    }
    Harness source("livetcpsrc", "livetcp://127.0.0.1:" + port + "?mode=listener");
    for (guint16 i = 0; i < 10; i++) {
        Buffer buffer = source.pull();
        REQUIRE(buffer);
        CHECK(sequence_of(buffer.get()) == i);
    }
}

TEST_CASE("a packet that is too large is a WARNING, counted, and not sent")
{
    Pair pair("source", "max-packet=1000");
    REQUIRE(pair.sink->push(rtp_packet(1, 1000)) == GST_FLOW_OK);
    REQUIRE(pair.sink->push(rtp_packet(2, 1001)) == GST_FLOW_OK);
    REQUIRE(pair.sink->push(rtp_packet(3, 1000)) == GST_FLOW_OK);
    Message message = pair.sink->wait(GST_MESSAGE_WARNING);
    REQUIRE(message);
    Complaint warning = complaint(message);
    INFO(warning.text);
    CHECK(warning.text.find("1001") != std::string::npos);
    CHECK(warning.text.find("1000") != std::string::npos);
    CHECK(counter(pair.sink->get(), "refused-packets") == 1);
    for (int i = 0; i < 2; i++) {
        Buffer buffer = pair.source->pull();
        REQUIRE(buffer);
        CHECK(sequence_of(buffer.get()) != 2);
    }
}

TEST_CASE("what is not RTP is an ERROR that says what to do")
{
    Pair pair("source");
    GstBuffer *buffer = gst_buffer_new_memdup("not RTP at all", 14);
    CHECK(gst_harness_push(pair.sink->harness(), buffer) == GST_FLOW_ERROR);
    Message message = pair.sink->wait(GST_MESSAGE_ERROR);
    REQUIRE(message);
    Complaint error = complaint(message);
    CHECK(error.domain == GST_STREAM_ERROR);
    CHECK(error.code == GST_STREAM_ERROR_WRONG_TYPE);
    CHECK(error.text.find("payloader") != std::string::npos);
}

TEST_CASE("statistics count on both sides, in both modes")
{
    std::string listening = GENERATE("source", "sink");
    Pair pair(listening, "connections=3&policy=shortest-queue");
    constexpr guint count = 50, size = 500;
    for (guint i = 0; i < count; i++) {
        REQUIRE(pair.sink->push(rtp_packet((guint16)i, size)) == GST_FLOW_OK);
        REQUIRE(pair.source->pull());
    }
    CHECK(eventually([&] { return counter(pair.sink->get(), "open-connections") == 3; }));
    Structure sent = stats(pair.sink->get()), received = stats(pair.source->get());
    CHECK(counter(sent.get(), "packets-accepted") == count);
    CHECK(counter(sent.get(), "bytes-accepted") == count * size);
    CHECK(counter(sent.get(), "packets-sent") == count);
    CHECK(counter(sent.get(), "bytes-sent") >= count * (size + 2));
    CHECK(counter(sent.get(), "sessions") == 1);
    CHECK(counter(sent.get(), "dropped-queue-full") == 0);
    CHECK(counter(received.get(), "packets-received") == count);
    CHECK(counter(received.get(), "bytes-received") == count * size);
    CHECK(counter(received.get(), "dropped-receive-queue-full") == 0);

    guint64 packets = 0;
    /* As rtpbin's statistics have it, which Python reads as a list. */
    const GValue *value = gst_structure_get_value(sent.get(), "connections");
    REQUIRE(G_VALUE_HOLDS(value, g_type_from_name("GValueArray")));
    const auto *connections = static_cast<const GValueArray *>(g_value_get_boxed(value));
    REQUIRE(connections->n_values == 3);
    for (guint i = 0; i < 3; i++) {
        const auto *one =
            static_cast<const GstStructure *>(g_value_get_boxed(&connections->values[i]));
        CHECK(counter(one, "connection") == i);
        CHECK(std::string(gst_structure_get_string(one, "state")) == "open");
        CHECK(std::string(gst_structure_get_string(one, "remote")).find("127.0.0.1:") == 0);
        packets += counter(one, "packets-sent");
    }
    CHECK(packets == count);
}

TEST_CASE("the clock rate of the caps makes reports exact from the first packets")
{
    /* A rate that nobody would guess: without the caps the jitter is never known. */
    std::string port = std::to_string(free_port());
    Harness source("livetcpsrc", "livetcp://127.0.0.1:" + port + "?mode=listener");
    GstCaps *caps = gst_caps_from_string("application/x-rtp,media=audio,clock-rate=50000");
    g_object_set(source.get(), "caps", caps, nullptr);
    gst_caps_unref(caps);
    Harness sink("livetcpsink", "livetcp://127.0.0.1:" + port +
                                    "?connections=1&reconnect-min=10&reconnect-max=50");
    for (guint16 i = 0; i < 5; i++) {
        REQUIRE(sink.push(rtp_packet(i)) == GST_FLOW_OK);
        REQUIRE(source.pull());
    }
    Structure received = stats(source.get());
    CHECK(gst_structure_has_field(received.get(), "jitter-us"));
}

TEST_CASE("the statistics of sessions that are gone stay in the totals")
{
    Harness sink("livetcpsink", "livetcp://127.0.0.1:0?mode=listener");
    for (guint round = 1; round <= 2; round++) {
        Harness source("livetcpsrc", call_uri(sink.get()));
        REQUIRE(eventually([&] { return counter(sink.get(), "sessions") == 1; }));
        REQUIRE(sink.push(rtp_packet((guint16)round)) == GST_FLOW_OK);
        REQUIRE(source.pull());
        source.stop();
        REQUIRE(eventually([&] { return counter(sink.get(), "sessions") == 0; }));
        CHECK(counter(sink.get(), "packets-sent") == round);
        CHECK(counter(sink.get(), "sessions-total") == round);
    }
    REQUIRE(sink.push(rtp_packet(9)) == GST_FLOW_OK);
    CHECK(counter(sink.get(), "dropped-without-peer") == 1);
}

TEST_CASE("statistics are notified at the interval")
{
    const char *factory = GENERATE("livetcpsink", "livetcpsrc");
    Subject element(factory, "livetcp://127.0.0.1:0?mode=listener&stats-update-interval=5");
    gint count = 0;
    g_signal_connect(element.get(), "notify::stats",
                     G_CALLBACK(+[](GObject *, GParamSpec *, gint *n) { g_atomic_int_inc(n); }),
                     &count);
    REQUIRE(element.state(GST_STATE_PAUSED));
    CHECK(eventually([&] { return g_atomic_int_get(&count) >= 3; }));
    element.state(GST_STATE_NULL);
}

TEST_CASE("the estimated bit rate is notified, and is nobody's when nobody is there")
{
    std::string listening = GENERATE("source", "sink");
    Pair pair(listening, "max-bitrate=2000000&min-bitrate=1000000");
    gint notified = 0;
    gulong handler = g_signal_connect(
        pair.sink->get(), "notify::estimated-bitrate",
        G_CALLBACK(+[](GObject *, GParamSpec *, gint *n) { g_atomic_int_inc(n); }), &notified);
    guint16 sequence = 0;
    auto known = [&] { return get_uint(pair.sink->get(), "estimated-bitrate") == 2000000; };
    CHECK(eventually([&] {
        pair.sink->push(rtp_packet(sequence++));
        return known() && pair.source->try_pull() != nullptr;
    }));
    CHECK(counter(pair.sink->get(), "estimated-bitrate") == 2000000);
    if (listening == "sink") { /* its peer came after the handler, and goes before it */
        pair.source->stop();
        CHECK(eventually([&] { return get_uint(pair.sink->get(), "estimated-bitrate") == 0; }));
        CHECK(eventually([&] { return g_atomic_int_get(&notified) >= 1; }));
    }
    pair.sink->stop();
    CHECK(get_uint(pair.sink->get(), "estimated-bitrate") == 0);
    g_signal_handler_disconnect(pair.sink->get(), handler);
}

/* Pushes packets until a GstForceKeyUnit comes upstream. */
static bool key_unit_requested(Harness &sink)
{
    static guint16 sequence = 1000;
    return eventually([&] {
        sink.push(rtp_packet(sequence++));
        bool found = false;
        while (GstEvent *event = gst_harness_try_pull_upstream_event(sink.harness())) {
            found = found || gst_video_event_is_force_key_unit(event);
            gst_event_unref(event);
        }
        return found;
    });
}

TEST_CASE("a key frame is asked for when a session opens, and when it opens again")
{
    std::string port = std::to_string(free_port());
    Harness sink("livetcpsink",
                 "livetcp://127.0.0.1:" + port + "?reconnect-min=10&reconnect-max=50");
    std::string uri = "livetcp://127.0.0.1:" + port + "?mode=listener";
    for (int i = 0; i < 3; i++) {
        Harness source("livetcpsrc", uri);
        CHECK(key_unit_requested(sink));
        CHECK(eventually([&] {
            sink.push(rtp_packet(1));
            return source.try_pull() != nullptr;
        }));
        /* once only */
        for (int k = 0; k < 5; k++) {
            sink.push(rtp_packet(2));
        }
        while (GstEvent *event = gst_harness_try_pull_upstream_event(sink.harness())) {
            CHECK(!gst_video_event_is_force_key_unit(event));
            gst_event_unref(event);
        }
    }
}

TEST_CASE("the end of the stream reaches the other side after its last packet")
{
    std::string listening = GENERATE("source", "sink");
    Pair pair(listening, in_sequence);
    constexpr guint count = 300;
    REQUIRE(pair.sink->push(rtp_packet(0)) == GST_FLOW_OK);
    REQUIRE(pair.source->pull());
    for (guint i = 1; i < count; i++) {
        REQUIRE(pair.sink->push(rtp_packet((guint16)i, 1400)) == GST_FLOW_OK);
    }
    gst_harness_push_event(pair.sink->harness(), gst_event_new_eos());
    CHECK(counter(pair.sink->get(), "queue-packets") == 0);
    pair.sink->stop();
    for (guint i = 1; i < count; i++) {
        Buffer buffer = pair.source->pull();
        REQUIRE(buffer);
        CHECK(sequence_of(buffer.get()) == i);
    }
    CHECK(eventually([&] {
        GstEvent *event = gst_harness_try_pull_event(pair.source->harness());
        bool eos = event != nullptr && GST_EVENT_TYPE(event) == GST_EVENT_EOS;
        gst_clear_event(&event);
        return eos;
    }));
    CHECK(pair.source->posted(GST_MESSAGE_ERROR).empty());
}

TEST_CASE("caps, segment and first buffer are those of a live source in time")
{
    Pair pair("source", "wire=plain");
    REQUIRE(pair.sink->push(rtp_packet(1)) == GST_FLOW_OK);
    Buffer buffer = pair.source->pull();
    REQUIRE(buffer);
    CHECK(GST_BUFFER_FLAG_IS_SET(buffer.get(), GST_BUFFER_FLAG_DISCONT));
    CHECK(GST_BUFFER_PTS_IS_VALID(buffer.get()));
    CHECK(GST_BUFFER_PTS(buffer.get()) == GST_BUFFER_DTS(buffer.get()));

    GstPad *pad = gst_element_get_static_pad(pair.source->get(), "src");
    GstCaps *caps = gst_pad_get_current_caps(pad);
    CHECK(gst_structure_has_name(gst_caps_get_structure(caps, 0), "application/x-rtp"));
    gst_caps_unref(caps);
    GstEvent *event = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0);
    const GstSegment *segment = nullptr;
    gst_event_parse_segment(event, &segment);
    CHECK(segment->format == GST_FORMAT_TIME);
    gst_event_unref(event);
    gst_object_unref(pad);

    REQUIRE(pair.sink->push(rtp_packet(2)) == GST_FLOW_OK);
    buffer = pair.source->pull();
    REQUIRE(buffer);
    CHECK(!GST_BUFFER_FLAG_IS_SET(buffer.get(), GST_BUFFER_FLAG_DISCONT));
    CHECK(get_string(pair.source->get(), "state") == "open");
}
