/* SPDX-License-Identifier: MIT */
#include "parity_fixture.h"

#include <algorithm>
#include <memory>

extern "C" {
#include "engine/receiver/parity_decoder.h"
}

namespace
{

const uint32_t media = 0xa1b2c3d4, parity = 0x0badcafe;

/* A decoder with `parity` announced, and its output. */
class Decoder
{
  public:
    explicit Decoder(size_t max_packet = 65535) : decoder(lt_parity_decoder_create(max_packet))
    {
        REQUIRE(decoder);
        REQUIRE(announce(parity, media) == LIVETCP_OK);
    }
    ~Decoder()
    {
        lt_parity_decoder_destroy(&decoder);
        CHECK(decoder == nullptr);
    }
    Decoder(const Decoder &) = delete;
    Decoder &operator=(const Decoder &) = delete;

    livetcp_result announce(uint32_t parity_ssrc, uint32_t media_ssrc)
    {
        return lt_parity_decoder_announce(decoder, parity_ssrc, media_ssrc, LT_PARITY_PAYLOAD_TYPE);
    }

    /* Takes a copy of exactly this size, so that a sanitizer reports a read past the end. Returns
     * the packets rebuilt by it. */
    std::vector<Bytes> take(const Bytes &bytes)
    {
        std::unique_ptr<uint8_t[]> copy(new uint8_t[bytes.size()]);
        std::vector<Bytes> rebuilt;
        lt_rtp_header header;
        memcpy(copy.get(), bytes.data(), bytes.size());
        REQUIRE(lt_rtp_parse(copy.get(), bytes.size(), &header));
        is_parity = lt_parity_decoder_take(decoder, copy.get(), bytes.size(), &header, now);
        while (lt_packet *packet = lt_parity_decoder_next(decoder, now, &header)) {
            rebuilt.push_back(bytes_of(packet));
            bool whole = packet->ssrc == lt_read_be32(&rebuilt.back()[8]) &&
                         packet->sequence == lt_read_be16(&rebuilt.back()[2]) &&
                         packet->enqueued_us == now && !packet->rtcp &&
                         lt_read_be16(packet->frame) == rebuilt.back().size();
            CHECK(whole);
            lt_packet_unref(&packet);
        }
        return rebuilt;
    }
    bool takes_as_parity(const Bytes &bytes)
    {
        take(bytes);
        return is_parity;
    }
    const lt_parity_stats &stats() const
    {
        return *lt_parity_decoder_get_stats(decoder);
    }
    size_t held() const
    {
        return lt_parity_decoder_held(decoder);
    }

    lt_parity_decoder *decoder;
    livetcp_usec now = 1000000;
    bool is_parity = false;
};

/* The parity of a group as a different sender would encode it. */
Bytes parity_of(const std::vector<Bytes> &group, uint16_t sequence = 1, uint32_t ssrc = parity)
{
    Bytes packet = {0x81, LT_PARITY_PAYLOAD_TYPE};
    uint16_t base = lt_read_be16(&group[0][2]);
    for (const Bytes &member : group)
        if (lt_seq_distance(base, lt_read_be16(&member[2])) < 0)
            base = lt_read_be16(&member[2]);
    Bytes fec = expected_fec(group, base);
    packet.resize(16);
    lt_write_be16(&packet[2], sequence);
    lt_write_be32(&packet[8], ssrc);
    memcpy(&packet[12], &group[0][8], 4);
    packet.insert(packet.end(), fec.begin(), fec.end());
    return packet;
}

Bytes simple(uint16_t sequence, size_t size = 100, uint32_t ssrc = media)
{
    Bytes bytes(size, (uint8_t)(sequence * 7));
    bytes[0] = 0x80;
    bytes[1] = 96;
    lt_write_be16(&bytes[2], sequence);
    lt_write_be32(&bytes[4], sequence * 3000u);
    lt_write_be32(&bytes[8], ssrc);
    return bytes;
}

using Rebuilt = std::vector<Bytes>;

} // namespace

