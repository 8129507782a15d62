/* SPDX-License-Identifier: MIT */
#include "parity_fixture.h"

namespace
{

const uint32_t media = 0xa1b2c3d4;

class Encoder
{
  public:
    explicit Encoder(unsigned group, size_t max_packet = 8190, uint64_t seed = 1)
        : encoder(lt_parity_encoder_create(group, media, max_packet, seed))
    {
        REQUIRE(encoder);
    }
    ~Encoder()
    {
        lt_parity_encoder_destroy(&encoder);
        CHECK(encoder == nullptr);
    }
    Encoder(const Encoder &) = delete;
    Encoder &operator=(const Encoder &) = delete;
    operator lt_parity_encoder *() const
    {
        return encoder;
    }

    lt_parity_encoder *encoder;
};

Bytes simple(uint16_t sequence, size_t size = 100)
{
    Bytes bytes(size, (uint8_t)sequence);
    bytes[0] = 0x80;
    bytes[1] = 96;
    lt_write_be16(&bytes[2], sequence);
    lt_write_be32(&bytes[4], sequence * 3000u);
    lt_write_be32(&bytes[8], media);
    return bytes;
}

Bytes tail(const Bytes &bytes, size_t from)
{
    return Bytes(bytes.begin() + (long)from, bytes.end());
}

} // namespace

TEST_CASE("recovery fields and payload are those of an independent encoder")
{
    /* GStreamer 1.22 encoded this group, with "rtpulpfecenc pt=122 percentage=34", as the ULPFEC
     * packet
     *   807a0001 00002328 a1b2c3d4 | 31e0 fffe 00003fe0 0015 | 0015 e000 | deadbeef...
     * Its recovery fields are defined as in RFC 8627 but ordered otherwise (RFC 5109 section 7.3).
     */
    const char *group[] = {
        "8060fffe00000bb8a1b2c3d401020304050607",
        "9160ffff00001770a1b2c3d401020304bede00011055aa00c0ffee0123456789ab", /* X, CSRC */
        "a0e0000000002328a1b2c3d4deadbeef000003"};                            /* P, M */
    Encoder encoder(3);
    CHECK(add(encoder, from_hex(group[0])) == LT_PARITY_MORE);
    CHECK(add(encoder, from_hex(group[1])) == LT_PARITY_MORE);
    CHECK(add(encoder, from_hex(group[2])) == LT_PARITY_FULL);
    Bytes parity = finish(encoder);
    REQUIRE(parity.size() == 16 + 12 + 21);
    CHECK(tail(parity, 12) == from_hex("a1b2c3d4"         /* CSRC: the media */
                                       "31e0001500003fe0" /* P X CC M PT, length, timestamp */
                                       "fffe7000"         /* base, mask */
                                       "deadbeefbbd804011055aa00c0ffee0123456789ab"));
    CHECK(parity[0] == 0x81);
    CHECK(parity[1] == LT_PARITY_PAYLOAD_TYPE);
}

TEST_CASE("parity is what RFC 8627 says, whatever the packets and the gaps between them")
{
    lt_rng rng;
    lt_rng_seed(&rng, 7);
    for (unsigned round = 0; round < 500; round++) {
        unsigned size = 2 + (unsigned)(lt_rng_next(&rng) % 15);
        unsigned gap = 1 + (unsigned)(lt_rng_next(&rng) % (110 / size));
        uint16_t base = (uint16_t)lt_rng_next(&rng), sequence = base;
        std::vector<Bytes> group;
        Encoder encoder(size, 65535, round);
        for (unsigned i = 0; i < size; i++) {
            group.push_back(random_packet(rng, media, sequence, lt_rng_next(&rng) % 300));
            sequence = (uint16_t)(sequence + 1 + lt_rng_next(&rng) % gap);
            CHECK(add(encoder, group.back()) == (i + 1 < size ? LT_PARITY_MORE : LT_PARITY_FULL));
        }
        Bytes parity = finish(encoder, 5);
        REQUIRE(parity.size() > 16);
        CHECK(tail(parity, 16) == expected_fec(group, base));
        size_t largest = 0;
        for (const Bytes &packet : group)
            largest = std::max(largest, packet.size());
        CHECK(parity.size() <= largest + LT_PARITY_OVERHEAD);
        CHECK(lt_rtp_classify(parity.data(), parity.size()) == LT_RTP_MEDIA);
    }
}

