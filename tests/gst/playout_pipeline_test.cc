/* SPDX-License-Identifier: MIT */
/* Playout among other elements: decoders that conceal, rtpstreamdepay, and livetcpsrc itself. */
#include "catch.h"
#include "playout_support.h"

using namespace lt;

namespace
{

const char opus_caps[] =
    "application/x-rtp,media=audio,clock-rate=48000,encoding-name=OPUS,payload=96";

/* RTP packets with 20 ms of Opus each. */
std::vector<Buffer> opus_packets(guint count)
{
    init();
    GstHarness *h =
        gst_harness_new_parse("opusenc frame-size=20 ! rtpopuspay pt=96 seqnum-offset=0 "
                              "timestamp-offset=0 ssrc=1");
    gst_harness_set_src_caps_str(
        h, "audio/x-raw,format=S16LE,rate=48000,channels=1,layout=interleaved");
    for (guint i = 0; i < count + 1; i++) {
        GstBuffer *sound = gst_buffer_new_allocate(nullptr, 1920, nullptr);
        gst_buffer_memset(sound, 0, (guint8)i, 1920);
        GST_BUFFER_PTS(sound) = i * 20 * ms;
        GST_BUFFER_DURATION(sound) = 20 * ms;
        gst_harness_push(h, sound);
    }
    std::vector<Buffer> packets;
    while (packets.size() < count) {
        packets.emplace_back(gst_harness_pull(h));
    }
    gst_harness_teardown(h);
    return packets;
}

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

} // namespace

TEST_CASE("a decoder conceals what is lost")
{
    bool told = GENERATE(true, false);
    Playout p(told ? "playout-mode=fixed latency=60"
                   : "playout-mode=fixed latency=60 do-lost=false",
              opus_caps, "livetcpplayout name=p ! rtpopusdepay ! opusdec plc=true");
    auto packets = opus_packets(20);
    for (guint i = 0; i < 20; i++) {
        p.now((1000 + i * 20) * ms);
        GST_BUFFER_PTS(packets[i].get()) = GST_BUFFER_DTS(packets[i].get()) = (1000 + i * 20) * ms;
        if (i != 10) {
            gst_harness_push(p.harness(), packets[i].release());
        }
        if (i == 12) { /* 10 was to be played at 1260 ms */
            p.crank();
        }
    }
    gst_harness_push_event(p.harness(), gst_event_new_eos());
    REQUIRE(p.event(GST_EVENT_EOS));
    guint64 samples = 0;
    bool continuous = true;
    GstClockTime end = GST_CLOCK_TIME_NONE;
    while (Buffer sound = p.try_pull()) {
        samples += gst_buffer_get_size(sound.get()) / 4; /* opusdec makes it stereo */
        continuous = continuous && (end == GST_CLOCK_TIME_NONE || pts(sound) <= end + 1000);
        end = pts(sound) + GST_BUFFER_DURATION(sound.get());
    }
    CHECK(samples / 960 == (told ? 20 : 19));
    CHECK(continuous == told);
}

TEST_CASE("behind rtpstreamdepay, whose buffers have no time, arrival is when they come")
{
    Playout p("playout-mode=fixed latency=100",
              "application/x-rtp-stream,media=audio,clock-rate=8000,encoding-name=PCMU",
              "rtpstreamdepay ! livetcpplayout name=p");
    for (guint16 i = 0; i < 10; i++) {
        Buffer packet = voice_packet(i);
        guint8 frame[2 + 172] = {0, 172};
        gst_buffer_extract(packet.get(), 0, frame + 2, 172);
        p.now((1000 + i * 20 + (i % 3) * 10) * ms);
        gst_harness_push(p.harness(), gst_buffer_new_memdup(frame, sizeof(frame)));
    }
    auto buffers = p.pull(10);
    for (guint i = 0; i < 10; i++) {
        REQUIRE(buffers[i]);
        CHECK(sequence_of(buffers[i].get()) == i);
        CHECK(pts(buffers[i]) == (1000 + i * 20) * ms);
    }
}

