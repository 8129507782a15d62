/* SPDX-License-Identifier: MIT */
/* auto on the paths that people have: routes of equal cost, a route that changes, thin links and
 * policers; never worse than policies that know less. policy-table shows the figures. */
#include "catch.h"
#include "sim_session.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

using namespace scenario;

namespace
{

constexpr livetcp_usec ms = 1000, second = 1000000;
constexpr size_t size = 1434;

/* What is done to the path before and while packets are sent. */
struct Course {
    explicit Course(std::string spec, std::string other = "", double percent = 0)
        : path(std::move(spec)), other_route(std::move(other)), loss(percent)
    {
    }

    std::string path, other_route;
    double loss; /* percent, of packets on their way there */
    uint64_t police = 0;
    size_t burst = 10000;
    livetcp_usec change_us = 0;
    std::string change;
    livetcp_usec warmup = 5 * second, length = 30 * second;
};

struct Delays {
    double p95, p99, p999, cost;
};

double quantile(std::vector<double> &sorted, double p)
{
    auto rank = static_cast<size_t>(std::ceil(p * static_cast<double>(sorted.size())));
    return sorted[std::min(rank ? rank - 1 : 0, sorted.size() - 1)];
}

Delays drive(const Course &course, const char *policy, unsigned connections, double budget,
             uint64_t seed)
{
    auto road = std::make_shared<SimRoad>(course.path.c_str(), seed);
    std::vector<SimPath *> routes = {&road->path};
    if (!course.other_route.empty())
        routes.push_back(&road->add_route(course.other_route.c_str(), seed + 50));
    for (SimPath *route : routes) {
        lt_link_params params = route->forward.params();
        params.loss = course.loss / 100;
        route->forward.set(params);
        if (course.police)
            route->forward.police(course.police, course.burst);
    }
    livetcp_config config = make_config(policy, connections);
    config.redundancy_budget = budget;
    SimCall call(road, config, seed);
    call.world.run_for(2 * second);
    livetcp_usec begin = call.world.now();
    if (course.change_us)
        call.world.at(begin + course.change_us,
                      [&course, road] { road->path.change(course.change.c_str()); });
    call.stream(size, 20 * ms, course.warmup + course.length);
    livetcp_session_stats stats = call.caller.stats();
    call.world.run_for(5 * second);
    std::vector<double> delays;
    if (call.remote())
        for (const Received &packet : call.remote()->received)
            if (!packet.rtcp && packet.at - packet.delay >= begin + course.warmup)
                delays.push_back(static_cast<double>(packet.delay) / ms);
    delays.resize(std::max(delays.size(), static_cast<size_t>(course.length / (20 * ms))),
                  HUGE_VAL);
    std::sort(delays.begin(), delays.end());
    double media = static_cast<double>(stats.sent.accepted_bytes);
    return {quantile(delays, 0.95), quantile(delays, 0.99), quantile(delays, 0.999),
            static_cast<double>(stats.sent.bytes) / media};
}

double allowed(double a, double b)
{
    return std::min(a, b) * 1.05 + 1;
}

} // namespace

TEST_CASE("with a copy of each packet a longer route of half of the connections costs nothing")
{
    Course same("delay=30ms", "", 1);
    Delays alone = drive(same, "auto", 8, 1, 1);
    for (int longer : {5, 12, 40}) {
        Course course("delay=30ms", "delay=" + std::to_string(30 + longer) + "ms", 1);
        Delays apart = drive(course, "auto", 8, 1, 1);
        INFO(longer << " ms: p99 " << apart.p99 << ", bytes " << apart.cost
                    << "; on the same route " << alone.p99 << ", " << alone.cost);
        CHECK(apart.p99 < alone.p99 + 2);
    }
}

