/* SPDX-License-Identifier: MIT */
#include "fixture.h"

/* A RED packet: the header of `primary`, then `blocks`. */
static Bytes red(Rtp primary, const Bytes &blocks)
{
    primary.type = 63;
    primary.payload.assign(blocks.begin(), blocks.end());
    return primary.bytes();
}

TEST_CASE("a packet that is not redundant is a frame as it is")
{
    Decoder d;
    Rtp rtp;
    rtp.marker = true;
    auto frames = d.decode(rtp.bytes());
    REQUIRE(frames.size() == 1);
    CHECK(frames[0].bytes == rtp.bytes());
    CHECK_FALSE(frames[0].redundant);
    Bytes padded = rtp.bytes();
    padded[0] |= 0x20;
    padded.insert(padded.end(), {0, 2});
    CHECK(d.decode(padded)[0].bytes == padded);
}

TEST_CASE("frames come out with numbers and timestamps of their own")
{
    Decoder d;
    Rtp primary = {10, 1600, "", 0, true, 5};
    auto frames = d.decode(red(
        primary, {0x80 | 96, 0x05, 0x00, 2, 0x80 | 8, 0x02, 0x80, 1, 0, 'a', 'b', 'c', 'd', 'e'}));
    REQUIRE(frames.size() == 3);
    CHECK(frames[0].rtp.sequence == 8);
    CHECK(frames[0].rtp.timestamp == 1280);
    CHECK(frames[0].rtp.payload == "ab");
    CHECK(frames[0].rtp.type == 96);
    CHECK(frames[0].rtp.ssrc == 5);
    CHECK_FALSE(frames[0].rtp.marker);
    CHECK(frames[0].redundant);
    CHECK_FALSE(frames[0].seen);
    CHECK(frames[1].rtp.sequence == 9);
    CHECK(frames[1].rtp.timestamp == 1440);
    CHECK(frames[1].rtp.payload == "c");
    CHECK(frames[2].rtp.sequence == 10);
    CHECK(frames[2].rtp.payload == "de");
    CHECK(frames[2].rtp.marker);
    CHECK(frames[2].rtp.type == 0);
    CHECK_FALSE(frames[2].redundant);
    CHECK(d.stats().packets == 1);
    CHECK(d.stats().redundant == 2);
}

TEST_CASE("empty blocks are frames, too")
{
    Decoder d;
    auto frames = d.decode(red({10, 1600, "", 0, false, 5}, {0x80 | 96, 0x02, 0x80, 0, 0}));
    REQUIRE(frames.size() == 2);
    CHECK(frames[0].bytes.size() == 12);
    CHECK(frames[1].bytes.size() == 12);
}

TEST_CASE("frames whose own packet came are marked")
{
    Decoder d;
    d.decode(Rtp{9, 1440, "own", 0, false, 5}.bytes());
    auto frames = d.decode(red({10, 1600, "", 0, false, 5}, {0x80, 0x02, 0x80, 1, 0, 'a', 'b'}));
    REQUIRE(frames.size() == 2);
    CHECK(frames[0].seen);
    CHECK(frames[0].rtp.sequence == 9);
    CHECK(d.stats().seen == 1);
}

TEST_CASE("malformed packets are refused with what is wrong")
{
    const struct {
        Bytes blocks;
        const char *word;
    } cases[] = {
        {{}, "ends in its block headers"},
        {{0x80}, "ends in its block headers"},
        {{0x80, 0x02, 0x80}, "ends in its block headers"},
        {{0x80, 0x02, 0x80, 0}, "ends in its block headers"},
        {{0x80, 0x02, 0x80, 0, 0x80}, "ends in its block headers"},
        {{0x80, 0x02, 0x80, 1, 0}, "block of 1 bytes, where 0 are left"},
        {{0x80, 0x02, 0x83, 0xff, 0, 'a'}, "block of 1023 bytes"},
        {{0x80 | 63, 0x02, 0x80, 1, 0, 'a'}, "payload type 63"},
        {{0x80 | 72, 0x02, 0x80, 1, 0, 'a'}, "payload type 72"},
        {{63, 'a'}, "payload type 63"},
        {{95, 'a'}, "payload type 95"},
    };
    Decoder d;
    uint64_t refused = 0;
    for (const auto &c : cases) {
        CAPTURE(c.word);
        CHECK(d.result_of(red({1, 160, "", 0, false, 5}, c.blocks)) ==
              LIVETCP_ERR_INVALID_ARGUMENT);
        CHECK(std::string(d.error.message).find(c.word) != std::string::npos);
        CHECK(d.stats().malformed == ++refused);
    }
    Bytes many;
    for (int i = 0; i < LIVETCP_REDUNDANCY_MAX_FRAMES; i++)
        many.insert(many.end(), {0x80, 0x02, (uint8_t)(0x80 - 4 * i), 0});
    many.push_back(0);
    CHECK(d.result_of(red({1, 160, "", 0, false, 5}, many)) == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(std::string(d.error.message).find("more than 8") != std::string::npos);
    many.erase(many.begin(), many.begin() + 4);
    CHECK(d.result_of(red({100, 16000, "", 0, false, 5}, many)) == LIVETCP_OK);

    Bytes padded = red({1, 160, "", 0, false, 5}, {0, 'a', 'b', 200});
    padded[0] |= 0x20;
    CHECK(d.result_of(padded) == LIVETCP_ERR_NOT_RTP);
    padded.back() = 4; /* covers the whole payload */
    CHECK(d.result_of(padded) == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(d.result_of(Bytes(11, 0x80)) == LIVETCP_ERR_NOT_RTP);
    CHECK(d.result_of({}) == LIVETCP_ERR_NOT_RTP);
    CHECK(d.result_of(red({1, 160, "", 0, false, 5}, Bytes(1400))) == LIVETCP_ERR_PACKET_TOO_LARGE);
    CHECK(d.result_of(red({1, 160, "", 0, false, 5}, {0, 'a'})) == LIVETCP_OK);
}

TEST_CASE("a frame of the same moment as its packet has no place")
{
    Decoder d;
    auto frames = d.decode(red({10, 1600, "", 0, false, 5}, {0x80, 0, 0, 1, 0, 'a', 'b'}));
    REQUIRE(frames.size() == 1);
    CHECK(frames[0].rtp.payload == "b");
    CHECK(d.stats().unplaced == 1);
}

TEST_CASE("statistics fill what there is room for")
{
    Decoder d;
    d.decode(Rtp().bytes());
    livetcp_redundancy_decoder_stats stats = {};
    stats.struct_size = offsetof(livetcp_redundancy_decoder_stats, redundant);
    stats.redundant = 7;
    CHECK(livetcp_redundancy_decoder_get_stats(d.decoder, &stats) == LIVETCP_OK);
    CHECK(stats.packets == 1);
    CHECK(stats.redundant == 7);
    stats.struct_size = 0;
    CHECK(livetcp_redundancy_decoder_get_stats(d.decoder, &stats) == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(livetcp_redundancy_decoder_get_stats(d.decoder, nullptr) == LIVETCP_ERR_INVALID_ARGUMENT);
}
