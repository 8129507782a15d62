/* SPDX-License-Identifier: MIT */
#include "sim_course.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace scenario
{

namespace
{

constexpr livetcp_usec ms = 1000, second = 1000000;

std::shared_ptr<SimRoad> make_road(const Course &course, uint64_t seed)
{
    auto road = std::make_shared<SimRoad>(course.path.c_str(), seed);
    std::vector<SimPath *> routes = {&road->path};
    if (!course.other_route.empty())
        routes.push_back(&road->add_route(course.other_route.c_str(), seed + 50));
    for (SimPath *route : routes) {
        lt_link_params params = route->forward.params();
        if (course.loss > 0)
            params.loss = course.loss / 100;
        route->forward.set(params);
        if (course.police)
            route->forward.police(course.police, course.burst);
    }
    return road;
}

} // namespace

std::string Course::describe() const
{
    char text[64];
    std::string all = path;
    if (!other_route.empty())
        all += " and " + other_route;
    if (loss > 0) {
        snprintf(text, sizeof text, ", loss %g %%", loss);
        all += text;
    }
    if (police) {
        snprintf(text, sizeof text, ", policer %.0f kbit/s %zu B",
                 static_cast<double>(police) / 1000, burst);
        all += text;
    }
    if (change_us) {
        snprintf(text, sizeof text, " at %.0f s", static_cast<double>(change_us) / second);
        all += ", " + change + text;
    }
    return all;
}

double Delays::quantile(double p) const
{
    auto rank = static_cast<size_t>(std::ceil(p * static_cast<double>(sorted.size())));
    return sorted.at(std::min(rank ? rank - 1 : 0, sorted.size() - 1));
}

void Delays::add(const Delays &more)
{
    double before = static_cast<double>(sorted.size()),
           size = static_cast<double>(more.sorted.size());
    cost = (cost * before + more.cost * size) / (before + size);
    sorted.insert(sorted.end(), more.sorted.begin(), more.sorted.end());
    std::sort(sorted.begin(), sorted.end());
}

Delays drive(const Course &course, const livetcp_config &config, uint64_t seed,
             std::vector<double> *by_second)
{
    auto road = make_road(course, seed);
    SimCall call(road, config, seed);
    call.world.run_for(2 * second);
    livetcp_usec begin = call.world.now();
    if (course.change_us)
        call.world.at(begin + course.change_us,
                      [&course, road] { road->path.change(course.change.c_str()); });
    call.stream(Course::packet, Course::interval, course.warmup + course.length);
    livetcp_session_stats stats = call.caller.stats();
    call.world.run_for(20 * second);
    Delays result;
    if (by_second)
        by_second->assign(static_cast<size_t>((course.warmup + course.length) / second), 0);
    if (call.remote())
        for (const Received &packet : call.remote()->received) {
            livetcp_usec sent = packet.at - packet.delay - begin;
            if (packet.rtcp)
                continue;
            double delay = static_cast<double>(packet.delay) / ms;
            if (sent >= course.warmup)
                result.sorted.push_back(delay);
            if (by_second)
                by_second->at(static_cast<size_t>(sent / second)) =
                    std::max(by_second->at(static_cast<size_t>(sent / second)), delay);
        }
    result.sorted.resize(
        std::max(result.sorted.size(), static_cast<size_t>(course.length / Course::interval)),
        HUGE_VAL);
    std::sort(result.sorted.begin(), result.sorted.end());
    result.cost = static_cast<double>(stats.sent.bytes) /
                  static_cast<double>(std::max<uint64_t>(stats.sent.accepted_bytes, 1));
    return result;
}

livetcp_config course_config(const char *policy, unsigned connections, double budget)
{
    livetcp_config config = make_config(policy, connections);
    config.redundancy_budget = budget;
    return config;
}

double allowed_delay(double a, double b)
{
    return std::min(a, b) * 1.05 + 1;
}

bool is_worse(const Delays &own, const Delays &a, const Delays &b, double p)
{
    double deviation = std::sqrt(2 * p * (1 - p) / static_cast<double>(own.sorted.size()));
    return own.quantile(p - 2 * deviation) > allowed_delay(a.quantile(p), b.quantile(p));
}

Course draw_course(uint64_t seed)
{
    lt_rng rng;
    lt_rng_seed(&rng, seed);
    auto between = [&](double low, double high) {
        return low + (high - low) * static_cast<double>(lt_rng_next(&rng) % 10000) / 10000;
    };
    double way = between(10, 100);
    bool thin = lt_rng_next(&rng) % 2;
    double rate = Course::media * (thin ? between(1.05, 2.2) : between(2.2, 20));
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

} // namespace scenario