TEST_CASE("any one packet of any group comes back, bit by bit, whatever the order")
{
    lt_rng rng;
    lt_rng_seed(&rng, 3);
    Decoder decoder;
    uint16_t sequence = 65000;
    for (unsigned round = 0; round < 1000; round++) {
        unsigned size = 1 + (unsigned)(lt_rng_next(&rng) % 16);
        unsigned gap = 1 + (unsigned)(lt_rng_next(&rng) % (110 / size));
        std::vector<Bytes> group;
        for (unsigned i = 0; i < size; i++) {
            group.push_back(random_packet(rng, media, sequence, lt_rng_next(&rng) % 300));
            sequence = (uint16_t)(sequence + 1 + lt_rng_next(&rng) % gap);
        }
        std::vector<Bytes> arriving = group;
        size_t lost = lt_rng_next(&rng) % size;
        arriving[lost] = parity_of(group, (uint16_t)round);
        for (size_t i = arriving.size(); i > 1; i--)
            std::swap(arriving[i - 1], arriving[lt_rng_next(&rng) % i]);
        Rebuilt rebuilt;
        for (const Bytes &packet : arriving)
            for (const Bytes &back : decoder.take(packet))
                rebuilt.push_back(back);
        REQUIRE(rebuilt == Rebuilt{group[lost]});
        CHECK(decoder.take(group[lost]).empty()); /* the original arrives after all */
        CHECK(decoder.take(parity_of(group, (uint16_t)round)).empty());
        decoder.now += 1000;
    }
    CHECK(decoder.stats().received == 2000);
    CHECK(decoder.stats().rebuilt == 1000);
    CHECK(decoder.stats().invalid == 0);
}

TEST_CASE("our encoder and decoder agree")
{
    Decoder decoder;
    lt_parity_encoder *encoder = lt_parity_encoder_create(4, media, 8190, 9);
    decoder.announce(lt_parity_encoder_ssrc(encoder), media);
    for (uint16_t sequence = 65500; sequence != 100; sequence++) {
        Bytes packet = simple(sequence, 50 + sequence % 1000u);
        bool lost = sequence % 4 == 2;
        if (!lost)
            decoder.take(packet);
        if (add(encoder, packet) == LT_PARITY_FULL)
            CHECK(decoder.take(finish(encoder)) ==
                  Rebuilt{simple((uint16_t)(sequence - 1), 50 + (uint16_t)(sequence - 1) % 1000u)});
    }
    lt_parity_encoder_destroy(&encoder);
    CHECK(decoder.stats().rebuilt == 34);
}

TEST_CASE("a group that lacks two waits until it lacks one")
{
    Decoder decoder;
    decoder.take(simple(1));
    CHECK(decoder.take(parity_of({simple(1), simple(2), simple(3)})).empty());
    CHECK(decoder.is_parity);
    CHECK(decoder.take(simple(1)).empty()); /* a duplicate of a known packet */
    CHECK(decoder.take(simple(9)).empty()); /* not in the group */
    CHECK(decoder.take(simple(3)) == Rebuilt{simple(2)});
    CHECK(decoder.take(simple(2)).empty());
}

TEST_CASE("what is rebuilt helps to rebuild others")
{
    Decoder decoder;
    /* Rows 1 2 and 3 4 and the column 2 3, which completes both, in two parity streams. */
    decoder.announce(0x77, media);
    decoder.take(simple(1));
    CHECK(decoder.take(parity_of({simple(3), simple(4)}, 1)).empty());
    CHECK(decoder.take(parity_of({simple(2), simple(3)}, 1, 0x77)).empty());
    CHECK(decoder.take(parity_of({simple(1), simple(2)}, 2)) ==
          Rebuilt{simple(2), simple(3), simple(4)});
}

