/* SPDX-License-Identifier: MIT */
#include "catch.h"

extern "C" {
#include "lab/probe/plays.h"
}

#include <cmath>
#include <vector>

struct plays {
    lt_plays of = {};
    ~plays()
    {
        lt_plays_clear(&of);
    }
    void play(const std::vector<livetcp_usec> &delays, size_t frames)
    {
        REQUIRE(lt_plays_begin(&of, frames, nullptr) == LIVETCP_OK);
        for (auto delay : delays)
            lt_plays_add(&of, delay);
    }
    lt_plays_summary compared(const std::vector<livetcp_usec> &bounds, double share)
    {
        lt_plays_summary s;
        REQUIRE(lt_plays_compare(&of, bounds.data(), share, &s, nullptr) == LIVETCP_OK);
        return s;
    }
};

TEST_CASE("a frame's bound is compared with its own quantile over the plays")
{
    plays p;

    /* The second frame is always large; each of the others is late once in ten plays. */
    for (int i = 0; i < 10; i++)
        p.play({i == 3 ? 900 : 100, 500, i == 7 ? 900 : 100}, 3);
    auto s = p.compared({150, 600, 150}, 0.9);
    CHECK(s.complete == 10);
    CHECK(s.quantile == 500);
    CHECK(s.above == 0);
    CHECK(s.later == 2);
    CHECK(s.max_violated == Approx(0.1));
    CHECK(s.looseness == Approx(1.5));

    s = p.compared({150, 600, 150}, 0.95);
    CHECK(s.quantile == 900);
    CHECK(s.above == 2);
}

TEST_CASE("a play that was interrupted counts for nothing")
{
    plays p;

    CHECK(p.compared({100, 100}, 0.5).complete == 0);
    CHECK(std::isnan(p.compared({100, 100}, 0.5).quantile));
    p.play({10, 20}, 2);
    p.play({900}, 2);
    auto s = p.compared({100, 100}, 0.5);
    CHECK(s.complete == 1);
    CHECK(s.quantile == 20);
    CHECK(s.later == 0);
}

TEST_CASE("more frames than a play has are ignored")
{
    plays p;

    p.play({10, 20, 30}, 2);
    CHECK(p.of.count == 2);
}
