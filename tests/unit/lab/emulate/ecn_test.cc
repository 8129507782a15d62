/* SPDX-License-Identifier: MIT */
#include "catch.h"

extern "C" {
#include "base/bytes.h"
#include "lab/emulate/ecn.h"
}

#include <vector>

/* RFC 1071 sum over an IPv4 header that includes its checksum: 0 when it is right. */
static unsigned header_error(const std::vector<std::uint8_t> &packet)
{
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < 20; i += 2)
        sum += lt_read_be16(&packet[i]);
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return sum ^ 0xffff;
}

static std::vector<std::uint8_t> ipv4(unsigned ecn, unsigned id)
{
    std::vector<std::uint8_t> packet(28);
    packet[0] = 0x45;
    packet[1] = static_cast<std::uint8_t>(0xb8 | ecn);
    lt_write_be16(&packet[2], 28);
    lt_write_be16(&packet[4], static_cast<std::uint16_t>(id));
    packet[8] = 64;
    packet[9] = 6;
    lt_write_be32(&packet[12], 0x0a4d0001);
    lt_write_be32(&packet[16], 0x0a4d0002);
    lt_write_be16(&packet[10], static_cast<std::uint16_t>(header_error(packet)));
    return packet;
}

TEST_CASE("ecn: IPv4 is marked and its checksum stays right, for every value it can have")
{
    const unsigned ecn = GENERATE(1u, 2u);
    for (unsigned id = 0; id < 65536; id++) {
        auto packet = ipv4(ecn, id);
        if (header_error(packet) != 0)
            FAIL("the test made a wrong checksum");
        lt_ecn_mark(packet.data(), packet.size());
        if (packet[1] != 0xbb || header_error(packet) != 0)
            FAIL("wrong after marking, id " << id);
    }
}

TEST_CASE("ecn: IPv6 is marked without touching the rest of the traffic class")
{
    std::vector<std::uint8_t> packet(48);
    packet[0] = 0x6b; /* version 6, traffic class 0xb8 | ECT(0) */
    packet[1] = 0xa5;
    CHECK(lt_ecn_read(packet.data(), packet.size()) == LT_ECN_ECT0);
    lt_ecn_mark(packet.data(), packet.size());
    CHECK(packet[0] == 0x6b);
    CHECK(packet[1] == 0xb5);
    CHECK(lt_ecn_read(packet.data(), packet.size()) == LT_ECN_CE);
}

TEST_CASE("ecn: packets that are not ECN-capable, marked already, cut or foreign are left alone")
{
    for (unsigned ecn : {0u, 3u}) {
        auto packet = ipv4(ecn, 1);
        const auto before = packet;
        lt_ecn_mark(packet.data(), packet.size());
        CHECK(packet == before);
    }
    auto packet = ipv4(2, 1);
    const auto before = packet;
    lt_ecn_mark(packet.data(), 19);
    CHECK(packet == before);
    CHECK(lt_ecn_read(packet.data(), 0) == LT_ECN_NOT_ECT);
    std::vector<std::uint8_t> foreign(64, 0x1e);
    CHECK(lt_ecn_read(foreign.data(), foreign.size()) == LT_ECN_NOT_ECT);
}
