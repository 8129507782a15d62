/* SPDX-License-Identifier: MIT */
/* Parameters that change while packets are queued and in flight. */
#include "emulate_test.h"

#include <algorithm>

TEST_CASE("link change: a shorter delay does not let packets overtake those in flight")
{
    Link link("delay=100ms");
    link.push(0, 0);
    link.change(10000, "delay=20ms");
    link.push(10000, 1);
    link.push(90000, 2);
    const auto out = link.run();
    REQUIRE(out.size() == 3);
    CHECK(out[0].departure == 100000);
    CHECK(out[1].number == 1);
    CHECK(out[1].departure == 100000);
    CHECK(out[2].departure == 110000);
}

TEST_CASE("link change: with reorder a shorter delay takes effect at once")
{
    Link link("delay=100ms,reorder=yes");
    link.push(0, 0);
    link.change(10000, "delay=20ms");
    link.push(10000, 1);
    const auto out = link.run();
    REQUIRE(out.size() == 2);
    CHECK(out[0].number == 1);
    CHECK(out[0].departure == 30000);
}

TEST_CASE("link change: the packet being transmitted continues at the new rate")
{
    Link link("rate=12mbit,delay=1ms"); /* 1 ms a packet */
    link.push(0, 0);
    link.push(0, 1);
    link.change(500, "rate=6mbit"); /* half of packet 0 is left: 1 ms more */
    const auto out = link.run();
    REQUIRE(out.size() == 2);
    CHECK(out[0].departure == 1500 + 1000);
    CHECK(out[1].departure == 3500 + 1000);
}

TEST_CASE("link change: lifting the rate empties the queue at once, setting one starts it")
{
    Link link("rate=12kbit,delay=1ms"); /* 1 s a packet */
    for (std::uintptr_t i = 0; i < 10; i++)
        link.push(0, i);
    link.change(1500000, "rate=off");
    auto out = link.run();
    REQUIRE(out.size() == 10);
    CHECK(out[0].departure == 1001000);
    CHECK(out[1].departure == 1501000);
    CHECK(out[9].departure == 1501000);
    link.change(2000000, "rate=12mbit");
    link.push(2000000, 10);
    out = link.run();
    REQUIRE(out.size() == 1);
    CHECK(out[0].departure == 2002000);
}

TEST_CASE("link change: a shorter queue drops nobody who waits, and refuses who comes")
{
    Link link("rate=12mbit,queue=10p");
    for (std::uintptr_t i = 0; i < 10; i++)
        REQUIRE(link.push(0, i) == LT_LINK_TAKEN);
    link.change(0, "queue=2p");
    CHECK(link.push(8000, 10) == LT_LINK_DROPPED_QUEUE);
    CHECK(link.push(9000, 11) == LT_LINK_TAKEN);
    CHECK(link.run().size() == 11);
}

TEST_CASE("link change: loss can be turned on and off, and impairments do not disturb each other")
{
    const auto losses = [](const std::string &other) {
        Link link("loss=0," + other, 9);
        std::vector<bool> lost;
        for (std::uintptr_t i = 0; i < 3000; i++) {
            if (i == 1000)
                link.change(0, "loss=20%");
            if (i == 2000)
                link.change(0, "loss=0");
            lost.push_back(link.push(0, i) == LT_LINK_LOST_RANDOM);
        }
        return lost;
    };
    const auto plain = losses("delay=1ms");
    CHECK(std::count(plain.begin(), plain.begin() + 1000, true) == 0);
    CHECK(std::count(plain.begin() + 1000, plain.begin() + 2000, true) > 150);
    CHECK(std::count(plain.begin() + 2000, plain.end(), true) == 0);
    CHECK(losses("delay=9ms,jitter=5ms,rate=1gbit,queue=off") == plain);
}

TEST_CASE("link change: impossible parameters change nothing")
{
    Link link("delay=7ms");
    lt_link_params bad = params_of("delay=9ms");
    bad.loss = 0.9;
    bad.burst = 2;
    livetcp_error error;
    CHECK(lt_link_set(link.link, 0, &bad, &error) == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(std::string(error.message).find("burst") != std::string::npos);
    CHECK(lt_link_create(&bad, 1) == nullptr);
    link.push(0, 0);
    CHECK(lt_link_next(link.link) == 7000);
}
