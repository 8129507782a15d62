/* SPDX-License-Identifier: MIT */
/* One session is one flow to the network: how much it has in flight, and what an encoder that
 * follows the estimate meets. congestion-table shows the figures behind these bounds. */
#include "catch.h"
#include "sim_dice.h"
#include "sim_video.h"

using namespace scenario;

namespace
{

constexpr livetcp_usec second = 1000000, ms = 1000;

struct Scheme {
    const char *policy;
    unsigned connections;
};
const Scheme schemes[] = {{"single", 1}, {"auto", 8}};

/* Of five times the mean, each two seconds. */
void with_key_frames(Video &video)
{
    video.key = 5;
    video.every = 50;
}

} // namespace

TEST_CASE("an encoder that follows fills a thin path and meets hardly a queue, from the start",
          "[long]")
{
    struct Path {
        const char *spec;
        double link, first, floor_ms;    /* one way and the time that a frame takes */
        double p95_ms, p99_ms, start_ms; /* above it; a round trip of 200 ms teaches slowly, and a
                                            lost packet costs a repair */
    };
    const Path paths[] = {{"delay=30ms,rate=1mbit,queue=40kB", 1e6, 1.5e6, 75, 35, 60, 155},
                          {"delay=30ms,rate=1mbit,queue=40kB", 1e6, 0.3e6, 75, 35, 60, 155},
                          {"delay=10ms,rate=1mbit,queue=20kB", 1e6, 1.5e6, 55, 35, 60, 155},
                          {"delay=100ms,rate=1mbit,queue=40kB", 1e6, 1.5e6, 145, 75, 185, 650},
                          {"delay=30ms,rate=5mbit,queue=40kB", 5e6, 1.5e6, 75, 35, 65, 195}};
    unsigned repaired = 0; /* runs in which a loss delays more than one packet in a hundred */
    for (const Scheme &scheme : schemes)
        for (const Path &path : paths)
            for (uint64_t seed = 1; seed <= 3; seed++) {
                Alone at(path.spec, make_config(scheme.policy, scheme.connections), path.first,
                         true, seed);
                at.run(40);
                livetcp_usec settled = at.begin + 4 * second, end = at.begin + 39 * second;
                double used = at.video.throughput(settled, end) / path.link;
                double p95 = at.video.delay(.95, settled, end);
                double p99 = at.video.delay(.99, settled, end);
                double start = at.video.delay(1, at.begin, at.begin + 3 * second);
                INFO(scheme.policy << " on " << path.spec << " from " << path.first / 1e3
                                   << " kbit/s, seed " << seed << ": uses " << used << ", p95 "
                                   << p95 << ", p99 " << p99 << ", first 3 s at most " << start);
                CHECK(used > 0.88);
                CHECK(p95 < path.floor_ms + path.p95_ms);
                repaired += p99 >= path.floor_ms + path.p99_ms;
                CHECK(repaired <= 1);
                CHECK(start < path.floor_ms + path.start_ms);
            }
}

/* A key frame of five times the mean takes 0.3 s on the link. Eight initial windows took it at
 * once, the buffer lost most of it, and the encoder was told more than it sent: up to 2.4 s. */
TEST_CASE("a session begins with a key frame, and its first second is soon over")
{
    for (const char *path :
         {"delay=10ms,rate=1mbit,queue=9kB", "delay=30ms,rate=1mbit,queue=9kB",
          "delay=30ms,rate=1mbit,queue=30kB", "delay=100ms,rate=1mbit,queue=25kB"})
        for (const char *below : {"reno", "cubic", "bbr"})
            for (uint64_t seed = 1; seed <= 3; seed++) {
                Alone at(path, make_config("auto", 8), 1500e3, true, seed, below, with_key_frames);
                at.run(4);
                double first = at.video.delay(1, at.begin, at.begin + 2 * second);
                INFO(path << " over " << below << ", seed " << seed << ": " << first);
                CHECK(first < 800);
            }
}

/* Each key frame makes a queue of 0.2 s. An estimate that fell to drain it at once, although the
 * frames after it are smaller, left 0.76 to 0.87 of the link to an encoder that was told half of
 * its rate every other second. */
TEST_CASE("what an encoder is told hardly falls for a key frame", "[long]")
{
    struct Path {
        const char *spec;
        double rate;
    };
    for (const Path &path : {Path{"delay=10ms,rate=1mbit,queue=30kB", 1e6},
                             {"delay=30ms,rate=1mbit,queue=30kB", 1e6},
                             {"delay=30ms,rate=5mbit,queue=75kB", 5e6}})
        for (const Scheme &scheme : schemes)
            for (uint64_t seed = 1; seed <= 3; seed++) {
                Alone at(path.spec, make_config(scheme.policy, scheme.connections), 0.8 * path.rate,
                         true, seed, "cubic", with_key_frames);
                at.run(40);
                livetcp_usec from = at.begin + 10 * second;
                double least = HUGE_VAL;
                double used = at.video.throughput(from, from + 30 * second) / path.rate;
                for (const Told &told : at.video.told)
                    if (told.at >= from)
                        least = std::min(least, told.rate / path.rate);
                INFO(path.spec << ", " << scheme.policy << ", seed " << seed << ": least " << least
                               << ", used " << used);
                CHECK(least > 0.57);
                CHECK(used > 0.8);
            }
}

/* The path was known, and is not any more: eight windows took the key frame at once, and the buffer
 * lost up to 91 of its packets. */
TEST_CASE("video that is switched on again begins as one flow, beside speech")
{
    for (const char *path : {"delay=10ms,rate=1mbit,queue=9kB", "delay=30ms,rate=1mbit,queue=9kB",
                             "delay=100ms,rate=1mbit,queue=12500B"})
        for (double seconds : {10.0, 60.0}) {
            Alone at(path, make_config("auto", 8), 1e6, true, 1, "cubic", with_key_frames);
            at.video.talk();
            at.run(12);
            at.video.pause();
            at.run(seconds);
            uint64_t before = at.road->path.forward.counters().dropped_queue;
            livetcp_usec again = at.road->world.now();
            at.video.resume();
            at.run(3);
            uint64_t lost = at.road->path.forward.counters().dropped_queue - before;
            double most = at.video.delay(1, again, again + 2 * second);
            INFO(path << " after " << seconds << " s: " << lost << " lost, " << most << " ms");
            CHECK(lost < 20);
            CHECK(most < 1000);
        }
}

/* Each message on idle connections counted as a stall of the whole pause, and lowered the estimate
 * to less than a half. */
TEST_CASE("an estimate does not fall while nothing is sent")
{
    for (const Scheme &scheme : schemes)
        for (livetcp_usec pause : {3 * second, 20 * second}) {
            Alone at("delay=30ms,rate=1mbit,queue=40kB",
                     make_config(scheme.policy, scheme.connections), 900e3, true, 1);
            at.run(12);
            at.video.pause();
            at.run(0.2);
            double before = at.video.rate;
            at.run(static_cast<double>(pause) / 1e6);
            INFO(scheme.policy << ", " << pause / second << " s: " << before << " and "
                               << at.video.rate);
            CHECK(before > 0.8e6);
            CHECK(at.video.rate > 0.9 * before);
        }
}

/* TCP sends ten segments in the first round trip, and twice as many in each later one. What waited
 * for these windows counted as the link's queue, and what got through as its rate: the encoder was
 * told 0.2 to 0.9 of 20 Mbit/s, and it took up to eight seconds until it had them. */
