/* SPDX-License-Identifier: MIT */
#include "emulate_test.h"

#include <algorithm>

TEST_CASE("link: a packet leaves after exactly the delay")
{
    Link link("delay=50ms");
    CHECK(lt_link_next(link.link) == LIVETCP_NEVER);
    REQUIRE(link.push(1000, 7) == LT_LINK_TAKEN);
    CHECK(lt_link_next(link.link) == 51000);
    lt_link_delivery out;
    CHECK_FALSE(lt_link_pop(link.link, 50999, &out));
    REQUIRE(lt_link_pop(link.link, 51000, &out));
    CHECK(out.packet == reinterpret_cast<void *>(7));
    CHECK(out.size == 1500);
    CHECK(out.arrival == 1000);
    CHECK(out.departure == 51000);
    CHECK_FALSE(lt_link_pop(link.link, 60000, &out));
    CHECK(link.counters().out_packets == 1);
    CHECK(link.counters().out_bytes == 1500);
}

TEST_CASE("link: the rate serialises packets exactly, without rounding drift")
{
    /* 1000 bytes at 3 Mbit/s: 2666 2/3 us each, so that three take 8 ms. */
    Link link("rate=3mbit,queue=off,delay=1ms");
    for (std::uintptr_t i = 0; i < 30000; i++)
        REQUIRE(link.push(0, i, 1000) == LT_LINK_TAKEN);
    const auto out = link.run();
    REQUIRE(out.size() == 30000);
    CHECK(out[0].departure == 2667 + 1000);
    CHECK(out[1].departure == 5334 + 1000);
    CHECK(out[2].departure == 8000 + 1000);
    /* The transmitter counts whole nanoseconds and carries the rest: never more than 1 us off. */
    CHECK(out.back().departure == 80000000 + 1000);
    CHECK(link.counters().queue_max_packets == 30000);
    CHECK(link.counters().queue_max_delay == 80000000);
}

TEST_CASE("link: an idle transmitter starts at once")
{
    Link link("rate=12mbit");
    link.push(0, 0);
    link.push(5000, 1);
    const auto out = link.run();
    REQUIRE(out.size() == 2);
    CHECK(out[0].departure == 1000);
    CHECK(out[1].departure == 6000);
}

TEST_CASE("link: drop-tail in packets counts the one being transmitted")
{
    Link link("rate=12mbit,queue=3p"); /* 1 ms a packet */
    CHECK(link.push(0, 0) == LT_LINK_TAKEN);
    CHECK(link.push(0, 1) == LT_LINK_TAKEN);
    CHECK(link.push(0, 2) == LT_LINK_TAKEN);
    CHECK(link.push(0, 3) == LT_LINK_DROPPED_QUEUE);
    CHECK(link.push(999, 4) == LT_LINK_DROPPED_QUEUE);
    CHECK(link.push(1000, 5) == LT_LINK_TAKEN);
    CHECK(link.push(1000, 6) == LT_LINK_DROPPED_QUEUE);
    CHECK(link.counters().dropped_queue == 3);
    CHECK(link.counters().queue_packets == 3);
    CHECK(link.counters().queue_max_packets == 3);
    CHECK(link.run().size() == 4);
}

TEST_CASE("link: drop-tail in bytes")
{
    Link link("rate=8kbit,queue=3kB"); /* 1 byte a millisecond */
    CHECK(link.push(0, 0, 1500) == LT_LINK_TAKEN);
    CHECK(link.push(0, 1, 1501) == LT_LINK_DROPPED_QUEUE);
    CHECK(link.push(0, 2, 1500) == LT_LINK_TAKEN);
    CHECK(link.push(0, 3, 1) == LT_LINK_DROPPED_QUEUE);
    CHECK(link.push(1500 * 1000, 4, 1500) == LT_LINK_TAKEN);
    CHECK(link.counters().queue_max_bytes == 3000);
    const auto out = link.run();
    REQUIRE(out.size() == 3);
    CHECK(out[2].departure == 4500 * 1000);
}

TEST_CASE("link: without a rate the queue limit does not apply")
{
    Link link("delay=1s,queue=1p");
    for (std::uintptr_t i = 0; i < 100; i++)
        CHECK(link.push(0, i) == LT_LINK_TAKEN);
    CHECK(link.run().size() == 100);
}

