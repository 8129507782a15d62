/* SPDX-License-Identifier: MIT */
/* A longer route and a queue: what both look like to a session that sends little. */
#include "catch.h"

extern "C" {
#include "engine/rate/route_step.h"
}

namespace
{

constexpr livetcp_usec ms = 1000;
constexpr double path_rate = 125000; /* bytes per second */

/* A session on a round trip of 60 ms that takes a sample every 10 ms. */
struct Session {
    Session()
    {
        lt_route_step_init(&step);
        run(500 * ms, path_rate, [](livetcp_usec) { return livetcp_usec{5 * ms}; });
        found = 0;
    }

    /* `excess(t)` is what a round trip has beyond its minimum at t after the beginning. */
    template <typename Excess> void run(livetcp_usec length, double rate, Excess excess)
    {
        livetcp_usec begin = now;
        while (now < begin + length && !found) {
            lt_congestion_sample sample = {};
            now += 10 * ms;
            delivered += rate / 100;
            sample.now_us = now;
            sample.delivered = static_cast<uint64_t>(delivered);
            sample.base_us = 60 * ms;
            sample.busy_us = excess(now - begin);
            sample.queue_us = sample.busy_us;
            found = lt_route_step_update(&step, &sample, path_rate);
            likely = likely || lt_route_step_is_likely(&step, now);
        }
    }

    lt_route_step step;
    livetcp_usec now = 1000 * ms, found = 0;
    double delivered = 0;
    bool likely = false;
};

} // namespace

TEST_CASE("what comes at once and stays while little is sent is the route", "[route-step]")
{
    Session session;
    session.run(4000 * ms, path_rate / 4, [](livetcp_usec at) { return (140 + at / ms % 7) * ms; });
    CHECK(session.likely);
    CHECK(session.found >= 140 * ms);
    CHECK(session.found < 165 * ms);
    CHECK(session.now < 3500 * ms);
}

/* A transfer that begins fills the queue at once, yields, and fills it again. A queue of our own
 * above a longer route only drains. */
TEST_CASE("what grows again while little is sent is no route", "[route-step]")
{
    for (bool again : {true, false}) {
        Session session;
        session.run(5000 * ms, path_rate / 4, [again](livetcp_usec at) {
            if (at < 300 * ms)
                return 140 * ms;
            if (at < 700 * ms || !again)
                return 90 * ms;
            return at < 1700 * ms ? 90 * ms + (at - 700 * ms) / 20 : 140 * ms;
        });
        CHECK(session.likely);
        CHECK((session.found > 0) != again);
    }
}

/* The minimum of one of eight connections was taken in a queue. */
TEST_CASE("a connection that shows less excess than the others hides no longer route",
          "[route-step]")
{
    for (int one_in : {8, 2}) {
        Session session;
        session.run(3500 * ms, path_rate / 4, [one_in](livetcp_usec at) {
            livetcp_usec sample = at / (10 * ms);
            return (sample % one_in == one_in - 1 ? 100 : 140) * ms;
        });
        CHECK((session.found > 0) == (one_in == 8));
        CHECK((!session.found || session.found >= 140 * ms));
    }
}

/* Each frame has three packets, which wait for each other; both directions change, one after the
 * other. */
TEST_CASE("a longer route is likely at once also where frames make a queue of their own",
          "[route-step]")
{
    Session session;
    auto frames = [](livetcp_usec at) { return (20 + 12 * (at / (10 * ms) % 3)) * ms; };
    session.run(320 * ms, path_rate, frames);
    session.likely = false;
    session.run(70 * ms, path_rate, [&](livetcp_usec at) { return frames(at) + 58 * ms; });
    session.run(500 * ms, path_rate, [](livetcp_usec at) { return (170 - at / 10000) * ms; });
    session.run(500 * ms, path_rate / 4, [](livetcp_usec) { return 135 * ms; });
    CHECK(session.likely);
}

TEST_CASE("what stays while much is sent is a queue", "[route-step]")
{
    Session session;
    session.run(10000 * ms, path_rate, [](livetcp_usec) { return 140 * ms; });
    CHECK(session.found == 0);
    session.likely = false; /* and the wait for a verdict ends */
    session.run(1000 * ms, path_rate, [](livetcp_usec) { return 140 * ms; });
    CHECK_FALSE(session.likely);
}

TEST_CASE("what grows, or varies, is a queue", "[route-step]")
{
    Session growing;
    growing.run(5000 * ms, path_rate / 4, [](livetcp_usec at) { return 10 * ms + at / 10; });
    CHECK(growing.found == 0);
    CHECK_FALSE(growing.likely);
    Session varying;
    varying.run(5000 * ms, path_rate / 4, [](livetcp_usec at) {
        livetcp_usec phase = at % (600 * ms);
        return 100 * ms + (phase < 300 * ms ? phase : 600 * ms - phase) / 3;
    });
    CHECK(varying.found == 0);
}

TEST_CASE("a route that is a little longer is nothing", "[route-step]")
{
    Session session;
    session.run(5000 * ms, path_rate / 4, [](livetcp_usec) { return 20 * ms; });
    CHECK(session.found == 0);
    CHECK_FALSE(session.likely);
}
