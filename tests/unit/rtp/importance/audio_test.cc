/* SPDX-License-Identifier: MIT */
/* Audio that is recognized by its RTP headers. */
#include "catch.h"
#include "packets.h"

extern "C" {
#include "base/rng.h"
}

using namespace importance;

namespace
{

/* A stream of unknown codec. */
struct Stream {
    uint32_t ssrc;
    uint8_t payload_type = 111;
    uint16_t sequence = 65530;
    uint32_t timestamp = 0xffff0000u;

    livetcp_importance send(lt_importance_state &state, uint32_t advance, size_t payload,
                            uint8_t type)
    {
        Bytes bytes = packet(Bytes(payload, 0x5a), timestamp += advance, ssrc);
        sequence++;
        bytes[1] = type;
        bytes[2] = (uint8_t)(sequence >> 8);
        bytes[3] = (uint8_t)sequence;
        return next(state, LIVETCP_CODEC_UNKNOWN, bytes);
    }

    livetcp_importance send(lt_importance_state &state, uint32_t advance, size_t payload = 80)
    {
        return send(state, advance, payload, payload_type);
    }

    livetcp_importance send_many(lt_importance_state &state, unsigned packets, uint32_t advance,
                                 size_t payload = 80)
    {
        livetcp_importance last = LIVETCP_IMPORTANCE_UNKNOWN;
        for (unsigned i = 0; i < packets; i++)
            last = send(state, advance, payload);
        return last;
    }
};

} // namespace

TEST_CASE("audio is recognized by its timestamps", "[importance]")
{
    /* 5 ms at 8 kHz; 20 ms at 8, 16, 48 kHz; AAC and HE-AAC; 40 and 60 ms at 48 kHz */
    for (uint32_t step : {40u, 160u, 320u, 960u, 1024u, 2048u, 1920u, 2880u}) {
        lt_importance_state state = {};
        Stream audio{7};
        CAPTURE(step);
        CHECK(audio.send_many(state, 10, step) == LIVETCP_IMPORTANCE_UNKNOWN);
        CHECK(audio.send_many(state, 10, step) == LIVETCP_IMPORTANCE_AUDIO);
    }
}

TEST_CASE("a static payload type of audio is audio from its first packet", "[importance]")
{
    lt_importance_state state = {};
    Stream pcmu{7, 0}, gsm{8, 3}, g729{9, 18}, h261{10, 31}, reserved{11, 2};
    CHECK(pcmu.send(state, 160) == LIVETCP_IMPORTANCE_AUDIO);
    CHECK(gsm.send(state, 160) == LIVETCP_IMPORTANCE_AUDIO);
    CHECK(g729.send(state, 160) == LIVETCP_IMPORTANCE_AUDIO);
    CHECK(h261.send(state, 3600) == LIVETCP_IMPORTANCE_UNKNOWN);
    CHECK(reserved.send(state, 160) == LIVETCP_IMPORTANCE_UNKNOWN);
}

TEST_CASE("pictures of one packet each are not audio", "[importance]")
{
    for (uint32_t frames : {5u, 10u, 12u, 15u, 20u, 24u, 25u, 30u, 50u, 60u}) {
        lt_importance_state state = {};
        Stream video{7};
        CAPTURE(frames);
        CHECK(video.send_many(state, 100, 90000 / frames) == LIVETCP_IMPORTANCE_UNKNOWN);
    }
}

TEST_CASE("nor are pictures of several packets, capture times, and large packets", "[importance]")
{
    lt_importance_state state = {};
    Stream several{7}, captured{8}, large{9};
    lt_rng rng;
    lt_rng_seed(&rng, 3);
    for (unsigned i = 0; i < 200; i++) {
        CHECK(several.send(state, i % 2 ? 960 : 0) == LIVETCP_IMPORTANCE_UNKNOWN);
        CHECK(captured.send(state, 2500 + lt_rng_next(&rng) % 1000) == LIVETCP_IMPORTANCE_UNKNOWN);
        CHECK(large.send(state, 960, 1200) == LIVETCP_IMPORTANCE_UNKNOWN);
    }
}

TEST_CASE("silence, a capture clock and lost or repeated packets leave audio what it is",
          "[importance]")
{
    lt_importance_state state = {};
    Stream audio{7};
    audio.send_many(state, 20, 960);
    CHECK(audio.send(state, 20 * 960) == LIVETCP_IMPORTANCE_AUDIO);
    CHECK(audio.send(state, 961) == LIVETCP_IMPORTANCE_AUDIO);
    CHECK(audio.send(state, 958) == LIVETCP_IMPORTANCE_AUDIO);
    audio.sequence += 2;
    CHECK(audio.send(state, 3 * 960) == LIVETCP_IMPORTANCE_AUDIO);
    audio.sequence--;
    CHECK(audio.send(state, 0) == LIVETCP_IMPORTANCE_AUDIO);
}

TEST_CASE("telephone events are what their stream is, and a new payload type begins again",
          "[importance]")
{
    lt_importance_state state = {};
    Stream audio{7};
    audio.send_many(state, 20, 960);
    for (unsigned i = 0; i < 9; i++)
        CHECK(audio.send(state, 0, 4, 101) == LIVETCP_IMPORTANCE_AUDIO);
    CHECK(audio.send(state, 9 * 960) == LIVETCP_IMPORTANCE_AUDIO);
    audio.payload_type = 96; /* video now */
    livetcp_importance last = LIVETCP_IMPORTANCE_AUDIO;
    for (unsigned i = 0; i < 30; i++)
        last = audio.send(state, i % 3 ? 0 : 3600, 1000);
    CHECK(last == LIVETCP_IMPORTANCE_UNKNOWN);
}

TEST_CASE("video that begins to share timestamps is no longer audio", "[importance]")
{
    lt_importance_state state = {};
    Stream stream{7};
    CHECK(stream.send_many(state, 20, 960) == LIVETCP_IMPORTANCE_AUDIO);
    CHECK(stream.send(state, 0) == LIVETCP_IMPORTANCE_UNKNOWN);
}

TEST_CASE("streams are told apart, and what the application says wins", "[importance]")
{
    lt_importance_state state = {};
    Stream audio{7}, video{8};
    for (unsigned i = 0; i < 20; i++) {
        audio.send(state, 960);
        video.send(state, i % 3 ? 0 : 3600, 1100);
    }
    CHECK(audio.send(state, 960) == LIVETCP_IMPORTANCE_AUDIO);
    CHECK(video.send(state, 3600, 1100) == LIVETCP_IMPORTANCE_UNKNOWN);

    Bytes bytes = packet(Bytes(80), 0, 7);
    livetcp_packet_info info = {
        sizeof info, LIVETCP_IMPORTANCE_DROPPABLE, LIVETCP_CODEC_UNKNOWN, 0, 0, false};
    CHECK(next(state, &info, bytes.data(), bytes.size()) == LIVETCP_IMPORTANCE_DROPPABLE);
}