TEST_CASE("livetcpsrc plays out itself when asked to")
{
    Harness source("livetcpsrc",
                   "livetcp://127.0.0.1:0?mode=listener&playout-mode=fixed&latency=120", false);
    gst_util_set_object_arg(G_OBJECT(source.get()), "caps", voice_caps);
    gst_harness_use_systemclock(source.harness());
    source.play();
    CHECK(gst_harness_query_latency(source.harness()) == 120 * ms);
    Harness sink("livetcpsink", call_uri(source.get(), "connections=1"));
    REQUIRE(eventually([&] { return counter(sink.get(), "sessions") == 1; }));
    GstClockTime first = GST_CLOCK_TIME_NONE;
    for (guint16 i : {0, 1, 2, 4, 3, 3, 5, 6, 8, 9}) {
        REQUIRE(sink.push(voice_packet(i)) == GST_FLOW_OK);
    }
    for (guint16 i : {0, 1, 2, 3, 4, 5, 6, 8, 9}) {
        Buffer buffer = source.pull();
        REQUIRE(buffer);
        CHECK(sequence_of(buffer.get()) == i);
        CHECK(discont(buffer) == (i == 0 || i == 8));
        first = i == 0 ? pts(buffer) : first;
        GstClockTimeDiff off = GST_CLOCK_DIFF(first + i * 20 * ms, pts(buffer));
        CHECK(ABS(off) <= 1000 * (GstClockTimeDiff)ms); /* a stalled machine is no failure */
    }
    Structure all = stats(source.get());
    const GValue *playout = gst_structure_get_value(all.get(), "playout");
    REQUIRE(playout != nullptr);
    CHECK(counter(gst_value_get_structure(playout), "duplicates") +
              counter(all.get(), "duplicates") >=
          1);
    CHECK(get_string(source.get(), "uri").find("playout-mode=fixed") != std::string::npos);
}

TEST_CASE("livetcpsrc without playout leaves everything as it was")
{
    Harness source("livetcpsrc", "livetcp://127.0.0.1:0?mode=listener");
    CHECK(gst_harness_query_latency(source.harness()) == 0);
    CHECK(!gst_structure_has_field(stats(source.get()).get(), "playout"));
    CHECK(get_string(source.get(), "uri").find("playout") == std::string::npos);
}

TEST_CASE("livetcpsrc tells who is behind it about the path, and what the sender does")
{
    std::string policy = GENERATE("shortest-queue", "duplicate");
    std::string wanted = policy == "duplicate" ? "duplicate" : "tcp";
    Harness source("livetcpsrc", "livetcp://127.0.0.1:0?mode=listener", false);
    gst_harness_use_systemclock(source.harness());
    source.play();
    Harness sink("livetcpsink",
                 call_uri(source.get(), "copies=2&redundancy-budget=1&policy=" + policy));
    guint16 sequence = 0;
    gint64 rtt = 0;
    std::string repair;
    CHECK(eventually([&] {
        sink.push(voice_packet(sequence++));
        source.try_pull();
        GstEvent *event = gst_harness_try_pull_event(source.harness());
        if (event != nullptr && gst_event_has_name(event, "livetcp-path")) {
            const GstStructure *path = gst_event_get_structure(event);
            gst_structure_get_int64(path, "rtt-us", &rtt);
            repair = gst_structure_get_string(path, "repair");
        }
        gst_clear_event(&event);
        return repair == wanted;
    }));
    CHECK(rtt > 0);
}

TEST_CASE("the sender hears what became of its packets")
{
    Harness source("livetcpsrc",
                   "livetcp://127.0.0.1:0?mode=listener&playout-mode=fixed&latency=50", false);
    gst_util_set_object_arg(G_OBJECT(source.get()), "caps", voice_caps);
    gst_harness_use_systemclock(source.harness());
    source.play();
    Harness sink("livetcpsink", call_uri(source.get()));
    guint16 sequence = 0;
    CHECK(eventually([&] {
        sink.push(voice_packet(sequence++));
        source.try_pull();
        Structure structure = stats(sink.get());
        const GValue *delays = gst_structure_get_value(structure.get(), "sent-delays");
        gint64 waited = 0;
        return delays != nullptr &&
               gst_structure_get_int64(gst_value_get_structure(delays), "playout-us", &waited) &&
               waited > 0;
    }));
}
