/* SPDX-License-Identifier: MIT */
/* Arrival order: immediate delivery without duplicates. */
#include "receiver.h"

using Sequences = std::vector<int>;

TEST_CASE("packets are delivered as they come, each once", "[reassembly]")
{
    Receiver r(LIVETCP_ORDER_ARRIVAL);
    for (uint16_t sequence : {10, 12, 12, 11, 9, 10, 13, 13})
        REQUIRE(r.push(1, sequence, 1000, 0, 3) == LIVETCP_OK);
    CHECK(r.take() == Sequences{10, 12, 11, 9, 13});
    CHECK(r.stats().delivered == 5);
    CHECK(r.stats().delivered_bytes == 5 * 16);
    CHECK(r.stats().duplicates == 3);
    CHECK(r.stats().gaps == 0);
    CHECK(r.delivered[0].connection == 3);
    CHECK(r.delivered[0].arrival_us == 1000);
    CHECK_FALSE(r.delivered[1].discontinuity);
    CHECK_FALSE(r.delivered[1].held);
    CHECK(r.deadline() == LIVETCP_NEVER);
    r.expire(1000000);
    CHECK(r.take().empty());
}

TEST_CASE("sequence numbers wrap", "[reassembly]")
{
    Receiver r(LIVETCP_ORDER_ARRIVAL);
    for (uint16_t sequence : {65534, 0, 65535, 1, 0, 65535})
        r.push(1, sequence, 0);
    CHECK(r.take() == Sequences{65534, 0, 65535, 1});
    CHECK(r.stats().duplicates == 2);
}

TEST_CASE("streams do not disturb each other", "[reassembly]")
{
    Receiver r(LIVETCP_ORDER_ARRIVAL);
    for (uint16_t sequence = 0; sequence < 1000; sequence++)
        for (uint32_t ssrc : {1u, 2u, 3u})
            r.push(ssrc, (uint16_t)(sequence + ssrc * 20000), 0);
    CHECK(r.stats().delivered == 3000);
    CHECK(r.stats().duplicates == 0);
}

TEST_CASE("a packet thousands behind is still known", "[reassembly]")
{
    Receiver r(LIVETCP_ORDER_ARRIVAL);
    for (unsigned i = 0; i < 50000; i++)
        if (i != 40000)
            r.push(1, (uint16_t)i, i * 1000);
    r.take();
    r.push(1, 40000, 50000000);
    r.push(1, 40000, 50000000);
    r.push(1, 40001, 50000000);
    CHECK(r.take() == Sequences{40000});
    CHECK(r.stats().duplicates == 2);
    r.push(1, 20000, 50000000); /* older than the window: indistinguishable from a duplicate */
    r.push(1, 20001, 50000000);
    CHECK(r.take().empty());
    CHECK(r.stats().late_discarded == 2);
}

TEST_CASE("a jump is confirmed by a second packet and loses none", "[reassembly]")
{
    Receiver r(LIVETCP_ORDER_ARRIVAL);
    for (uint16_t sequence = 100; sequence < 110; sequence++)
        r.push(1, sequence, 0);
    r.take();
    r.push(1, 20000, 1000, 7, 2);
    r.push(1, 20000, 1000, 7, 1); /* a duplicate does not confirm */
    r.push(1, 110, 1500);         /* in flight on another connection */
    CHECK(r.take() == Sequences{110});
    r.push(1, 20005, 2000);
    CHECK(r.take() == Sequences{20000, 20005});
    CHECK(r.delivered[11].held);
    CHECK(r.delivered[11].connection == 2);
    CHECK(r.delivered[11].arrival_us == 1000);
    CHECK(r.stats().restarts == 1);
    r.push(1, 20000, 2500);
    r.push(1, 20004, 2500);
    CHECK(r.take() == Sequences{20004});
    CHECK(r.stats().duplicates == 2);
}