TEST_CASE("windows that open are not taken for the rate of a long path", "[long]")
{
    for (const char *below : {"reno", "cubic", "bbr"})
        for (const Scheme &scheme : schemes)
            for (double first : {6e6, 30e6})
                for (uint64_t seed = 1; seed <= 2; seed++) {
                    Alone at("delay=100ms,rate=20mbit,queue=500kB",
                             make_config(scheme.policy, scheme.connections), first, true, seed,
                             below);
                    at.run(7);
                    double told = at.video.throughput(at.begin + second, at.begin + 2 * second);
                    double used = at.video.throughput(at.begin + 4 * second, at.begin + 6 * second);
                    INFO(scheme.policy << " over " << below << " from " << first / 1e6
                                       << " Mbit/s, seed " << seed << ": " << told << " and "
                                       << used << " bit/s");
                    CHECK(told > 1e6);
                    CHECK(used > 0.8 * 20e6);
                }
}

/* A buffer of four packets is shorter than a frame, so that repairs are lost, too, and TCP's timer
 * doubles each time. One packet was 15 s late while all others came within 0.2 s. */
TEST_CASE("no packet waits for many timeouts while other connections carry what follows", "[long]")
{
    double latest = 0;
    for (const char *below : {"reno", "cubic", "bbr"})
        for (double first : {1.5e6, 7.5e6})
            for (uint64_t seed = 1; seed <= 4; seed++) {
                Alone at("delay=10ms,rate=5mbit,queue=6250B", make_config("auto", 8), first, true,
                         seed, below);
                at.run(12);
                double late = at.video.delay(1, at.begin, at.begin + 6 * second);
                INFO("over " << below << " from " << first / 1e6 << " Mbit/s, seed " << seed << ": "
                             << late << " ms");
                CHECK(late < 2500);
                latest += late / 24;
            }
    INFO("mean of the latest " << latest);
    CHECK(latest < 1000);
}

/* On the way back to the path's rate the encoder was told as soon as the change was large enough to
 * be told, and stayed below that rate by nearly as much as the next change takes. */
TEST_CASE("an encoder is told the rate of the path again when its queue is gone", "[long]")
{
    double sum = 0;
    unsigned count = 0;
    for (const char *path :
         {"delay=100ms,rate=1mbit,queue=25kB", "delay=35ms,rate=532kbit,queue=9kB",
          "delay=80ms,rate=956kbit,queue=9kB"})
        for (uint64_t seed = 1; seed <= 6; seed++) {
            Alone at(path, make_config("auto", 8), 1.5e6, true, seed);
            at.run(26);
            double link = static_cast<double>(link_params(path).rate);
            sum += at.video.throughput(at.begin + 3 * second, at.begin + 25 * second) / link;
            count++;
        }
    INFO("share " << sum / count);
    CHECK(sum / count > 0.902);
}

TEST_CASE("padding shows an encoder what a path carries, and costs its packets nothing", "[long]")
{
    struct Path {
        const char *spec;
        double link, oneway_ms;
    };
    const Path paths[] = {{"delay=30ms,rate=1mbit,queue=40kB", 1e6, 30},
                          {"delay=30ms,rate=5mbit,queue=40kB", 5e6, 30},
                          {"delay=10ms,rate=20mbit,queue=100kB", 20e6, 10},
                          {"delay=100ms,rate=1mbit,queue=25kB", 1e6, 100}};
    uint64_t padding = 0;
    for (const Scheme &scheme : schemes)
        for (const Path &path : paths) {
            double sum = 0;
            for (uint64_t seed = 1; seed <= 3; seed++) {
                Alone at(path.spec, make_config(scheme.policy, scheme.connections), 0.3 * path.link,
                         true, seed);
                at.run(7);
                double used = at.video.throughput(at.begin + 4 * second, at.begin + 6 * second);
                double most = at.video.delay(1, at.begin, at.begin + 6 * second);
                INFO(scheme.policy << " on " << path.spec << ", seed " << seed << ": uses "
                                   << used / path.link << " from 4 to 6 s, at most " << most);
                CHECK(used > 0.7 * path.link);
                sum += used;
                CHECK(most < path.oneway_ms + 240); /* with the repair of a loss */
                padding += at.stats().sent.padding;
            }
            INFO(scheme.policy << " on " << path.spec << ": uses " << sum / 3 / path.link);
            CHECK(sum / 3 > 0.8 * path.link);
        }
    CHECK(padding > 0);
}

TEST_CASE("a source that does not follow the estimate pays for no probe")
{
    for (const Scheme &scheme : schemes)
        for (double rate : {150e3, 600e3}) {
            livetcp_config config = make_config(scheme.policy, scheme.connections);
            config.tail_probes = false;
            config.idle_packets = 0;
            Alone at("delay=30ms,rate=2mbit,queue=40kB", config, rate, false, 1);
            at.run(20);
            INFO(scheme.policy << " at " << rate / 1e3 << " kbit/s");
            CHECK(at.stats().sent.padding == 0);
        }
}

TEST_CASE("under overload what comes through keeps the deadline, and fills the path", "[long]")
{
    for (const Scheme &scheme : schemes)
        for (double rate : {2.9e6, 1.9e6})
            for (uint64_t seed = 1; seed <= 3; seed++) {
                livetcp_config config = make_config(scheme.policy, scheme.connections);
                config.max_send_delay_us = 400 * ms;
                Alone at("delay=30ms,rate=1500kbit,queue=40kB", config, rate, false, seed);
                at.run(30);
                livetcp_usec end = at.begin + 29 * second;
                double used = at.video.throughput(at.begin + second, end) / 1.5e6;
                double p99 = at.video.delay(.99, at.begin + second, end);
                double most = at.video.delay(1, at.begin, end);
                INFO(scheme.policy << " " << rate / 1e6 << " Mbit/s, seed " << seed << ": uses "
                                   << used << ", p99 " << p99 << ", at most " << most);
                CHECK(used > 0.92);
                CHECK(p99 < 400 + 80);
                CHECK(most < 400 + 60); /* 483 while the first packets overran the buffer */
                CHECK(at.stats().dropped.late > 0);
                CHECK(at.stats().sent.congestion == LIVETCP_CONGESTION_ALONE);
                CHECK(at.stats().sent.window_bytes > 0);
                CHECK(at.stats().sent.window_bytes < 50000);
            }
}

/* Of 6 kB. */
TEST_CASE("a buffer that is shorter than our own queue overflows little, and a lossy path is used")
{
    struct {
        const char *path;
        double rate, most_dropped, p99, share;
    } cases[] = {
        {"delay=16ms,rate=925kbit,queue=6kB", 925e3, 100, 250,
         0.8}, /* were 139 to 147, 289 to 400 */
        /* losses that a shorter queue does not end */
        {"delay=16ms,rate=1500kbit,queue=60kB,loss=4%", 1500e3, 5, 400, 0.7},
    };
    for (const auto &c : cases)
        for (uint64_t seed = 1; seed <= 3; seed++) {
            Alone at(c.path, make_config("auto", 8), c.rate, true, seed, "cubic", with_key_frames);
            at.run(26);
            livetcp_usec from = at.begin + 3 * second, to = at.begin + 25 * second;
            double p99 = at.video.delay(.99, from, to);
            double used = at.video.throughput(from, to) / c.rate;
            auto dropped = static_cast<double>(at.video.call.path.forward.counters().dropped_queue);
            INFO(c.path << ", seed " << seed << ": p99 " << p99 << ", dropped " << dropped
                        << ", uses " << used);
            CHECK(p99 < c.p99);
            CHECK(dropped < c.most_dropped);
            CHECK(used > c.share);
        }
}

/* The first packets wait for the initial window. That has shown nothing of the path yet, and all
 * that eight connections' own windows let through would stand in its buffer. */
TEST_CASE("an overload from the first packet keeps the deadline on a long path")
{
    for (const char *below : {"reno", "cubic"})
        for (double times : {1.3, 1.9})
            for (uint64_t seed = 1; seed <= 3; seed++) {
                livetcp_config config = make_config("auto", 8);
                config.max_send_delay_us = 400 * ms;
                Alone at("delay=100ms,rate=1500kbit,queue=37500B", config, times * 1.5e6, false,
                         seed, below);
                at.video.talk();
                at.run(6);
                double most = at.video.delay(1, at.begin, at.begin + 5 * second);
                INFO(below << ", " << times << " times the rate, seed " << seed << ": at most "
                           << most);
                CHECK(most < 400 + 200); /* 787 to 1064 when what waited ended the initial window */
            }
}

