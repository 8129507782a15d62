/* SPDX-License-Identifier: MIT */
/* The source's own properties: times, caps, RTCP, gaps, silence and the end. */
#include "catch.h"
#include "support.h"

#include <gst/check/gsttestclock.h>
#include <gst/video/video.h>

#include <mutex>

using namespace lt;

static const char listening[] = "livetcp://127.0.0.1:0?mode=listener";

static std::string listening_with(const std::string &query)
{
    return std::string(listening) + "&" + query;
}

TEST_CASE("a source is live and adds no latency")
{
    Harness source("livetcpsrc", listening_with(GENERATE("order=arrival", "order=sequence")));
    GstQuery *query = gst_query_new_latency();
    GstPad *pad = gst_element_get_static_pad(source.get(), "src");
    REQUIRE(gst_pad_query(pad, query));
    gboolean live = FALSE;
    GstClockTime minimum = 1, maximum = 0;
    gst_query_parse_latency(query, &live, &minimum, &maximum);
    CHECK(live);
    CHECK(minimum == 0);
    CHECK(maximum == GST_CLOCK_TIME_NONE);
    gst_query_unref(query);
    gst_object_unref(pad);
}

TEST_CASE("timestamps are running time of the pipeline's clock")
{
    Harness source("livetcpsrc", listening, false);
    gst_harness_use_testclock(source.harness());
    gst_harness_set_time(source.harness(), 1000 * GST_SECOND);
    source.play();
    Harness sink("livetcpsink", call_uri(source.get()));

    GstClockTime base = gst_element_get_base_time(source.get());
    for (guint i = 0; i < 3; i++) {
        /* the test clock stands still, so a packet cannot be younger than this */
        GstClockTime now = (2000 + 100 * i) * GST_SECOND;
        gst_harness_set_time(source.harness(), now);
        gint64 before = g_get_monotonic_time();
        REQUIRE(sink.push(rtp_packet((guint16)i)) == GST_FLOW_OK);
        Buffer buffer = source.pull();
        GstClockTime age = (GstClockTime)(g_get_monotonic_time() - before) * GST_USECOND;
        REQUIRE(buffer);
        CHECK(GST_BUFFER_PTS(buffer.get()) <= now - base);
        CHECK(GST_BUFFER_PTS(buffer.get()) + age >= now - base);
    }
}

TEST_CASE("a packet that waited for the pipeline keeps its time of arrival")
{
    Harness sink("livetcpsink", listening);
    Pipeline pipeline("livetcpsrc name=s uri=" + call_uri(sink.get()) +
                      " ! identity name=i sleep-time=40000 ! fakesink");
    Element probe = pipeline.child("i");
    struct Times {
        std::mutex lock;
        std::vector<GstClockTime> list;
        size_t count()
        {
            std::lock_guard<std::mutex> guard(lock);
            return list.size();
        }
    } times;
    GstPad *pad = gst_element_get_static_pad(probe.get(), "sink");
    gst_pad_add_probe(
        pad, GST_PAD_PROBE_TYPE_BUFFER,
        [](GstPad *, GstPadProbeInfo *info, gpointer user) {
            auto *seen = static_cast<Times *>(user);
            std::lock_guard<std::mutex> guard(seen->lock);
            seen->list.push_back(GST_BUFFER_PTS(GST_PAD_PROBE_INFO_BUFFER(info)));
            return GST_PAD_PROBE_OK;
        },
        &times, nullptr);
    REQUIRE(pipeline.state(GST_STATE_PLAYING));
    Element source = pipeline.child("s");
    REQUIRE(eventually([&] { return counter(sink.get(), "sessions") == 1; }));
    gint64 before = g_get_monotonic_time();
    for (guint16 i = 0; i < 8; i++) {
        REQUIRE(sink.push(rtp_packet(i)) == GST_FLOW_OK);
    }
    REQUIRE(eventually([&] { return counter(source.get(), "packets-received") == 8; }));
    GstClockTime took = (GstClockTime)(g_get_monotonic_time() - before) * GST_USECOND;
    /* the last left the queue 7 x 40 ms after the first */
    REQUIRE(eventually([&] { return times.count() == 8; }));
    REQUIRE(pipeline.state(GST_STATE_NULL));
    for (size_t i = 1; i < times.list.size(); i++) {
        CHECK(times.list[i] >= times.list[i - 1]);
    }
    CHECK(times.list.back() - times.list.front() <= took + 5 * GST_MSECOND);
    gst_object_unref(pad);
}

