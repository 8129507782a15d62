/* SPDX-License-Identifier: MIT */
/* Sources that send whatever is taken, beside others on one bottleneck. */
#include "catch.h"
#include "sim_greedy.h"

#include <memory>

using namespace scenario;

namespace
{

constexpr const char *bottleneck = "delay=25ms,rate=10mbit,queue=50p";
constexpr livetcp_usec second = 1000000;

uint64_t bytes_received(const SimCall &call, size_t size)
{
    return call.remote() ? call.remote()->received.size() * size : 0;
}

std::vector<std::unique_ptr<GreedyTcp>> transfers(SimCall &call, unsigned count)
{
    std::vector<std::unique_ptr<GreedyTcp>> all;
    while (count--)
        all.push_back(std::make_unique<GreedyTcp>(call.world, call.path));
    return all;
}

} // namespace

TEST_CASE("a greedy source takes one share of the bottleneck, on however many connections",
          "[long]")
{
    constexpr size_t size = 1400;
    for (unsigned connections : {1u, 4u, 8u}) {
        constexpr unsigned seeds = 4; /* of one, a single connection has 0.35 to 0.57 */
        double share = 0;
        for (uint64_t seed = 11; seed < 11 + seeds; seed++) {
            SimCall call(bottleneck, make_config("auto", connections), seed);
            auto others = transfers(call, 4);
            call.world.run_for(10 * second);
            GreedySource source(call, size);
            call.world.run_for(10 * second);
            uint64_t before = bytes_received(call, size), others_before = 0, others_after = 0;
            for (auto &other : others)
                others_before += other->delivered;
            call.world.run_for(60 * second);
            for (auto &other : others)
                others_after += other->delivered;
            share += static_cast<double>(bytes_received(call, size) - before) /
                     (static_cast<double>(others_after - others_before) / 4) / seeds;
        }
        INFO(connections << " connections: " << share << " of another's share");
        CHECK(share > 0.4);
        CHECK(share < 2);
    }
}

/* On the next connection it may begin among losses, so that one path shows little. */
TEST_CASE("a greedy source leaves a connection that is in timeout", "[long]")
{
    size_t sum = 0;
    for (uint64_t seed = 11; seed <= 16; seed++) {
        SimCall call(bottleneck, make_config("auto", 4), seed);
        auto others = transfers(call, 2);
        call.world.run_for(10 * second);
        GreedySource source(call, 1400);
        call.world.run_for(20 * second);
        unsigned used = 0;
        for (unsigned i = 0; i < 4; i++)
            if (call.caller.connection_stats(i).packets_sent >
                call.caller.connection_stats(used).packets_sent)
                used = i;
        call.caller.connection(used)->up.stop_reading();
        call.world.run_for(3 * second);
        size_t before = call.remote()->received.size();
        call.world.run_for(10 * second);
        CHECK(call.remote()->received.size() > before + 200);
        sum += call.remote()->received.size() - before;
    }
    CHECK(sum > 6 * 500);
}

TEST_CASE("media beside others takes the share of one flow, on however many connections", "[long]")
{
    /* It would take half of the path; there are five flows. */
    double share = 0;
    for (uint64_t seed = 13; seed <= 16; seed++) {
        SimCall call(bottleneck, make_config("auto", 8), seed);
        auto others = transfers(call, 4);
        call.world.run_for(10 * second);
        call.stream(1400, 2240, 40 * second); /* 5 Mbit/s */
        share += static_cast<double>(call.remote()->received.size()) * 1400 * 8 / 40 / 10e6 / 4;
    }
    INFO(share << " of the path");
    CHECK(share > 0.7 / 5);
    CHECK(share < 1.5 / 5);
}
