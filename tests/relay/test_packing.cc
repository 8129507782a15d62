/* SPDX-License-Identifier: MIT */
// Datagrams as RTP packets, and back.
#include "catch.h"

extern "C" {
#include "relay/plan/packing.h"
}

#include <cstring>
#include <vector>

namespace
{

using bytes = std::vector<uint8_t>;

const uint8_t seed[LT_RELAY_SEED] = {1, 2, 3, 4, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

struct packed {
    lt_relay_fit fit;
    bytes packet;
};

packed pack(lt_relay_packer *p, const bytes &datagram, livetcp_usec now)
{
    bytes room(LT_RELAY_PACKET_MAX);
    const uint8_t *packet = nullptr;
    size_t size = 0;
    lt_relay_fit fit =
        lt_relay_pack(p, datagram.data(), datagram.size(), now, room.data(), &packet, &size);
    return {fit, fit == LT_RELAY_FITS ? bytes(packet, packet + size) : bytes()};
}

lt_relay_packer packer(lt_relay_encap encap)
{
    lt_relay_packer p;
    lt_relay_packer_init(&p, encap, 96, seed);
    return p;
}

bytes ts(size_t packets)
{
    bytes data(packets * 188, 0xaa);
    for (size_t i = 0; i < packets; i++)
        data[i * 188] = 0x47;
    return data;
}

} // namespace

TEST_CASE("MPEG-TS is RFC 2250, and comes out as it was")
{
    lt_relay_packer p = packer(LT_RELAY_ENCAP_TS);
    const bytes in = ts(7);
    packed one = pack(&p, in, 0), two = pack(&p, in, 1000000);

    REQUIRE(one.fit == LT_RELAY_FITS);
    CHECK(one.packet.size() == 12 + 1316);
    CHECK(bytes(one.packet.begin(), one.packet.begin() + 12) ==
          bytes{0x80, 33, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4});
    // The next sequence number, and 90000 units a second, through the wrap of both.
    CHECK(bytes(two.packet.begin(), two.packet.begin() + 8) ==
          bytes{0x80, 33, 0, 0, 0, 1, 0x5f, 0x8f});
    const uint8_t *out;
    size_t size;
    REQUIRE(lt_relay_unpack(&p, one.packet.data(), one.packet.size(), &out, &size) ==
            LT_RELAY_FITS);
    CHECK(bytes(out, out + size) == in);

    CHECK(pack(&p, {}, 0).fit == LT_RELAY_NOT_TS);
    bytes bad = ts(2);
    bad[188] = 0x48;
    CHECK(pack(&p, bad, 0).fit == LT_RELAY_NOT_TS);
    bad.pop_back();
    CHECK(pack(&p, bad, 0).fit == LT_RELAY_NOT_TS);
}

TEST_CASE("any datagram is the payload of a dynamic type")
{
    lt_relay_packer p = packer(LT_RELAY_ENCAP_RAW);

    for (size_t size : {size_t(0), size_t(1), size_t(1500), size_t(65523)}) {
        bytes in(size, 0x80);
        packed one = pack(&p, in, 5);
        REQUIRE(one.fit == LT_RELAY_FITS);
        CHECK(one.packet[1] == 96);
        const uint8_t *out;
        size_t out_size;
        REQUIRE(lt_relay_unpack(&p, one.packet.data(), one.packet.size(), &out, &out_size) ==
                LT_RELAY_FITS);
        CHECK(bytes(out, out + out_size) == in);
    }
    CHECK(pack(&p, bytes(65524), 5).fit == LT_RELAY_TOO_LONG);
}

TEST_CASE("RTP stays as it is, and what is not RTP is left out")
{
    lt_relay_packer p = packer(LT_RELAY_ENCAP_RTP);
    bytes rtp = {0x80, 96, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 9};
    bytes rtcp = {0x80, 201, 0, 1, 0, 0, 0, 3};

    CHECK(pack(&p, rtp, 0).packet == rtp);
    CHECK(pack(&p, rtcp, 0).packet == rtcp);
    CHECK(lt_relay_is_rtcp(rtcp.data(), rtcp.size()));
    CHECK_FALSE(lt_relay_is_rtcp(rtp.data(), rtp.size()));
    CHECK(pack(&p, {1, 2, 3}, 0).fit == LT_RELAY_NOT_RTP);
    CHECK(pack(&p, bytes(20, 0x16), 0).fit == LT_RELAY_NOT_RTP); // DTLS
    CHECK(pack(&p, {}, 0).fit == LT_RELAY_NOT_RTP);
}

TEST_CASE("packets of a peer that do not fit are refused")
{
    lt_relay_packer p = packer(LT_RELAY_ENCAP_RAW);
    bytes packet = {0x80, 96, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 'a', 'b', 'c', 'd'};
    const uint8_t *out;
    size_t size;

    REQUIRE(lt_relay_unpack(&p, packet.data(), packet.size(), &out, &size) == LT_RELAY_FITS);
    CHECK(size == 4);
    packet[1] = 33;
    CHECK(lt_relay_unpack(&p, packet.data(), packet.size(), &out, &size) == LT_RELAY_ANOTHER_TYPE);
    packet[1] = 201;
    CHECK(lt_relay_unpack(&p, packet.data(), packet.size(), &out, &size) ==
          LT_RELAY_NOT_FOR_OUTPUT);
    packet[1] = 96;
    packet[0] |= 0x20; // padding
    packet[15] = 3;
    REQUIRE(lt_relay_unpack(&p, packet.data(), packet.size(), &out, &size) == LT_RELAY_FITS);
    CHECK(bytes(out, out + size) == bytes{'a'});
    for (uint8_t padding : {uint8_t(0), uint8_t(5), uint8_t(255)}) {
        packet[15] = padding;
        CHECK(lt_relay_unpack(&p, packet.data(), packet.size(), &out, &size) == LT_RELAY_NOT_RTP);
    }
    CHECK(lt_relay_unpack(&p, packet.data(), 12, &out, &size) == LT_RELAY_NOT_RTP);
    packet[0] = 0x80 | 15; // more CSRCs than bytes
    CHECK(lt_relay_unpack(&p, packet.data(), packet.size(), &out, &size) == LT_RELAY_NOT_RTP);
}