/* The queue of an overload always stands: the minimum of the last ten seconds is part of it. */
TEST_CASE("the queue of a long overload does not become the round trip of the path", "[long]")
{
    std::vector<Played> speech;
    for (const char *below : {"reno", "cubic"})
        for (uint64_t seed = 1; seed <= 3; seed++) {
            livetcp_config config = make_config("auto", 8);
            config.max_send_delay_us = 400 * ms;
            Alone at("delay=10ms,rate=1500kbit,queue=9kB", config, 1.9e6, false, seed, below);
            at.video.talk();
            at.run(15);
            livetcp_usec from = at.road->world.now();
            at.run(25);
            for (const Played &packet : at.video.heard)
                if (packet.sent >= from)
                    speech.push_back(packet);
        }
    double p99 = Video::delays_of(speech, {.99}, 0, INT64_MAX)[0];
    INFO("speech p99 " << p99);
    CHECK(p99 < 80); /* 103 */
}

TEST_CASE("a route that becomes longer is not taken for a queue for long", "[long]")
{
    struct Step {
        const char *before, *after;
        double link, floor_ms;
    };
    const Step steps[] = {
        {"delay=30ms,rate=1mbit,queue=40kB", "delay=170ms,rate=1mbit,queue=40kB", 1e6, 215},
        {"delay=30ms,rate=5mbit,queue=80kB", "delay=90ms,rate=5mbit,queue=80kB", 5e6, 135}};
    unsigned late = 0; /* one run in a hundred is late for a second */
    for (const Scheme &scheme : schemes)
        for (const Step &step : steps)
            for (uint64_t seed = 1; seed <= 3; seed++) {
                Alone at(step.before, make_config(scheme.policy, scheme.connections),
                         0.9 * step.link, true, seed);
                at.run(15);
                at.road->path.forward.set(link_params(step.after));
                at.run(25);
                livetcp_usec from = at.begin + 20 * second, end = at.begin + 39 * second;
                double used = at.video.throughput(from, end) / step.link;
                double p95 = at.video.delay(.95, from, end);
                INFO(scheme.policy << " to " << step.after << ", seed " << seed << ": uses " << used
                                   << ", p95 " << p95);
                CHECK(used > 0.8);
                late += p95 >= step.floor_ms + 90;
                CHECK(late <= 1);
            }
}

TEST_CASE("min-bitrate above what the path carries is said once, with both numbers")
{
    for (const Scheme &scheme : schemes)
        for (uint32_t min : {2000000u, 300000u}) {
            livetcp_config config = make_config(scheme.policy, scheme.connections);
            config.min_bitrate = min;
            config.max_send_delay_us = 400 * ms;
            Alone at("delay=30ms,rate=1mbit,queue=40kB", config, 1.5e6, true, 1);
            at.run(30);
            std::vector<livetcp_engine_event> told;
            for (const livetcp_engine_event &event : at.video.call.caller.events)
                if (event.type == LIVETCP_ENGINE_WARNING && event.reason == LIVETCP_ERR_TOO_SLOW)
                    told.push_back(event);
            INFO(scheme.policy << ", min-bitrate " << min);
            REQUIRE(told.size() == (min > 1000000 ? 1 : 0));
            if (told.empty())
                continue;
            CHECK(told[0].min_bitrate == min);
            CHECK(told[0].bitrate > 800000);
            CHECK(told[0].bitrate < 1000000);
            CHECK(at.stats().dropped.late > 0); /* and the session goes on */
            CHECK(at.video.throughput(at.begin + 5 * second, at.begin + 29 * second) > 0.9e6);
            CHECK(at.video.delay(1, at.begin + 3 * second, at.begin + 29 * second) < 400 + 200);
        }
}

/* Bit/s of an encoder that joins a transfer, from ten seconds on, and the p95 of its delay in ms;
 * and the same from the fifth second after the transfer has ended, if it does. */
struct Beside {
    double rate, p95, after, p95_after;
};

static Beside join_transfer(const std::string &path, const char *below, const char *other,
                            const Scheme &scheme, double rate, unsigned seconds, uint64_t seed,
                            bool ends = false)
{
    auto road = std::make_shared<SimRoad>(path.c_str(), seed);
    road->path.congestion_control = below;
    Video video(road, make_config(scheme.policy, scheme.connections), rate, true, seed);
    auto transfer = std::make_unique<GreedyTcp>(road->world, road->path, other);
    road->world.run_for(5 * second);
    livetcp_usec from = road->world.now() + 10 * second;
    video.start();
    road->world.run_for(seconds * second);
    livetcp_usec gone = road->world.now(), to = gone - second;
    Beside result = {video.throughput(from, to), video.delay(.95, from, to), 0, 0};
    transfer.reset();
    if (ends) {
        road->world.run_for(14 * second);
        result.after = video.throughput(gone + 5 * second, gone + 13 * second);
        result.p95_after = video.delay(.95, gone + 5 * second, gone + 13 * second);
    }
    road->world.clear();
    return result;
}

/* The same beside each of these transfers, over each congestion control, for seeds from 1 on. */
static std::vector<Beside> join_each(const std::string &path,
                                     std::initializer_list<const char *> others,
                                     const Scheme &scheme, double rate, unsigned seconds,
                                     uint64_t seeds, bool ends = false)
{
    std::vector<Beside> runs;
    for (const char *other : others)
        for (const char *below : {"reno", "cubic", "bbr"})
            for (uint64_t seed = 1; seed <= seeds; seed++) {
                Beside has = join_transfer(path, below, other, scheme, rate, seconds, seed, ends);
                UNSCOPED_INFO(other << " over " << below << ", seed " << seed << ": " << has.rate
                                    << " bit/s, then " << has.after << " bit/s and "
                                    << has.p95_after << " ms");
                runs.push_back(has);
            }
    return runs;
}

TEST_CASE("beside a file transfer a session takes a share of one flow, and yields no more",
          "[long]")
{
    for (const Scheme &scheme : schemes) {
        double least = 1, most = 0, mean = 0;
        for (uint64_t seed = 1; seed <= 9; seed++) {
            double share = join_transfer("delay=30ms,rate=1mbit,queue=40kB", "reno", "reno", scheme,
                                         1.5e6, 60, seed)
                               .rate /
                           1e6;
            least = std::min(least, share);
            most = std::max(most, share);
            mean += share / 9;
        }
        INFO(scheme.policy << ": " << least << " to " << most << " of the path, mean " << mean);
        CHECK(least > 0.15);
        CHECK(mean > 0.3);
        CHECK(most < 0.75);
    }
}

/* BBR keeps a queue of a round trip, which may be shorter than our own and never overflows. */
TEST_CASE("beside BBR in a long buffer a session has its share", "[long]")
{
    /* Of 72 runs 11 have less than 0.7, and the least 0.31. */
    double sum = 0;
    unsigned low = 0;
    for (const char *below : {"reno", "cubic", "bbr"})
        for (uint64_t seed = 1; seed <= 3; seed++) {
            double share = join_transfer("delay=30ms,rate=5mbit,queue=150kB", below, "bbr",
                                         {"auto", 8}, 2.5e6, 40, seed)
                               .rate /
                           2.5e6;
            INFO("over " << below << ", seed " << seed << ": " << share << " of a fair share");
            sum += share;
            low += share < 0.7;
            CHECK(share > 0.3);
            CHECK(low <= 2);
        }
    CHECK(sum / 9 > 0.9);
}

