/* SPDX-License-Identifier: MIT */
/* Copies of a packet on a path whose losses come in bursts, five sessions side by side. */
#include "catch.h"

#include "sim_flows.h"

#include <algorithm>

using namespace scenario;

namespace
{

constexpr livetcp_usec ms = 1000, second = 1000000;
constexpr livetcp_usec interval = 20 * ms;

struct Result {
    std::vector<livetcp_usec> delays;
    livetcp_session_stats stats; /* of the last session */
    double cost;

    /* Share of the packets with a longer delay. */
    double later(livetcp_usec delay) const
    {
        auto late =
            std::count_if(delays.begin(), delays.end(), [&](livetcp_usec d) { return d > delay; });
        return static_cast<double>(late) / static_cast<double>(delays.size());
    }
};

Result measure(const char *path, const char *policy, livetcp_usec spacing, livetcp_usec length,
               uint64_t seed = 1, unsigned connections = 12,
               double budget = LIVETCP_REDUNDANCY_AUTO)
{
    auto road = std::make_shared<SimRoad>(path, seed);
    lt_link_params back = link_params(path);
    livetcp_config config = make_config(policy, connections);
    back.loss = 0;
    road->path.backward.set(back);
    config.copy_spacing_us = spacing;
    config.redundancy_budget = budget;
    SimFlows flows(road, config, 5, seed);
    road->world.run_for(2 * second);
    livetcp_usec begin = road->world.now();
    flows.stream(1434, interval, 20 * second + length); /* and learn */
    Result result = {{}, flows.calls.back()->caller.stats(), 0};
    result.cost = static_cast<double>(result.stats.sent.bytes) /
                  static_cast<double>(result.stats.sent.accepted_bytes);
    road->world.run_for(5 * second);
    result.delays = flows.delays(begin + 20 * second, begin + 20 * second + length, interval);
    return result;
}

} // namespace

TEST_CASE("copies are spread over bursts of losses, at the same bytes", "[long]")
{
    const char *path = "delay=30ms,loss=2.4%,burst=3";
    const char *policy = "duplicate";
    Result together = measure(path, policy, 0, 60 * second);
    Result spread = measure(path, policy, LIVETCP_COPY_SPACING_AUTO, 60 * second);

    CAPTURE(policy, spread.stats.losses.ratio, spread.stats.losses.joint_ratio,
            spread.stats.losses.burst_us, spread.stats.losses.copy_spacing_us);
    CHECK(together.later(61 * ms) > 0.01); /* both copies died together */
    CHECK(spread.later(61 * ms) < 0.25 * together.later(61 * ms));
    CHECK(spread.later(61 * ms) < 0.003);
    CHECK(spread.cost < together.cost + 0.03);
    CHECK(spread.stats.losses.burst_us > ms);
    CHECK(spread.stats.losses.joint_ratio > 2 * spread.stats.losses.ratio);
    CHECK(spread.stats.losses.copy_spacing_us > 5 * ms);
    CHECK(spread.stats.losses.copy_spacing_us <= 28 * ms); /* half a round trip, less 2 ms */
    CHECK(spread.stats.losses.arrived_once > 0);
    CHECK(together.stats.losses.copy_spacing_us == 0);
}

/* Both copies are lost in 0.07 % at least: docs/research/groups.md. 24 seeds have 0.10 and 0.12 %.
 */
TEST_CASE("auto with a budget of one copy has hardly a packet later than bursts explain", "[long]")
{
    struct {
        const char *path;
        livetcp_usec bound; /* L + 30 ms; L, a round trip and 30 ms */
    } const cases[] = {{"delay=30ms,loss=2.4%,burst=3", 60 * ms},
                       {"delay=30ms,loss=2.4%,burst=10", 120 * ms}};
    for (const auto &c : cases) {
        double later = 0;
        for (uint64_t seed = 1; seed <= 6; seed++) {
            Result result =
                measure(c.path, "auto", LIVETCP_COPY_SPACING_AUTO, 100 * second, seed, 8, 1);
            CHECK(result.cost < 2.05);
            later += result.later(c.bound) / 6;
        }
        CAPTURE(c.path, later);
        CHECK(later < 0.0014);
    }
}