TEST_CASE("link: ECT packets that find the threshold in the queue are marked")
{
    Link link("rate=12mbit,ecn=2p,queue=10p");
    link.push(0, 0, 1500, LT_ECN_ECT0);
    link.push(0, 1, 1500, LT_ECN_ECT0);
    link.push(0, 2, 1500, LT_ECN_ECT1);
    link.push(0, 3, 1500, LT_ECN_NOT_ECT);
    link.push(0, 4, 1500, LT_ECN_CE);
    const auto out = link.run();
    REQUIRE(out.size() == 5);
    CHECK_FALSE(out[0].marked);
    CHECK_FALSE(out[1].marked);
    CHECK(out[2].marked);
    CHECK_FALSE(out[3].marked);
    CHECK_FALSE(out[4].marked);
    CHECK(link.counters().marked == 1);

    Link bytes("rate=12mbit,ecn=3kB,queue=off");
    bytes.push(0, 0, 1500, LT_ECN_ECT0);
    bytes.push(0, 1, 1499, LT_ECN_ECT0);
    bytes.push(0, 2, 1, LT_ECN_ECT0); /* finds 2999 bytes */
    bytes.push(0, 3, 1, LT_ECN_ECT0); /* finds 3000 */
    CHECK(bytes.counters().marked == 1);
}

TEST_CASE("link: jitter spreads the delay and keeps the order")
{
    Link link("delay=10ms,jitter=20ms", 42);
    const std::uintptr_t count = 5000;
    for (std::uintptr_t i = 0; i < count; i++)
        link.push(static_cast<livetcp_usec>(i) * 100000, i);
    const auto out = link.run();
    REQUIRE(out.size() == count);
    double sum = 0;
    for (std::uintptr_t i = 0; i < count; i++) {
        const livetcp_usec delay = out[i].departure - static_cast<livetcp_usec>(i) * 100000;
        REQUIRE(out[i].number == i);
        REQUIRE(delay >= 10000);
        REQUIRE(delay < 30000);
        sum += static_cast<double>(delay);
    }
    CHECK(sum / count == Approx(20000).epsilon(0.02));

    Link dense("delay=10ms,jitter=20ms", 42);
    for (std::uintptr_t i = 0; i < count; i++)
        dense.push(static_cast<livetcp_usec>(i) * 100, i);
    const auto squeezed = dense.run();
    REQUIRE(squeezed.size() == count);
    for (std::uintptr_t i = 1; i < count; i++) {
        REQUIRE(squeezed[i].number == i);
        REQUIRE(squeezed[i].departure >= squeezed[i - 1].departure);
    }
}

TEST_CASE("link: reorder=yes lets packets overtake, also behind a transmitter")
{
    Link link("delay=10ms,jitter=20ms,reorder=yes,rate=120mbit,queue=off", 42);
    const std::uintptr_t count = 1000;
    for (std::uintptr_t i = 0; i < count; i++)
        link.push(0, i);
    auto out = link.run();
    REQUIRE(out.size() == count);
    CHECK(std::is_sorted(out.begin(), out.end(), [](const Delivered &a, const Delivered &b) {
        return a.departure < b.departure;
    }));
    CHECK_FALSE(std::is_sorted(out.begin(), out.end(), [](const Delivered &a, const Delivered &b) {
        return a.number < b.number;
    }));
}

TEST_CASE("link: the same seed gives the same run, another seed another")
{
    const auto run = [](std::uint64_t seed) {
        Link link("delay=5ms,jitter=3ms,loss=10%,burst=3,rate=10mbit,queue=20p", seed);
        std::vector<livetcp_usec> trace;
        for (std::uintptr_t i = 0; i < 2000; i++)
            trace.push_back(link.push(static_cast<livetcp_usec>(i) * 700, i));
        for (const auto &packet : link.run())
            trace.push_back(packet.departure);
        return trace;
    };
    CHECK(run(5) == run(5));
    CHECK(run(5) != run(6));
}

TEST_CASE("link: what it holds is bounded and comes back by discard")
{
    Link link("delay=3600s");
    for (std::uintptr_t i = 0; i < LT_LINK_MAX_HELD; i++)
        if (link.push(0, i) != LT_LINK_TAKEN)
            FAIL("refused packet " << i);
    CHECK(link.push(0, 0) == LT_LINK_DROPPED_HELD);
    CHECK(link.counters().dropped_held == 1);
    CHECK(link.counters().flight_packets == LT_LINK_MAX_HELD);
    std::size_t count = 0;
    for (void *packet; lt_link_discard(link.link, &packet);)
        count++;
    CHECK(count == LT_LINK_MAX_HELD);
    CHECK(lt_link_next(link.link) == LIVETCP_NEVER);
    CHECK(link.counters().out_packets == 0);
}