/* The queue of BBR was taken for that of one connection, which had 0.14 to 0.35 of a fair share. */
TEST_CASE("beside BBR in a long buffer one connection is not taken for the owner of the queue",
          "[long]")
{
    struct Path {
        const char *spec;
        double fair;
    };
    for (const Path &path : {Path{"delay=10ms,rate=5mbit,queue=50kB", 2.5e6},
                             Path{"delay=30ms,rate=1mbit,queue=30kB", 0.5e6}}) {
        double sum = 0;
        for (const char *below : {"reno", "cubic", "bbr"})
            for (uint64_t seed = 1; seed <= 3; seed++) {
                double share =
                    join_transfer(path.spec, below, "bbr", {"single", 1}, path.fair, 40, seed)
                        .rate /
                    path.fair;
                UNSCOPED_INFO("over " << below << ", seed " << seed << ": " << share);
                sum += share / 9;
            }
        INFO(path.spec << ": " << sum << " of a fair share");
        CHECK(sum > 0.5);
    }
}

TEST_CASE("a transfer that keeps a short queue takes no more than its share", "[long]")
{
    /* Its sawtooth is within 60 ms, and its trough is what a session would allow itself. Four of
     * 16 runs have 0.17 to 0.29, the others more. */
    unsigned low = 0;
    for (const char *other : {"reno", "cubic"})
        for (uint64_t seed = 1; seed <= 2; seed++) {
            auto road = std::make_shared<SimRoad>("delay=30ms,rate=5mbit,queue=37500B", seed);
            road->path.congestion_control = "cubic";
            Video video(road, make_config("auto", 8), 2.5e6, true, seed);
            road->world.run_for(second);
            video.start();
            road->world.run_for(10 * second);
            GreedyTcp transfer(road->world, road->path, other);
            livetcp_usec begin = road->world.now();
            road->world.run_for(40 * second);
            double share = video.throughput(begin + 10 * second, begin + 39 * second) / 5e6;
            INFO(other << ", seed " << seed << ": " << share << " of the path");
            low += share < 0.3;
            CHECK(low <= 1);
            CHECK(share > 0.15);
            CHECK(share < 0.65);
            road->world.clear();
        }
}

TEST_CASE("beside a transfer packets wait little in the send queue", "[long]")
{
    /* Of one and four bandwidth-delay products. The mean, as losses make single ones differ. */
    double above = 0;
    for (double full_ms : {60.0, 240.0})
        for (const char *other : {"reno", "cubic"})
            for (uint64_t seed = 1; seed <= 2; seed++) {
                std::string path = "delay=30ms,rate=5mbit,queue=" +
                                   std::to_string(static_cast<int>(full_ms * 625)) + "B";
                double p95 = join_transfer(path, "cubic", other, {"auto", 8}, 2.5e6, 50, seed).p95;
                above += (p95 - 30 - full_ms) / 8;
            }
    INFO(above << " ms above the path and a full queue");
    CHECK(above < 50);
}

/* Windows of BBR hold more than the path; no floor of the share may follow them. */
TEST_CASE("over BBR a session beside a transfer in a short buffer takes a share of the path",
          "[long]")
{
    double share = 0, late = 0;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        Beside has = join_transfer("delay=30ms,rate=1mbit,queue=9kB", "bbr", "reno", {"auto", 8},
                                   500e3, 50, seed);
        share += has.rate / 0.5e6 / 6;
        late += has.p95 / 6;
    }
    INFO("share " << share << " of a fair one, p95 " << late);
    CHECK(share > 0.6);
    CHECK(share < 1.3);
    CHECK(late < 300);
}

TEST_CASE("when the file transfer has gone the queue is kept short again", "[long]")
{
    /* One connection cannot always tell its own queue from that of the other flow: 7 of 48 runs. Of
     * eight connections, 1 of 72 runs takes a share of its own queue for twenty seconds. */
    for (const Scheme &scheme : schemes) {
        unsigned failed = 0, seeds = scheme.connections > 1 ? 12 : 24;
        for (uint64_t seed = 1; seed <= seeds; seed++) {
            auto road = std::make_shared<SimRoad>("delay=30ms,rate=1mbit,queue=40kB", seed);
            Video video(road, make_config(scheme.policy, scheme.connections), 1e6, true, seed);
            auto other = std::make_unique<GreedyTcp>(road->world, road->path);
            road->world.run_for(3 * second);
            video.start();
            road->world.run_for(30 * second);
            other.reset();
            road->world.run_for(20 * second);
            livetcp_usec from = road->world.now();
            road->world.run_for(20 * second);
            double p95 = video.delay(.95, from, from + 19 * second);
            double used = video.throughput(from, from + 19 * second) / 1e6;
            INFO(scheme.policy << " seed " << seed << ": p95 " << p95 << ", uses " << used);
            if (p95 > 75 + 40 || used < 0.87)
                failed++;
            if (scheme.connections > 1)
                CHECK(failed <= 1);
            road->world.clear();
        }
        CHECK(failed <= 4);
    }
}

/* The estimate was 1.5 times the path at first, so that a queue stood when the round trip grew, in
 * two steps, as both directions did. It was taken for another flow's in 20 of 36 runs, and the
 * session filled the buffer until the round trip was short again. */
TEST_CASE("a round trip of three times as much is not taken for another flow", "[long]")
{
    unsigned failed = 0;
    for (const char *below : {"reno", "cubic", "bbr"})
        for (uint64_t seed = 1; seed <= 4; seed++) {
            Alone at("delay=30ms,rate=1mbit,queue=40kB", make_config("auto", 8), 1.5e6, true, seed,
                     below);
            at.run(13);
            at.road->path.change("delay=100ms");
            livetcp_usec from = at.road->world.now() + 3 * second;
            at.run(13);
            double p99 = at.video.delay(.99, from, at.road->world.now() - second);
            INFO("over " << below << ", seed " << seed << ": p99 " << p99);
            failed += p99 > 100 + 200;
            CHECK(failed <= 1);
        }
}

/* In a buffer of four products NewReno's queue is never empty, so that the session's round trips
 * have a minimum of 75 ms too much, and swings by 120 ms above it. */
TEST_CASE("a session that joins a transfer in a long buffer is not starved", "[long]")
{
    for (const char *transfer : {"reno", "cubic"}) {
        double share = 0;
        for (uint64_t seed = 1; seed <= 9; seed++) {
            auto road = std::make_shared<SimRoad>("delay=30ms,rate=1mbit,queue=30kB", seed);
            road->path.congestion_control = "cubic";
            Video video(road, make_config("auto", 8), 500e3, true, seed);
            GreedyTcp other(road->world, road->path, transfer);
            road->world.run_for(5 * second);
            video.start();
            road->world.run_for(40 * second);
            livetcp_usec now = road->world.now();
            share += video.throughput(now - 30 * second, now) / 1e6 / 9;
            road->world.clear();
        }
        INFO("beside " << transfer << ": " << share << " of the link");
        CHECK(share > 0.2); /* 0.06 and 0.1 */
    }
}

/* In a buffer of one product it fills the queue for a second of three, 36 ms long, and most losses
 * are its own: 11 of 18 runs came to less than half of a fair share. */
TEST_CASE("a session that joins a transfer in a buffer of one product is not starved", "[long]")
{
    unsigned starved = 0;
    for (const Beside &has : join_each("delay=30ms,rate=5mbit,queue=37500B", {"reno", "cubic"},
                                       {"auto", 8}, 2.5e6, 40, 3))
        starved += has.rate < 0.5 * 2.5e6;
    CHECK(starved <= 4);
}

/* What got through beside the transfer is no rate of the path. The mean, as runs differ in what the
 * transfer leaves to the session. */
