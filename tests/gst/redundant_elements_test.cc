/* SPDX-License-Identifier: MIT */
/* Redundant audio through the elements: livetcpsink makes it, livetcpplayout and livetcpsrc undo
 * it, and GStreamer's rtpredenc and rtpreddec may be at either end. */
#include "catch.h"
#include "playout_support.h"

#include <gst/rtp/rtp.h>

#include <map>

using namespace lt;

namespace
{

const guint red_type = 63;

/* 20 ms of G.711 whose payload is a function of `sequence`. */
Buffer voice_packet(guint16 sequence)
{
    Buffer packet = rtp_packet(sequence, 172);
    GstMapInfo map;
    gst_buffer_map(packet.get(), &map, GST_MAP_WRITE);
    map.data[1] = 0;
    GST_WRITE_UINT32_BE(map.data + 4, sequence * 160u);
    gst_buffer_unmap(packet.get(), &map);
    return packet;
}

guint8 payload_type(GstBuffer *buffer)
{
    guint8 byte = 0;
    gst_buffer_extract(buffer, 1, &byte, 1);
    return byte & 0x7f;
}

/* What rtpredenc makes of packets first..last. */
std::vector<Buffer> encoded(guint16 first, guint16 last, guint distance = 1)
{
    init();
    GstHarness *h = gst_harness_new("rtpredenc");
    g_object_set(h->element, "pt", red_type, "distance", distance, nullptr);
    gst_harness_set_src_caps_str(h, voice_caps);
    std::vector<Buffer> packets;
    for (guint16 i = first; i <= last; i++) {
        Buffer packet = voice_packet(i);
        GST_BUFFER_PTS(packet.get()) = i * 20 * ms;
        REQUIRE(gst_harness_push(h, packet.release()) == GST_FLOW_OK);
        packets.emplace_back(gst_harness_pull(h));
    }
    gst_harness_teardown(h);
    return packets;
}

/* Arrives now, with its time of arrival. */
void arrive(Playout &p, Buffer &packet)
{
    GST_BUFFER_PTS(packet.get()) = GST_BUFFER_DTS(packet.get()) = p.time();
    gst_harness_push(p.harness(), packet.release());
}

} // namespace

TEST_CASE("livetcpplayout plays a copy where the original does not come")
{
    Playout p("playout-mode=fixed latency=60");
    auto packets = encoded(0, 19);
    for (guint i = 0; i < 20; i++) {
        p.now((1000 + i * 20) * ms);
        if (i == 12) { /* the copy of 10 waits until 1260 ms, since 10 may still come */
            p.crank();
        }
        if (i != 10) {
            arrive(p, packets[i]);
        }
    }
    auto buffers = p.pull(20);
    for (guint16 i = 0; i < 20; i++) {
        REQUIRE(buffers[i]);
        CHECK(same_bytes(buffers[i].get(), voice_packet(i).get()));
        CHECK(pts(buffers[i]) == (1000 + i * 20) * ms);
        CHECK(discont(buffers[i]) == (i == 0));
        CHECK(GST_BUFFER_FLAG_IS_SET(buffers[i].get(), GST_RTP_BUFFER_FLAG_REDUNDANT) == (i == 10));
    }
    Structure stats = p.stats();
    CHECK(counter(stats.get(), "played") == 20);
    CHECK(counter(stats.get(), "played-secondary") == 1);
    CHECK(counter(stats.get(), "lost") == 0);
    gdouble saved = 0;
    gst_structure_get_double(stats.get(), "saved-ratio", &saved);
    CHECK(saved == 1);
    CHECK(counter(stats.get(), "redundant-frames") == 18);
    CHECK(counter(stats.get(), "redundant-frames-seen") == 17);
}

