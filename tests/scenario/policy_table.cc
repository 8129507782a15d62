/* SPDX-License-Identifier: MIT */
/*
 * Policies side by side in virtual time: the excess of the delay over one way of the path, and what
 * it costs. Not a test, and no measurement either (SimTcp is no kernel): the place to find out why
 * a policy does what it does, in seconds. `livetcp bench` measures.
 *
 * usage: policy-table [--size BYTES] [--interval MS] [--seconds S] [--seeds N] [--greedy FLOWS]
 * [--flows N] [--both-ways] [--warmup S] [--other-route SPEC] [--change MS:SPEC]
 * [--police KBIT:BYTES] [--congestion-control reno|cubic|bbr] [--beside reno|cubic|bbr] PATH... --
 * SCHEME... Flows are sessions side by side on the path; --beside is the congestion control of the
 * greedy ones. Loss is on the way of the packets only, unless --both-ways.
 * --other-route: every second connection takes it; the spec changes the path's. --change: so much
 * after the stream began. PATH as for livetcp emulate, several links of one session joined by '+';
 * SCHEME as for livetcp bench: policy[:setting=value]...
 */
#include "sim_flows.h"
#include "sim_greedy.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>

using namespace scenario;

namespace
{

struct Options {
    size_t size = 1448;
    livetcp_usec interval = 20000;
    livetcp_usec length = 60 * 1000000;
    unsigned seeds = 4;
    unsigned greedy = 0, flows = 1;
    bool both_ways = false;
    livetcp_usec warmup = 3 * 1000000, change_us = 0;
    std::string other_route, change, congestion_control = "reno", beside;
    uint64_t police = 0;
    size_t burst = 0;
    std::vector<std::string> paths, schemes;
};

struct Outcome {
    std::vector<double> excess_ms;
    double written = 0, media = 0, greedy = 0; /* bytes */
    livetcp_session_stats stats = {};
};

livetcp_config config_of(const std::string &scheme)
{
    size_t end = scheme.find(':');
    livetcp_config config = make_config(scheme.substr(0, end).c_str(), 5);
    while (end != std::string::npos) {
        size_t begin = end + 1, equals = scheme.find('=', begin);
        end = scheme.find(':', begin);
        livetcp_error error = {};
        if (livetcp_config_set(&config, scheme.substr(begin, equals - begin).c_str(),
                               scheme.substr(equals + 1, end - equals - 1).c_str(), &error))
            fprintf(stderr, "%s\n", error.message);
    }
    return config;
}

std::vector<std::string> links_of(const std::string &path)
{
    std::vector<std::string> links;
    for (size_t begin = 0; begin <= path.size();) {
        size_t end = std::min(path.find('+', begin), path.size());
        links.push_back(path.substr(begin, end - begin));
        begin = end + 1;
    }
    return links;
}

/* Of the first link. */
livetcp_usec propagation_of(const std::string &path)
{
    World world;
    SimPath sim(world, links_of(path)[0].c_str(), 1);
    livetcp_usec sent = world.now(), arrived = 0;
    sim.forward.send(40, [&] { arrived = world.now(); });
    world.run_for(10 * 1000000);
    return arrived ? arrived - sent : 0;
}

void run(const Options &options, const std::string &path, const std::string &scheme, uint64_t seed,
         double propagation_ms, Outcome &outcome)
{
    std::vector<std::string> links = links_of(path);
    auto road = std::make_shared<SimRoad>(links, seed);
    std::vector<SimPath *> routes;
    for (unsigned i = 0; i < links.size(); i++)
        routes.push_back(&road->link(i));
    if (!options.other_route.empty())
        routes.push_back(&road->add_route((path + "," + options.other_route).c_str(), seed + 50));
    for (SimPath *route : routes) {
        route->congestion_control = options.congestion_control;
        lt_link_params back = route->backward.params();
        if (!options.both_ways) {
            back.loss = 0;
            back.gilbert = {};
        }
        route->backward.set(back);
        if (options.police)
            route->forward.police(options.police * 1000, options.burst);
    }
    SimFlows flows(road, config_of(scheme), options.flows, seed);
    World &world = road->world;
    std::vector<std::unique_ptr<GreedyTcp>> greedy;
    for (unsigned i = 0; i < options.greedy; i++)
        greedy.push_back(std::make_unique<GreedyTcp>(
            world, road->path,
            options.beside.empty() ? options.congestion_control : options.beside));
    world.run_for((options.greedy ? 20 : 2) * static_cast<livetcp_usec>(1000000));
    livetcp_usec begin = world.now() + options.warmup;
    for (const auto &flow : greedy)
        outcome.greedy -= static_cast<double>(flow->delivered);
    if (options.change_us)
        world.at(world.now() + options.change_us,
                 [&options, road] { road->path.change(options.change.c_str()); });
    flows.stream(options.size - 14, options.interval, options.warmup + options.length);
    for (const std::unique_ptr<SimCall> &call : flows.calls) {
        outcome.stats = call->caller.stats();
        outcome.written += static_cast<double>(outcome.stats.sent.bytes);
        outcome.media += static_cast<double>(outcome.stats.sent.accepted_bytes) +
                         2.0 * static_cast<double>(outcome.stats.sent.accepted);
    }
    livetcp_usec end = world.now();
    for (const auto &flow : greedy)
        outcome.greedy += static_cast<double>(flow->delivered);
    world.run_for(20 * 1000000);
    for (livetcp_usec delay : flows.delays(begin, end, options.interval))
        outcome.excess_ms.push_back(
            delay == LIVETCP_NEVER ? INFINITY : static_cast<double>(delay) / 1000 - propagation_ms);
}

double quantile(const std::vector<double> &sorted, double p)
{
    return sorted[std::min(sorted.size() - 1,
                           static_cast<size_t>(std::ceil(p * static_cast<double>(sorted.size()))) -
                               1)];
}

void print(const std::string &scheme, Outcome &outcome)
{
    std::sort(outcome.excess_ms.begin(), outcome.excess_ms.end());
    double sum = 0;
    for (double excess : outcome.excess_ms)
        sum += excess;
    printf("  %-44s %9.1f", scheme.c_str(), sum / static_cast<double>(outcome.excess_ms.size()));
    for (double p : {0.5, 0.9, 0.95, 0.99, 0.999, 1.0})
        printf(" %9.1f", quantile(outcome.excess_ms, p));
    if (getenv("TAIL")) {
        for (double ms : {1.0, 5.0, 20.0, 31.0, 60.0, 63.0, 70.0, 80.0, 90.0, 100.0, 121.0})
            printf(" >%g: %.3f%%", ms,
                   100.0 *
                       static_cast<double>(outcome.excess_ms.end() -
                                           std::upper_bound(outcome.excess_ms.begin(),
                                                            outcome.excess_ms.end(), ms)) /
                       static_cast<double>(outcome.excess_ms.size()));
        printf("\n");
    }
    auto late = std::upper_bound(outcome.excess_ms.begin(), outcome.excess_ms.end(), 5.0);
    printf(
        " %7.3f %%   %5.3f  copies %llu useful %llu parity %llu fillers %llu; loss %.2f %% joint "
        "%.0f %% burst %.1f ms spacing %.1f ms; twice %llu once %llu never %llu dropped %llu",
        100.0 * static_cast<double>(outcome.excess_ms.end() - late) /
            static_cast<double>(outcome.excess_ms.size()),
        outcome.written / outcome.media, static_cast<unsigned long long>(outcome.stats.sent.copies),
        static_cast<unsigned long long>(outcome.stats.sent.copies_useful),
        static_cast<unsigned long long>(outcome.stats.sent.parity),
        static_cast<unsigned long long>(outcome.stats.sent.padding),
        100 * outcome.stats.losses.ratio, 100 * outcome.stats.losses.joint_ratio,
        static_cast<double>(outcome.stats.losses.burst_us) / 1000,
        static_cast<double>(outcome.stats.losses.copy_spacing_us) / 1000,
        static_cast<unsigned long long>(outcome.stats.losses.arrived_twice),
        static_cast<unsigned long long>(outcome.stats.losses.arrived_once),
        static_cast<unsigned long long>(outcome.stats.losses.arrived_never),
        static_cast<unsigned long long>(outcome.stats.losses.copies_dropped));
    if (outcome.greedy > 0)
        printf("; greedy %.1f MB", outcome.greedy / 1e6);
    printf("\n");
}

Options parse(int argc, char **argv)
{
    Options options;
    bool schemes = false;
    for (int i = 1; i < argc; i++) {
        bool valued = i + 1 < argc;
        if (!strcmp(argv[i], "--size") && valued)
            options.size = static_cast<size_t>(atoi(argv[++i]));
        else if (!strcmp(argv[i], "--interval") && valued)
            options.interval = atoi(argv[++i]) * 1000;
        else if (!strcmp(argv[i], "--seconds") && valued)
            options.length = atoi(argv[++i]) * static_cast<livetcp_usec>(1000000);
        else if (!strcmp(argv[i], "--seeds") && valued)
            options.seeds = static_cast<unsigned>(atoi(argv[++i]));
        else if (!strcmp(argv[i], "--greedy") && valued)
            options.greedy = static_cast<unsigned>(atoi(argv[++i]));
        else if (!strcmp(argv[i], "--flows") && valued)
            options.flows = static_cast<unsigned>(atoi(argv[++i]));
        else if (!strcmp(argv[i], "--warmup") && valued)
            options.warmup = atoi(argv[++i]) * static_cast<livetcp_usec>(1000000);
        else if (!strcmp(argv[i], "--other-route") && valued)
            options.other_route = argv[++i];
        else if (!strcmp(argv[i], "--congestion-control") && valued)
            options.congestion_control = argv[++i];
        else if (!strcmp(argv[i], "--beside") && valued)
            options.beside = argv[++i];
        else if (!strcmp(argv[i], "--change") && valued) {
            options.change_us = atoi(argv[++i]) * static_cast<livetcp_usec>(1000);
            options.change = strchr(argv[i], ':') ? strchr(argv[i], ':') + 1 : "";
        } else if (!strcmp(argv[i], "--police") && valued) {
            options.police = static_cast<uint64_t>(atoi(argv[++i]));
            options.burst =
                static_cast<size_t>(atoi(strchr(argv[i], ':') ? strchr(argv[i], ':') + 1 : "0"));
        } else if (!strcmp(argv[i], "--both-ways"))
            options.both_ways = true;
        else if (!strcmp(argv[i], "--"))
            schemes = true;
        else
            (schemes ? options.schemes : options.paths).push_back(argv[i]);
    }
    return options;
}

} // namespace

int main(int argc, char **argv)
{
    Options options = parse(argc, argv);
    for (const std::string &path : options.paths) {
        double propagation_ms = static_cast<double>(propagation_of(path)) / 1000;
        printf("%s, %zu bytes every %lld ms; excess over %.1f ms\n  %-44s %9s %9s %9s %9s %9s %9s "
               "%9s %9s    cost\n",
               path.c_str(), options.size, static_cast<long long>(options.interval / 1000),
               propagation_ms, "", "mean", "p50", "p90", "p95", "p99", "p99.9", "max", "> 5 ms");
        for (const std::string &scheme : options.schemes) {
            Outcome outcome;
            for (unsigned seed = 1; seed <= options.seeds; seed++)
                run(options, path, scheme, seed, propagation_ms, outcome);
            print(scheme, outcome);
        }
    }
    return 0;
}
