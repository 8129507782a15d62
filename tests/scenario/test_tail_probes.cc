/* SPDX-License-Identifier: MIT */
/* Chasers: what follows a packet on its connection when nothing else does. */
#include "catch.h"
#include "sim_flows.h"

using namespace scenario;

namespace
{

const unsigned packets = 500;

/* Voice on five connections: on each of them a packet in 100 ms. */
uint64_t tail_probes_of_a_call(const char *path, const char *policy)
{
    livetcp_config config = make_config(policy, 5);

    config.rtcp = LIVETCP_RTCP_OFF;
    config.feedback_us = 0;
    SimCall call(path, config, 1);
    call.world.run_for(1000000);
    call.stream(160, 20000, packets * 20000);
    call.world.run_for(1000000);
    CHECK(call.remote()->received.size() == packets);
    return call.caller.stats().sent.padding;
}

} // namespace

TEST_CASE("a packet alone on its connection is followed before it can be acknowledged")
{
    CHECK(tail_probes_of_a_call("delay=10ms", "shortest-queue") >= packets * 9 / 10);
}

TEST_CASE("nothing follows a packet that is known to be acknowledged")
{
    /* A tail probe goes after a millisecond at least; the round trip of a local network is shorter.
     */
    CHECK(tail_probes_of_a_call("delay=0.2ms", "shortest-queue") == 0);
    CHECK(tail_probes_of_a_call("delay=0.2ms", "auto") == 0);
}

TEST_CASE("where the next packet comes first, only one that is late is followed")
{
    CHECK(tail_probes_of_a_call("delay=100ms", "shortest-queue") <= packets / 50);
}

/* The hedge is due a round trip and 2 ms after its packet; a probe that leaves after a millisecond
 * is acknowledged before, and its acknowledgement covers the packet. */
TEST_CASE("a packet whose acknowledgement was lost is not sent again", "[long]")
{
    const livetcp_usec interval = 20000, begin = 22000000, end = begin + 60000000;
    size_t late = 0, all = 0;
    for (uint64_t seed = 1; seed <= 2; seed++) {
        livetcp_config config = make_config("auto", 8);
        config.redundancy_budget = 0.1;
        SimFlows flows(std::make_shared<SimRoad>("delay=20ms,loss=5%", seed), config, 5, seed);
        flows.road->world.run_until(2000000);
        flows.stream(1434, interval, end - 2000000);
        for (const auto &call : flows.calls) {
            livetcp_session_stats stats = call->caller.stats();
            CHECK(stats.losses.arrived_once > 100);
            CHECK(stats.losses.arrived_twice < stats.losses.arrived_once / 10);
        }
        flows.road->world.run_for(5000000);
        for (livetcp_usec delay : flows.delays(begin, end, interval)) {
            all++;
            late += delay > 20000 + 80000; /* two round trips */
        }
    }
    CHECK(static_cast<double>(late) < 0.001 * static_cast<double>(all));
}
