/* SPDX-License-Identifier: MIT */
/* Connections that a load balancer has put on a longer route than others are replaced. */
#include "catch.h"
#include "sim_course.h"
#include "sim_greedy.h"

#include <algorithm>

using namespace scenario;

namespace
{

constexpr livetcp_usec second = 1000000;

/* A session whose connections take routes of `ways`, ms one way, in turn. */
struct Routed {
    Routed(const std::vector<int> &ways, const char *rest, const livetcp_config &config,
           uint64_t seed)
    {
        auto spec = [rest](int way) { return "delay=" + std::to_string(way) + "ms" + rest; };
        road = std::make_shared<SimRoad>(spec(ways[0]).c_str(), seed);
        for (size_t i = 1; i < ways.size(); i++)
            road->add_route(spec(ways[i]).c_str(), seed + 50 * i);
        call = std::make_unique<SimCall>(road, config, seed);
        call->world.run_for(second);
    }

    /* Packets each 20 ms, from the end given, for this long. */
    void stream(SimSession &sender, livetcp_usec duration)
    {
        for (livetcp_usec end = call->world.now() + duration; call->world.now() < end;) {
            CHECK(sender.send(1, sequence++, Course::packet) == LIVETCP_OK);
            call->world.run_for(Course::interval);
        }
    }

    unsigned on_longer(double way_ms) const
    {
        unsigned count = 0;
        for (unsigned i = 0; i < 8; i++) {
            livetcp_connection_stats stats = call->caller.connection_stats(i);
            count += static_cast<double>(stats.path.min_rtt_us) / 1000 > 2 * way_ms + 2;
        }
        return count;
    }

    std::shared_ptr<SimRoad> road;
    std::unique_ptr<SimCall> call;
    uint16_t sequence = 0;
};

Delays drive_seeds(const Course &course, double budget)
{
    Delays all;
    for (uint64_t seed = 1; seed <= 4; seed++)
        all.add(drive(course, course_config("auto", 8, budget), seed));
    return all;
}

} // namespace

TEST_CASE("a longer route of half of the connections costs nothing at any budget", "[long]")
{
    for (double budget : {0.1, LIVETCP_REDUNDANCY_AUTO, 1.0}) {
        Delays alone = drive_seeds(Course("delay=30ms", "", 1), budget);
        for (int longer : {5, 12, 40}) {
            Course course("delay=30ms", "delay=" + std::to_string(30 + longer) + "ms", 1);
            Delays apart = drive_seeds(course, budget);
            INFO(longer << " ms, budget " << budget << ": p99 " << apart.quantile(0.99)
                        << ", on the same route " << alone.quantile(0.99));
            CHECK_FALSE(is_worse(apart, alone, alone, 0.99));
            CHECK(apart.quantile(0.95) < 30 + 2);
        }
    }
}

TEST_CASE(
    "all connections come to the shortest route, whoever sends, and nothing is lost or doubled")
{
    for (bool listener_sends : {false, true})
        for (uint64_t seed = 1; seed <= 6; seed++) {
            Routed routed({42, 30, 50}, ",loss=1%", make_config("auto", 8), seed);
            SimSession &sender = listener_sends ? *routed.call->remote() : routed.call->caller;
            SimSession &receiver = listener_sends ? routed.call->caller : *routed.call->remote();
            routed.stream(sender, 40 * second);
            routed.call->world.run_for(2 * second);
            livetcp_session_stats stats = routed.call->caller.stats();
            INFO("listener sends " << listener_sends << ", seed " << seed << ": " << stats.rerouted
                                   << " replaced");
            CHECK(routed.on_longer(30) <= 2); /* the reserve */
            CHECK(stats.rerouted >= 3);
            CHECK(stats.rerouted <= 40);
            CHECK(receiver.received.size() == 40 * 50);
            CHECK(receiver.stats().received.missing == 0);
        }
}