TEST_CASE("five seconds after a transfer has gone an encoder has the path to itself", "[long]")
{
    double use = 0;
    for (const char *path :
         {"delay=30ms,rate=5mbit,queue=18750B", "delay=30ms,rate=5mbit,queue=37500B"})
        for (const char *below : {"reno", "cubic", "bbr"})
            for (uint64_t seed = 1; seed <= 3; seed++)
                use += join_transfer(path, below, "bbr", {"auto", 8}, 2.5e6, 50, seed, true).after /
                       5e6 / 18;
    INFO(use << " of the path");
    CHECK(use > 0.74); /* 0.81 over ten seeds each */
}

/* It fills the buffer as fast as a route changes, and keeps it full: CUBIC's plateau is as flat as
 * a longer route. An encoder was told next to nothing for four to six seconds until that was
 * decided, but routes lose nothing. */
TEST_CASE("a transfer that begins is not taken for a longer route", "[long]")
{
    unsigned slow = 0, starved = 0;
    for (const char *below : {"reno", "cubic", "bbr"})
        for (uint64_t seed = 1; seed <= 40; seed++) {
            auto road = std::make_shared<SimRoad>("delay=30ms,rate=1mbit,queue=40kB", seed);
            road->path.congestion_control = below;
            Video video(road, make_config("auto", 8), 700e3, true, seed);
            road->world.run_for(second);
            video.start();
            road->world.run_for(12 * second);
            GreedyTcp other(road->world, road->path, "cubic");
            livetcp_usec begun = road->world.now();
            road->world.run_for(8 * second);
            double told = video.throughput(begun + 3 * second, begun + 6 * second);
            INFO("over " << below << ", seed " << seed << ": " << told << " bit/s");
            CHECK(told > 50e3); /* 24 to 550 */
            slow += told < 200e3;
            starved += told < 100e3;
            road->world.clear();
        }
    CHECK(slow <= 8);    /* of 120; 9 of 360 */
    CHECK(starved <= 2); /* 3 of 360 */
}

/* Packet trains that had met the transfer showed more than the share, so that the path was not
 * asked again. */
TEST_CASE("trains beside a transfer are forgotten when it has gone", "[long]")
{
    unsigned slow = 0; /* 14 of 240 */
    double mean = 0;
    for (const Beside &has : join_each("delay=30ms,rate=1mbit,queue=40kB", {"cubic", "bbr"},
                                       {"auto", 8}, 700e3, 40, 8, true)) {
        slow += has.after < 0.84e6;
        mean += has.after / 48;
    }
    CHECK(slow <= 5);
    CHECK(mean > 0.89e6); /* 0.91 */
}

/* The window of one connection grows until the buffer overflows, so that each drain met its own
 * queue: 19 of 36 runs competed with themselves. */
TEST_CASE("one connection has the path to itself soon after a transfer has gone", "[long]")
{
    unsigned failed = 0;
    for (const Beside &has : join_each("delay=30ms,rate=1mbit,queue=40kB", {"reno", "cubic"},
                                       {"single", 1}, 1e6, 30, 30, true))
        failed += has.p95_after > 30 + 40 + 100;
    CHECK(failed <= 26); /* of 180 */
}

/* It grew by the root of its rate: from the fifth to the 13th second it had 0.6 of 5 Mbit/s. */
TEST_CASE("one connection on a long path soon uses what a transfer has left", "[long]")
{
    double after = 0;
    for (const Beside &has : join_each("delay=100ms,rate=5mbit,queue=125kB", {"reno", "cubic"},
                                       {"single", 1}, 1e6, 30, 3, true))
        after += has.after / 18;
    INFO("on average " << after << " bit/s");
    CHECK(after > 1.4e6);
}

/* Losses of its own frames in a short buffer were taken for another flow's doing, so that it filled
 * the buffer to have a share of it: p95 of 139 ms over CUBIC on average, of 302 over BBR. */
TEST_CASE("one connection does not take the losses of its own queue for another flow's", "[long]")
{
    double sum[2] = {};
    for (uint64_t seed = 1; seed <= 6; seed++)
        for (int bbr = 0; bbr < 2; bbr++) {
            Alone at("delay=30ms,rate=1mbit,queue=9kB", make_config("single", 1), 1.5e6, true, seed,
                     bbr ? "bbr" : "cubic");
            at.run(40);
            double p95 = at.video.delay(.95, at.begin + 4 * second, at.begin + 39 * second);
            UNSCOPED_INFO((bbr ? "BBR" : "CUBIC") << ", seed " << seed << ": " << p95 << " ms");
            sum[bbr] += p95 / 6;
        }
    CHECK(sum[0] < 105);
    CHECK(sum[1] < 150);
}

/* The rate delivered in that time was taken for the path's rate, which took ten seconds to be found
 * again, and all frames of the time went out at once at its end: p99 was 390 ms. */
TEST_CASE("while BBR looks for the least round trip an encoder is told to send little", "[long]")
{
    double used = 0, late = 0;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        Alone at("delay=50ms,rate=8mbit,queue=100kB", make_config("single", 1), 1.5e6, true, seed,
                 "bbr");
        at.run(40);
        used += at.video.throughput(at.begin + 4 * second, at.begin + 39 * second) / 8e6 / 6;
        late += at.video.delay(.99, at.begin + 4 * second, at.begin + 39 * second) / 6;
    }
    INFO("uses " << used << ", p99 " << late << " ms");
    CHECK(used > 0.88);
    CHECK(late < 200);
}

/* Fair queueing serves the connection at once that has been idle, so that some round trips met no
 * queue, and the encoder was told up to 1.3 times the link: p95 was 249 ms. */
TEST_CASE("behind fair queueing several connections do not hide their queue from each other",
          "[long]")
{
    double late = 0;
    for (const char *below : {"reno", "cubic", "bbr"})
        for (uint64_t seed = 1; seed <= 3; seed++) {
            Alone at("delay=30ms,rate=1mbit,queue=30kB,aqm=fq-codel", make_config("auto", 8), 1.5e6,
                     true, seed, below);
            at.run(40);
            late += at.video.delay(.95, at.begin + 4 * second, at.begin + 39 * second) / 9;
        }
    INFO("p95 " << late << " ms on average");
    CHECK(late < 150);
}

/* Of eight queues there is always one that is short. Without the marks p99 was 224 ms. */
TEST_CASE("an encoder heeds the marks of a router with fair queueing", "[long]")
{
    double late = 0, used = 0;
    for (const char *below : {"reno", "cubic", "bbr"})
        for (uint64_t seed = 1; seed <= 3; seed++) {
            Alone at("delay=30ms,rate=5mbit,queue=38kB,aqm=fq-codel,ecn=classic",
                     make_config("auto", 8), 7.5e6, true, seed, below);
            at.run(40);
            late += at.video.delay(.99, at.begin + 4 * second, at.begin + 39 * second) / 9;
            used += at.video.throughput(at.begin + 4 * second, at.begin + 39 * second) / 5e6 / 9;
        }
    INFO("p99 " << late << " ms on average, uses " << used);
    CHECK(late < 150);
    CHECK(used > 0.9);
}

/* One of eight connections always meets no queue, and the window opened: speech was 200 to 300 ms
 * late. */
TEST_CASE("an overload behind fair queueing does not delay speech", "[long]")
{
    double late = 0, delivered = 0;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        livetcp_config config = make_config("auto", 8);
        config.max_send_delay_us = 400000;
        Alone at("delay=30ms,rate=1.5mbit,queue=45kB,aqm=fq-codel", config, 2.9e6, false, seed);
        at.video.talk();
        at.run(25);
        late += at.video.speech_delay(.99, at.begin + second, at.begin + 24 * second) / 6;
        delivered += at.video.throughput(at.begin, at.begin + 24 * second) / 1.5e6 / 6;
    }
    INFO("speech p99 " << late << " ms on average, delivered " << delivered);
    CHECK(late < 100);
    CHECK(delivered > 0.85);
}

