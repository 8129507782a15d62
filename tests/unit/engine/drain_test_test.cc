/* SPDX-License-Identifier: MIT */
/* A longer route and a queue: both lift round trips, and a pause tells them apart. */
#include "catch.h"

#include <algorithm>
#include <deque>

extern "C" {
#include "engine/rate/drain_test.h"
}

namespace
{

constexpr livetcp_usec ms = 1000;

/* A session on a round trip of 60 ms that sends a packet every 10 ms, but for pauses. */
struct Session {
    Session()
    {
        lt_drain_test_init(&test);
        run(2000 * ms, [](livetcp_usec) { return 2 * ms; });
    }

    /* `excess(t)` is what a packet that is sent then, counted from the beginning, meets. */
    template <typename Excess> void run(livetcp_usec length, Excess excess)
    {
        livetcp_usec begin = now;
        for (; now < begin + length && !found; now += 10 * ms) {
            livetcp_usec meets = excess(now - begin);
            bool pauses = lt_drain_test_pauses(&test);
            pauses_begun += pauses && !paused;
            paused = pauses;
            paused_us += pauses ? 10 * ms : 0;
            if (!pauses)
                under_way.push_back({now + base + meets, meets, now});
            update();
            presumed = presumed || lt_drain_test_is_presumed_route(&test);
        }
    }

    void update()
    {
        lt_congestion_sample sample = {};
        sample.now_us = now;
        sample.base_us = base;
        sample.exact_us = LIVETCP_NEVER;
        for (; !under_way.empty() && under_way.front().due_us <= now; under_way.pop_front()) {
            sample.exact_us = under_way.front().excess_us;
            sample.exact_sent_us = under_way.front().sent_us;
            delivered += 1448;
        }
        sample.delivered = delivered;
        found = lt_drain_test_update(&test, &sample, true);
    }

    struct Packet {
        livetcp_usec due_us, excess_us, sent_us;
    };
    static constexpr livetcp_usec base = 60 * ms;
    lt_drain_test test;
    std::deque<Packet> under_way;
    livetcp_usec now = 1000 * ms, found = 0, paused_us = 0;
    uint64_t delivered = 0;
    unsigned pauses_begun = 0;
    bool paused = false, presumed = false;
};

} // namespace

TEST_CASE("what comes at once and stays when nothing is sent is the route", "[drain-test]")
{
    for (livetcp_usec longer : {25 * ms, 60 * ms, 140 * ms}) {
        Session session;
        livetcp_usec begin = session.now;
        session.run(4000 * ms, [&](livetcp_usec at) { return longer + at / ms % 7 * ms; });
        INFO(longer);
        CHECK(session.found >= longer);
        CHECK(session.found <= longer + 7 * ms);
        CHECK(session.now - begin < 1500 * ms + 5 * longer);
        CHECK(session.pauses_begun == 1);
        CHECK(session.paused_us <= longer * 3 / 2 + 40 * ms);
    }
}

TEST_CASE("what goes when nothing is sent is a queue of ours", "[drain-test]")
{
    for (livetcp_usec length : {40 * ms, 200 * ms}) {
        Session session;
        double queue = static_cast<double>(length);
        session.run(10000 * ms, [&](livetcp_usec) { /* fills as fast as it drains, at most */
                                                    queue += session.paused ? -10e3
                                                             : queue < static_cast<double>(length)
                                                                 ? 5e3
                                                                 : 0;
                                                    queue = std::max(queue, 0.0);
                                                    return static_cast<livetcp_usec>(queue);
        });
        INFO(length);
        CHECK(session.found == 0);
        CHECK(session.pauses_begun <= 2);
        CHECK_FALSE(lt_drain_test_is_presumed_route(&session.test));
    }
}

TEST_CASE("what grows is a queue", "[drain-test]")
{
    Session session;
    session.run(10000 * ms, [](livetcp_usec at) { return 15 * ms + at / 5; });
    CHECK(session.found == 0);
    CHECK(session.pauses_begun == 0);
    CHECK_FALSE(lt_drain_test_is_presumed_route(&session.test));
}

TEST_CASE("packets that wait for those of their own frame are not suspected for long",
          "[drain-test]")
{
    Session session;
    session.run(10000 * ms, [](livetcp_usec at) { return at % (80 * ms) < 40 * ms ? 30 * ms : 0; });
    CHECK(session.found == 0);
    CHECK_FALSE(session.presumed);
}

TEST_CASE("without a packet after the pause nothing is known, and it is tried again",
          "[drain-test]")
{
    Session session;
    livetcp_usec released = 0;
    bool paused = false;
    for (unsigned i = 0; i < 1000; i++) {
        if (paused && !lt_drain_test_pauses(&session.test))
            released = session.now;
        paused = lt_drain_test_pauses(&session.test);
        if (released && session.now < released + 500 * ms)
            session.under_way.clear(); /* all are lost */
        session.run(10 * ms, [](livetcp_usec) { return 50 * ms; });
        if (session.pauses_begun == 2)
            released = 0; /* but not the second time */
    }
    CHECK(session.pauses_begun == 2);
    CHECK(session.found == 50 * ms);
}

TEST_CASE("an excess of a packet or two is not tested", "[drain-test]")
{
    Session session;
    session.run(5000 * ms, [](livetcp_usec) { return 10 * ms; });
    CHECK(session.found == 0);
    CHECK_FALSE(session.presumed);
}