TEST_CASE("livetcpplayout prefers an original that comes in time to its copy")
{
    Playout p("playout-mode=fixed latency=60");
    auto packets = encoded(0, 9);
    for (guint i : {0, 1, 2, 3, 5, 4, 6, 7, 8, 9}) {
        p.now((1000 + (i == 4 ? 110 : i * 20)) * ms);
        arrive(p, packets[i]);
    }
    auto buffers = p.pull(10);
    for (guint16 i = 0; i < 10; i++) {
        REQUIRE(buffers[i]);
        CHECK(same_bytes(buffers[i].get(), voice_packet(i).get()));
        CHECK_FALSE(GST_BUFFER_FLAG_IS_SET(buffers[i].get(), GST_RTP_BUFFER_FLAG_REDUNDANT));
    }
    CHECK(counter(p.stats().get(), "played-secondary") == 0);
}

TEST_CASE("what the caps or the property give the payload type to is no redundant audio")
{
    const char opus[] =
        "application/x-rtp,media=audio,clock-rate=8000,encoding-name=OPUS,payload=63";
    bool caps = GENERATE(true, false);
    Playout p(caps ? "playout-mode=fixed latency=60"
                   : "playout-mode=fixed latency=60 redundancy-pt=-1",
              caps ? opus : voice_caps);
    auto packets = encoded(0, 4);
    for (guint i = 0; i < 5; i++) {
        p.now((1000 + i * 20) * ms);
        arrive(p, packets[i]);
    }
    auto buffers = p.pull(5);
    for (guint i = 0; i < 5; i++) {
        REQUIRE(buffers[i]);
        CHECK(payload_type(buffers[i].get()) == red_type);
    }
    CHECK(counter(p.stats().get(), "redundant-frames") == 0);
}

TEST_CASE("caps of RED are undone, too, and what is broken is dropped")
{
    Playout p("playout-mode=fixed latency=60 redundancy-pt=121",
              "application/x-rtp,media=audio,clock-rate=8000,encoding-name=RED,payload=121");
    for (guint16 i = 0; i < 3; i++) {
        Buffer packet = voice_packet(i);
        GstMapInfo map;
        gst_buffer_map(packet.get(), &map, GST_MAP_WRITE);
        map.data[1] = 121;
        map.data[12] = i == 1 ? 0x80 : 0; /* promises a block longer than the packet */
        map.data[14] = 3;
        map.data[15] = 0xff;
        gst_buffer_unmap(packet.get(), &map);
        p.now((1000 + i * 20) * ms);
        arrive(p, packet);
    }
    p.now(1100 * ms);
    Buffer first = p.pull();
    REQUIRE(first);
    CHECK(payload_type(first.get()) == 0);
    CHECK(gst_buffer_get_size(first.get()) == 171);
    CHECK(eventually([&] { return counter(p.stats().get(), "not-rtp") == 1; }));
}

TEST_CASE("a payload type that RTCP needs is refused")
{
    Playout p("playout-mode=fixed", "");
    g_object_set(p.playout(), "redundancy-pt", 72, nullptr);
    gst_element_set_state(p.playout(), GST_STATE_READY);
    CHECK(gst_element_set_state(p.playout(), GST_STATE_PAUSED) == GST_STATE_CHANGE_FAILURE);
    CHECK(complaint(p.wait(GST_MESSAGE_ERROR)).text.find("redundancy-pt") != std::string::npos);
}