/* Acknowledgements wait for the other's frames, and that looked like a queue of our own: 0.66 of
 * both links were used. They come all at once then, and looked like a faster path, too: 0.75, and
 * one direction had 0.43 of 1 Mbit/s with a round trip of 200 ms, the other 0.89. */
TEST_CASE("encoders at both ends of a call use the path both ways", "[long]")
{
    struct {
        double rate;
        const char *path;
        double least, mean;
    } cases[] = {
        {5e6, "delay=30ms,rate=5mbit,queue=37500B", 0.6, 0.8},
        {5e6, "delay=30ms,rate=5mbit,queue=150kB", 0.6, 0.8},
        {1e6, "delay=100ms,rate=1mbit,queue=25kB", 0.6, 0.77},
        {1e6, "delay=30ms,rate=1mbit,queue=30kB", 0.6, 0.77},
    };
    for (const auto &has : cases) {
        double use = 0;
        unsigned count = 0;
        for (unsigned connections : {1, 8})
            for (livetcp_usec apart : {5000, 17000, 29000}) {
                Alone alone(has.path, make_config(connections > 1 ? "auto" : "single", connections),
                            1.5 * has.rate, true, 1);
                Answer answer(alone.video, 1.5 * has.rate, apart);
                alone.run(20);
                livetcp_usec from = alone.begin + 4 * second, to = alone.begin + 19 * second;
                double there = alone.video.throughput(from, to) / has.rate;
                double back = Video::throughput_of(answer.played, from, to) / has.rate;
                UNSCOPED_INFO(has.path << " x" << connections << ", " << apart
                                       << " us apart: " << there << " there, " << back << " back");
                CHECK(there > has.least);
                CHECK(back > has.least);
                use += there + back;
                count += 2;
            }
        INFO("mean " << use / count);
        CHECK(use / count > has.mean);
    }
}

/* Acknowledgements came late whenever the other direction was slow for a moment, as that of a
 * mobile link is, and packets waited for them in the send queue of a direction whose link was not
 * slow. */
TEST_CASE("a link that is slow for a moment one way does not delay media the other way", "[long]")
{
    double p95 = 0, p99 = 0, used = 0;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        Alone alone("delay=30ms,rate=4mbit,queue=400kB", make_config("auto", 8), 3e6, true, seed);
        Answer answer(alone.video, 3e6, 17000);
        SimLink &back = alone.video.call.path.backward;
        Dice dice(seed);
        for (double at = 4; at < 36; at += dice.between(2, 4))
            for (bool slow : {true, false}) {
                livetcp_usec when =
                    alone.begin +
                    static_cast<livetcp_usec>(1e6 * (at + (slow ? 0 : dice.between(0.3, 1))));
                alone.video.call.world.at(when, [&back, slow] {
                    lt_link_params params = back.params();
                    params.rate = slow ? 600000 : 4000000;
                    back.set(params);
                });
            }
        alone.run(36);
        livetcp_usec from = alone.begin + 4 * second, to = alone.begin + 35 * second;
        p95 += (alone.video.delay(.95, from, to) - 30) / 4;
        p99 += (alone.video.delay(.99, from, to) - 30) / 4;
        used += alone.video.throughput(from, to) / 4e6 / 4;
    }
    INFO("p95 L + " << p95 << " ms, p99 L + " << p99 << " ms, " << used << " of the link");
    CHECK(p95 < 400);
}

/* Frames of an encoder that is told little are as small as speech. They waited for the next one, to
 * share a segment; that was taken for a queue, and the encoder told less. In one of six runs it had
 * 0.06 of the path beside the transfer, and 0.04 when it had the path to itself. */
TEST_CASE("an encoder with small frames is not told less and less")
{
    for (uint64_t seed = 1; seed <= 6; seed++) {
        Beside has = join_transfer("delay=30ms,rate=1mbit,queue=30kB", "bbr", "cubic", {"auto", 8},
                                   500e3, 50, seed, true);
        INFO("seed " << seed << ": " << has.rate << " bit/s, then " << has.after);
        CHECK(has.rate > 0.1e6);
        CHECK(has.after > 0.6e6);
    }
}

/* Its excess made a queue that stood for as long: p95 was 187 to 300 ms with a tenth more, 185 to
 * 347 with a quarter. */
TEST_CASE("an encoder that sends more than it is told builds up no queue")
{
    for (const Scheme &scheme : schemes)
        for (double overshoots : {1.1, 1.25})
            for (uint64_t seed = 1; seed <= 3; seed++) {
                Alone at("delay=30ms,rate=1mbit,queue=10kB",
                         make_config(scheme.policy, scheme.connections), 1.5e6, true, seed);
                at.video.overshoots = overshoots;
                at.run(40);
                livetcp_usec from = at.begin + 5 * second, to = at.begin + 39 * second;
                double p95 = at.video.delay(.95, from, to);
                double used = at.video.throughput(from, to) / 1e6;
                INFO(scheme.policy << ", " << overshoots << " times what it is told, seed " << seed
                                   << ": p95 " << p95 << " ms, uses " << used);
                CHECK(p95 < 30 + 110);
                CHECK(used > 0.9);
            }
}

/* Its p95 was 185 to 198 ms over eight connections, and 257 to 546 over one, which took the queue
 * for another flow's. */
TEST_CASE("speech that the application does not take off the estimate builds up no queue")
{
    for (const Scheme &scheme : schemes) {
        double late = 0, used = 0;
        for (uint64_t seed = 1; seed <= 6; seed++) {
            Alone at("delay=30ms,rate=300kbit,queue=9kB",
                     make_config(scheme.policy, scheme.connections), 450e3, true, seed);
            at.video.talk();
            at.run(40);
            livetcp_usec from = at.begin + 5 * second, to = at.begin + 39 * second;
            double p95 = at.video.speech_delay(.95, from, to);
            late += p95 / 6;
            used += at.video.throughput(from, to) / 300e3 / 6;
            UNSCOPED_INFO("seed " << seed << ": speech p95 " << p95 << " ms");
            CHECK(p95 < 250);
        }
        INFO(scheme.policy << ": speech p95 " << late << " ms on average, video uses " << used);
        CHECK(late < 160);
        CHECK(used > 0.6);
    }
}

/* What they use of 4 Mbit/s together, and Jain's index. */
static std::pair<double, double> shares(const std::vector<std::unique_ptr<Video>> &videos,
                                        livetcp_usec from, livetcp_usec to)
{
    double sum = 0, squares = 0;
    for (const auto &video : videos) {
        double of = video->throughput(from, to) / 4e6;
        sum += of;
        squares += of * of;
    }
    return {sum, sum * sum / (static_cast<double>(videos.size()) * squares)};
}

using Videos = std::vector<std::unique_ptr<Video>>;

static void add_session(Videos &videos, const std::shared_ptr<SimRoad> &road, const Scheme &scheme,
                        uint64_t seed)
{
    auto i = static_cast<unsigned>(videos.size());
    videos.push_back(std::make_unique<Video>(road, make_config(scheme.policy, scheme.connections),
                                             300e3 * (i + 1), true, seed + 10 * i));
    road->world.run_for(second / 2);
    videos.back()->start();
}

TEST_CASE("several sessions on a bottleneck share it", "[long]")
{
    for (const Scheme &scheme : schemes)
        for (uint64_t seed = 1; seed <= 2; seed++) {
            auto road = std::make_shared<SimRoad>("delay=30ms,rate=4mbit,queue=100kB", seed);
            Videos videos;
            for (unsigned i = 0; i < 4; i++)
                add_session(videos, road, scheme, seed);
            livetcp_usec begin = road->world.now();
            road->world.run_for(60 * second);
            auto [sum, jain] = shares(videos, begin + 20 * second, begin + 59 * second);
            INFO(scheme.policy << " seed " << seed << ": use " << sum << ", Jain " << jain);
            CHECK(sum > 0.85);
            CHECK(jain > 0.75);
            road->world.clear();
        }
}

