/* SPDX-License-Identifier: MIT */
/*
 * Policies side by side in virtual time: the excess of the delay over one way of the path, and what
 * it costs. Not a test, and no measurement either (SimTcp is no kernel): the place to find out why
 * a policy does what it does, in seconds. `livetcp bench` measures.
 *
 * usage: policy-table [--size BYTES] [--interval MS] [--seconds S] [--seeds N] [--greedy FLOWS]
 * [--both-ways] PATH... -- SCHEME... Loss is on the way of the packets only, unless --both-ways.
 * PATH as for livetcp emulate, SCHEME as for livetcp bench: policy[:setting=value]...
 */
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
    unsigned greedy = 0;
    bool both_ways = false;
    std::vector<std::string> paths, schemes;
};

struct Outcome {
    std::vector<double> excess_ms;
    double written = 0, media = 0;
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

livetcp_usec propagation_of(const std::string &path)
{
    World world;
    SimPath sim(world, path.c_str(), 1);
    livetcp_usec sent = world.now(), arrived = 0;
    sim.forward.send(40, [&] { arrived = world.now(); });
    world.run_for(10 * 1000000);
    return arrived ? arrived - sent : 0;
}

void run(const Options &options, const std::string &path, const std::string &scheme, uint64_t seed,
         double propagation_ms, Outcome &outcome)
{
    const livetcp_usec warmup = 3 * 1000000;
    SimCall call(path.c_str(), config_of(scheme), seed);
    lt_link_params back = link_params(path.c_str());
    if (!options.both_ways)
        back.loss = 0;
    call.path.backward.set(back);
    std::vector<std::unique_ptr<GreedyTcp>> greedy;
    for (unsigned i = 0; i < options.greedy; i++)
        greedy.push_back(std::make_unique<GreedyTcp>(call.world, call.path));
    call.world.run_for((options.greedy ? 20 : 2) * static_cast<livetcp_usec>(1000000));
    livetcp_usec begin = call.world.now();
    call.stream(options.size - 14, options.interval, warmup + options.length);
    livetcp_session_stats stats = call.caller.stats();
    outcome.written += static_cast<double>(stats.sent.bytes);
    outcome.media += static_cast<double>(stats.sent.accepted_bytes) +
                     2.0 * static_cast<double>(stats.sent.accepted);
    outcome.stats = stats;
    call.world.run_for(20 * 1000000);
    size_t sent = static_cast<size_t>(options.length / options.interval), seen = 0;
    if (call.remote())
        for (const Received &packet : call.remote()->received)
            if (packet.at - packet.delay >= begin + warmup) {
                outcome.excess_ms.push_back(static_cast<double>(packet.delay) / 1000 -
                                            propagation_ms);
                seen++;
            }
    for (; seen < sent; seen++)
        outcome.excess_ms.push_back(INFINITY);
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
    printf("  %-44s", scheme.c_str());
    for (double p : {0.5, 0.9, 0.95, 0.99, 0.999, 1.0})
        printf(" %9.1f", quantile(outcome.excess_ms, p));
    auto late = std::upper_bound(outcome.excess_ms.begin(), outcome.excess_ms.end(), 5.0);
    printf(" %7.3f %%   %5.3f  copies %llu useful %llu parity %llu fillers %llu\n",
           100.0 * static_cast<double>(outcome.excess_ms.end() - late) /
               static_cast<double>(outcome.excess_ms.size()),
           outcome.written / outcome.media,
           static_cast<unsigned long long>(outcome.stats.sent.copies),
           static_cast<unsigned long long>(outcome.stats.sent.copies_useful),
           static_cast<unsigned long long>(outcome.stats.sent.parity),
           static_cast<unsigned long long>(outcome.stats.sent.fillers));
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
        else if (!strcmp(argv[i], "--both-ways"))
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
        printf(
            "%s, %zu bytes every %lld ms; excess over %.1f ms\n  %-44s %9s %9s %9s %9s %9s %9s %9s "
            "   cost\n",
            path.c_str(), options.size, static_cast<long long>(options.interval / 1000),
            propagation_ms, "", "p50", "p90", "p95", "p99", "p99.9", "max", "> 5 ms");
        for (const std::string &scheme : options.schemes) {
            Outcome outcome;
            for (unsigned seed = 1; seed <= options.seeds; seed++)
                run(options, path, scheme, seed, propagation_ms, outcome);
            print(scheme, outcome);
        }
    }
    return 0;
}
