/* SPDX-License-Identifier: MIT */
#include "catch.h"

#include <functional>

extern "C" {
#include "engine/rate/queue_floor.h"
}

namespace
{

constexpr livetcp_usec ms = 1000, second = 1000000;

/* What is found within so long, of an excess over the time. */
livetcp_usec found(livetcp_usec length, const std::function<livetcp_usec(livetcp_usec)> &excess)
{
    lt_queue_floor floor;
    const livetcp_usec begin = 100 * second;

    lt_queue_floor_begin(&floor, begin);
    for (livetcp_usec at = 0; at < length; at += 20 * ms)
        if (livetcp_usec longer_us = lt_queue_floor_update(&floor, excess(at), begin + at))
            return longer_us;
    return 0;
}

} // namespace

TEST_CASE("what packets meet at least, period after period, is a longer route", "[queue_floor]")
{
    auto route = [](livetcp_usec at) { return 30 * ms + at / 20 % 7 * 5 * ms; };
    CHECK(found(9 * second, route) == 0);
    CHECK(found(11 * second, route) == 30 * ms);
}

TEST_CASE("a queue that comes and goes is no route", "[queue_floor]")
{
    /* A flow that takes eight seconds from 0.7 of a buffer of 200 ms to all of it. */
    CHECK(found(60 * second,
                [](livetcp_usec at) { return 140 * ms + at % (8 * second) * 60 / 8000; }) == 0);
    /* One over BBR, which drains it every ten seconds. */
    CHECK(found(60 * second,
                [](livetcp_usec at) { return at % (10 * second) < 200 * ms ? 0 : 60 * ms; }) == 0);
}

TEST_CASE("a queue without samples, or of hardly any length, is no longer route", "[queue_floor]")
{
    CHECK(found(60 * second, [](livetcp_usec) { return LIVETCP_NEVER; }) == 0);
    CHECK(found(60 * second, [](livetcp_usec) { return 5 * ms; }) == 0);
}