TEST_CASE("caps are announced as given, and as downstream needs them otherwise")
{
    Harness sink("livetcpsink", listening);
    SECTION("given")
    {
        Harness source("livetcpsrc", call_uri(sink.get()), false);
        const char text[] = "application/x-rtp, media=(string)audio, clock-rate=(int)48000, "
                            "encoding-name=(string)OPUS, payload=(int)97";
        gst_util_set_object_arg(G_OBJECT(source.get()), "caps", text);
        source.play();
        REQUIRE(eventually([&] {
            sink.push(rtp_packet(1));
            return source.try_pull() != nullptr;
        }));
        GstPad *pad = gst_element_get_static_pad(source.get(), "src");
        GstCaps *caps = gst_pad_get_current_caps(pad), *wanted = gst_caps_from_string(text);
        CHECK(gst_caps_is_equal(caps, wanted));
        gst_caps_unref(caps);
        gst_caps_unref(wanted);

        /* and changed in flight */
        gst_util_set_object_arg(G_OBJECT(source.get()), "caps",
                                "application/x-rtp, payload=(int)98");
        REQUIRE(sink.push(rtp_packet(2)) == GST_FLOW_OK);
        CHECK(eventually([&] {
            sink.push(rtp_packet(3));
            source.try_pull();
            GstCaps *now = gst_pad_get_current_caps(pad);
            int payload = 0;
            gst_structure_get_int(gst_caps_get_structure(now, 0), "payload", &payload);
            gst_caps_unref(now);
            return payload == 98;
        }));
        gst_object_unref(pad);
    }
    SECTION("asked for by a depayloader")
    {
        Pipeline pipeline("livetcpsrc uri=" + call_uri(sink.get()) +
                          " name=s ! rtph264depay ! fakesink");
        REQUIRE(pipeline.state(GST_STATE_PLAYING));
        Element source = pipeline.child("s");
        GstPad *pad = gst_element_get_static_pad(source.get(), "src");
        GstCaps *caps = nullptr;
        REQUIRE(eventually([&] {
            sink.push(rtp_packet(1));
            return (caps = gst_pad_get_current_caps(pad)) != nullptr;
        }));
        int rate = 0;
        gst_structure_get_int(gst_caps_get_structure(caps, 0), "clock-rate", &rate);
        CHECK(rate == 90000);
        gst_caps_unref(caps);
        gst_object_unref(pad);
    }
}

TEST_CASE("RTCP comes on the pad of RTP where that is asked for")
{
    bool wanted = GENERATE(true, false);
    Harness sink("livetcpsink", listening);
    Harness source("livetcpsrc",
                   call_uri(sink.get(), wanted ? "connections=1&rtcp-mux=true" : "connections=1"));
    REQUIRE(eventually([&] { return counter(sink.get(), "sessions") == 1; }));
    REQUIRE(sink.push(rtcp_packet()) == GST_FLOW_OK);
    REQUIRE(sink.push(rtp_packet(5)) == GST_FLOW_OK);
    if (wanted) {
        Buffer buffer = source.pull();
        REQUIRE(buffer);
        CHECK(same_bytes(buffer.get(), rtcp_packet().get()));
    }
    Buffer buffer = source.pull();
    REQUIRE(buffer);
    CHECK(sequence_of(buffer.get()) == 5);
    CHECK((counter(source.get(), "rtcp-dropped") == 0) == wanted); /* there may be reports, too */
}

namespace
{

/* A sink for RTP, and one for RTCP on a pad that is not there yet. */
std::string two_sinks(const std::string &uri)
{
    return "livetcpsrc name=s uri=" + uri +
           " s.src ! fakesink sync=false async=false s.rtcp_src ! appsink name=r sync=false "
           "async=false";
}

/* The next RTCP packet of the application's; NULL at the end of the stream. */
GstSample *next_rtcp(GstElement *app)
{
    for (;;) {
        GstSample *sample = nullptr;
        g_signal_emit_by_name(app, "try-pull-sample", patience, &sample);
        if (sample == nullptr || same_bytes(gst_sample_get_buffer(sample), rtcp_packet().get())) {
            return sample;
        }
        gst_sample_unref(sample); /* a report of LiveTCP's */
    }
}

} // namespace

