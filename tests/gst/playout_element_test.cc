/* SPDX-License-Identifier: MIT */
/* livetcpplayout: order, times to play, and what is missing. */
#include "catch.h"
#include "playout_support.h"

using namespace lt;

static const char lost[] = "GstRTPPacketLost";

TEST_CASE("timestamps follow the sender's clock whatever the packets were held up by")
{
    Playout p("playout-mode=fixed latency=100");
    const guint held_up[] = {0, 30, 15, 70, 60, 45, 30};
    for (guint16 i = 0; i < 7; i++) {
        p.now(1000 * ms + (i * 20 + held_up[i]) * ms);
        p.packet(i);
    }
    auto buffers = p.pull(7);
    for (guint i = 0; i < 7; i++) {
        REQUIRE(buffers[i]);
        CHECK(sequence_of(buffers[i].get()) == i);
        CHECK(pts(buffers[i]) == 1000 * ms + i * 20 * ms);
        CHECK(GST_BUFFER_DTS(buffers[i].get()) == GST_CLOCK_TIME_NONE);
        CHECK(discont(buffers[i]) == (i == 0));
    }
    CHECK(counter(p.stats().get(), "received") == 7);
}

TEST_CASE("packets that others overtook are put in order, and nothing is reported lost")
{
    Playout p("playout-mode=fixed latency=100");
    p.now(1000 * ms);
    p.packets(0, 2);
    p.now(1080 * ms);
    p.packet(4);
    p.now(1090 * ms);
    p.packet(3);
    auto buffers = p.pull(5);
    for (guint i = 0; i < 5; i++) {
        REQUIRE(buffers[i]);
        CHECK(sequence_of(buffers[i].get()) == i);
        CHECK(pts(buffers[i]) == 1000 * ms + i * 20 * ms);
        CHECK(discont(buffers[i]) == (i == 0));
    }
    CHECK(p.try_event(GST_EVENT_CUSTOM_DOWNSTREAM, lost) == nullptr);
}

TEST_CASE("what is missing when it is due is lost, and said so")
{
    bool told = GENERATE(true, false);
    Playout p(told ? "playout-mode=fixed latency=100"
                   : "playout-mode=fixed latency=100 do-lost=false");
    p.now(1000 * ms);
    p.packets(0, 2);
    p.now(1080 * ms);
    p.packet(4);
    REQUIRE(p.pull(3)[2]);
    CHECK(p.try_pull() == nullptr);
    p.crank(); /* 3 was to be played at 1160 ms, and nothing is waited for before */
    CHECK(p.time() == 1160 * ms);
    Buffer after = p.pull();
    REQUIRE(after);
    CHECK(sequence_of(after.get()) == 4);
    CHECK(pts(after) == 1080 * ms);
    CHECK(discont(after));
    Event event = p.try_event(GST_EVENT_CUSTOM_DOWNSTREAM, lost);
    REQUIRE((event != nullptr) == told);
    if (told) {
        const GstStructure *s = gst_event_get_structure(event.get());
        guint64 timestamp = 0, duration = 0;
        gst_structure_get_uint64(s, "timestamp", &timestamp);
        gst_structure_get_uint64(s, "duration", &duration);
        CHECK(counter(s, "seqnum") == 3);
        CHECK(timestamp == 1060 * ms);
        CHECK(duration == 20 * ms);
        CHECK(counter(s, "retry") == 0);
    }

    /* what comes after that is too late, and not played */
    p.packet(3);
    p.now(1180 * ms);
    p.packet(9);
    p.packet(9);
    p.packet(5);
    CHECK(sequence_of(p.pull().get()) == 5);
    CHECK(counter(p.stats().get(), "late") == 1);
    CHECK(counter(p.stats().get(), "duplicates") == 1);
}

TEST_CASE("audio that comes too late is dropped, video is not")
{
    bool video = GENERATE(false, true);
    Playout p("playout-mode=fixed latency=50", video ? video_caps : voice_caps);
    p.now(1000 * ms);
    for (guint16 i = 0; i < 4; i++) {
        p.now((1000 + i * 20 + (i == 3 ? 200 : 0)) * ms);
        video ? p.packet(i, i * 1800, 96, 1) : p.packet(i);
    }
    REQUIRE(p.pull(3)[2]);
    if (video) {
        Buffer late = p.pull();
        REQUIRE(late);
        CHECK(sequence_of(late.get()) == 3);
        CHECK(pts(late) == 1060 * ms);
    } else {
        CHECK(p.event(GST_EVENT_CUSTOM_DOWNSTREAM, lost));
        CHECK(p.try_pull() == nullptr);
    }
    CHECK(eventually([&] { return counter(p.stats().get(), "late") == 1; }));
}

