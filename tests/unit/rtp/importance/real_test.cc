/* SPDX-License-Identifier: MIT */
/* Classification of streams made by real encoders and payloaders. */
#include "catch.h"
#include "packets.h"
#include "real_packets.h"

using namespace importance;

namespace
{

struct Stream {
    const char *name;
    livetcp_codec codec;
    const RealPacket *packets;
    size_t count;
};

template <size_t n>
Stream stream(const char *name, livetcp_codec codec, const RealPacket (&packets)[n])
{
    return {name, codec, packets, n};
}

const std::vector<Stream> streams = {
    stream("H.264", LIVETCP_CODEC_H264, h264),
    stream("H.264 in STAP-A", LIVETCP_CODEC_H264, h264_aggregated),
    stream("H.265", LIVETCP_CODEC_H265, h265),
    stream("H.265 in aggregation packets", LIVETCP_CODEC_H265, h265_aggregated),
    stream("VP8", LIVETCP_CODEC_VP8, vp8),
    stream("VP9", LIVETCP_CODEC_VP9, vp9),
    stream("AV1", LIVETCP_CODEC_AV1, av1),
};

} // namespace

TEST_CASE("packets of real streams are worth what their pictures are", "[importance]")
{
    for (const Stream &stream : streams) {
        lt_importance_state state = {};
        for (size_t i = 0; i < stream.count; i++) {
            INFO(stream.name << ", packet " << i << ": " << stream.packets[i].hex);
            Bytes bytes = from_hex(stream.packets[i].hex);
            CHECK(letter(next(state, stream.codec, bytes)) == stream.packets[i].expected);
        }
    }
}

TEST_CASE("without memory the same is said of real packets, or nothing", "[importance]")
{
    for (const Stream &stream : streams) {
        size_t told = 0;
        for (size_t i = 0; i < stream.count; i++) {
            INFO(stream.name << ", packet " << i << ": " << stream.packets[i].hex);
            std::string found = letter(of(stream.codec, from_hex(stream.packets[i].hex)));
            told += found != "U";
            if (found != "U")
                CHECK(found == stream.packets[i].expected);
        }
        INFO(stream.name);
        CHECK(told >= stream.count / 5);
    }
}

TEST_CASE("the streams mixed on one session are told apart", "[importance]")
{
    lt_importance_state state = {};
    for (size_t i = 0; i < 40; i++) {
        for (size_t s = 0; s < streams.size(); s++) {
            if (i >= streams[s].count)
                continue;
            Bytes bytes = from_hex(streams[s].packets[i].hex);
            bytes[11] = (uint8_t)(s + 1); /* SSRC */
            INFO(streams[s].name << ", packet " << i);
            CHECK(letter(next(state, streams[s].codec, bytes)) == streams[s].packets[i].expected);
        }
    }
}