TEST_CASE("RTCP leaves by a pad of its own, from the first packet to the end of the stream")
{
    auto sink = std::make_unique<Harness>("livetcpsink", listening);
    Pipeline receiver(two_sinks(call_uri(sink->get(), "connections=1")));
    Element source = receiver.child("s"), app = receiver.child("r");
    REQUIRE(receiver.state(GST_STATE_PLAYING));
    REQUIRE(eventually([&] { return counter(sink->get(), "sessions") == 1; }));
    REQUIRE(sink->push(rtp_packet(5)) == GST_FLOW_OK);
    REQUIRE(sink->push(rtcp_packet()) == GST_FLOW_OK);

    GstSample *sample = next_rtcp(app.get());
    REQUIRE(sample != nullptr);
    CHECK(gst_structure_has_name(gst_caps_get_structure(gst_sample_get_caps(sample), 0),
                                 "application/x-rtcp"));
    CHECK(GST_BUFFER_PTS_IS_VALID(gst_sample_get_buffer(sample)));
    gst_sample_unref(sample);
    CHECK(counter(source.get(), "rtcp-dropped") == 0);

    sink->stop();
    CHECK(next_rtcp(app.get()) == nullptr);
    CHECK(receiver.wait(GST_MESSAGE_EOS));
    CHECK(receiver.posted(GST_MESSAGE_ERROR).empty());
    REQUIRE(receiver.state(GST_STATE_READY));
    CHECK(gst_element_get_static_pad(source.get(), "rtcp_src") == nullptr);
}

TEST_CASE("no RTCP leaves with rtcp=off")
{
    Harness sink("livetcpsink", listening);
    Pipeline receiver(two_sinks(call_uri(sink.get(), "connections=1&rtcp=off&rtcp-mux=true")));
    Element source = receiver.child("s");
    REQUIRE(receiver.state(GST_STATE_PLAYING));
    REQUIRE(eventually([&] { return counter(sink.get(), "sessions") == 1; }));
    REQUIRE(sink.push(rtcp_packet()) == GST_FLOW_OK);
    REQUIRE(eventually([&] { return counter(source.get(), "rtcp-dropped") == 1; }));
    CHECK(gst_element_get_static_pad(source.get(), "rtcp_src") == nullptr);
}

TEST_CASE("a slow pipeline loses the oldest packets, and is told")
{
    Harness sink("livetcpsink", listening);
    Pipeline pipeline(
        "livetcpsrc name=s uri=" + call_uri(sink.get(), "queue-packets=4&connections=1&rtcp=off") +
        " ! appsink name=a max-buffers=1 sync=false");
    REQUIRE(pipeline.state(GST_STATE_PLAYING));
    Element source = pipeline.child("s"), app = pipeline.child("a");
    REQUIRE(eventually([&] { return counter(sink.get(), "sessions") == 1; }));
    for (guint16 i = 0; i < 100; i++) {
        REQUIRE(sink.push(rtp_packet(i)) == GST_FLOW_OK);
    }
    REQUIRE(eventually([&] { return counter(source.get(), "packets-received") == 100; }));
    CHECK(eventually([&] { return counter(source.get(), "dropped-receive-queue-full") >= 90; }));
    CHECK(counter(source.get(), "receive-queue-packets") <= 4);

    guint count = 0;
    int last = -1;
    while (last != 99) {
        GstSample *sample = nullptr;
        g_signal_emit_by_name(app.get(), "try-pull-sample", patience, &sample);
        REQUIRE(sample != nullptr);
        GstBuffer *buffer = gst_sample_get_buffer(sample);
        int sequence = sequence_of(buffer);
        CHECK(sequence > last);
        bool gap = sequence != last + 1 || last == -1;
        CHECK(!!GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_DISCONT) == gap);
        last = sequence;
        count++;
        gst_sample_unref(sample);
    }
    CHECK(count + counter(source.get(), "dropped-receive-queue-full") == 100);
}

TEST_CASE("a gap given up on is a discontinuity")
{
    Harness sink("livetcpsink", listening);
    Harness source("livetcpsrc",
                   call_uri(sink.get(), "order=sequence&order-wait=20&connections=1"));
    REQUIRE(eventually([&] { return counter(sink.get(), "sessions") == 1; }));
    for (guint16 sequence : {10, 11, 14, 15}) {
        REQUIRE(sink.push(rtp_packet(sequence)) == GST_FLOW_OK);
    }
    for (guint16 sequence : {10, 11, 14, 15}) {
        Buffer buffer = source.pull();
        REQUIRE(buffer);
        CHECK(sequence_of(buffer.get()) == sequence);
        bool expected = sequence == 10 || sequence == 14;
        CHECK(!!GST_BUFFER_FLAG_IS_SET(buffer.get(), GST_BUFFER_FLAG_DISCONT) == expected);
    }
    CHECK(counter(source.get(), "sequence-gaps") > 0);
}

