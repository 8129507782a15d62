/* SPDX-License-Identifier: MIT */
/* livetcpplayout: latency, caps, the path, statistics, and what it makes of nonsense. */
#include "catch.h"
#include "playout_support.h"

using namespace lt;

namespace
{

Event path_event(const char *text)
{
    return Event(gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM_STICKY,
                                      gst_structure_from_string(text, nullptr)));
}

gint64 time_field(const Structure &structure, const char *name)
{
    gint64 value = -1;
    gst_structure_get_int64(structure.get(), name, &value);
    return value;
}

/* Talkspurts of ten packets, each begun by a marker, with so much jitter. */
void talk(Playout &p, guint talkspurts, guint jitter, guint16 &sequence)
{
    for (guint i = 0; i < talkspurts * 10; i++, sequence++) {
        guint late = sequence % 3 == 0 ? jitter : 0;
        p.now((1000 + sequence * 20 + late) * ms);
        p.packet(sequence, sequence * 160u, i % 10 == 0 ? 0x80 : 0, 1);
    }
}

} // namespace

TEST_CASE("the latency announced is the playout delay, and what is before it")
{
    struct Case {
        const char *properties;
        GstClockTime latency;
    };
    Case wanted = GENERATE(
        Case{"playout-mode=none latency=300", 0}, Case{"playout-mode=fixed latency=150", 150 * ms},
        Case{"playout-mode=fixed latency=900", 900 * ms},
        Case{"playout-mode=adaptive latency=80", 80 * ms},
        Case{"playout-mode=adaptive latency=80 min-latency=120", 120 * ms},
        Case{"playout-mode=policy-aware latency=800", 400 * ms}, Case{"", 100 * ms});
    INFO(wanted.properties);
    Playout p(wanted.properties);
    CHECK(p.latency() == wanted.latency);
    gst_harness_set_upstream_latency(p.harness(), 30 * ms);
    CHECK(p.latency() == wanted.latency + 30 * ms);
}

TEST_CASE("what is before the element delays when it gives up, too")
{
    Playout p("playout-mode=fixed latency=100");
    gst_harness_set_upstream_latency(p.harness(), 40 * ms);
    CHECK(p.latency() == 140 * ms);
    p.now(1000 * ms);
    p.packets(0, 2);
    p.now(1080 * ms);
    p.packet(4);
    REQUIRE(p.pull(3)[2]);
    p.crank();
    REQUIRE(p.pull());
    CHECK(p.time() == 1200 * ms);
}

TEST_CASE("a delay that grows is announced; timestamps wait for the pipeline to follow")
{
    Playout p("playout-mode=adaptive latency=20");
    guint16 sequence = 0;
    talk(p, 5, 0, sequence);
    CHECK(p.latency() == 20 * ms);
    talk(p, 10, 90, sequence);
    CHECK(!p.posted(GST_MESSAGE_LATENCY).empty());
    auto delay = (GstClockTime)time_field(p.stats(), "delay-us") * GST_USECOND;
    CHECK(delay > 20 * ms);
    GstClockTime announced = p.latency();
    CHECK(announced >= delay);
    CHECK(announced % (10 * ms) == 0);

    auto last = [&] {
        Buffer buffer, next;
        eventually([&] {
            while ((next = p.try_pull()) != nullptr) {
                buffer = std::move(next);
            }
            return buffer != nullptr && sequence_of(buffer.get()) == sequence - 1;
        });
        REQUIRE(buffer);
        return pts(buffer) - (1000 + (sequence - 1) * 20) * ms;
    };
    delay = (GstClockTime)time_field(p.stats(), "delay-us") * GST_USECOND;
    CHECK(last() == delay - 20 * ms); /* rendered 20 ms after this */
    gst_harness_push_upstream_event(p.harness(), gst_event_new_latency(announced));
    p.now((1000 + sequence * 20) * ms);
    CHECK(p.packet(sequence, sequence * 160u, 0x80, 1) == GST_FLOW_OK);
    sequence++;
    delay = (GstClockTime)time_field(p.stats(), "delay-us") * GST_USECOND;
    CHECK(last() + announced == delay);
}

TEST_CASE("running time is not negative, and timestamps do not stand still")
{
    Playout p("playout-mode=policy-aware latency=100");
    gst_harness_push_event(p.harness(),
                           path_event("livetcp-path,repair=duplicate,copies=(uint)2").release());
    p.packets(0, 9);
    auto buffers = p.pull(10);
    for (guint i = 0; i < 10; i++) {
        REQUIRE(buffers[i]);
        CHECK(pts(buffers[i]) == i * 20 * ms);
    }
}