TEST_CASE("a jump within the window's reach does not forget what came", "[reassembly]")
{
    Receiver r(LIVETCP_ORDER_ARRIVAL);
    for (uint16_t sequence = 100; sequence < 110; sequence++)
        r.push(1, sequence, 0);
    r.push(1, 8000, 0);
    r.push(1, 8001, 0);
    r.take();
    r.push(1, 105, 0);
    r.push(1, 112, 0);
    CHECK(r.take() == Sequences{112});
    CHECK(r.stats().duplicates == 1);
}

TEST_CASE("a stray packet changes nothing", "[reassembly]")
{
    Receiver r(LIVETCP_ORDER_ARRIVAL);
    r.push(1, 100, 0);
    r.push(1, 20000, 0);
    r.push(1, 30000, 0);
    for (uint16_t sequence = 101; sequence < 200; sequence++)
        r.push(1, sequence, sequence);
    CHECK(r.stats().delivered == 100);
    CHECK(r.stats().restarts == 0);
    CHECK(r.stats().late_discarded == 1); /* the second replaced the first */
    r.push(1, 30001, 20000000);           /* too late to confirm it */
    CHECK(r.stats().restarts == 0);
}

TEST_CASE("a stream that starts over at lower numbers is believed after a pause", "[reassembly]")
{
    Receiver r(LIVETCP_ORDER_ARRIVAL);
    for (unsigned i = 0; i < 1000; i++)
        r.push(1, (uint16_t)(30000 + i), i);

    SECTION("behind the window")
    {
        r.push(1, 10, 1000000);
        r.push(1, 11, 1000000);
        CHECK(r.stats().delivered == 1000);
        CHECK(r.stats().late_discarded == 2);
        r.push(1, 12, 2500000);
        r.push(1, 13, 2500000);
        CHECK(r.stats().restarts == 1);
        CHECK(r.stats().delivered == 1002);
        r.push(1, 11, 2500000);
        CHECK(r.stats().delivered == 1003);
    }
    SECTION("within the window")
    {
        r.push(1, 30000, 9000000);
        r.push(1, 30001, 9000000);
        CHECK(r.stats().duplicates == 2);
        r.push(1, 30002, 11000000);
        r.push(1, 30003, 11000000);
        CHECK(r.stats().restarts == 1);
        CHECK(r.stats().delivered == 1002);
    }
}

TEST_CASE("a stalled connection's old packets are never a restart", "[reassembly]")
{
    Receiver r(LIVETCP_ORDER_ARRIVAL);
    livetcp_usec now = 0;
    /* 5 s of 4000 packets/s overtook a connection that held every fifth of the first. */
    for (unsigned i = 0; i < 20000; i++)
        if (i % 5 || i >= 1000)
            r.push(1, (uint16_t)i, now += 250);
    uint64_t before = r.stats().delivered;
    for (unsigned i = 0; i < 1000; i += 5)
        r.push(1, (uint16_t)i, now);
    for (unsigned i = 20000; i < 20100; i++)
        r.push(1, (uint16_t)i, now += 250);
    CHECK(r.stats().restarts == 0);
    CHECK(r.stats().delivered == before + 100);
    CHECK(r.stats().late_discarded == 200);
}

TEST_CASE("at most 64 streams are known, the least active is forgotten", "[reassembly]")
{
    Receiver r(LIVETCP_ORDER_ARRIVAL);
    for (uint32_t ssrc = 0; ssrc < 64; ssrc++)
        r.push(ssrc, 1, 0);
    r.push(0, 2, 0); /* 1 is the least recently active now */
    r.push(64, 1, 0);
    CHECK(r.stats().evicted == 1);
    r.push(0, 2, 0);
    r.push(0, 1, 0);
    r.push(63, 1, 0);
    CHECK(r.stats().duplicates == 3);
    r.push(1, 1, 0); /* discarded: new */
    CHECK(r.stats().delivered == 67);
    CHECK(r.stats().evicted == 2);
    for (uint32_t ssrc = 1000; ssrc < 11000; ssrc++)
        r.push(ssrc, 20000, 0);
    CHECK(r.stats().evicted == 10002);
}