static bool at_eos(Harness &source)
{
    return eventually([&] {
        GstEvent *event = gst_harness_try_pull_event(source.harness());
        bool eos = event != nullptr && GST_EVENT_TYPE(event) == GST_EVENT_EOS;
        gst_clear_event(&event);
        return eos;
    });
}

TEST_CASE("when the peer ends the session, so does the stream")
{
    std::string wire = GENERATE("wire=session", "wire=plain&auto-reconnect=false");
    bool listener = GENERATE(true, false);
    INFO(wire << (listener ? ", source listens" : ", source calls"));
    std::unique_ptr<Harness> sink, source;
    if (listener) {
        source = std::make_unique<Harness>("livetcpsrc", listening_with(wire));
        sink = std::make_unique<Harness>("livetcpsink", call_uri(source->get(), wire));
    } else {
        sink = std::make_unique<Harness>("livetcpsink", listening_with(wire));
        source = std::make_unique<Harness>("livetcpsrc", call_uri(sink->get(), wire));
    }
    REQUIRE(eventually([&] {
        sink->push(rtp_packet(1));
        return source->try_pull() != nullptr;
    }));
    sink->stop();
    CHECK(at_eos(*source));
    CHECK(source->posted(GST_MESSAGE_ERROR).empty());
}

TEST_CASE("with keep-listening, the next session continues the stream after a discontinuity")
{
    bool listener = GENERATE(true, false);
    std::string port = std::to_string(free_port());
    std::string there = "livetcp://127.0.0.1:" + port;
    std::string source_uri = there + "?keep-listening=true&reconnect-min=10&reconnect-max=50" +
                             (listener ? "&mode=listener" : "");
    Harness source("livetcpsrc", source_uri);
    for (guint16 round = 0; round < 3; round++) {
        Harness sink("livetcpsink", there + (listener ? "" : "?mode=listener"));
        Buffer buffer;
        REQUIRE(eventually([&] {
            sink.push(rtp_packet(round));
            buffer = source.try_pull();
            return buffer != nullptr && sequence_of(buffer.get()) == round;
        }));
        CHECK(GST_BUFFER_FLAG_IS_SET(buffer.get(), GST_BUFFER_FLAG_DISCONT));
        sink.stop();
        REQUIRE(eventually([&] { return get_string(source.get(), "state") != "open"; }));
    }
    CHECK(source.posted(GST_MESSAGE_ERROR).empty());
}

TEST_CASE("silence is reported at the timeout")
{
    Harness source("livetcpsrc", listening_with("timeout=5"));
    for (int i = 0; i < 2; i++) {
        Message message = source.wait_element("livetcp-timeout");
        REQUIRE(message);
        /* In the unit of the property. */
        guint timeout = 0;
        gst_structure_get_uint(gst_message_get_structure(message.get()), "timeout", &timeout);
        CHECK(timeout == 5);
    }
}

TEST_CASE("a second sender waits its turn")
{
    Harness source("livetcpsrc", listening_with("keep-listening=true"));
    auto one = std::make_unique<Harness>("livetcpsink", call_uri(source.get()));
    REQUIRE(eventually([&] { return get_string(one->get(), "state") == "open"; }));
    Harness two("livetcpsink", call_uri(source.get(), "reconnect-min=10&reconnect-max=50"));
    Message message = two.wait(GST_MESSAGE_WARNING);
    REQUIRE(message);
    CHECK(complaint(message).code == GST_RESOURCE_ERROR_BUSY);
    CHECK(counter(source.get(), "sessions") == 1);
    one.reset();
    CHECK(eventually([&] { return get_string(two.get(), "state") == "open"; }));
}

TEST_CASE("a request for a key frame from downstream is left to the sender")
{
    Harness source("livetcpsrc", listening);
    GstEvent *event = gst_video_event_new_upstream_force_key_unit(GST_CLOCK_TIME_NONE, TRUE, 1);
    gst_harness_push_upstream_event(source.harness(), event);
    CHECK(get_string(source.get(), "state") == "listening");
    CHECK(source.posted(GST_MESSAGE_ERROR).empty());
}