TEST_CASE("a route that becomes longer is forgotten within ten seconds")
{
    for (const char *change : {"delay=45ms"})
        for (uint64_t seed = 1; seed <= 2; seed++) {
            Course course("delay=30ms", "", 1);
            course.change_us = 8 * second;
            course.change = change;
            course.warmup = 18 * second;
            course.length = 20 * second;
            double way = 45;
            Delays delays = drive(course, "auto", 8, 1, seed);
            INFO(change << ", seed " << seed << ": p99 " << delays.p99 << ", bytes "
                        << delays.cost);
            CHECK(delays.p99 < way + 3);
            CHECK(delays.cost > 1.4);
        }
}

/* With more to spend auto begins with copies that the link has no room for, until it has learnt its
 * rate: docs/research/groups.md. */
TEST_CASE("on a thin link auto with a small budget is no worse than policies that know less")
{
    for (const char *path :
         {"delay=30ms,rate=680kbit,queue=30kB", "delay=30ms,rate=850kbit,queue=30kB",
          "delay=30ms,rate=1050kbit,queue=30kB"})
        for (double budget : {0.05, 0.1}) {
            Course course(path);
            Delays single = drive(course, "single", 1, 0, 1);
            Delays queue = drive(course, "shortest-queue", 8, 0, 1);
            Delays own = drive(course, "auto", 8, budget, 1);
            INFO(path << ", budget " << budget << ": p95 " << own.p95 << ", p99 " << own.p99
                      << ", p99.9 " << own.p999 << "; single " << single.p95 << ", " << single.p99
                      << ", " << single.p999 << "; shortest-queue " << queue.p95 << ", "
                      << queue.p99 << ", " << queue.p999);
            CHECK(own.p95 <= allowed(single.p95, queue.p95));
            CHECK(own.p99 <= allowed(single.p99, queue.p99));
        }
}

/* Draws a path: everything that a session may meet, each on a scale on which it matters. */
static Course draw(uint64_t seed)
{
    lt_rng rng;
    lt_rng_seed(&rng, seed);
    auto between = [&](double low, double high) {
        return low + (high - low) * static_cast<double>(lt_rng_next(&rng) % 10000) / 10000;
    };
    constexpr double media = (size + 66) * 50 * 8;
    double way = between(10, 100);
    bool thin = lt_rng_next(&rng) % 2;
    double rate = media * (thin ? between(1.05, 2.2) : between(2.2, 20));
    auto buffer = static_cast<unsigned>(std::max(6000.0, rate / 8 * between(0.02, 0.4)));
    char spec[128];
    snprintf(spec, sizeof spec, "delay=%.0fms,rate=%.0fkbit,queue=%uB", way, rate / 1e3, buffer);
    Course course(spec);
    const double losses[] = {0, 0, 0.3, 1, 3};
    course.loss = losses[lt_rng_next(&rng) % 5];
    if (lt_rng_next(&rng) % 4 == 0) {
        snprintf(spec, sizeof spec, "delay=%.0fms,rate=%.0fkbit,queue=%uB", way + between(2, 40),
                 rate / 1e3, buffer);
        course.other_route = spec;
    }
    return course;
}

/* LIVETCP_RANDOM_PATHS=1000 draws as many; the suite draws a few of the same. */
TEST_CASE("on paths drawn at random auto with a small budget is seldom worse than policies that "
          "know less")
{
    const char *asked = getenv("LIVETCP_RANDOM_PATHS");
    unsigned paths = asked ? static_cast<unsigned>(atoi(asked)) : 12, worse = 0;
    for (unsigned i = 1; i <= paths; i++) {
        Course course = draw(i);
        const double budget = 0.1;
        course.length = 20 * second;
        Delays single = drive(course, "single", 1, 0, i);
        Delays queue = drive(course, "shortest-queue", 8, 0, i);
        Delays own = drive(course, "auto", 8, budget, i);
        if (own.p99 <= allowed(single.p99, queue.p99))
            continue;
        worse++;
        WARN(course.path << " and " << course.other_route << ", loss " << course.loss
                         << " %, budget " << budget << ", path " << i << ": p99 " << own.p99
                         << "; single " << single.p99 << "; shortest-queue " << queue.p99);
    }
    INFO(worse << " of " << paths);
    CHECK(worse * 3 <= paths);
}
