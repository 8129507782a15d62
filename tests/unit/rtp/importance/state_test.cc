/* SPDX-License-Identifier: MIT */
/* State kept between packets, and its lifetime. */
#include "catch.h"
#include "packets.h"

extern "C" {
#include "base/rng.h"
}

using namespace importance;

namespace
{

const Bytes vp8_key = from_hex("10 101500 9d012a 40004000"), vp8_rest = from_hex("00 310900"),
            vp8_delta = from_hex("10 310900"), garbage = from_hex("ff");

} // namespace

TEST_CASE("the application's word wins, then the payload's", "[importance]")
{
    lt_importance_state state = {};
    Bytes idr = packet(from_hex("6588"));
    livetcp_packet_info info = {sizeof info, LIVETCP_IMPORTANCE_DROPPABLE, LIVETCP_CODEC_H264, 0, 0,
                                false};

    auto asked = [&] { return next(state, &info, idr.data(), idr.size()); };
    CHECK(asked() == LIVETCP_IMPORTANCE_DROPPABLE);
    info.importance = LIVETCP_IMPORTANCE_UNKNOWN;
    CHECK(asked() == LIVETCP_IMPORTANCE_KEY);
    info.codec = LIVETCP_CODEC_AUDIO;
    CHECK(asked() == LIVETCP_IMPORTANCE_AUDIO);
    info.codec = LIVETCP_CODEC_UNKNOWN;
    CHECK(asked() == LIVETCP_IMPORTANCE_UNKNOWN);
    CHECK(next(state, nullptr, idr.data(), idr.size()) == LIVETCP_IMPORTANCE_UNKNOWN);
}

TEST_CASE("fields that the application's structure has not are not read", "[importance]")
{
    lt_importance_state state = {};
    Bytes idr = packet(from_hex("6588"));
    livetcp_packet_info info = {0, LIVETCP_IMPORTANCE_AUDIO, LIVETCP_CODEC_H264, 0, 0, false};
    CHECK(next(state, &info, idr.data(), idr.size()) == LIVETCP_IMPORTANCE_UNKNOWN);
    info.struct_size = offsetof(livetcp_packet_info, codec);
    CHECK(next(state, &info, idr.data(), idr.size()) == LIVETCP_IMPORTANCE_AUDIO);
    info.importance = LIVETCP_IMPORTANCE_UNKNOWN;
    CHECK(next(state, &info, idr.data(), idr.size()) == LIVETCP_IMPORTANCE_UNKNOWN);
}

TEST_CASE("an importance that is none is asked of the payload", "[importance]")
{
    lt_importance_state state = {};
    Bytes idr = packet(from_hex("6588"));
    for (int value : {-1, LIVETCP_IMPORTANCE_KEY + 1}) {
        livetcp_packet_info info = {
            sizeof info, (livetcp_importance)value, LIVETCP_CODEC_H264, 0, 0, false};
        CHECK(next(state, &info, idr.data(), idr.size()) == LIVETCP_IMPORTANCE_KEY);
    }
}

TEST_CASE("a picture's other packets are worth what its first is", "[importance]")
{
    lt_importance_state state = {};
    auto vp8 = [&](const Bytes &payload, uint32_t timestamp, uint32_t ssrc = 1) {
        return next(state, LIVETCP_CODEC_VP8, packet(payload, timestamp, ssrc));
    };
    CHECK(vp8(vp8_rest, 0) == LIVETCP_IMPORTANCE_UNKNOWN);
    CHECK(vp8(vp8_key, 3000) == LIVETCP_IMPORTANCE_KEY);
    CHECK(vp8(vp8_rest, 3000) == LIVETCP_IMPORTANCE_KEY);
    CHECK(vp8(vp8_rest, 3000, 2) == LIVETCP_IMPORTANCE_UNKNOWN); /* another stream */
    CHECK(vp8(vp8_rest, 3000) == LIVETCP_IMPORTANCE_KEY);
    CHECK(vp8(vp8_delta, 6000) == LIVETCP_IMPORTANCE_DELTA);
    CHECK(vp8(vp8_rest, 6000) == LIVETCP_IMPORTANCE_DELTA);
    CHECK(vp8(vp8_rest, 9000) == LIVETCP_IMPORTANCE_UNKNOWN); /* its first packet was not seen */
    CHECK(vp8(vp8_rest, 6000) == LIVETCP_IMPORTANCE_UNKNOWN);
}

