/* SPDX-License-Identifier: MIT */
#include "catch.h"

#include <livetcp/model.h>

#include <climits>
#include <cstdint>
#include <string>
#include <vector>

/* 1, 2 and 4 Mbit/s with 50, 60 and 200 ms. */
static const std::vector<livetcp_service_point> points = {
    {1e6, 50000}, {2e6, 60000}, {4e6, 200000}};

struct envelope {
    livetcp_envelope *of = nullptr;
    explicit envelope(const std::vector<livetcp_trace_frame> &frames)
    {
        REQUIRE(livetcp_envelope_create(frames.data(), frames.size(), &of, nullptr) == LIVETCP_OK);
    }
    ~envelope()
    {
        livetcp_envelope_destroy(&of);
    }
};

/* A frame of 5000 bytes every 40 ms, 1 Mbit/s; the tenth, and every 25th after it, has 30000. */
static std::vector<livetcp_trace_frame> film(size_t count)
{
    std::vector<livetcp_trace_frame> frames;
    for (size_t i = 0; i < count; i++)
        frames.push_back({livetcp_usec(40000 * i), i % 25 == 10 ? 30000u : 5000u});
    return frames;
}

TEST_CASE("the service curve is the largest of its rates, each after its delay")
{
    auto s = [](livetcp_usec t) { return livetcp_service(points.data(), points.size(), t); };

    CHECK(s(-1) == 0);
    CHECK(s(50000) == 0);
    CHECK(s(60000) == Approx(10000));
    CHECK(s(160000) == Approx(200000));
    CHECK(s(1000000) == Approx(3.2e6));
    CHECK(livetcp_attainable_rate(points.data(), points.size(), 160000) == Approx(1.25e6));
    CHECK(livetcp_attainable_rate(points.data(), points.size(), 0) == 0);
    CHECK(livetcp_attainable_rate(points.data(), points.size(), 1000 * LIVETCP_USEC_SEC) ==
          Approx(4e6).epsilon(0.001));
    CHECK(livetcp_service(nullptr, 0, 1000) == 0);
}

TEST_CASE("the time that data takes is the curve's inverse")
{
    for (double bits : {1.0, 9999.0, 123456.0, 8e6}) {
        auto t = livetcp_service_time(points.data(), points.size(), bits);
        CHECK(livetcp_service(points.data(), points.size(), t) >= bits);
        CHECK(livetcp_service(points.data(), points.size(), t - 1) < bits);
    }
    CHECK(livetcp_service_time(points.data(), points.size(), 0) == 0);
    CHECK(livetcp_service_time(nullptr, 0, 1) == INT64_MAX);
}

TEST_CASE("an envelope has the most of any window")
{
    envelope e({{1000, 100}, {1000, 50}, {2000, 10}, {2500, 200}, {9000, 1}});

    CHECK(livetcp_envelope_at(e.of, -1) == 0);
    CHECK(livetcp_envelope_at(e.of, 0) == 8 * 200);
    CHECK(livetcp_envelope_at(e.of, 500) == 8 * 210);
    CHECK(livetcp_envelope_at(e.of, 1499) == 8 * 210);
    CHECK(livetcp_envelope_at(e.of, 1500) == 8 * 360);
    CHECK(livetcp_envelope_at(e.of, 1000000) == 8 * 361);
    CHECK(livetcp_envelope_mean_rate(e.of) == Approx(8 * 360 / 0.008));
}

TEST_CASE("a trace that makes no sense is refused")
{
    livetcp_envelope *e;
    livetcp_error error;
    const livetcp_trace_frame empty[] = {{0, 10}, {1, 0}}, back[] = {{5, 10}, {4, 10}};

    CHECK(livetcp_envelope_create(empty, 0, &e, &error) == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(livetcp_envelope_create(empty, 2, &e, &error) == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(std::string(error.message).find("frame 2") != std::string::npos);
    CHECK(livetcp_envelope_create(back, 2, &e, &error) == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(e == nullptr);
    livetcp_envelope_destroy(&e);
    livetcp_envelope_destroy(nullptr);
}

TEST_CASE("the delay bound is the largest distance between envelope and curve")
{
    envelope single({{0, 25000}});
    CHECK(livetcp_delay_bound(points.data(), points.size(), single.of) == 160000);

    /* A rate of its own: the frames wait for each other, and the last of the burst longest. */
    const livetcp_service_point link = {8e6, 10000};
    envelope burst({{0, 1000}, {100, 1000}, {200, 1000}, {100000, 1000}});
    CHECK(livetcp_delay_bound(&link, 1, burst.of) == 10000 + 3000 - 200);
}

TEST_CASE("what a path does not carry has no bound")
{
    envelope e(film(100));
    const livetcp_service_point slow = {1e6, 1000};

    CHECK(livetcp_delay_bound(&slow, 1, e.of) == INT64_MAX);
    CHECK(livetcp_delay_bound(nullptr, 0, e.of) == INT64_MAX);
    std::vector<livetcp_usec> bounds(100);
    livetcp_delay_bounds(&slow, 1, e.of, bounds.data());
    CHECK(bounds[99] == INT64_MAX);
}

TEST_CASE("the bound of each frame is what a link does to it, and the largest is the bound")
{
    auto frames = film(400);
    envelope e(frames);
    const livetcp_service_point link = {3e6, 20000};
    std::vector<livetcp_usec> bounds(frames.size());
    livetcp_usec free_at = 0, largest = 0;

    livetcp_delay_bounds(&link, 1, e.of, bounds.data());
    for (size_t i = 0; i < frames.size(); i++) { /* Lindley's recursion */
        livetcp_usec begin = free_at > frames[i].time_us ? free_at : frames[i].time_us;
        free_at = begin + livetcp_usec(8 * frames[i].bytes) / 3;
        INFO(i);
        CHECK(bounds[i] - (free_at - frames[i].time_us + 20000) <= 3);
        CHECK(bounds[i] - (free_at - frames[i].time_us + 20000) >= -3);
        largest = bounds[i] > largest ? bounds[i] : largest;
    }
    CHECK(livetcp_delay_bound(&link, 1, e.of) == largest);
}

TEST_CASE("more points never make the bound larger")
{
    envelope e(film(400));
    auto all = livetcp_delay_bound(points.data(), 3, e.of);

    CHECK(all <= livetcp_delay_bound(points.data(), 2, e.of));
    CHECK(all <= livetcp_delay_bound(points.data() + 2, 1, e.of));
}