TEST_CASE("parity that comes twice, or of a complete group, does nothing and is not kept")
{
    Decoder decoder;
    decoder.take(simple(1));
    decoder.take(simple(2));
    size_t held = decoder.held();
    CHECK(held == 200);
    CHECK(decoder.take(parity_of({simple(1), simple(2)})).empty());
    CHECK(decoder.held() == held);
    Bytes waiting = parity_of({simple(3), simple(4)});
    CHECK(decoder.take(waiting).empty());
    CHECK(decoder.take(waiting).empty());
    CHECK(decoder.held() == held + waiting.size());
    CHECK(decoder.take(simple(4)) == Rebuilt{simple(3)});
    CHECK(decoder.held() == held + 200);
    CHECK(decoder.stats().received == 3);
}

TEST_CASE("nothing is kept of streams without parity, and nothing taken that is not parity")
{
    Decoder decoder;
    CHECK_FALSE(decoder.takes_as_parity(simple(1, 100, 5)));
    CHECK(decoder.held() == 0);
    Bytes other_type = parity_of({simple(1), simple(2)});
    other_type[1] = 97;
    CHECK_FALSE(decoder.takes_as_parity(other_type));
    Bytes other_ssrc = parity_of({simple(1), simple(2)}, 1, 0x1111);
    CHECK_FALSE(decoder.takes_as_parity(other_ssrc));
    CHECK(decoder.held() == 0);
    CHECK(decoder.stats().received == 0);
    CHECK_FALSE(decoder.takes_as_parity(simple(1)));
    CHECK(decoder.held() == 100);
}

TEST_CASE("an announcement may come again, and may change its mind")
{
    Decoder decoder;
    decoder.take(simple(1));
    decoder.announce(parity, media);
    CHECK(decoder.held() == 100);
    CHECK(decoder.take(parity_of({simple(1), simple(2)})) == Rebuilt{simple(2)});
    decoder.announce(parity, 5);
    CHECK(decoder.held() == 0);
    CHECK(decoder.take(parity_of({simple(3), simple(4)})).empty());
    CHECK(decoder.stats().invalid == 1); /* of the media that it protected before */
    decoder.take(simple(3, 100, 5));
    CHECK(decoder.take(parity_of({simple(3, 100, 5), simple(4, 100, 5)}, 2)) ==
          Rebuilt{simple(4, 100, 5)});
}

TEST_CASE("malformed parity is taken out of the stream and counted")
{
    Decoder decoder;
    decoder.take(simple(1));
    const Bytes good = parity_of({simple(1), simple(2)});
    uint64_t bad = 0;
    for (size_t at : {12u, 13u, 15u}) { /* CSRC */
        Bytes packet = good;
        packet[at] ^= 1;
        CHECK(decoder.takes_as_parity(packet));
        CHECK(decoder.stats().invalid == ++bad);
    }
    for (uint8_t variant : {0x40, 0x80, 0xc0}) {
        Bytes packet = good;
        packet[16] |= variant;
        CHECK(decoder.takes_as_parity(packet));
        CHECK(decoder.stats().invalid == ++bad);
    }
    for (size_t size = 16; size < LT_PARITY_HEADER_MIN; size++) {
        CHECK(decoder.takes_as_parity(Bytes(good.begin(), good.begin() + (long)size)));
        CHECK(decoder.stats().invalid == ++bad);
    }
    CHECK(decoder.held() == 100);
    CHECK(decoder.stats().rebuilt == 0);
    CHECK(decoder.take(good) == Rebuilt{simple(2)});
}

