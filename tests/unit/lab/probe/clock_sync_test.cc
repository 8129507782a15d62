/* SPDX-License-Identifier: MIT */
#include "catch.h"

extern "C" {
#include "lab/probe/clock_sync.h"
}

#include <cstdlib>
#include <random>

/* A ping at `sent`, with these delays there and back, to a peer whose clock is ahead by `offset`
 * and which takes 30 us to answer. */
static void ping(lt_clock_sync *sync, livetcp_usec sent, livetcp_usec there, livetcp_usec back,
                 livetcp_usec offset)
{
    livetcp_usec came = sent + there + offset;
    lt_clock_sync_take(sync, sent, sent + there + 30 + back, came, came + 30);
}

TEST_CASE("the offset comes from the pings that did not have to wait")
{
    lt_clock_sync sync = {};

    ping(&sync, 0, 70000, 50000, 5000000);
    ping(&sync, 100000, 50000, 50000, 5000000);
    ping(&sync, 200000, 90000, 50000, 5000000);
    CHECK(sync.min_rtt == 100000);
    CHECK(sync.offset == 5000000);
    CHECK(lt_clock_sync_ours(&sync, 5000000 + 300000) == 300000);
}

TEST_CASE("drift is followed once the run is long enough to tell")
{
    lt_clock_sync sync = {};
    const double drift = 50e-6;

    for (livetcp_usec at = 0; at <= 600 * LIVETCP_USEC_SEC; at += 20 * LIVETCP_USEC_SEC) {
        if (at == 20 * LIVETCP_USEC_SEC)
            CHECK(sync.drift == 0);
        ping(&sync, at, 50000, 50000, livetcp_usec(drift * double(at)));
    }
    CHECK(sync.drift == Approx(drift).epsilon(0.01));
    livetcp_usec later = 630 * LIVETCP_USEC_SEC,
                 theirs = later + livetcp_usec(drift * double(later));
    CHECK(lt_clock_sync_ours(&sync, theirs) - later < 20);
    CHECK(lt_clock_sync_ours(&sync, theirs) - later > -20);
}

TEST_CASE("behind a queue that others keep full, neither offset nor drift is made up of it")
{
    unsigned seed = GENERATE(1u, 2u, 3u, 4u, 5u);
    const double drift = GENERATE(0., -80e-6);
    const livetcp_usec one_way = 10000, queue = 20000, ahead = 7000000;
    std::mt19937 dice(seed);
    std::uniform_real_distribution<double> uniform;
    lt_clock_sync sync = {};

    auto offset = [&](livetcp_usec at) { return ahead + livetcp_usec(drift * double(at)); };
    for (livetcp_usec at = 0; at < 1800 * LIVETCP_USEC_SEC; at += 100000) {
        livetcp_usec there = one_way + livetcp_usec(uniform(dice) * double(queue)),
                     back = one_way + livetcp_usec(uniform(dice) * 1000);
        ping(&sync, at, there, back, offset(at));
        livetcp_usec now = at + there + back + 30,
                     off = lt_clock_sync_ours(&sync, now + offset(now)) - now;
        INFO("seed " << seed << ", after " << double(at) / 1e6 << " s, drift " << sync.drift);
        if (at >= 10 * LIVETCP_USEC_SEC && drift == 0)
            REQUIRE(std::abs(off) < 1500);
        if (at >= 120 * LIVETCP_USEC_SEC && drift != 0)
            REQUIRE(std::abs(off) < 3000);
    }
    CHECK(sync.min_rtt < 2 * one_way + 1000);
    if (drift == 0)
        CHECK(sync.drift == 0);
    else
        CHECK(sync.drift == Approx(drift).epsilon(0.05));
}

TEST_CASE("a machine that stands still for a while does not move the clock")
{
    lt_clock_sync sync = {};

    for (livetcp_usec at = 0; at < 600 * LIVETCP_USEC_SEC; at += LIVETCP_USEC_SEC) {
        bool stands = at < 3 * LIVETCP_USEC_SEC || (at > 200000000 && at < 260000000);
        ping(&sync, at, stands ? 400000 : 50000, stands ? 90000 : 50000, 5000000);
        if (at >= 4 * LIVETCP_USEC_SEC)
            REQUIRE(std::abs(sync.offset - 5000000) < 50);
    }
    CHECK(sync.drift == 0);
}