TEST_CASE("the parity stream is an RTP stream of its own")
{
    Encoder encoder(2), other(2, 8190, 2);
    lt_rtp_header first, second;
    add(encoder, simple(1));
    add(encoder, simple(2));
    Bytes parity = finish(encoder, 1000000);
    REQUIRE(lt_rtp_parse(parity.data(), parity.size(), &first));
    add(encoder, simple(3));
    add(encoder, simple(4));
    parity = finish(encoder, 1500000);
    REQUIRE(lt_rtp_parse(parity.data(), parity.size(), &second));
    CHECK(first.ssrc == lt_parity_encoder_ssrc(encoder));
    CHECK(second.ssrc == first.ssrc);
    CHECK(first.ssrc != media);
    CHECK(first.ssrc != lt_parity_encoder_ssrc(other));
    CHECK(second.sequence == (uint16_t)(first.sequence + 1));
    CHECK(second.timestamp - first.timestamp == 45000); /* half a second at 90 kHz */
    CHECK_FALSE(second.marker);
    CHECK(second.header_size == 16);

    lt_control message;
    lt_parity_encoder_announce(encoder, &message);
    CHECK(message.type == LT_CONTROL_PARITY);
    CHECK(message.parity_ssrc == first.ssrc);
    CHECK(message.media_ssrc == media);
    CHECK(message.payload_type == first.payload_type);
}

TEST_CASE("a group may be ended early, and one packet is a group then")
{
    Encoder encoder(16);
    CHECK(finish(encoder).empty());
    CHECK(lt_parity_encoder_count(encoder) == 0);
    add(encoder, simple(9));
    CHECK(lt_parity_encoder_count(encoder) == 1);
    CHECK(tail(finish(encoder), 16) == expected_fec({simple(9)}, 9));
    CHECK(lt_parity_encoder_count(encoder) == 0);
    /* The next parity contains nothing of it. */
    add(encoder, simple(10, 50));
    add(encoder, simple(11, 40));
    CHECK(tail(finish(encoder), 16) == expected_fec({simple(10, 50), simple(11, 40)}, 10));
    CHECK(lt_parity_encoder_unprotected(encoder) == 0);
}

TEST_CASE("a group holds no more packets, and no further apart, than one mask can tell")
{
    Encoder encoder(2);
    add(encoder, simple(65530));
    CHECK(add(encoder, simple((uint16_t)(65530 + 110))) == LT_PARITY_CLOSED);
    CHECK(add(encoder, simple(65530 - 110)) == LT_PARITY_CLOSED);
    CHECK(add(encoder, simple(65530 - 32768)) == LT_PARITY_CLOSED);
    CHECK(lt_parity_encoder_count(encoder) == 1);
    CHECK(add(encoder, simple((uint16_t)(65530 + 109))) == LT_PARITY_FULL);
    CHECK(add(encoder, simple(65531)) == LT_PARITY_CLOSED);
    CHECK(tail(finish(encoder), 16) ==
          expected_fec({simple(65530), simple((uint16_t)(65530 + 109))}, 65530));
    CHECK(add(encoder, simple(65531)) == LT_PARITY_MORE);
    CHECK(lt_parity_encoder_unprotected(encoder) == 0);
}

