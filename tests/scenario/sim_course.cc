/* SPDX-License-Identifier: MIT */
#include "sim_course.h"

#include "sim_dice.h"

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
    std::vector<std::string> links = {course.path};
    if (!course.other_link.empty())
        links.push_back(course.other_link);
    auto road = std::make_shared<SimRoad>(links, seed);
    std::vector<SimPath *> routes;
    for (unsigned i = 0; i < links.size(); i++)
        routes.push_back(&road->link(i));
    if (!course.other_route.empty())
        routes.push_back(&road->add_route(course.other_route.c_str(), seed + 50));
    for (SimPath *route : routes) {
        lt_link_params params = route->forward.params();
        char losses[48];
        snprintf(losses, sizeof losses, "loss=%g%%,burst=%g", course.loss, course.bursts);
        if (course.loss > 0 && course.bursts > 1)
            require(lt_link_params_parse(&params, losses, nullptr) == LIVETCP_OK, losses);
        else if (course.loss > 0)
            params.loss = course.loss / 100;
        route->forward.set(params);
        route->congestion_control = course.below;
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
    if (!other_link.empty())
        all += " + " + other_link;
    if (loss > 0) {
        snprintf(text, sizeof text, ", loss %g %%", loss);
        all += text;
    }
    if (loss > 0 && bursts > 1) {
        snprintf(text, sizeof text, " in bursts of %.1f", bursts);
        all += text;
    }
    if (police) {
        snprintf(text, sizeof text, ", policer %.0f kbit/s %zu B",
                 static_cast<double>(police) / 1000, burst);
        all += text;
    }
    if (connections != 8) {
        snprintf(text, sizeof text, ", %u connections", connections);
        all += text;
    }
    if (below != "reno")
        all += ", " + below;
    if (change_us) {
        snprintf(text, sizeof text, " at %.0f s", static_cast<double>(change_us) / second);
        all += ", " + change + text;
    }
    if (outage_length) {
        snprintf(text, sizeof text, ", outage of %.1f s at %.0f s",
                 static_cast<double>(outage_length) / second,
                 static_cast<double>(outage_us) / second);
        all += text;
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
    for (bool cut : {true, false})
        if (course.outage_length)
            call.world.at(begin + course.outage_us + (cut ? 0 : course.outage_length), [road, cut] {
                road->path.forward.cut(cut);
                road->path.backward.cut(cut);
            });
    call.stream(course.size, Course::interval, course.warmup + course.length);
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
    Dice dice(seed);
    double way = dice.between(10, 100);
    bool thin = dice.below(2);
    double rate = Course::media * (thin ? dice.between(1.05, 2.2) : dice.between(2.2, 20));
    auto buffer = static_cast<unsigned>(std::max(6000.0, rate / 8 * dice.between(0.02, 0.4)));
    char spec[128];
    snprintf(spec, sizeof spec, "delay=%.0fms,rate=%.0fkbit,queue=%uB", way, rate / 1e3, buffer);
    Course course(spec);
    const double losses[] = {0, 0, 0.3, 1, 3};
    course.loss = losses[dice.below(5)];
    if (dice.below(4) == 0) {
        snprintf(spec, sizeof spec, "delay=%.0fms,rate=%.0fkbit,queue=%uB",
                 way + dice.between(2, 40), rate / 1e3, buffer);
        course.other_route = spec;
    }
    return course;
}

Course draw_hard_course(uint64_t seed)
{
    Course course = draw_course(seed);
    Dice dice(~seed);
    char spec[128];
    switch (dice.below(5)) {
    case 0: /* of 1.2 times the media and more: docs/research/groups.md has the bound */
        course.police = static_cast<uint64_t>(Course::media * dice.between(1.2, 4));
        course.burst = static_cast<size_t>(dice.between(6000, 30000));
        break;
    case 1:
        course.loss = dice.between(0.5, 3);
        course.bursts = dice.between(2, 8);
        break;
    case 2:
        course.change_us = static_cast<livetcp_usec>(dice.between(6, 20) * second);
        snprintf(spec, sizeof spec, "delay=%.0fms", dice.between(10, 100));
        course.change = spec;
        break;
    case 3:
        course.outage_us = static_cast<livetcp_usec>(dice.between(6, 20) * second);
        course.outage_length = static_cast<livetcp_usec>(dice.between(0.1, 2) * second);
        break;
    default:
        snprintf(spec, sizeof spec, "delay=%.0fms,rate=%.0fkbit,queue=%.0fB", dice.between(10, 100),
                 Course::media * dice.between(0.5, 4) / 1e3, dice.between(6000, 40000));
        course.other_link = spec;
        course.other_route.clear();
    }
    return course;
}

Course draw_longer_route(uint64_t seed)
{
    Dice dice(seed * 7919);
    const double round_trips[] = {20, 60, 200}, losses[] = {0, 1, 3, 5};
    double way = round_trips[dice.below(3)] / 2, longer = way + dice.between(5, 60);
    bool wide = dice.below(2);
    double rate = Course::media * dice.between(2.5, wide ? 40 : 6);
    char spec[128];
    snprintf(spec, sizeof spec, "delay=%.0fms,rate=%.0fkbit,queue=%.0fB", way, rate / 1e3,
             std::max(9000.0, rate / 8 * 0.2));
    Course course(spec);
    course.loss = losses[dice.below(4)];
    course.connections = dice.below(2) ? 8 : 1;
    course.change_us = static_cast<livetcp_usec>(dice.between(8, 12) * second);
    snprintf(spec, sizeof spec, "delay=%.0fms", longer);
    course.change = spec;
    return course;
}

} // namespace scenario