TEST_CASE("livetcpsink makes redundant audio that rtpreddec takes apart")
{
    guint depth = GENERATE(1u, 2u);
    Harness source("livetcpsrc", "livetcp://127.0.0.1:0?mode=listener");
    Harness sink("livetcpsink",
                 call_uri(source.get(), "connections=3&policy=shortest-queue&redundancy=" +
                                            std::to_string(depth)));
    gst_harness_set_src_caps_str(sink.harness(), voice_caps);
    GstHarness *decoder = gst_harness_new("rtpreddec");
    g_object_set(decoder->element, "pt", red_type, nullptr);
    gst_harness_set_src_caps_str(decoder, voice_caps);
    REQUIRE(eventually([&] { return counter(source.get(), "sessions") == 1; }));
    std::map<guint16, Buffer> red;
    for (guint16 i = 0; i < 20; i++) {
        REQUIRE(sink.push(voice_packet(i)) == GST_FLOW_OK);
        Buffer packet = source.pull();
        REQUIRE(packet);
        CHECK(payload_type(packet.get()) == red_type);
        red[sequence_of(packet.get())] = std::move(packet);
    }
    std::map<guint16, Buffer> got;
    for (auto &item : red) {
        if (item.first == 10) {
            continue;
        }
        gst_harness_push(decoder, item.second.release());
        while (GstBuffer *buffer = gst_harness_try_pull(decoder)) {
            got[sequence_of(buffer)] = Buffer(buffer);
        }
    }
    for (guint16 i = 0; i < 20; i++) {
        CAPTURE(i);
        REQUIRE(got[i]);
        Buffer expected = voice_packet(i);
        CHECK(same_bytes(got[i].get(), expected.get()));
    }
    CHECK(counter(sink.get(), "redundant-frames") == (depth == 1 ? 19 : 37));
    CHECK(get_string(sink.get(), "uri").find("redundancy=" + std::to_string(depth)) !=
          std::string::npos);
    gst_harness_teardown(decoder);
}

TEST_CASE("from livetcpsink to livetcpsrc with playout nobody sees that there was redundancy")
{
    Harness source("livetcpsrc",
                   "livetcp://127.0.0.1:0?mode=listener&playout-mode=fixed&latency=120", false);
    gst_util_set_object_arg(G_OBJECT(source.get()), "caps", voice_caps);
    gst_harness_use_systemclock(source.harness());
    source.play();
    Harness sink("livetcpsink", call_uri(source.get(), "connections=2&redundancy=1"));
    gst_harness_set_src_caps_str(sink.harness(), voice_caps);
    for (guint16 i = 0; i < 10; i++) {
        REQUIRE(sink.push(voice_packet(i)) == GST_FLOW_OK);
    }
    for (guint16 i = 0; i < 10; i++) {
        Buffer buffer = source.pull();
        REQUIRE(buffer);
        Buffer expected = voice_packet(i);
        CHECK(same_bytes(buffer.get(), expected.get()));
    }
    CHECK(counter(sink.get(), "redundant-frames") == 9);
}

TEST_CASE("video is sent without redundancy, with a warning")
{
    Harness source("livetcpsrc", "livetcp://127.0.0.1:0?mode=listener");
    Harness sink("livetcpsink", call_uri(source.get(), "redundancy=1"));
    gst_harness_set_src_caps_str(sink.harness(), video_caps);
    Complaint warning = complaint(sink.wait(GST_MESSAGE_WARNING));
    CHECK(warning.text.find("audio") != std::string::npos);
    REQUIRE(sink.push(rtp_packet(5)) == GST_FLOW_OK);
    Buffer packet = source.pull();
    REQUIRE(packet);
    CHECK(payload_type(packet.get()) == 96);
    CHECK(counter(sink.get(), "redundant-frames") == 0);
}

TEST_CASE("what an rtpredenc upstream made stays as it is")
{
    Harness source("livetcpsrc", "livetcp://127.0.0.1:0?mode=listener");
    Harness sink("livetcpsink", call_uri(source.get(), "redundancy=1"));
    gst_harness_set_src_caps_str(sink.harness(), voice_caps);
    auto packets = encoded(0, 3);
    for (auto &packet : packets) {
        Buffer expected(gst_buffer_copy_deep(packet.get()));
        REQUIRE(sink.push(std::move(packet)) == GST_FLOW_OK);
        Buffer got = source.pull();
        REQUIRE(got);
        CHECK(same_bytes(got.get(), expected.get()));
    }
    CHECK(counter(sink.get(), "redundant-frames") == 0);
}
