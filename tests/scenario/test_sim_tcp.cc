/* SPDX-License-Identifier: MIT */
/* The TCP of virtual time beside the kernel's: the mean delay of a stream on one connection, as
 * `script/bench papers --row 'brosh-5*'` and, for CUBIC and BBR, `livetcp bench` measured it over
 * sockets of Linux 6.18 (docs/research/model.md, docs/research/congestion.md). */
#include "catch.h"
#include "sim_greedy.h"

#include <algorithm>
#include <deque>
#include <vector>

using namespace scenario;

namespace
{

/* The delay is that of the emulated path over sockets, 0.15 ms more than asked for: whether a
 * window is full when the next packet comes can depend on less. */
struct Measured {
    const char *path, *below;
    size_t size; /* on the wire, without TCP's and IP's headers */
    double excess_ms;
};

/* In ms, of all packets in the order of their arrival. */
std::vector<double> excesses(const Measured &of, uint64_t seed, double seconds, double interval)
{
    std::vector<double> excess;
    auto road = std::make_shared<SimRoad>(of.path, seed);
    road->path.congestion_control = of.below;
    lt_link_params back = road->path.backward.params();
    back.loss = 0;
    road->path.backward.set(back);
    SimTcp tcp(road->world, road->path.forward, road->path.backward, 1 << 22, of.below);
    std::vector<uint8_t> packet(of.size);
    std::deque<livetcp_usec> sent;
    size_t delivered = 0;
    tcp.on_data = [&](const SimTcp::Bytes &bytes) {
        for (delivered += bytes.size(); delivered >= of.size; delivered -= of.size) {
            livetcp_usec delay = road->world.now() - sent.front();
            excess.push_back(static_cast<double>(delay - link_params(of.path).delay) / 1e3);
            sent.pop_front();
        }
    };
    for (double at = 0; at < seconds; at += interval) {
        sent.push_back(road->world.now());
        tcp.write(packet.data(), packet.size());
        road->world.run_for(static_cast<livetcp_usec>(interval * 1e6));
    }
    road->world.run_for(20000000);
    road->world.clear();
    return excess;
}

double mean_excess_ms(const Measured &of, unsigned seeds, double seconds)
{
    double sum = 0, count = 0;
    for (uint64_t seed = 1; seed <= seeds; seed++)
        for (double excess : excesses(of, seed, seconds, 0.02)) {
            sum += excess;
            count++;
        }
    return sum / count;
}

} // namespace

TEST_CASE("a stream over the TCP of virtual time is as late as over the kernel's", "[long]")
{
    for (const Measured &of : {
             Measured{"delay=50.15ms,loss=1%", "reno", 174, 6.5},
             Measured{"delay=50.15ms,loss=2%", "reno", 174, 12.5},
             Measured{"delay=50.15ms,loss=5%", "reno", 174, 32.9},
             Measured{"delay=150.15ms,loss=0.5%", "reno", 174, 20.0},
             Measured{"delay=150.15ms,loss=1%", "reno", 174, 43.8},
             Measured{"delay=150.15ms,loss=2%", "reno", 174, 78.7},
             Measured{"delay=150.15ms,loss=5%", "reno", 174, 166.4},
             Measured{"delay=50.15ms,loss=1%", "reno", 1448, 24.2},
             Measured{"delay=50.15ms,loss=2%", "reno", 1448, 60.1},
             Measured{"delay=50.15ms,loss=3%", "reno", 1448, 164.1},
             Measured{"delay=50.15ms,loss=2%", "cubic", 1448, 114},
             Measured{"delay=50.15ms,loss=2%", "bbr", 1448, 11.1},
         }) {
        double excess = mean_excess_ms(of, 6, 300);
        INFO(of.path << ", " << of.below << ", " << of.size << " bytes: " << excess << ", measured "
                     << of.excess_ms);
        CHECK(excess > 0.75 * of.excess_ms);
        CHECK(excess < 1.3 * of.excess_ms);
    }
}

/* `livetcp bench --path delay=46ms,rate=15mbit,queue=174kB --path-back delay=46ms --size 1446
 * --interval 1ms --warmup 3s --duration 30s --seed 1 -p single:congestion-control=bbr` (and seed 2)
 * on Linux 6.18: 0.08 and 0.07 of the packets are late by more than 100 ms, by 507 and 493 at most,
 * all of them in the two seconds after a PROBE_RTT. */
TEST_CASE("BBR has its rate again after PROBE_RTT, as the kernel's has")
{
    Measured of = {"delay=46ms,jitter=0.5ms,rate=15mbit,queue=174kB", "bbr", 1446, 0};
    double worst = 0;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        std::vector<double> excess = excesses(of, seed, 33, 0.001);
        excess.erase(excess.begin(), excess.begin() + 3000);
        auto late = std::count_if(excess.begin(), excess.end(), [](double ms) { return ms > 100; });
        worst = std::max(worst, *std::max_element(excess.begin(), excess.end()));
        INFO("seed " << seed);
        CHECK(late < 3000);
    }
    CHECK(worst > 350);
    CHECK(worst < 650);
}

/* `livetcp bench -t socket:congestion-control=cubic --greedy --sysctl net.ipv4.tcp_ecn=1 --path
 * delay=30ms,rate=5mbit,queue=100kB,aqm=codel,ecn=classic --path-back delay=30ms --warmup 5s
 * --duration 30s` on Linux 6.18, and the same with reno: nothing is lost, and 36 to 39 packets of
 * 35 s are marked. */
TEST_CASE("a queue's marks slow TCP down as they do the kernel's, and nothing is lost")
{
    struct {
        const char *below;
        double mbit, marks;
    } measured[] = {{"cubic", 4.57, 39}, {"reno", 4.06, 36}};

    for (const auto &of : measured) {
        SimRoad road("delay=30ms,rate=5mbit,queue=100kB,aqm=codel,ecn=classic", 1);
        GreedyTcp tcp(road.world, road.path, of.below);
        road.world.run_for(5000000);
        double before = static_cast<double>(tcp.delivered);
        road.world.run_for(30000000);
        double mbit = (static_cast<double>(tcp.delivered) - before) * 8 / 30e6;
        lt_link_counters counters = road.path.forward.counters();
        INFO(of.below << ": " << mbit << " Mbit/s, " << counters.marked << " marks");
        CHECK(mbit == Approx(of.mbit).epsilon(0.03));
        CHECK(static_cast<double>(counters.marked) == Approx(of.marks).epsilon(0.3));
        CHECK(counters.dropped_aqm == 0);
        road.world.clear();
    }
}
