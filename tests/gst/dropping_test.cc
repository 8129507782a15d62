/* SPDX-License-Identifier: MIT */
/* What a sink drops first when it cannot send everything, as caps, flags and payload say. */
#include "catch.h"
#include "support.h"

#include <set>

using namespace lt;

namespace
{

const char h264[] = "application/x-rtp, media=(string)video, clock-rate=(int)90000, "
                    "encoding-name=(string)H264, payload=(int)96";

/* A packet whose payload begins with that NAL unit header. */
Buffer nal_packet(guint16 sequence, guint8 nal_header, guint flags = 0)
{
    Buffer buffer = rtp_packet(sequence);
    gst_buffer_memset(buffer.get(), 12, nal_header, 1);
    GST_BUFFER_FLAG_SET(buffer.get(), flags);
    return buffer;
}

/* Pushes packets to a sink that holds 20 of them and reaches nobody; `make` is asked for 60. Then
 * somebody listens. Returns the sequence numbers that arrive. */
std::set<guint16> what_remains(const char *caps, const std::function<Buffer(guint16)> &make)
{
    std::string address = "livetcp://127.0.0.1:" + std::to_string(free_port());
    Harness sink("livetcpsink", address + "?queue-packets=20&reconnect-min=10&reconnect-max=50",
                 false);
    gst_harness_set_src_caps_str(sink.harness(), caps);
    sink.play();
    for (guint16 i = 0; i < 60; i++) {
        REQUIRE(sink.push(make(i)) == GST_FLOW_OK);
    }
    REQUIRE(counter(sink.get(), "queue-packets") == 20);

    Harness source("livetcpsrc", address + "?mode=listener");
    std::set<guint16> arrived;
    while (arrived.size() < 20) {
        Buffer buffer = source.pull();
        REQUIRE(buffer);
        arrived.insert(sequence_of(buffer.get()));
    }
    return arrived;
}

std::set<guint16> range(guint16 first, guint16 end)
{
    std::set<guint16> result;
    for (guint16 i = first; i < end; i++) {
        result.insert(i);
    }
    return result;
}

} // namespace

TEST_CASE("a full queue keeps the packets whose payload is a key frame's")
{
    auto remains = what_remains(h264, [](guint16 i) {
        return i < 20 ? nal_packet(i, 0x65) : nal_packet(i, i < 40 ? 0x61 : 0x01);
    });
    CHECK(remains == range(0, 20));
}

TEST_CASE("a full queue keeps what is not marked droppable")
{
    auto remains = what_remains(h264, [](guint16 i) {
        return nal_packet(i, 0x61, i < 20 ? 0 : GST_BUFFER_FLAG_DROPPABLE);
    });
    CHECK(remains == range(0, 20));
}

TEST_CASE("a full queue drops the oldest where nothing is known")
{
    auto remains = what_remains("application/x-rtp", [](guint16 i) { return nal_packet(i, 0x65); });
    CHECK(remains == range(40, 60));
}
