/* SPDX-License-Identifier: MIT */
/* Packets kept until the peer's receipt. */
#include "catch.h"

#include <vector>

extern "C" {
#include "engine/repair/kept.h"
}

namespace
{

struct Keeper {
    ~Keeper()
    {
        lt_kept_clear(&kept);
        for (lt_packet *packet : packets)
            lt_packet_unref(&packet);
    }

    /* Writes a packet to `slots`, where TCP acknowledges it. */
    lt_packet *add(std::vector<unsigned> slots, size_t size = 100)
    {
        lt_packet *packet = lt_packet_create(nullptr, size);
        REQUIRE(packet);
        packet->sequence = (uint16_t)packets.size();
        packets.push_back(packet);
        for (unsigned slot : slots) {
            lt_unacked_entry entry = {};
            entry.packet = lt_packet_ref(packet);
            entry.place = lt_kept_written(&kept, slot);
            lt_kept_add(&kept, slot, &entry);
        }
        return packet;
    }

    /* Sequence numbers of the missing packets. */
    std::vector<unsigned> settle(uint32_t number, uint32_t count)
    {
        lt_receipt receipt = {number, count};
        std::vector<unsigned> missing;
        uint64_t came;
        int slot;
        lt_kept_connection *connection = lt_kept_find(&kept, &receipt, &came, &slot);
        REQUIRE(connection);
        while (lt_packet *packet = lt_kept_next_missing(&kept, connection, came)) {
            missing.push_back(packet->sequence);
            lt_packet_unref(&packet);
        }
        return missing;
    }

    void receipt(uint32_t number, uint32_t count)
    {
        lt_receipt message = {number, count};
        lt_kept_on_receipt(&kept, &message);
    }

    lt_kept kept = {};
    std::vector<lt_packet *> packets;
};

using Numbers = std::vector<unsigned>;

} // namespace

TEST_CASE("without a number nothing is kept", "[kept]")
{
    Keeper k;
    lt_packet *packet = k.add({0});
    CHECK(packet->references == 1);
    CHECK(k.kept.bytes == 0);
}

TEST_CASE("what has no receipt is missing once its connection has ended, the youngest first",
          "[kept]")
{
    Keeper k;
    lt_kept_start(&k.kept, 3, 77);
    for (int i = 0; i < 5; i++)
        k.add({3});
    k.receipt(77, 2);
    CHECK(k.packets[1]->references == 1);
    CHECK(k.packets[1]->received);
    CHECK(k.kept.bytes == 3 * 102);
    lt_kept_end(&k.kept, 3);
    CHECK(k.settle(77, 3) == Numbers{4, 3});
    CHECK(k.kept.bytes == 0);
    CHECK(k.settle(77, 3).empty());
}

TEST_CASE("packets written before the number count, and are not kept", "[kept]")
{
    Keeper k;
    k.add({0});
    k.add({0});
    lt_kept_start(&k.kept, 0, 5);
    k.add({0});
    lt_kept_end(&k.kept, 0);
    CHECK(k.settle(5, 2) == Numbers{2});
}

TEST_CASE("a packet that another connection brought, or may bring, is not missing", "[kept]")
{
    Keeper k;
    lt_kept_start(&k.kept, 0, 5);
    lt_kept_start(&k.kept, 1, 6);
    k.add({0, 1}); /* received on the other slot */
    k.add({0, 1}); /* may have been received there */
    k.add({0});
    k.packets[2]->carried = 1U << 1; /* in flight there */
    k.receipt(6, 1);
    CHECK(k.settle(5, 0).empty());
    CHECK(k.settle(6, 1) == Numbers{1}); /* received on neither */
}

TEST_CASE("parity is not sent again", "[kept]")
{
    Keeper k;
    lt_kept_start(&k.kept, 0, 5);
    k.add({0})->parity = true;
    CHECK(k.settle(5, 0).empty());
}

TEST_CASE("counts are modulo 2^32, and never more than was written", "[kept]")
{
    Keeper k;
    uint64_t came;
    int slot;
    lt_kept_start(&k.kept, 0, 5);
    k.kept.live[0].written = UINT64_C(0x1fffffffe);
    for (int i = 0; i < 4; i++)
        k.add({0});
    lt_receipt more = {5, 3}, fine = {5, UINT32_MAX}, other = {6, 0};
    CHECK(lt_kept_find(&k.kept, &more, &came, &slot)); /* one wrap earlier */
    CHECK(came == UINT64_C(0x100000003));
    REQUIRE(lt_kept_find(&k.kept, &fine, &came, &slot));
    CHECK(came == UINT64_C(0x1ffffffff));
    CHECK(slot == 0);
    CHECK_FALSE(lt_kept_find(&k.kept, &other, &came, &slot));
    lt_kept_end(&k.kept, 0);
    lt_kept_start(&k.kept, 0, 7);
    k.add({0});
    lt_receipt never = {7, 2};
    CHECK_FALSE(lt_kept_find(&k.kept, &never, &came, &slot));
}

TEST_CASE("memory is bounded without receipts, and by connections that ended", "[kept]")
{
    Keeper k;
    for (unsigned round = 0; round < 3 * LT_KEPT_ENDED; round++) {
        lt_kept_start(&k.kept, 0, round + 1);
        for (int i = 0; i < 100; i++)
            k.add({0}, 1400);
        CHECK(k.kept.bytes <= LT_KEPT_BYTES + (LT_KEPT_ENDED + 1) * 1402);
        lt_kept_end(&k.kept, 0);
    }
    for (unsigned i = 0; i < 5000; i++)
        k.add({1}, 10);
    CHECK(k.kept.live[1].packets.count == 0); /* it has no number */
}