TEST_CASE("packets may come in any order, and the lowest is the base")
{
    Encoder encoder(4);
    add(encoder, simple(100));
    CHECK(add(encoder, simple(40)) == LT_PARITY_MORE);
    CHECK(add(encoder, simple(150)) == LT_PARITY_CLOSED); /* 40 and 150 are 110 apart */
    CHECK(add(encoder, simple(149)) == LT_PARITY_MORE);
    CHECK(add(encoder, simple(41)) == LT_PARITY_FULL);
    CHECK(tail(finish(encoder), 16) ==
          expected_fec({simple(100), simple(40), simple(149), simple(41)}, 40));
}

TEST_CASE("a number that the group has is not added again")
{
    Encoder encoder(3);
    add(encoder, simple(5));
    CHECK(add(encoder, simple(5)) == LT_PARITY_LEFT_OUT);
    CHECK(lt_parity_encoder_count(encoder) == 1);
    CHECK(lt_parity_encoder_unprotected(encoder) == 0);
}

TEST_CASE("a packet whose parity would be too large is left out and counted")
{
    Encoder encoder(2, 1000);
    CHECK(add(encoder, simple(1, 1000 - LT_PARITY_OVERHEAD + 1)) == LT_PARITY_LEFT_OUT);
    CHECK(lt_parity_encoder_unprotected(encoder) == 1);
    CHECK(add(encoder, simple(2, 1000 - LT_PARITY_OVERHEAD)) == LT_PARITY_MORE);
    CHECK(add(encoder, simple(111, 12)) == LT_PARITY_FULL); /* the longest header */
    CHECK(finish(encoder).size() == 1000);

    Encoder largest(2, 65535);
    CHECK(add(largest, simple(1, 65535 - LT_PARITY_OVERHEAD)) == LT_PARITY_MORE);
    CHECK(add(largest, simple(2, 65535)) == LT_PARITY_LEFT_OUT);
    CHECK(finish(largest).size() == 65535 - LT_PARITY_OVERHEAD + 16);
}

TEST_CASE("any seed gives a parity SSRC that is neither nothing nor the media's")
{
    for (uint64_t seed = 0; seed < 1000; seed++) {
        Encoder encoder(2, 8190, seed);
        CHECK(lt_parity_encoder_ssrc(encoder) != 0);
        CHECK(lt_parity_encoder_ssrc(encoder) != media);
    }
}

TEST_CASE("what is not a parity packet that we understand is refused")
{
    Encoder encoder(2);
    lt_parity_cover cover;
    add(encoder, simple(1));
    add(encoder, simple(100));
    const Bytes good = finish(encoder);
    REQUIRE(lt_parity_parse(good.data(), good.size(), &cover) == LT_PARITY_HEADER_MAX);
    CHECK(cover.media_ssrc == media);
    CHECK(cover.base == 1);
    for (unsigned bit = 0; bit < 300; bit++)
        CHECK(lt_parity_covers(&cover, bit) == (bit == 0 || bit == 99));

    for (size_t size = 0; size < LT_PARITY_HEADER_MAX; size++) {
        Bytes cut(good.begin(), good.begin() + (long)size);
        CHECK(lt_parity_parse(cut.data(), cut.size(), &cover) == 0);
    }
    auto refused = [&good](size_t at, uint8_t flip) {
        Bytes bad = good;
        lt_parity_cover ignored;
        bad[at] ^= flip;
        return lt_parity_parse(bad.data(), bad.size(), &ignored) == 0;
    };
    CHECK(refused(0, 0x20));  /* padding */
    CHECK(refused(0, 0x10));  /* extension */
    CHECK(refused(0, 0x01));  /* no CSRC */
    CHECK(refused(0, 0x03));  /* two */
    CHECK(refused(16, 0x80)); /* retransmission */
    CHECK(refused(16, 0x40)); /* fixed mask */
    Bytes nothing(good.begin(), good.begin() + LT_PARITY_HEADER_MIN);
    lt_write_be16(&nothing[26], 0);
    CHECK(lt_parity_parse(nothing.data(), nothing.size(), &cover) == 0);
}