/* 1.5 s are longer than a repair of TCP's, and shorter than the peer's timeout. */
TEST_CASE("a reserve stays on a longer route, for the time when the shortest one fails")
{
    for (uint64_t seed = 1; seed <= 4; seed++) {
        Routed routed({30, 42}, "", make_config("auto", 8), seed);
        routed.stream(routed.call->caller, 20 * second);
        unsigned reserve = routed.on_longer(30);
        livetcp_usec cut = routed.call->world.now(), first = LIVETCP_NEVER;
        routed.road->path.forward.cut(true);
        routed.road->path.backward.cut(true);
        routed.stream(routed.call->caller, 3 * second / 2);
        for (const Received &packet : routed.call->remote()->received)
            if (packet.at > cut + 40000) /* what was under way has arrived */
                first = std::min(first, packet.at - cut);
        routed.road->path.forward.cut(false);
        routed.road->path.backward.cut(false);
        routed.stream(routed.call->caller, 5 * second);
        routed.call->world.run_for(5 * second);
        INFO("seed " << seed << ": " << reserve << " in reserve, again after "
                     << static_cast<double>(first) / 1000 << " ms");
        CHECK(reserve >= 1);
        CHECK(first < 500000);
        CHECK(routed.call->remote()->received.size() == (20 + 5) * 50 + 75);
    }
}

TEST_CASE("on one route no connection is replaced", "[long]")
{
    for (const char *path :
         {"delay=30ms,loss=1%", "delay=30ms,jitter=8ms,loss=3%", "delay=20ms,loss=2.4%,burst=3",
          "delay=30ms,rate=680kbit,queue=30kB", "delay=100ms,rate=1500kbit,queue=10kB,loss=1%"}) {
        uint64_t rerouted = 0;
        for (uint64_t seed = 1; seed <= 6; seed++) {
            SimCall call(path, make_config("auto", 8), seed);
            call.stream(Course::packet, Course::interval, 40 * second);
            rerouted += call.caller.stats().rerouted;
        }
        INFO(path << ": " << rerouted);
        CHECK(rerouted <= 6); /* a handshake that met media on a thin link, or jitter */
    }
}

TEST_CASE("a longer route that is needed is kept")
{
    auto road = std::make_shared<SimRoad>("delay=30ms,rate=2mbit,queue=20kB", 1);
    road->add_route("delay=50ms,rate=2mbit,queue=20kB", 2);
    SimCall call(road, make_config("shortest-queue", 8), 1);
    GreedySource greedy(call, 1400);
    call.world.run_for(30 * second);
    CHECK(call.caller.stats().rerouted == 0);
    greedy.stop();
    call.world.run_for(5 * second);
}

TEST_CASE("where no shorter route is to be had attempts become rare")
{
    /* One connection came by chance to a route that new ones do not get. */
    Routed routed({42, 42, 42, 42, 42, 42, 42, 42}, "", make_config("auto", 8), 1);
    routed.road->path.change("delay=30ms");
    routed.stream(routed.call->caller, 20 * second);
    uint64_t first = routed.call->caller.stats().rerouted;
    routed.stream(routed.call->caller, 60 * second);
    routed.call->world.run_for(second);
    INFO(first << ", " << routed.call->caller.stats().rerouted);
    CHECK(routed.call->caller.stats().rerouted - first < 3 * 7);
    CHECK(routed.call->remote()->received.size() == 80 * 50);
}

TEST_CASE("a session that is not to reconnect, or has fixed ports, keeps its connections")
{
    for (bool fixed : {false, true}) {
        livetcp_config config = make_config("auto", 8);
        config.auto_reconnect = fixed;
        config.local_port = fixed ? 5000 : 0;
        Routed routed({42, 30}, "", config, 1);
        routed.stream(routed.call->caller, 10 * second);
        INFO("fixed ports " << fixed);
        CHECK(routed.call->caller.stats().rerouted == 0);
        CHECK(routed.call->caller.stats().reconnects == 0);
    }
}
