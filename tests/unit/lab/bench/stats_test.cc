/* SPDX-License-Identifier: MIT */
#include "catch.h"

extern "C" {
#include "lab/bench/stats.h"
}

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

TEST_CASE("percentiles are nearest ranks")
{
    /* The textbook example: five values. */
    const std::vector<livetcp_usec> v = {15, 20, 35, 40, 50};
    CHECK(lt_percentile(v.data(), v.size(), 50) == 15);
    CHECK(lt_percentile(v.data(), v.size(), 300) == 20);
    CHECK(lt_percentile(v.data(), v.size(), 400) == 20);
    CHECK(lt_percentile(v.data(), v.size(), 500) == 35);
    CHECK(lt_percentile(v.data(), v.size(), 1000) == 50);
    CHECK(lt_percentile(nullptr, 0, 500) == LT_DELAY_NEVER);
    const livetcp_usec one = 7;
    CHECK(lt_percentile(&one, 1, 1) == 7);
    CHECK(lt_percentile(&one, 1, 999) == 7);
}

TEST_CASE("a percentile covers its share and no smaller value does")
{
    std::mt19937 random(1);
    for (size_t n : {1u, 2u, 3u, 10u, 99u, 100u, 101u, 999u, 1000u, 1001u, 3000u}) {
        std::vector<livetcp_usec> v(n);
        for (auto &x : v)
            x = random() % 500; /* with ties */
        std::sort(v.begin(), v.end());
        for (unsigned permille : {1u, 500u, 900u, 950u, 990u, 999u, 1000u}) {
            livetcp_usec p = lt_percentile(v.data(), n, permille);
            auto below = (size_t)std::count_if(v.begin(), v.end(), [&](auto x) { return x < p; });
            auto within = (size_t)std::count_if(v.begin(), v.end(), [&](auto x) { return x <= p; });
            CAPTURE(n, permille, p);
            CHECK(within * 1000 >= n * permille);
            CHECK(below * 1000 < n * permille);
        }
    }
}

TEST_CASE("a summary describes all samples")
{
    std::vector<livetcp_usec> v(1000);
    std::iota(v.begin(), v.end(), 1);
    for (auto &x : v)
        x *= 1000; /* 1 to 1000 ms */
    std::shuffle(v.begin(), v.end(), std::mt19937(2));
    lt_delay_summary s;
    lt_delay_summarize(v.data(), v.size(), &s);
    CHECK(s.sent == 1000);
    CHECK(s.lost == 0);
    CHECK(s.mean == Approx(500500));
    CHECK(s.min == 1000);
    CHECK(s.p50 == 500000);
    CHECK(s.p90 == 900000);
    CHECK(s.p95 == 950000);
    CHECK(s.p99 == 990000);
    CHECK(s.p999 == 999000);
    CHECK(s.max == 1000000);
    CHECK(s.within_200ms == Approx(0.2));
    CHECK(s.within_500ms == Approx(0.5));
}

TEST_CASE("lost packets are later than all others")
{
    std::vector<livetcp_usec> v = {LT_DELAY_NEVER, 100000, 300000, LT_DELAY_NEVER, 10000,
                                   20000,          30000,  40000,  50000,          60000};
    lt_delay_summary s;
    lt_delay_summarize(v.data(), v.size(), &s);
    CHECK(s.sent == 10);
    CHECK(s.lost == 2);
    CHECK(s.p50 == 50000);
    CHECK(s.p90 == LT_DELAY_NEVER);
    CHECK(s.p999 == LT_DELAY_NEVER);
    CHECK(s.max == 300000);
    CHECK(s.mean == Approx(610000.0 / 8));
    CHECK(s.within_200ms == Approx(0.7));
    CHECK(s.within_500ms == Approx(0.8));
}

TEST_CASE("nothing sent, nothing arrived")
{
    lt_delay_summary s;
    lt_delay_summarize(nullptr, 0, &s);
    CHECK(s.sent == 0);
    CHECK(s.p50 == LT_DELAY_NEVER);
    livetcp_usec lost[2] = {LT_DELAY_NEVER, LT_DELAY_NEVER};
    lt_delay_summarize(lost, 2, &s);
    CHECK(s.lost == 2);
    CHECK(s.mean == 0);
    CHECK(s.max == 0);
    CHECK(s.p50 == LT_DELAY_NEVER);
    CHECK(s.within_500ms == 0);
}

TEST_CASE("excess and reduction")
{
    CHECK(lt_delay_excess(159000, 50000) == 109000);
    CHECK(lt_delay_excess(LT_DELAY_NEVER, 50000) == LT_DELAY_NEVER);
    CHECK(lt_delay_reduction(109000, 200) == Approx(99.8165).epsilon(1e-5));
    CHECK(lt_delay_reduction(100, 150) == Approx(-50));
    CHECK(lt_delay_reduction(100, -10) == Approx(110));
    CHECK(std::isnan(lt_delay_reduction(0, 10)));
    CHECK(std::isnan(lt_delay_reduction(LT_DELAY_NEVER, 10)));
    CHECK(lt_delay_reduction(10, LT_DELAY_NEVER) == -INFINITY);
}