/* Each took what packet trains show, the rate of the link, for what it could have: 234 ms, the
 * median of the sessions' p95, mean of four seeds. Sources at a fixed rate have 60 ms there. */
TEST_CASE("sessions that share a bottleneck keep its queue short", "[long]")
{
    double mean = 0;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        auto road = std::make_shared<SimRoad>("delay=30ms,rate=20mbit,queue=150kB", seed);
        Videos videos;
        std::vector<double> delays;
        livetcp_usec begin = road->world.now();
        for (unsigned i = 0; i < 4; i++)
            add_session(videos, road, {"auto", 8}, seed);
        road->world.run_until(begin + 50 * second);
        for (const auto &video : videos)
            delays.push_back(video->delay(.95, begin + 30 * second, begin + 49 * second));
        std::sort(delays.begin(), delays.end());
        mean += delays[delays.size() / 2] / 4;
        road->world.clear();
    }
    INFO("four on 20 Mbit/s: " << mean);
    CHECK(mean < 200);
}

/* Sixteen paths together: the share of a session, and Jain's index of each path, vary a lot. */
TEST_CASE("a session that joins others has about its share within ten seconds", "[long]")
{
    double share = 0, jain = 0;
    for (uint64_t seed = 1; seed <= 16; seed++) {
        auto road = std::make_shared<SimRoad>("delay=30ms,rate=4mbit,queue=100kB", seed);
        Videos videos;
        livetcp_usec begin = road->world.now();
        for (unsigned i = 0; i < 4; i++) {
            if (i == 3)
                road->world.run_until(begin + 30 * second);
            add_session(videos, road, {"auto", 8}, seed);
        }
        road->world.run_until(begin + 50 * second);
        livetcp_usec from = begin + 40 * second, to = begin + 50 * second;
        auto [sum, index] = shares(videos, from, to);
        share += 4 * videos.back()->throughput(from, to) / 4e6 / sum / 16;
        jain += index / 16;
        road->world.clear();
    }
    INFO("the fourth's part of a fair share " << share << ", Jain " << jain);
    CHECK(share > 0.8);
    CHECK(share < 1.3);
    CHECK(jain > 0.88);
}

/* The frames of the first three showed them the rate of the link, again and again, and they grew to
 * it. The last to join had frames of two packets, which show none, and came to 0.56 of its share;
 * p95 was 107 ms.
 */
TEST_CASE("a session that has joined others keeps its share, and their queue stays short", "[long]")
{
    double share = 0, late = 0;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        auto road = std::make_shared<SimRoad>("delay=30ms,rate=4mbit,queue=100kB", seed);
        Videos videos;
        livetcp_usec begin = road->world.now();
        for (unsigned i = 0; i < 4; i++) {
            if (i == 3)
                road->world.run_until(begin + 30 * second);
            add_session(videos, road, {"auto", 8}, seed);
        }
        road->world.run_until(begin + 90 * second);
        livetcp_usec from = begin + 60 * second, to = begin + 90 * second;
        share += 4 * videos.back()->throughput(from, to) / 4e6 / shares(videos, from, to).first / 8;
        for (const auto &video : videos)
            late += video->delay(.95, from, to) / 32;
        road->world.clear();
    }
    INFO("the fourth's part of a fair share " << share << ", p95 " << late << " ms");
    CHECK(share > 0.65);
    CHECK(late < 95);
}

TEST_CASE("random loss without a queue limits nothing")
{
    for (const Scheme &scheme : {Scheme{"auto", 8}, Scheme{"duplicate", 5}}) {
        Alone at("delay=50ms,loss=3%", make_config(scheme.policy, scheme.connections), 500e3, false,
                 1);
        for (unsigned i = 0; i < 20; i++) {
            at.run(1);
            CHECK(at.stats().sent.congestion == LIVETCP_CONGESTION_NONE);
            CHECK(at.stats().sent.window_bytes == 0);
        }
    }
}

TEST_CASE("where the platform does not tell what is in flight, the backlog alone counts")
{
    for (const Scheme &scheme : {Scheme{"single", 1}, Scheme{"shortest-queue", 4}}) {
        Alone at("delay=30ms,rate=1mbit,queue=40kB", make_config(scheme.policy, scheme.connections),
                 1.5e6, true, 1, "reno",
                 [](Video &video) { video.call.caller.platform_knows = 0; });
        at.run(20);
        livetcp_session_stats stats = at.stats();
        INFO(scheme.policy);
        CHECK(stats.sent.congestion == LIVETCP_CONGESTION_BACKLOG);
        CHECK(stats.sent.window_bytes == 0);
        CHECK(stats.dropped.late == 0);
    }
}

TEST_CASE("a clock that jumps ahead, as a computer that slept has it, costs some seconds")
{
    for (const Scheme &scheme : schemes)
        for (livetcp_usec jump : {2 * second, 3600 * second}) {
            Alone at("delay=30ms,rate=1mbit,queue=40kB",
                     make_config(scheme.policy, scheme.connections), 0.9e6, true, 1);
            at.run(10);
            at.video.call.caller.clock_ahead = jump;
            livetcp_engine_set_wall_clock(at.video.call.caller.engine, -jump);
            at.video.call.caller.service();
            at.run(20);
            livetcp_usec from = at.begin + 20 * second, end = at.begin + 29 * second;
            double used = at.video.throughput(from, end) / 1e6;
            double p95 = at.video.delay(.95, from, end);
            INFO(scheme.policy << ", by " << jump / second << " s: uses " << used << ", p95 "
                               << p95);
            CHECK(used > 0.85);
            CHECK(p95 < 75 + 60);
            CHECK(at.stats().open_connections == scheme.connections);
        }
}

TEST_CASE("audio does not feel the video's queue, nor does the queue of an overload grow", "[long]")
{
    struct Path {
        const char *spec;
        double oneway_ms;
    };
    const Path paths[] = {{"delay=30ms,rate=1500kbit,queue=40kB", 30},
                          {"delay=100ms,rate=1500kbit,queue=150kB", 100}};
    for (const Scheme &scheme : schemes)
        for (const Path &path : paths)
            for (uint64_t seed = 1; seed <= 2; seed++) {
                livetcp_config config = make_config(scheme.policy, scheme.connections);
                config.max_send_delay_us = 400 * ms;
                Alone at(path.spec, config, 2.9e6, false, seed);
                at.video.talk();
                at.run(26); /* round trips without a queue are remembered for 5 to 10 s */
                livetcp_usec settled = at.begin + 3 * second, end = at.begin + 25 * second;
                double p99 = at.video.speech_delay(.99, settled, end);
                double video = at.video.delay(.5, settled, end);
                double most = at.video.delay(1, settled, end);
                INFO(scheme.policy << " on " << path.spec << " seed " << seed << ": audio p99 "
                                   << p99 << " ms, video p50 " << video << " ms, at most " << most);
                CHECK(p99 < path.oneway_ms + 80);
                CHECK(video > p99);
                CHECK(most < 400 + 2 * path.oneway_ms);
            }
}

TEST_CASE("losses of an overload of our own are not taken for those beside flows that lose much")
{
    for (const char *path :
         {"delay=30ms,rate=1500kbit,queue=5625B", "delay=30ms,rate=1500kbit,queue=11250B"})
        for (uint64_t seed = 1; seed <= 2; seed++) {
            livetcp_config config = make_config("auto", 8);
            config.max_send_delay_us = 400 * ms;
            Alone at(path, config, 2.9e6, false, seed);
            at.video.talk();
            at.run(25);
            double p99 = at.video.speech_delay(.99, at.begin + second, at.begin + 24 * second);
            INFO(path << " seed " << seed << ": audio p99 " << p99 << " ms");
            CHECK(p99 < 30 + 200);
        }
}

