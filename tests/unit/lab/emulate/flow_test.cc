/* SPDX-License-Identifier: MIT */
#include "emulate_test.h"

extern "C" {
#include "lab/emulate/flow.h"
}

#include <set>

namespace
{

std::vector<std::uint8_t> ipv4(std::uint16_t port, std::uint8_t protocol = 6, unsigned options = 0)
{
    std::vector<std::uint8_t> packet(20 + options + 20);
    packet[0] = static_cast<std::uint8_t>(0x40 | (20 + options) / 4);
    packet[9] = protocol;
    packet[12] = 10;
    packet[19] = 2;
    packet[20 + options] = static_cast<std::uint8_t>(port >> 8);
    packet[21 + options] = static_cast<std::uint8_t>(port);
    return packet;
}

std::uint32_t hash(const std::vector<std::uint8_t> &packet, std::uint64_t seed = 1)
{
    return lt_flow_hash(packet.data(), packet.size(), seed);
}

} // namespace

TEST_CASE("flow: what tells flows apart, and what does not")
{
    auto packet = ipv4(1000);
    const std::uint32_t flow = hash(packet);
    CHECK(hash(packet) == flow);
    CHECK(hash(packet, 2) != flow);
    packet[39] = 9; /* of the payload */
    packet[1] = 3;  /* ECN */
    packet[8] = 60; /* TTL */
    CHECK(hash(packet) == flow);
    CHECK(hash(ipv4(1001)) != flow);
    CHECK(hash(ipv4(1000, 17)) != flow);
    CHECK(hash(ipv4(1000, 6, 8)) == flow);             /* behind options */
    CHECK(hash(ipv4(1000, 1)) == hash(ipv4(1001, 1))); /* ICMP has no ports */
    packet[12] = 11;
    CHECK(hash(packet) != flow);
}

TEST_CASE("flow: fragments of a packet are one flow")
{
    auto first = ipv4(1000), second = ipv4(77);
    first[6] = 0x20; /* more fragments */
    second[7] = 100; /* an offset */
    CHECK(hash(first) == hash(second));
}

TEST_CASE("flow: IPv6, and what is cut short or no IP packet")
{
    std::vector<std::uint8_t> packet(60, 0);
    packet[0] = 0x60;
    packet[6] = 17;
    const std::uint32_t flow = hash(packet);
    packet[41] = 5;
    CHECK(hash(packet) != flow);
    packet[39] = 1;
    CHECK(hash(packet) != flow);
    for (std::size_t size = 0; size < packet.size(); size++) {
        const std::vector<std::uint8_t> cut(packet.begin(),
                                            packet.begin() + static_cast<std::ptrdiff_t>(size));
        CHECK((hash(cut) == 0) == (size < 40));
    }
    auto header = ipv4(1000);
    header[0] = 0x4f; /* 60 bytes of header in a packet of 40 */
    CHECK(hash(header) != 0);
    CHECK(hash({0x00, 1, 2}) == 0);
}

TEST_CASE("flow: neighbouring ports spread evenly")
{
    unsigned counts[2] = {0, 0};
    std::set<std::uint32_t> seen;
    for (std::uint16_t port = 32768; port < 36768; port += 2) {
        const std::uint32_t flow = hash(ipv4(port));
        counts[flow >> 8 & 1]++;
        seen.insert(flow);
    }
    CHECK(counts[0] == Approx(1000).margin(100));
    CHECK(seen.size() == 2000);
}