TEST_CASE("longer bursts leave no packet waiting for more than a round trip and a half", "[long]")
{
    const char *path = "delay=30ms,loss=2.4%,burst=10";
    Result together = measure(path, "duplicate", 0, 60 * second);
    Result spread = measure(path, "duplicate", LIVETCP_COPY_SPACING_AUTO, 60 * second);

    CHECK(spread.later(121 * ms) < 0.002);
    CHECK(spread.later(91 * ms) < 0.6 * together.later(91 * ms));
}

TEST_CASE("copies against losses that come one by one leave together")
{
    Result result =
        measure("delay=30ms,loss=2%", "duplicate", LIVETCP_COPY_SPACING_AUTO, 60 * second);

    CHECK(result.stats.losses.copy_spacing_us == 0);
    CHECK(result.stats.losses.burst_us == 0);
    CHECK(result.stats.losses.joint_ratio == result.stats.losses.ratio);
    CHECK(result.stats.losses.ratio == Approx(0.02).margin(0.015));
    CHECK(result.stats.losses.copies_dropped == 0);
    CHECK(result.later(31 * ms) < 0.002);
}

TEST_CASE("copies wait for as long as copy-spacing says, and those acknowledged before are dropped")
{
    livetcp_config config = make_config("duplicate", 5);
    config.copy_spacing_us = 25 * ms;
    SimCall slow("delay=30ms", config, 1);
    slow.world.run_for(2 * second);
    slow.stream(1000, interval, 2 * second);
    slow.world.run_for(second);
    livetcp_session_stats stats = slow.caller.stats();
    CHECK(stats.losses.copy_spacing_us == 25 * ms);
    CHECK(stats.sent.copies == stats.sent.accepted);
    CHECK(stats.losses.copies_dropped == 0);
    CHECK(slow.remote()->stats().received.duplicates == stats.sent.accepted);
    CHECK(slow.remote()->stats().peer.copy_spacing_us == 25 * ms);

    SimCall quick("delay=5ms", config, 1); /* acknowledged after 10 ms */
    quick.world.run_for(2 * second);
    quick.stream(1000, interval, 2 * second);
    quick.world.run_for(second);
    stats = quick.caller.stats();
    CHECK(stats.sent.copies == 0);
    CHECK(stats.losses.copies_dropped == stats.sent.accepted);
    CHECK(quick.remote()->stats().received.packets == stats.sent.accepted);
}

TEST_CASE("a session that ends sends the copies that wait, and does not wait for them")
{
    livetcp_config config = make_config("duplicate", 5);
    config.copy_spacing_us = 900 * ms;
    SimCall call("delay=30ms", config, 1);
    call.world.run_for(2 * second);
    call.caller.send(1, 1, 1000);
    call.world.run_for(ms);
    CHECK(call.caller.stats().sent.copies == 0);
    call.caller.close(5 * second);
    call.world.run_for(200 * ms);
    CHECK(call.caller.state() == LIVETCP_SESSION_CLOSED);
    CHECK(call.caller.stats().sent.copies == 1);
    REQUIRE(call.remote());
    CHECK(call.remote()->stats().received.packets == 1);
}

TEST_CASE("the shares of protection reach the peer")
{
    SimCall call("delay=30ms", make_config("hedge", 5), 1);
    call.world.run_for(2 * second);
    call.stream(172, interval, 4 * second);
    livetcp_session_stats stats = call.remote()->stats();
    CHECK(stats.peer.protection_shares[1] == 1);
    CHECK(stats.peer.protection_shares[0] + stats.peer.protection_shares[2] +
              stats.peer.protection_shares[3] ==
          0);
}