/* The transfer's queue was taken for our own: the window let ever less through, and p95 was 390 to
 * 2570 ms over sockets. */
TEST_CASE("a transfer that begins does not make media of a fixed rate later than its queue",
          "[long]")
{
    struct Path {
        const char *spec, *below, *other;
        double full_ms; /* one way, with a full queue */
    };
    for (const Path &path :
         {Path{"delay=17ms,rate=3686kbit,queue=57875B", "cubic", "reno", 17 + 126},
          Path{"delay=54ms,rate=5693kbit,queue=255180B", "cubic", "cubic", 54 + 359}}) {
        std::vector<Received> all;
        for (uint64_t seed = 1; seed <= 36; seed++) {
            auto road = std::make_shared<SimRoad>(path.spec, seed);
            road->path.congestion_control = path.below;
            SimCall call(road, make_config("auto", 8), seed);
            call.stream(1434, 20000, 8 * second);
            auto transfer = std::make_unique<GreedyTcp>(road->world, road->path, path.other);
            size_t before = call.remote()->received.size();
            call.stream(1434, 20000, 8 * second);
            transfer.reset();
            road->world.run_for(5 * second);
            all.insert(all.end(), call.remote()->received.begin() + static_cast<ptrdiff_t>(before),
                       call.remote()->received.end());
            road->world.clear();
        }
        double p95 = delay_quantile_ms(all, all.size(), 0.95);
        INFO(path.spec << ": p95 " << p95);
        CHECK(p95 < path.full_ms + 450); /* what the overrun cost is repaired once */
    }
}

/* All that was written before it showed is late. Then half of the limit is under way at most. */
TEST_CASE("a link that becomes too slow for media of a fixed rate keeps max-send-delay")
{
    std::vector<Received> all;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        livetcp_config config = make_config("auto", 8);
        config.max_send_delay_us = 400 * ms;
        SimCall call("delay=40ms,rate=4mbit,queue=100kB,loss=2%", config, seed);
        call.stream(1434, 20000, 8 * second);
        call.path.change("rate=350kbit");
        call.stream(1434, 20000, 3 * second);
        size_t before = call.remote()->received.size();
        call.stream(1434, 20000, 10 * second);
        all.insert(all.end(), call.remote()->received.begin() + static_cast<ptrdiff_t>(before),
                   call.remote()->received.end());
    }
    double p95 = delay_quantile_ms(all, all.size(), 0.95);
    INFO("p95 " << p95 << " of " << all.size());
    CHECK(p95 < 40 + 400 + 300); /* 1019 without */
    CHECK(all.size() > 0.8 * 4 * 10 * 350e3 / 8 / 1510);
}

/* The queue of the slow moment was taken for another flow's, and packets waited for a share of what
 * the link carried then: in one of these seeds 1.9 s more than they had to. */
TEST_CASE("media of a fixed rate catches up after a moment in which a mobile link is slow",
          "[long]")
{
    const double waiting_mbit = 3 * (1.8 - 1.2) + 0.6 * 1.8, needs_s = waiting_mbit / (4 - 1.8);
    std::vector<double> longest;
    for (uint64_t seed = 1; seed <= 15; seed++) {
        Alone at("delay=22ms,rate=4mbit,queue=600kB,loss=0.5%", make_config("auto", 8), 1.8e6,
                 false, seed);
        at.run(15);
        at.road->path.change("rate=1200kbit");
        at.run(3);
        at.road->path.change("rate=8kbit");
        at.run(0.6);
        at.road->path.change("rate=4mbit");
        at.run(needs_s + 0.5);
        livetcp_usec from = at.road->world.now();
        at.run(5);
        longest.push_back(at.video.delay(1, from, from + 2 * second));
    }
    std::sort(longest.begin(), longest.end());
    INFO("median " << longest[7] << ", most " << longest[14]);
    CHECK(longest[7] < 22 + 150);
    CHECK(longest[14] < 22 + 600);
}

/* Its old queue is no other's: a rule for sessions that are starved competed with it in 13 of 60
 * seeds, for as long as they were watched. */
TEST_CASE("a link that becomes slower delays frames for a second", "[long]")
{
    double sum = 0;
    for (const Scheme &scheme : schemes)
        for (uint64_t seed = 1; seed <= 60; seed++) {
            Alone at("delay=30ms,rate=1mbit,queue=40kB",
                     make_config(scheme.policy, scheme.connections), 1e6, true, seed);
            at.run(15);
            livetcp_usec step = at.road->world.now();
            at.road->path.forward.set(link_params("delay=30ms,rate=400kbit,queue=40kB"));
            at.run(8);
            double above = at.video.seconds_above(30 + 200, step, step + 7 * second);
            INFO(scheme.policy << " seed " << seed << ": above for " << above << " s");
            CHECK(above < 1);
            sum += above;
        }
    CHECK(sum / 120 < 0.85); /* 1.02 with half of the rate while the queue drains */
}

TEST_CASE("one connection that loses packets is not told the rate of the link")
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        Alone at("delay=30ms,rate=5mbit,queue=80kB,loss=1%", make_config("single", 1), 1.5e6, true,
                 seed);
        at.run(40);
        livetcp_usec settled = at.begin + 3 * second, end = at.begin + 39 * second;
        double p95 = at.video.delay(.95, settled, end);
        double used = at.video.throughput(settled, end) / 5e6;
        INFO("seed " << seed << ": uses " << used << ", p95 " << p95);
        CHECK(p95 < 400);
        CHECK(used > 0.15);
    }
}

TEST_CASE("on most thin paths many connections meet no more delay than one, on none much more",
          "[long]")
{
    unsigned more = 0; /* protection that the path has room for makes packets wait for it */
    Dice dice(20);
    for (uint64_t seed = 1; seed <= 24; seed++) {
        constexpr double media = 25 * 1446 * 8 * 2; /* 50 packets a second */
        double link = media * 1.05 * dice.between(1.05, 2.2), rtt = dice.between(20, 200);
        auto buffer = static_cast<unsigned>(std::max(6000.0, link / 8 * dice.between(0.02, 0.4)));
        char spec[128];
        snprintf(spec, sizeof spec, "delay=%.0fms,rate=%.0fkbit,queue=%uB", rtt / 2, link / 1e3,
                 buffer);
        double p95[2], through[2];
        for (unsigned i = 0; i < 2; i++) {
            SimCall call(spec, make_config(schemes[i].policy, schemes[i].connections), seed);
            call.world.run_for(second + 130 * ms);
            call.stream(1446, 20 * ms, 30 * second);
            call.world.run_for(2 * second);
            p95[i] = delay_quantile_ms(call.remote()->received, 1500, 0.95);
            through[i] = static_cast<double>(call.remote()->received.size());
        }
        INFO(spec << ": one connection " << p95[0] << " ms, eight " << p95[1] << " ms");
        more += p95[1] > p95[0] * 1.05 + 5;
        CHECK(p95[1] < p95[0] * 1.05 + 150);
        CHECK(through[1] >= through[0] * 0.99);
    }
    CHECK(more <= 5);
}

/* 29 of the 30 competed with themselves when the minimum of the shorter route was kept for as long.
 */
TEST_CASE("an encoder on a route that has become longer does not compete with itself", "[long]")
{
    for (const char *below : {"reno", "cubic", "bbr"})
        for (uint64_t seed = 1; seed <= 10; seed++) {
            Alone at("delay=45ms,rate=2813kbit,queue=40kB", make_config("auto", 8), 433e3, true,
                     seed, below);
            at.run(20);
            at.road->path.change("delay=60ms");
            at.run(25);
            INFO(below << ", seed " << seed);
            CHECK(at.stats().sent.congestion != LIVETCP_CONGESTION_COMPETING);
        }
}
