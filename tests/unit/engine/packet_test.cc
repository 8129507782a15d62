/* SPDX-License-Identifier: MIT */
#include "catch.h"

#include <cstring>
#include <vector>

extern "C" {
#include "engine/packet.h"
}

TEST_CASE("a packet is kept behind its length", "[packet]")
{
    std::vector<uint8_t> bytes(300);
    for (size_t i = 0; i < bytes.size(); i++)
        bytes[i] = (uint8_t)i;

    lt_packet *packet = lt_packet_create(bytes.data(), bytes.size());
    REQUIRE(packet);
    CHECK(packet->frame_size == 302);
    CHECK(packet->frame[0] == 1);
    CHECK(packet->frame[1] == 44);
    CHECK(lt_packet_size(packet) == 300);
    CHECK(memcmp(lt_packet_data(packet), bytes.data(), bytes.size()) == 0);
    CHECK(packet->ssrc == 0);
    CHECK(packet->sequence == 0);
    CHECK_FALSE(packet->rtcp);
    CHECK(packet->enqueued_us == 0);
    lt_packet_unref(&packet);
    CHECK(packet == nullptr);
}

TEST_CASE("packets of 0 and of 65535 bytes exist, larger ones do not", "[packet]")
{
    std::vector<uint8_t> bytes(LT_FRAME_MAX + 1, 0x80);

    lt_packet *empty = lt_packet_create(nullptr, 0);
    REQUIRE(empty);
    CHECK(lt_packet_size(empty) == 0);
    lt_packet_unref(&empty);

    lt_packet *largest = lt_packet_create(bytes.data(), LT_FRAME_MAX);
    REQUIRE(largest);
    CHECK(largest->frame[0] == 0xff);
    CHECK(largest->frame[1] == 0xff);
    lt_packet_unref(&largest);

    CHECK(lt_packet_create(bytes.data(), bytes.size()) == nullptr);
}

TEST_CASE("a packet lives as long as its last reference", "[packet]")
{
    const uint8_t byte = 7;
    lt_packet *packet = lt_packet_create(&byte, 1);
    REQUIRE(packet);
    lt_packet *copy = lt_packet_ref(packet);
    CHECK(copy == packet);
    CHECK(packet->references == 2);
    lt_packet_unref(&packet);
    CHECK(copy->references == 1);
    CHECK(lt_packet_data(copy)[0] == 7);
    lt_packet_unref(&copy);
    lt_packet_unref(&copy); /* NULL by now */
    CHECK(copy == nullptr);
}
