/* SPDX-License-Identifier: MIT */
/* The limit of a session before the path has shown anything. */
#include "catch.h"

extern "C" {
#include "engine/rate/initial_window.h"
}

namespace
{

constexpr livetcp_usec ms = 1000;
constexpr uint64_t initial = 14600;

/* A session with a round trip of 60 ms. */
struct Begin {
    Begin()
    {
        lt_initial_window_init(&window);
        sample.base_us = 60 * ms;
        sample.connections = 8;
        look(0);
        sample.media = true;
    }

    void send(uint64_t bytes)
    {
        sample.in_flight += bytes;
    }

    /* `after` the last look `bytes` more have been delivered. */
    uint64_t look(livetcp_usec after, uint64_t bytes = 0)
    {
        sample.now_us += after;
        sample.delivered += bytes;
        if (bytes || !under_way)
            sample.progress_us = sample.now_us;
        lt_initial_window_update(&window, &sample);
        sample.in_flight = under_way = sample.in_flight - bytes;
        return lt_initial_window_get(&window);
    }

    /* Sends all that the window takes. */
    void fill()
    {
        uint64_t limit = lt_initial_window_get(&window);
        send(limit > sample.in_flight ? limit - sample.in_flight : 0);
    }

    lt_initial_window window;
    lt_initial_window_sample sample = {};
    uint64_t under_way = 0; /* after the last look */
};

} // namespace

TEST_CASE("several connections begin with one initial window, which grows as slow start does",
          "[initial]")
{
    Begin begin;
    CHECK(begin.look(ms) == initial);
    CHECK(!lt_initial_window_is_in_use(&begin.window));
    begin.fill();
    CHECK(begin.look(60 * ms) == initial);
    CHECK(lt_initial_window_is_in_use(&begin.window));
    for (unsigned i = 0; i < 10; i++) { /* a segment each 11 ms: 1 Mbit/s */
        begin.fill();
        begin.look(11 * ms, 1448);
    }
    CHECK(begin.look(0) == initial + 14480);
}

TEST_CASE("one connection has TCP's own", "[initial]")
{
    Begin begin;
    begin.sample.connections = 1;
    CHECK(begin.look(ms) == UINT64_MAX);
    begin.sample.connections = 2;
    CHECK(begin.look(ms) == initial);
}

TEST_CASE("an initial window that is not used does not grow, and stays for what comes later",
          "[initial]")
{
    Begin begin;
    for (unsigned i = 0; i < 1000; i++) { /* speech, for 20 s */
        begin.send(160);
        CHECK(begin.look(20 * ms, 160) == initial);
    }
    CHECK(!lt_initial_window_is_in_use(&begin.window));
}

TEST_CASE("handshakes are no beginning", "[initial]")
{
    Begin begin;
    begin.sample.media = false;
    begin.send(12000);
    CHECK(begin.look(30 * ms, 6000) == initial);
    CHECK(begin.look(30 * ms, 6000) == initial);
    CHECK(!lt_initial_window_is_in_use(&begin.window));
}

TEST_CASE("an initial window ends when the path has shown what it carries", "[initial]")
{
    Begin begin;
    begin.fill();
    begin.sample.shown = true;
    CHECK(begin.look(60 * ms) == UINT64_MAX);
    begin.sample.shown = false;
    CHECK(begin.look(60 * ms) == UINT64_MAX);
}

TEST_CASE("an initial window that comes back at once is a fast path's", "[initial]")
{
    Begin fast, slow;
    for (Begin *begin : {&fast, &slow}) {
        begin->fill();
        begin->look(55 * ms);
    }
    fast.look(8 * ms, 5000);
    CHECK(fast.look(8 * ms, 9000) == UINT64_MAX);
    for (unsigned i = 0; i < 3; i++) /* 5 Mbit/s */
        CHECK(slow.look(8 * ms, 4800) < UINT64_MAX);
}

TEST_CASE("what is stuck on some connections holds the others up for a moment only", "[initial]")
{
    Begin begin;
    begin.fill();
    CHECK(begin.look(100 * ms) == initial);
    CHECK(begin.look(400 * ms) == initial);
    CHECK(begin.look(100 * ms) == UINT64_MAX);
}

TEST_CASE("nothing is a beginning for longer than two seconds", "[initial]")
{
    Begin begin;
    uint64_t limit = 0;
    unsigned steps = 0;
    for (; limit != UINT64_MAX && steps < 1000; steps++) {
        begin.send(8000 - begin.sample.in_flight);
        limit = begin.look(10 * ms, 400);
    }
    CHECK(steps > 190);
    CHECK(steps < 210);
}

TEST_CASE("video that comes after a quiet time begins again", "[initial]")
{
    Begin begin;
    begin.fill();
    begin.sample.shown = true;
    CHECK(begin.look(60 * ms, 14600) == UINT64_MAX);
    for (unsigned i = 0; i < 300; i++) { /* 6 s of speech, of which the path is known for 3 */
        begin.sample.shown = i < 150;
        begin.send(160);
        CHECK((begin.look(20 * ms, 160) == UINT64_MAX) == (i < 250));
    }
    CHECK(begin.look(20 * ms) == initial);
}