TEST_CASE("the path decides: from livetcpsrc's event, or the property")
{
    SECTION("duplicate")
    {
        Playout p("playout-mode=policy-aware");
        REQUIRE(gst_harness_push_event(
            p.harness(), path_event("livetcp-path,repair=duplicate,copies=(uint)2").release()));
        p.now(1000 * ms);
        p.packets(0, 4);
        CHECK(time_field(p.stats(), "delay-us") == 10000);
    }
    SECTION("an RTT given")
    {
        Playout p("playout-mode=static rtt=40");
        gst_harness_push_event(p.harness(),
                               path_event("livetcp-path,rtt-us=(gint64)90000").release());
        p.now(1000 * ms);
        guint16 sequence = 0;
        talk(p, 3, 0, sequence);
        CHECK(time_field(p.stats(), "delay-us") == 100000); /* 40 + 3 x 20 ms */
    }
    SECTION("an RTT told")
    {
        Playout p("playout-mode=static");
        gst_harness_push_event(p.harness(),
                               path_event("livetcp-path,rtt-us=(gint64)90000").release());
        guint16 sequence = 0;
        talk(p, 3, 0, sequence);
        CHECK(time_field(p.stats(), "delay-us") == 150000);
        CHECK(p.event(GST_EVENT_CUSTOM_DOWNSTREAM_STICKY, "livetcp-path"));
    }
}

TEST_CASE("without a clock rate the element says what it needs")
{
    Playout p("", "application/x-rtp,media=audio");
    CHECK(p.packet(1, 1, 96, 1) == GST_FLOW_NOT_NEGOTIATED);
    Message message = p.wait(GST_MESSAGE_ERROR);
    REQUIRE(message);
    Complaint why = complaint(message);
    CHECK(why.domain == GST_STREAM_ERROR);
    CHECK(why.code == GST_STREAM_ERROR_FORMAT);
    CHECK(why.text.find("clock-rate=48000") != std::string::npos);
}

TEST_CASE("static payload types need no clock rate")
{
    Playout p("playout-mode=fixed", "application/x-rtp");
    p.now(1000 * ms);
    p.packets(0, 4);
    CHECK(pts(p.pull(5)[4]) == 1080 * ms);
}

TEST_CASE("caps change in order with the packets")
{
    Playout p("playout-mode=fixed latency=100");
    p.now(1000 * ms);
    p.packets(0, 2);
    p.now(1080 * ms);
    p.packet(4); /* waits for 3 */
    REQUIRE(p.pull(3)[2]);
    REQUIRE(p.event(GST_EVENT_SEGMENT));
    bool other_rate = GENERATE(false, true);
    std::string caps = other_rate ? "application/x-rtp,media=audio,clock-rate=16000,payload=0"
                                  : "application/x-rtp,media=audio,clock-rate=8000,payload=8";
    gst_harness_set_src_caps_str(p.harness(), caps.c_str());
    p.packet(5);
    if (!other_rate) {
        CHECK(p.try_event(GST_EVENT_CAPS) == nullptr);
    }
    p.crank(); /* 3 is due, or 5 begins a stream of its own */
    CHECK(p.event(GST_EVENT_CAPS));
    auto buffers = p.pull(2);
    REQUIRE(buffers.size() == 2);
    CHECK(sequence_of(buffers[0].get()) == 4);
    CHECK(sequence_of(buffers[1].get()) == 5);
    CHECK(p.posted(GST_MESSAGE_ERROR).empty());
}

TEST_CASE("limits that contradict each other are refused")
{
    Subject subject("livetcpplayout");
    g_object_set(subject.get(), "min-latency", 500, "max-latency", 200, nullptr);
    CHECK(!subject.state(GST_STATE_PAUSED));
    Complaint why = complaint(subject.wait(GST_MESSAGE_ERROR));
    CHECK(why.text.find("min-latency is more than max-latency") != std::string::npos);
}

TEST_CASE("RTCP passes, and what is no RTP does not")
{
    Playout p("playout-mode=fixed");
    p.now(1000 * ms);
    p.packet(0);
    p.crank();
    REQUIRE(p.pull());
    gst_harness_push(p.harness(), rtcp_packet().release());
    CHECK(same_bytes(p.pull().get(), rtcp_packet().get()));
    for (gsize size : {0, 1, 5, 11}) {
        GstBuffer *junk = gst_buffer_new_allocate(nullptr, size, nullptr);
        gst_buffer_memset(junk, 0, 0x80, size);
        CHECK(gst_harness_push(p.harness(), junk) == GST_FLOW_OK);
    }
    p.now(1020 * ms);
    p.packet(1);
    CHECK(sequence_of(p.pull().get()) == 1);
    CHECK(counter(p.stats().get(), "not-rtp") == 4);
}

TEST_CASE("statistics have every field, and are notified")
{
    Playout p("playout-mode=fixed stats-update-interval=100");
    guint notified = 0;
    g_signal_connect(p.playout(), "notify::stats",
                     G_CALLBACK(+[](GObject *, GParamSpec *, guint *count) { (*count)++; }),
                     &notified);
    p.now(1000 * ms);
    p.packets(0, 50);
    REQUIRE(p.pull(51)[50]);
    CHECK(notified == 11);
    Structure stats = p.stats();
    CHECK(gst_structure_has_name(stats.get(), "livetcp-playout-stats"));
    CHECK(gst_structure_n_fields(stats.get()) == 43 + 5);
    CHECK(counter(stats.get(), "received") == 51);
    CHECK(counter(stats.get(), "ssrc") == 0x11223344);
    CHECK(time_field(stats, "latency-us") == 100000);
    CHECK(time_field(stats, "packet-duration-us") == 20000);
    gdouble ratio = -1;
    CHECK(gst_structure_get_double(stats.get(), "played-ratio", &ratio));
    CHECK(ratio == 1);
}