TEST_CASE("what parity makes is RTP of the media, within bounds, or nothing")
{
    Decoder decoder(500);
    decoder.take(simple(1, 300));
    auto tampered = [&](size_t at, uint8_t flip) {
        Bytes packet = parity_of({simple(1, 300), simple(2, 300)}, decoder.stats().received & 0xff);
        packet[at] ^= flip;
        return decoder.take(packet);
    };
    CHECK(tampered(18, 0x80).empty()); /* longer than the remaining bytes */
    CHECK(tampered(19, 0x3f).size() == 1);
    decoder.announce(parity, 1); /* discard number 2 */
    decoder.announce(parity, media);
    decoder.take(simple(1, 300));
    CHECK(tampered(17, 0xa8).empty());     /* sender report */
    CHECK(tampered(16, 0x0f).size() == 1); /* fifteen CSRCs fit */
    CHECK(decoder.stats().invalid == 2);

    /* Fifteen CSRCs that do not fit; a member longer than the parity of all; more than 500 bytes.
     */
    decoder.take(simple(11, 30));
    Bytes csrcs = parity_of({simple(11, 30), simple(12, 30)}, 100);
    csrcs[16] ^= 0x0f;
    CHECK(decoder.take(csrcs).empty());
    Bytes cut = parity_of({simple(1, 300), simple(3, 20)}, 101);
    cut.pop_back();
    CHECK(decoder.take(cut).empty());
    CHECK(decoder.take(parity_of({simple(11, 30), simple(14, 501)}, 102)).empty());
    CHECK(decoder.stats().invalid == 5);
    CHECK(decoder.take(parity_of({simple(11, 30), simple(15, 500)}, 103)).size() == 1);
}

TEST_CASE("streams are bounded: the one whose parity came least recently is forgotten")
{
    Decoder decoder;
    for (uint32_t i = 0; i < 1000; i++) {
        decoder.announce(0x1000 + i, 0x2000 + i);
        decoder.take(simple(1, 1000, 0x2000 + i));
        /* Keeps the first one active. */
        CHECK(decoder.takes_as_parity(parity_of({simple(1), simple(2)})));
    }
    CHECK(decoder.held() <= LT_PARITY_STREAMS * 1000 + 200);
    auto knows = [&](uint32_t i) {
        Bytes packet = parity_of({simple(1, 50, 0x2000 + i)}, 1, 0x1000 + i);
        return decoder.takes_as_parity(packet);
    };
    CHECK(knows(999));
    CHECK(knows(993));
    CHECK_FALSE(knows(992));
}

TEST_CASE("bytes are bounded, and the oldest packets go first")
{
    Decoder decoder;
    for (uint16_t sequence = 65500; sequence != 800; sequence++) {
        decoder.take(simple((uint16_t)(sequence ^ 1), 60000)); /* neighbours in reverse order */
        CHECK(decoder.held() <= LT_PARITY_HISTORY_BYTES);
    }
    CHECK(decoder.held() > LT_PARITY_HISTORY_BYTES - 60000);
    CHECK(decoder.take(parity_of({simple(785, 60000), simple(790, 60000), simple(794, 60000),
                                  simple(799, 60000), simple(805)})) == Rebuilt{simple(805)});
    CHECK(decoder.take(parity_of({simple(750, 60000), simple(798, 60000), simple(799, 60000)}, 2))
              .size() == 1); /* 750 was discarded, and arrives again */

    Decoder waiting;
    for (uint16_t i = 0; i < 30; i++) {
        uint16_t first = (uint16_t)(2 * i);
        waiting.take(parity_of({simple(first, 60000), simple((uint16_t)(first + 1), 60000)}, i));
        CHECK(waiting.held() <= LT_PARITY_WAITING_BYTES);
    }
    CHECK(waiting.take(simple(58, 60000)) == Rebuilt{simple(59, 60000)});

    Decoder small;
    for (uint16_t i = 0; i < 1000; i++)
        small.take(parity_of({simple((uint16_t)(2 * i)), simple((uint16_t)(2 * i + 1))}, i));
    CHECK(small.held() == LT_PARITY_WAITING * (100 + 16));
    CHECK(small.take(simple(2 * (1000 - LT_PARITY_WAITING - 1))).empty());
    CHECK(small.take(simple(2 * (1000 - LT_PARITY_WAITING))).size() == 1);
}

