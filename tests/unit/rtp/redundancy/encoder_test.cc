/* SPDX-License-Identifier: MIT */
#include "fixture.h"

static Rtp frame(unsigned n, std::string payload = "")
{
    Rtp rtp;
    rtp.sequence = (uint16_t)n;
    rtp.timestamp = 160 * n;
    rtp.payload = payload.empty() ? "frame " + std::to_string(n) : payload;
    return rtp;
}

TEST_CASE("RED as RFC 2198 draws it")
{
    Encoder e;
    Rtp first = frame(1, "ab"), second = frame(2, "cde");
    second.marker = true;
    Bytes alone = e.encode(first), both = e.encode(second);
    Bytes want = first.bytes();
    want[1] = 63;
    want.resize(12);
    want.insert(want.end(), {0x00, 'a', 'b'});
    CHECK(alone == want);
    want = second.bytes();
    want[1] = 0x80 | 63;
    want.resize(12);
    /* F 1, PT 0, 160 units ago, 2 bytes: 160 << 10 | 2; then F 0, PT 0 */
    want.insert(want.end(), {0x80, 0x02, 0x80, 0x02, 0x00, 'a', 'b', 'c', 'd', 'e'});
    CHECK(both == want);
    CHECK(e.stats().packets == 2);
    CHECK(e.stats().repeated == 1);
    CHECK(e.stats().repeated_bytes == 6);
}

TEST_CASE("depth frames are repeated, oldest first")
{
    Encoder e(3);
    Decoder d;
    for (unsigned n = 1; n <= 6; n++) {
        auto frames = d.decode(e.encode(frame(n)));
        unsigned repeated = n < 4 ? n - 1 : 3;
        REQUIRE(frames.size() == repeated + 1);
        for (unsigned i = 0; i <= repeated; i++)
            CHECK(frames[i].rtp.payload == "frame " + std::to_string(n - repeated + i));
    }
}

TEST_CASE("what is repeated may be another encoding of the frame")
{
    Encoder e;
    Decoder d;
    livetcp_redundancy_block cheap = {97, "lo", 2};
    e.encode(frame(1, "high quality"), &cheap);
    auto frames = d.decode(e.encode(frame(2)));
    REQUIRE(frames.size() == 2);
    CHECK(frames[0].rtp.payload == "lo");
    CHECK(frames[0].rtp.type == 97);
    CHECK(frames[0].redundant);
    CHECK(frames[1].rtp.type == 0);
    CHECK_FALSE(frames[1].redundant);
    /* A primary without data is not repeated. */
    livetcp_redundancy_block none = {97, nullptr, 0};
    e.encode(frame(3), &none);
    CHECK(d.decode(e.encode(frame(4))).size() == 1);
    CHECK(e.stats().left_out_length + e.stats().left_out_age + e.stats().left_out_room == 0);
}

TEST_CASE("a frame of more than 1023 bytes is not repeated")
{
    Encoder e(2, 8000);
    e.encode(frame(1, std::string(1023, 'x')));
    Bytes fits = e.encode(frame(2, std::string(1024, 'y')));
    CHECK(fits.size() == 12 + 4 + 1 + 1023 + 1024);
    CHECK(e.stats().left_out_length == 0);
    Bytes red = e.encode(frame(3));
    CHECK(red.size() == 12 + 1 + 7);
    CHECK(e.stats().left_out_length == 1);
    CHECK(e.stats().left_out_unbroken == 1); /* the first, behind it */
}

TEST_CASE("the timestamp offset has 14 bits")
{
    Encoder e;
    Rtp rtp = frame(1);
    rtp.timestamp = 0xffffff00; /* and wraps */
    e.encode(rtp);
    rtp.sequence++;
    rtp.timestamp += 16383;
    CHECK(e.encode(rtp).size() == 12 + 4 + 1 + 2 * 7);
    rtp.sequence++;
    rtp.timestamp += 16384;
    CHECK(e.encode(rtp).size() == 12 + 1 + 7);
    CHECK(e.stats().left_out_age == 1);
    rtp.sequence++; /* the same timestamp, and an earlier one */
    CHECK(e.encode(rtp).size() == 12 + 1 + 7);
    rtp.sequence++;
    rtp.timestamp -= 160;
    CHECK(e.encode(rtp).size() == 12 + 1 + 7);
    CHECK(e.stats().left_out_age == 3);
}

TEST_CASE("what has no room in max_packet is left out, the oldest first")
{
    Encoder e(3, 64);
    for (unsigned n = 1; n <= 3; n++)
        e.encode(frame(n, std::string(10, 'x')));
    CHECK(e.stats().left_out_room == 0); /* 12 + 2 * 14 + 1 + 10 = 51 */
    CHECK(e.encode(frame(4, std::string(10, 'x'))).size() == 51);
    CHECK(e.stats().left_out_room == 1);
    CHECK(e.encode(frame(5, std::string(51, 'x'))).size() == 64);
    Bytes red;
    CHECK(e.result_of(frame(6, std::string(52, 'x')).bytes(), nullptr, &red) ==
          LIVETCP_ERR_PACKET_TOO_LARGE);
    CHECK(e.result_of(frame(6, std::string(53, 'x')).bytes(), nullptr, &red) ==
          LIVETCP_ERR_PACKET_TOO_LARGE);
    CHECK(e.encode(frame(7, "x")).size() == 14); /* the sixth is missing */
}