TEST_CASE("a stream that changes its codec is a new stream", "[importance]")
{
    lt_importance_state state = {};
    CHECK(next(state, LIVETCP_CODEC_VP8, packet(vp8_key)) == LIVETCP_IMPORTANCE_KEY);
    CHECK(next(state, LIVETCP_CODEC_H264, packet(from_hex("09f0"))) == LIVETCP_IMPORTANCE_UNKNOWN);
    CHECK(next(state, LIVETCP_CODEC_VP8, packet(vp8_rest)) == LIVETCP_IMPORTANCE_UNKNOWN);
}

TEST_CASE("H.265: below the highest temporal layer nothing is droppable", "[importance]")
{
    lt_importance_state state = {};
    Bytes low = packet(from_hex("0001e0")), high = packet(from_hex("0402e0")),
          high_fragment = packet(from_hex("62028201")), key = packet(from_hex("2601af"));
    auto h265 = [&](const Bytes &bytes) { return next(state, LIVETCP_CODEC_H265, bytes); };
    CHECK(h265(key) == LIVETCP_IMPORTANCE_KEY);
    CHECK(h265(low) == LIVETCP_IMPORTANCE_DROPPABLE);
    CHECK(h265(high) == LIVETCP_IMPORTANCE_DROPPABLE);
    CHECK(h265(low) == LIVETCP_IMPORTANCE_DELTA);
    CHECK(h265(high_fragment) == LIVETCP_IMPORTANCE_DROPPABLE);
    CHECK(h265(key) == LIVETCP_IMPORTANCE_KEY);
}

TEST_CASE("the least recently used stream is forgotten", "[importance]")
{
    lt_importance_state state = {};
    for (uint32_t ssrc = 1; ssrc <= LT_IMPORTANCE_STREAMS; ssrc++)
        next(state, LIVETCP_CODEC_VP8, packet(vp8_key, 0, ssrc));
    auto rest_of = [&](uint32_t ssrc) {
        return next(state, LIVETCP_CODEC_VP8, packet(vp8_rest, 0, ssrc));
    };
    CHECK(rest_of(1) == LIVETCP_IMPORTANCE_KEY);
    CHECK(rest_of(1000) == LIVETCP_IMPORTANCE_UNKNOWN); /* replaces 2 */
    CHECK(rest_of(1) == LIVETCP_IMPORTANCE_KEY);
    CHECK(rest_of(3) == LIVETCP_IMPORTANCE_KEY);
    CHECK(rest_of(2) == LIVETCP_IMPORTANCE_UNKNOWN);
}

TEST_CASE("one malformed packet does not discredit a stream, many do", "[importance]")
{
    lt_importance_state state = {};
    Bytes idr = packet(from_hex("6588"));
    auto h264 = [&](const Bytes &bytes) { return next(state, LIVETCP_CODEC_H264, bytes); };
    CHECK(h264(packet(garbage)) == LIVETCP_IMPORTANCE_UNKNOWN);
    CHECK(h264(idr) == LIVETCP_IMPORTANCE_KEY);
    for (int i = 0; i < 1000; i++)
        CHECK(h264(packet(garbage)) == LIVETCP_IMPORTANCE_UNKNOWN);
    CHECK(h264(idr) == LIVETCP_IMPORTANCE_UNKNOWN);
    for (int i = 0; i < 100; i++)
        h264(idr);
    CHECK(h264(idr) == LIVETCP_IMPORTANCE_KEY); /* key frames are recognized again */
}

TEST_CASE("an encrypted stream is soon not believed", "[importance]")
{
    const livetcp_codec codec = GENERATE(LIVETCP_CODEC_H264, LIVETCP_CODEC_H265, LIVETCP_CODEC_VP8,
                                         LIVETCP_CODEC_VP9, LIVETCP_CODEC_AV1);
    lt_importance_state state = {};
    size_t told = 0, told_late = 0;
    lt_rng rng;

    lt_rng_seed(&rng, 7);
    for (int i = 0; i < 2000; i++) {
        Bytes payload(100);
        for (uint8_t &byte : payload)
            byte = (uint8_t)lt_rng_next(&rng);
        bool known =
            next(state, codec, packet(payload, (uint32_t)i * 3000)) != LIVETCP_IMPORTANCE_UNKNOWN;
        told += known;
        told_late += known && i >= 100;
    }
    INFO("codec " << codec);
    CHECK(told <= 20);
    CHECK(told_late == 0);
}