TEST_CASE("a number's packet is no member any more when the numbers have come round")
{
    Decoder decoder;
    decoder.take(simple(1));
    decoder.take(parity_of({simple(7), simple(8)}, 1));
    decoder.now += LT_PARITY_AGE_US;
    Bytes later = simple(1, 80);
    decoder.now++;
    CHECK(decoder.take(parity_of({later, simple(2)}, 2)).empty()); /* both are missing */
    CHECK(decoder.take(later) == Rebuilt{simple(2)});
    CHECK(decoder.take(simple(8, 30)).empty()); /* that parity is too old */
    CHECK(decoder.stats().invalid == 0);
}

TEST_CASE("a stream that starts over elsewhere stays protected")
{
    Decoder decoder;
    for (uint16_t start : {30000, 10, 9000, 65530, 3}) {
        decoder.take(simple(start));
        CHECK(decoder.take(parity_of({simple(start), simple((uint16_t)(start + 1))}, start)) ==
              Rebuilt{simple((uint16_t)(start + 1))});
    }
}

TEST_CASE("the work for what a peer sends is bounded, whatever it announces")
{
    Decoder decoder;
    uint64_t bytes = 0;
    auto take = [&](const Bytes &packet) {
        bytes += packet.size();
        decoder.take(packet);
    };
    for (uint32_t i = 0; i < LT_PARITY_STREAMS; i++)
        decoder.announce(parity + i, media);
    /* Groups of every packet that follows and of two that never arrive. */
    for (uint16_t i = 0; i < LT_PARITY_WAITING; i++) {
        std::vector<Bytes> group;
        for (uint16_t j = 0; j < LT_PARITY_SPAN; j++)
            group.push_back(simple(j, 12));
        Bytes packet = parity_of(group, i);
        for (uint32_t k = 0; k < LT_PARITY_STREAMS; k++) {
            lt_write_be32(&packet[8], parity + k);
            take(packet);
        }
    }
    for (uint16_t round = 0; round < 10; round++)
        for (uint16_t j = 0; j < LT_PARITY_SPAN - 2; j++)
            take(simple(j, 12));
    CHECK(lt_parity_decoder_lookups(decoder.decoder) <= 4 * bytes);
}

TEST_CASE("of many parity streams for one media stream, the last few are taken")
{
    Decoder decoder;
    Bytes first = parity_of({simple(1), simple(2)}), other = first;
    for (uint32_t i = 1; i <= 4; i++)
        decoder.announce(parity + i, media);
    CHECK_FALSE(decoder.takes_as_parity(first));
    lt_write_be32(&other[8], parity + 4);
    CHECK(decoder.takes_as_parity(other));
    CHECK(decoder.take(simple(1)) == Rebuilt{simple(2)});
}

TEST_CASE("sessions share a bound on memory beyond what each may hold")
{
    lt_memory memory = {512 * 1024, 0};
    size_t held = 0;
    {
        Decoder decoders[5];
        for (Decoder &decoder : decoders) {
            lt_parity_decoder_share(decoder.decoder, &memory);
            for (uint16_t i = 0; i < 600; i++) {
                decoder.take(simple(i, 1400));
                CHECK(lt_parity_decoder_held(decoder.decoder) <= LT_PARITY_HISTORY_BYTES);
            }
        }
        for (const Decoder &decoder : decoders) {
            size_t own = lt_parity_decoder_held(decoder.decoder);
            CHECK(own >= LT_PARITY_OWN - 1400); /* not displaced by its neighbours */
            held += own;
        }
        CHECK(held == memory.used);
        CHECK(held <= memory.limit + 5 * LT_PARITY_OWN);
        /* The newest packets are kept: they are in the groups to come. */
        CHECK(decoders[4].take(parity_of({simple(599, 1400), simple(600, 1400)})) ==
              Rebuilt{simple(600, 1400)});
    }
    CHECK(memory.used == 0);
}