TEST_CASE("nothing is repeated across a gap or a new source")
{
    Encoder e(2);
    Decoder d;
    e.encode(frame(0xffff));
    CHECK(d.decode(e.encode(frame(0x10000))).size() == 2); /* a wrap is no gap */
    CHECK(d.decode(e.encode(frame(0x10002))).size() == 1);
    CHECK(d.decode(e.encode(frame(0x10002))).size() == 1); /* a duplicate */
    Rtp other = frame(0x10003);
    other.ssrc = 1;
    CHECK(d.decode(e.encode(other)).size() == 1);
    other.sequence++;
    other.timestamp += 160;
    CHECK(d.decode(e.encode(other)).size() == 2);
}

TEST_CASE("header extension and contributing sources stay with the primary, padding goes")
{
    Encoder e;
    Decoder d;
    Rtp rtp = frame(1, "abc");
    Bytes packet = rtp.bytes();
    packet[0] = 0x80 | 0x20 | 0x10 | 1;
    const Bytes more = {9, 9, 9, 9, 0xbe, 0xde, 0, 1, 0x10, 7, 0, 0};
    packet.insert(packet.begin() + 12, more.begin(), more.end());
    Bytes clean = packet;
    clean[0] &= (uint8_t)~0x20;
    packet.insert(packet.end(), {0, 0, 3});
    Bytes red;
    REQUIRE(e.result_of(packet, nullptr, &red) == LIVETCP_OK);
    auto frames = d.decode(red);
    REQUIRE(frames.size() == 1);
    CHECK(frames[0].bytes == clean);
    frames = d.decode(e.encode(frame(2)));
    REQUIRE(frames.size() == 2);
    CHECK(frames[0].rtp.payload == "abc");
    CHECK(frames[0].bytes.size() == 12 + 3);
}

TEST_CASE("what cannot be repeated is refused, and nothing is remembered of it")
{
    Encoder e;
    Bytes red;
    e.encode(frame(1));
    Bytes short_one(11, 0x80), padded = frame(2).bytes();
    padded[0] |= 0x20;
    padded.back() = 100;
    CHECK(e.result_of(short_one, nullptr, &red) == LIVETCP_ERR_NOT_RTP);
    CHECK(e.result_of(padded, nullptr, &red) == LIVETCP_ERR_NOT_RTP);
    CHECK(e.result_of({}, nullptr, &red) == LIVETCP_ERR_NOT_RTP);
    Rtp nested = frame(2);
    nested.type = 63;
    CHECK(e.result_of(nested.bytes(), nullptr, &red) == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(std::string(e.error.message).find("63") != std::string::npos);
    for (unsigned type : {63u, 64u, 95u, 128u, 1000u}) {
        livetcp_redundancy_block block = {type, "x", 1};
        CHECK(e.result_of(frame(2).bytes(), &block, &red) == LIVETCP_ERR_INVALID_ARGUMENT);
    }
    livetcp_redundancy_block nothing = {96, nullptr, 1};
    CHECK(e.result_of(frame(2).bytes(), &nothing, &red) == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(e.stats().packets == 1);
    CHECK(e.encode(frame(2)).size() == 12 + 4 + 1 + 2 * 7);
}

TEST_CASE("settings out of range are named")
{
    const struct {
        unsigned type, depth;
        size_t max_packet;
        const char *word;
    } cases[] = {{64, 1, 1400, "payload_type"},  {95, 1, 1400, "payload_type"},
                 {128, 1, 1400, "payload_type"}, {63, 0, 1400, "depth"},
                 {63, 4, 1400, "depth"},         {63, 1, 63, "max_packet"},
                 {63, 1, 65536, "max_packet"}};
    for (const auto &c : cases) {
        livetcp_redundancy_config config = config_with(c.depth, c.max_packet);
        livetcp_error error = {};
        livetcp_redundancy_encoder *encoder = (livetcp_redundancy_encoder *)&error;
        livetcp_redundancy_decoder *decoder = (livetcp_redundancy_decoder *)&error;
        config.payload_type = c.type;
        CHECK(livetcp_redundancy_encoder_create(&config, &encoder, &error) ==
              LIVETCP_ERR_INVALID_ARGUMENT);
        CHECK(std::string(error.message).find(c.word) != std::string::npos);
        CHECK(encoder == nullptr);
        CHECK(livetcp_redundancy_decoder_create(&config, &decoder, nullptr) ==
              LIVETCP_ERR_INVALID_ARGUMENT);
        CHECK(decoder == nullptr);
    }
    livetcp_redundancy_config config = config_with();
    livetcp_redundancy_encoder *encoder = nullptr;
    livetcp_error error = {};
    config.struct_size = 1;
    CHECK(livetcp_redundancy_encoder_create(&config, &encoder, &error) ==
          LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(std::string(error.message).find("config_init") != std::string::npos);
}