TEST_CASE("duplicates are never played twice")
{
    std::string mode = GENERATE("none", "fixed", "static", "adaptive", "policy-aware");
    INFO(mode);
    Playout p("mode=" + mode);
    p.now(1000 * ms);
    for (guint16 i = 0; i < 50; i++) {
        p.now((1000 + i * 20) * ms);
        p.packet(i);
        p.packet(i);
        if (i > 3) {
            p.packet((guint16)(i - 3));
        }
    }
    auto buffers = p.pull(50);
    for (guint i = 0; i < 50; i++) {
        REQUIRE(buffers[i]);
        CHECK(sequence_of(buffers[i].get()) == i);
        CHECK(pts(buffers[i]) >= 1000 * ms + i * 20 * ms - 1 * ms);
    }
    CHECK(p.try_pull() == nullptr);
    CHECK(counter(p.stats().get(), "duplicates") == 96);
}

TEST_CASE("with mode none packets pass as they come")
{
    Playout p("playout-mode=none");
    p.now(1000 * ms);
    for (guint16 sequence : {0, 1, 5, 3, 4}) {
        p.now((1000 + sequence * 20 + 7) * ms);
        p.packet(sequence);
        Buffer buffer = p.pull();
        REQUIRE(buffer);
        CHECK(sequence_of(buffer.get()) == sequence);
    }
    CHECK(p.try_event(GST_EVENT_CUSTOM_DOWNSTREAM, lost) == nullptr);
}

TEST_CASE("the end of the stream comes after what was held, at once")
{
    Playout p("playout-mode=fixed latency=5000");
    p.now(1000 * ms);
    p.packets(0, 2);
    p.now(1080 * ms);
    p.packet(4);
    gst_harness_push_event(p.harness(), gst_event_new_eos());
    Buffer last = std::move(p.pull(4)[3]);
    REQUIRE(last);
    CHECK(sequence_of(last.get()) == 4);
    CHECK(p.event(GST_EVENT_CUSTOM_DOWNSTREAM, lost));
    CHECK(p.event(GST_EVENT_EOS));
    CHECK(p.packet(5) == GST_FLOW_EOS);
}

TEST_CASE("a flush drops what is held, and the stream begins again with a segment")
{
    Playout p("playout-mode=fixed latency=200");
    p.now(1000 * ms);
    p.packets(0, 2);
    p.now(1080 * ms);
    p.packet(4);
    REQUIRE(p.pull(3)[2]);
    gst_harness_push_event(p.harness(), gst_event_new_flush_start());
    CHECK(p.packet(5) == GST_FLOW_FLUSHING);
    gst_harness_push_event(p.harness(), gst_event_new_flush_stop(FALSE));
    REQUIRE(p.event(GST_EVENT_FLUSH_STOP));
    GstSegment segment;
    gst_segment_init(&segment, GST_FORMAT_TIME);
    gst_harness_push_event(p.harness(), gst_event_new_segment(&segment));
    p.now(2000 * ms);
    p.packets(50, 51);
    p.crank();
    auto buffers = p.pull(2);
    REQUIRE(buffers[1]);
    CHECK(sequence_of(buffers[0].get()) == 50);
    CHECK(pts(buffers[0]) == 2000 * ms);
    CHECK(discont(buffers[0]));
    CHECK(p.event(GST_EVENT_SEGMENT));
    CHECK(p.try_pull() == nullptr);
}

TEST_CASE("another SSRC takes over after a discontinuity")
{
    Playout p("playout-mode=fixed latency=100");
    p.now(1000 * ms);
    p.packets(0, 4, 1);
    REQUIRE(p.pull(5)[4]);
    p.now(1100 * ms);
    p.packets(700, 704, 2);
    auto buffers = p.pull(5);
    for (guint i = 0; i < 5; i++) {
        REQUIRE(buffers[i]);
        CHECK(sequence_of(buffers[i].get()) == 700 + i);
        CHECK(discont(buffers[i]) == (i == 0));
        CHECK(pts(buffers[i]) == (1100 + 20 * i) * ms);
    }
    CHECK(counter(p.stats().get(), "ssrc-changes") == 1);
    CHECK(p.try_event(GST_EVENT_CUSTOM_DOWNSTREAM, lost) == nullptr);
}

TEST_CASE("nothing leaves before the clock runs")
{
    Playout p("playout-mode=fixed latency=100");
    p.now(1000 * ms);
    CHECK(gst_element_set_state(p.get(), GST_STATE_PAUSED) == GST_STATE_CHANGE_NO_PREROLL);
    p.packet(0);
    CHECK(p.try_pull() == nullptr);
    CHECK(p.state(GST_STATE_PLAYING));
    p.crank();
    Buffer buffer = p.pull();
    REQUIRE(buffer);
    CHECK(pts(buffer) == 1000 * ms);
}
