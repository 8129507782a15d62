/* SPDX-License-Identifier: MIT */
/* auto on the paths that people have: routes of equal cost, a route that changes, thin links and
 * policers; never worse than policies that know less. path-table shows the figures. */
#include "catch.h"
#include "sim_course.h"
#include "sim_flows.h"
#include "sim_greedy.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

using namespace scenario;

namespace
{

constexpr livetcp_usec second = 1000000;

Delays drive_auto(const Course &course, double budget, uint64_t seed)
{
    return drive(course, course_config("auto", 8, budget), seed);
}

/* The two policies that auto is held against. */
struct Simple {
    explicit Simple(const Course &course, unsigned seeds = 1)
    {
        for (unsigned seed = 1; seed <= seeds; seed++) {
            single.add(drive(course, course_config("single", 1, 0), seed));
            queue.add(drive(course, course_config("shortest-queue", 8, 0), seed));
        }
    }

    double allowed(double p) const
    {
        return allowed_delay(single.quantile(p), queue.quantile(p));
    }

    Delays single, queue;
};

void check_never_worse(const Course &course, double budget, const std::vector<double> &quantiles)
{
    Simple simple(course);
    Delays own = drive_auto(course, budget, 1);
    for (double p : quantiles) {
        INFO(course.describe() << ", budget " << budget << ": p" << 100 * p << " "
                               << own.quantile(p) << " ms, single " << simple.single.quantile(p)
                               << ", shortest-queue " << simple.queue.quantile(p));
        CHECK_FALSE(is_worse(own, simple.single, simple.queue, p)); /* p99.9 is of few packets */
    }
}

} // namespace

TEST_CASE("with a copy of each packet a longer route of half of the connections costs nothing")
{
    Course same("delay=30ms", "", 1);
    Delays alone = drive_auto(same, 1, 1);
    for (int longer : {5, 12, 40}) {
        Course course("delay=30ms", "delay=" + std::to_string(30 + longer) + "ms", 1);
        Delays apart = drive_auto(course, 1, 1);
        INFO(longer << " ms: p99 " << apart.quantile(0.99) << ", bytes " << apart.cost
                    << "; on the same route " << alone.quantile(0.99) << ", " << alone.cost);
        CHECK(apart.quantile(0.99) < alone.quantile(0.99) + 2);
    }
}

/* Found among paths drawn at random: the longer route was forgotten as soon as it carried nothing,
 * taken for the shorter one, and tried again. */
TEST_CASE("a longer route that carries nothing is not forgotten", "[long]")
{
    struct {
        const char *route, *other;
    } const found[] = {
        {"delay=31ms,rate=9979kbit,queue=47795B", "delay=34ms,rate=9979kbit,queue=47795B"},
        {"delay=80ms,rate=1268kbit,queue=53607B", "delay=87ms,rate=1268kbit,queue=53607B"},
        {"delay=92ms,rate=710kbit,queue=34923B", "delay=102ms,rate=710kbit,queue=34923B"},
        {"delay=60ms,rate=986kbit,queue=38510B", "delay=73ms,rate=986kbit,queue=38510B"},
    };
    for (const auto &routes : found)
        for (double budget : {0.1, LIVETCP_REDUNDANCY_AUTO, 1.0}) {
            /* p99.9 is that of the first trial of more redundancy. */
            check_never_worse(Course(routes.route, routes.other), budget, {0.95, 0.99});
        }
}

TEST_CASE("a route that becomes longer is forgotten within ten seconds")
{
    for (uint64_t seed = 1; seed <= 2; seed++) {
        Course course("delay=30ms", "", 1);
        course.change_us = 8 * second;
        course.change = "delay=45ms";
        course.warmup = 18 * second;
        course.length = 20 * second;
        Delays delays = drive_auto(course, 1, seed);
        INFO("seed " << seed << ": p99 " << delays.quantile(0.99) << ", bytes " << delays.cost);
        CHECK(delays.quantile(0.99) < 45 + 3);
        CHECK(delays.cost > 1.4);
    }
}

/* Without a test of what the excess is, the worst were seconds late for ten seconds and more. One
 * connection that repairs losses is left out: on long routes TCP does not carry the media. */
TEST_CASE("a route that becomes longer while packets are lost is not taken for a queue", "[long]")
{
    const char *asked = getenv("LIVETCP_RANDOM_PATHS");
    unsigned paths = asked ? static_cast<unsigned>(atoi(asked)) : 48, tried = 0, late = 0;
    for (unsigned i = 1; i <= paths; i++) {
        Course course = draw_longer_route(i);
        if (course.connections == 1 && course.loss > 0)
            continue;
        double way = 0;
        sscanf(course.change.c_str(), "delay=%lfms", &way);
        Delays own = drive(course, course_config("auto", course.connections, -1), 1);
        tried++;
        if (own.quantile(0.95) < way + (course.loss > 0 ? 100 + 3 * way : 20))
            continue;
        late++;
        WARN(course.describe() << ", path " << i << ": p95 " << own.quantile(0.95));
    }
    INFO(late << " of " << tried);
    CHECK(late * 6 <= tried); /* 21 of 153 for 240 paths; without the test 11 of 17 for 24 */
}

/* Where nothing had ever been lost or waited, the window for the shorter route was made for what
 * got through it, again and again: p95 was 0.4 to 6 s for ten seconds and more. */
TEST_CASE("a longer route on a path without losses is known within a second")
{
    struct {
        const char *path;
        int before, after; /* ms */
        double own;        /* of a packet on the link */
    } const found[] = {{"", 30, 70, 0},
                       {",rate=1500kbit,queue=30kB", 30, 70, 8},
                       {",rate=5mbit,queue=30kB", 20, 40, 3},
                       /* the search takes a second there, 5 % of the packets */
                       {",rate=686kbit,queue=29301B", 37, 80, 18 + 20}};
    unsigned late = 0; /* of 24: extra bytes may be on trial when the route changes */
    for (const auto &path : found)
        for (const char *policy : {"auto", "shortest-queue"})
            for (uint64_t seed = 1; seed <= 3; seed++) {
                Course course("delay=" + std::to_string(path.before) + "ms" + path.path);
                course.change = "delay=" + std::to_string(path.after) + "ms";
                course.change_us = 9 * second;
                Delays delays = drive(course, course_config(policy, 8, -1), seed);
                if (delays.quantile(0.95) < path.after + path.own + 20 &&
                    delays.quantile(0.99) < path.after + path.own + 120)
                    continue;
                late++;
                WARN(course.describe()
                     << ", " << policy << ", seed " << seed << ": p95 " << delays.quantile(0.95)
                     << ", p99 " << delays.quantile(0.99));
            }
    CHECK(late <= 1);
}

/* It seemed to be a queue, so that there were no copies: p99 was 121 ms. */
TEST_CASE("jitter of 20 ms leaves speech its copies")
{
    Delays all;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        Course course("delay=30ms,jitter=20ms", "", 1);
        course.size = Course::speech;
        all.add(drive_auto(course, LIVETCP_REDUNDANCY_AUTO, seed));
    }
    INFO("p99 " << all.quantile(0.99) << ", bytes " << all.cost);
    CHECK(all.quantile(0.99) < 55);
    CHECK(all.cost > 1.6);
}

/* The minimum round trip is far below the others there, so that a queue seems to stand: the window
 * for the minimum let ever less through, p95 was 0.64 s, and p50 7.9 s with one connection. */
TEST_CASE("jitter of 60 ms is not taken for a queue for long")
{
    Delays eight, one, thin;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        eight.add(drive(Course("delay=30ms,jitter=60ms"), course_config("auto", 8, -1), seed));
        thin.add(drive(Course("delay=30ms,jitter=60ms,rate=20mbit"), course_config("auto", 8, -1),
                       seed));
        one.add(drive(Course("delay=30ms,jitter=60ms"), course_config("single", 1, -1), seed));
    }
    INFO("p50, p95 of auto " << eight.quantile(0.5) << ", " << eight.quantile(0.95)
                             << "; at 20 Mbit/s " << thin.quantile(0.5) << ", "
                             << thin.quantile(0.95) << "; one " << one.quantile(0.5) << ", "
                             << one.quantile(0.95));
    CHECK(eight.quantile(0.5) < 100);
    CHECK(eight.quantile(0.95) < 600);
    CHECK(thin.quantile(0.5) < 100);
    CHECK(thin.quantile(0.95) < 600);
    CHECK(one.quantile(0.5) < 1000);
}

/* The media fits into a third of the path: there was room, so that what comes is tested. Where the
 * session does not count as beside others, its window lets the media through. */
TEST_CASE("a queue that stands after a calm time ends copies, for all tests of longer routes")
{
    for (unsigned connections : {1, 8})
        for (const char *other : {"reno", "cubic"}) {
            auto road = std::make_shared<SimRoad>("delay=30ms,rate=2mbit,queue=60kB", 1);
            SimCall call(road, course_config("auto", connections, 1), 1);
            call.stream(Course::packet, Course::interval, 10 * second);
            livetcp_session_stats before = call.caller.stats();
            GreedyTcp greedy(road->world, road->path, other);
            size_t received = call.remote()->received.size();
            double competes = 0;
            for (unsigned i = 0; i < 200; i++) {
                call.stream(Course::packet, Course::interval, second / 10);
                competes += call.caller.stats().sent.congestion == LIVETCP_CONGESTION_COMPETING;
            }
            livetcp_session_stats after = call.caller.stats();
            double cost = static_cast<double>(after.sent.bytes - before.sent.bytes) /
                          (20 * 50 * static_cast<double>(Course::packet + 2));
            std::vector<Received> later(call.remote()->received.begin() +
                                            static_cast<ptrdiff_t>(received),
                                        call.remote()->received.end());
            double p95 = delay_quantile_ms(later, 1000, 0.95);
            INFO(connections << " beside " << other << ": p95 " << p95 << ", competes "
                             << competes / 200 << " of the time, bytes " << cost);
            CHECK((competes / 200 > 0.4 || cost > 0.9));
            CHECK(cost < 1.2);
            road->world.clear();
        }
}

TEST_CASE("on a thin link auto is no worse than policies that know less, whatever it may spend",
          "[long]")
{
    const std::string path = "delay=30ms,queue=30kB,rate=";
    for (double budget : {0.1, LIVETCP_REDUNDANCY_AUTO, 1.0}) {
        /* Keepalives and reports of eight connections take 2 % of it, and 12 % are spare. */
        check_never_worse(Course(path + "680kbit"), budget, {0.95, 0.99});
        check_never_worse(Course(path + "850kbit"), budget, {0.95, 0.99, 0.999});
        check_never_worse(Course(path + "1050kbit"), budget, {0.95, 0.99, 0.999});
    }
}

TEST_CASE("behind a policer auto is no worse than policies that know less, whatever it may spend",
          "[long]")
{
    for (double times : {1.2, 1.6, 2.2})
        for (double budget : {0.1, LIVETCP_REDUNDANCY_AUTO, 1.0}) {
            Course course("delay=30ms");
            course.police = static_cast<uint64_t>(Course::media * times);
            check_never_worse(course, budget, {0.95, 0.99, 0.999});
        }
}

/* p-quantiles of the delays in ms, there and back. */
struct BothWays {
    double there, back;
};

/* Packets in both directions, the answer's so much after the others. Another source sends a burst
 * in the sixth second. */
static BothWays talk(SimCall &call, size_t size, livetcp_usec apart, uint16_t packets, double p,
                     unsigned burst = 0)
{
    call.world.run_for(2 * second);
    for (uint16_t i = 0; i < packets; i++) {
        call.caller.send(0x1234, i, size);
        for (unsigned k = 0; i == 250 && k < burst; k++)
            call.caller.send(0x77, static_cast<uint16_t>(k), size);
        call.world.run_for(apart);
        call.remote()->send(0x4321, i, size);
        call.world.run_for(Course::interval - apart);
    }
    call.world.run_for(5 * second);
    return {delay_quantile_ms(call.remote()->received, packets, p),
            delay_quantile_ms(call.caller.received, packets, p)};
}

/* A window for the path's content without packets kept both waiting for 2 to 6 s, until the end. */
TEST_CASE("on a thin link the same holds for media in both directions")
{
    for (const char *rate : {"680kbit", "700kbit", "720kbit", "800kbit"})
        for (uint64_t seed = 1; seed <= 3; seed++) {
            SimCall call((std::string("delay=30ms,queue=30kB,rate=") + rate).c_str(),
                         course_config("auto", 8, LIVETCP_REDUNDANCY_AUTO), seed);
            auto [there, back] = talk(call, Course::packet, 7000, 50 * 30, 0.95);
            INFO(rate << ", seed " << seed << ": p95 " << there << ", " << back);
            CHECK(there < 52);
            CHECK(back < 52);
        }
}

/* 97 % of it are used: a copy in the first second made both windows smaller than what was sent, and
 * what waited then took the rest of the call. */
TEST_CASE("on a link that media nearly fills in both directions nothing waits for seconds",
          "[long]")
{
    for (const char *rate : {"650kbit", "660kbit", "670kbit"})
        for (livetcp_usec apart : {1000, 5000, 9000, 13000, 17000})
            for (uint64_t seed = 1; seed <= 3; seed++) {
                SimCall call((std::string("delay=30ms,queue=30kB,rate=") + rate).c_str(),
                             course_config("auto", 8, LIVETCP_REDUNDANCY_AUTO), seed);
                auto [there, back] = talk(call, Course::packet, apart, 50 * 30, 0.95);
                INFO(rate << ", " << apart << " us apart, seed " << seed << ": p95 " << there
                          << ", " << back);
                CHECK(there < 100);
                CHECK(back < 100);
            }
}

/* Acknowledgements wait for TCP's delay, or for packets of the other direction, and looked like a
 * queue of our own: the window for it let less through than was sent, so that after five packets at
 * once all were seconds late until the end. */
TEST_CASE("a burst on a thin link with media in both directions is forgotten soon")
{
    for (const char *rate : {"700kbit", "720kbit"})
        for (livetcp_usec apart : {1000, 5000, 9000, 13000, 17000})
            for (auto [policy, connections] : {std::pair{"single", 1u}, {"shortest-queue", 8u}}) {
                SimCall call((std::string("delay=30ms,queue=30kB,rate=") + rate).c_str(),
                             course_config(policy, connections, 0), 1);
                auto [there, back] = talk(call, Course::packet, apart, 50 * 30, 0.95, 5);
                INFO(policy << " on " << rate << ", " << apart << " us apart: p95 " << there << ", "
                            << back);
                CHECK(there < 60);
                CHECK(back < 60);
            }
}

/* Speech has no large packets by which a thin link is told: the messages of eight connections met
 * it in bursts, and copies were tried. p95 was up to 80 ms more, p99 240 ms. */
TEST_CASE("on a thin link the same holds for speech")
{
    for (double times : {1.2, 1.4, 1.6, 2.0})
        for (double budget : {0.1, LIVETCP_REDUNDANCY_AUTO, 1.0}) {
            Course course("delay=30ms,queue=4kB,rate=" +
                          std::to_string(Course::speech_rate * times / 1000) + "kbit");
            course.size = Course::speech;
            check_never_worse(course, budget, {0.95, 0.99, 0.999});
        }
}

/* Eight connections see a loss by a timer, after 190 ms, and a hedge waited for the time of a full
 * segment, which is 60 ms there. */
TEST_CASE("on a thin link a lost packet of speech is copied")
{
    for (double times : {1.4, 1.6, 2.0}) {
        Course course("delay=30ms,queue=4kB,rate=" +
                          std::to_string(Course::speech_rate * times / 1000) + "kbit",
                      "", 1);
        course.size = Course::speech;
        Delays delays;
        for (uint64_t seed = 1; seed <= 8; seed++)
            delays.add(drive_auto(course, LIVETCP_REDUNDANCY_AUTO, seed));
        INFO(times << " times the media: p99.5 " << delays.quantile(0.995));
        CHECK(delays.quantile(0.995) < 160);
    }
}

/* Handshakes and small packets of eight connections overload a link with 3 % of room, and what they
 * repeat of it kept it overloaded: half of the packets never came, as over sockets. */
TEST_CASE("on a link that is full of speech an overload ends")
{
    for (const char *below : {"reno", "bbr"})
        for (const char *queue : {"1181B", "4725B"})
            for (uint64_t seed = 1; seed <= 3; seed++) {
                Course course(std::string("delay=30ms,rate=94500bit,queue=") + queue);
                course.size = Course::speech;
                course.below = below;
                course.warmup = 10 * second;
                Delays delays = drive_auto(course, LIVETCP_REDUNDANCY_AUTO, seed);
                INFO(course.describe() << ", seed " << seed << ": p95 " << delays.quantile(0.95)
                                       << ", max " << delays.quantile(1));
                CHECK(delays.quantile(0.95) < 30 + 120);
                CHECK(delays.quantile(1) < 5000);
            }
}

/* The serialization time that speech showed lowered the minimum that it was measured against: the
 * link seemed thinner each second, and after twenty there were no copies any more. */
TEST_CASE("speech in both directions keeps its protection where the path has room")
{
    for (livetcp_usec apart : {3000, 7000, 17000}) {
        SimCall call("delay=12ms,rate=5mbit,queue=50kB,loss=2%",
                     course_config("auto", 8, LIVETCP_REDUNDANCY_AUTO), 1);
        call.path.congestion_control = "cubic";
        auto [there, back] = talk(call, Course::speech, apart, 50 * 60, 0.99);
        INFO(apart << " us apart: p99 " << there << ", " << back);
        CHECK(there < 20);
        CHECK(back < 20);
    }
}

/* 89 % of the link are media and its headers. A queue of two packets was taken for another flow's,
 * and a trial of copies ended before their queue had drained: p50 was 10 s, until the end. */
TEST_CASE("speech in both directions of a thin link that loses packets goes on")
{
    for (uint64_t seed = 24; seed <= 724; seed += 100) {
        auto road = std::make_shared<SimRoad>("delay=42ms,rate=138kbit,queue=3500B,loss=2%", seed);
        road->path.congestion_control = "bbr";
        SimCall call(road, course_config("auto", 8, LIVETCP_REDUNDANCY_AUTO), seed);
        auto [there, back] = talk(call, Course::speech, 9000, 50 * 40, 0.9);
        INFO("seed " << seed << ": p90 " << there << ", " << back);
        CHECK(there < 600);
        CHECK(back < 600);
    }
}

TEST_CASE(
    "behind a policer of hardly more than the media a wrong trial is over within five seconds")
{
    for (double budget : {0.1, LIVETCP_REDUNDANCY_AUTO, 1.0})
        for (uint64_t seed = 1; seed <= 4; seed++) {
            Course course("delay=30ms");
            course.police = static_cast<uint64_t>(Course::media * 1.05);
            Delays delays = drive_auto(course, budget, seed);
            INFO("budget " << budget << ", seed " << seed << ": p95 " << delays.quantile(0.95)
                           << ", p99 " << delays.quantile(0.99));
            CHECK(delays.quantile(0.95) < 31);
            CHECK(delays.quantile(0.99) < 150);
        }
}

/* The repairs of a wrong trial had been taken for a queue, for another flow's losses, and for those
 * of the path, and what a large bucket let through for its rate: seconds of delay until the end. */
TEST_CASE("behind a policer that delays nothing a wrong trial is over within ten seconds", "[long]")
{
    for (const char *below : {"bbr", "cubic"})
        for (uint64_t kbit : {630, 660, 700})
            for (size_t burst : {10000, 30000})
                for (double budget : {LIVETCP_REDUNDANCY_AUTO, 1.0})
                    for (uint64_t seed = 1; seed <= 4; seed++) {
                        Course course("delay=30ms,jitter=1ms");
                        course.below = below;
                        course.police = kbit * 1000;
                        course.burst = burst;
                        course.warmup = 10 * second;
                        course.length = 15 * second;
                        Delays delays = drive_auto(course, budget, seed);
                        INFO(course.describe() << ", budget " << budget << ", seed " << seed
                                               << ": p95 " << delays.quantile(0.95));
                        CHECK(delays.quantile(0.95) < 40);
                    }
}

/* Its bucket holds a second of speech. When it is empty eight connections lose several packets
 * each, and while they repair there are few samples: the bytes under way have to tell. */
TEST_CASE("behind a policer speech comes back from a wrong trial")
{
    unsigned late = 0;
    for (double times : {1.0, 1.06})
        for (uint64_t seed = 1; seed <= 12; seed++) {
            Course course("delay=30ms,jitter=0.1ms");
            course.size = Course::speech;
            course.below = "bbr";
            course.police = static_cast<uint64_t>(Course::speech_rate * times);
            course.warmup = 5 * second;
            course.length = 30 * second;
            Delays delays = drive_auto(course, LIVETCP_REDUNDANCY_AUTO, seed);
            INFO(course.describe() << ", seed " << seed << ": p95 " << delays.quantile(0.95));
            late += delays.quantile(0.95) > 400;
            CHECK(late <= 3); /* 11 */
        }
}

/* The wrong trial fills the bucket's hole with repeats of small packets: over sockets p95 was 10 to
 * 17 s until the end, with either congestion control. */
TEST_CASE("behind a policer with hardly any room speech comes back from a wrong trial, too")
{
    for (const char *below : {"reno", "bbr"}) {
        std::vector<livetcp_usec> delays;
        for (uint64_t seed = 1; seed <= 6; seed++) {
            auto road = std::make_shared<SimRoad>("delay=30ms", seed);
            road->path.congestion_control = below;
            road->path.forward.police(95000, 10000);
            SimFlows flows(road, make_config("auto", 8), 1, seed);
            road->world.run_for(2000000);
            livetcp_usec begin = road->world.now() + 5000000;
            flows.stream(174, 20000, 35 * 1000000);
            road->world.run_for(10000000);
            for (livetcp_usec delay : flows.delays(begin, begin + 30000000, 20000))
                delays.push_back(delay);
        }
        std::sort(delays.begin(), delays.end());
        livetcp_usec p95 = delays[delays.size() * 95 / 100], p99 = delays[delays.size() * 99 / 100];
        INFO(below << ": p95 " << p95 << ", p99 " << p99 << ", max " << delays.back());
        CHECK(p95 < 30000 + 30000);
        CHECK(p99 < 1500000);
    }
}

/* After a trial a fifth more than the media was hardly too much: 2 to 5 % were lost, which counted
 * as random, and was late by up to 0.9 s for twenty seconds. */
TEST_CASE("behind a policer that loses little of hardly too much, extra bytes end")
{
    unsigned late = 0;
    for (const char *below : {"reno", "bbr"})
        for (double loss : {0.0, 1.0})
            for (uint64_t seed = 1; seed <= 5; seed++) {
                Course course("delay=30ms", "", loss);
                course.size = Course::speech;
                course.below = below;
                course.police = static_cast<uint64_t>(Course::speech_rate * 1.2);
                course.warmup = 14 * second;
                course.length = 20 * second;
                Delays delays = drive_auto(course, LIVETCP_REDUNDANCY_AUTO, seed);
                UNSCOPED_INFO(course.describe()
                              << ", seed " << seed << ": p99 " << delays.quantile(0.99));
                late += delays.quantile(0.99) > 200;
            }
    CHECK(late <= 5); /* 17 of 20, and 4 now, all with random loss */
}

TEST_CASE("redundancy that the path carries is sent, behind a policer and with random loss")
{
    Course policed("delay=30ms");
    policed.police = static_cast<uint64_t>(Course::media * 2.2);
    CHECK(drive_auto(policed, 1, 1).cost > 1.95);
    for (double loss : {1.0, 3.0})
        for (uint64_t seed = 1; seed <= 4; seed++)
            CHECK(drive_auto(Course("delay=30ms", "", loss), 1, seed).cost > 1.9);
}

/* LIVETCP_RANDOM_PATHS=1000 draws as many; the suite draws a few of the same. What is known to be
 * worse is in docs/research/groups.md. */
static void hold_against_simple(Course (*draw)(uint64_t), unsigned paths, unsigned one_in)
{
    const char *asked = getenv("LIVETCP_RANDOM_PATHS");
    unsigned worse = 0;
    paths = asked ? static_cast<unsigned>(atoi(asked)) : paths;
    const double budgets[] = {0.1, LIVETCP_REDUNDANCY_AUTO, 1};
    for (unsigned i = 1; i <= paths; i++) {
        Course course = draw(i);
        course.length = 20 * second;
        Simple simple(course);
        double budget = budgets[i % 3];
        Delays own = drive_auto(course, budget, 1);
        if (!is_worse(own, simple.single, simple.queue, 0.99))
            continue;
        worse++;
        WARN(course.describe() << ", path " << i << ", budget " << budget << ": p99 "
                               << own.quantile(0.99) << "; single " << simple.single.quantile(0.99)
                               << "; shortest-queue " << simple.queue.quantile(0.99));
    }
    INFO(worse << " of " << paths);
    CHECK(worse * one_in <= paths);
}

TEST_CASE("on paths drawn at random auto is hardly ever worse than policies that know less",
          "[long]")
{
    hold_against_simple(draw_course, 40, 20);
}

TEST_CASE("nor behind policers, with bursts, routes that change, outages and second links",
          "[long]")
{
    hold_against_simple(draw_hard_course, 40, 8);
}

namespace
{

struct Share {
    double p95, p99, cost;
};

/* Sessions side by side on one path, with room for media and `room` times as much beside it. */
std::vector<Share> side_by_side(const char *policy, unsigned connections, double budget,
                                unsigned count, double room, uint64_t seed)
{
    double rate = Course::media * count * (1 + room);
    std::string path = "delay=30ms,rate=" + std::to_string(static_cast<int>(rate / 1000)) +
                       "kbit,queue=" + std::to_string(static_cast<int>(rate / 8 * 0.1)) + "B";
    SimFlows flows(std::make_shared<SimRoad>(path.c_str(), seed),
                   course_config(policy, connections, budget), count, seed);
    flows.road->world.run_for(2 * second);
    flows.stream(Course::packet, Course::interval, 15 * second);
    livetcp_usec begin = flows.road->world.now();
    std::vector<double> before;
    auto bytes = [](const SimCall &call) {
        return static_cast<double>(call.caller.stats().sent.bytes);
    };
    for (const auto &call : flows.calls) {
        call->remote()->received.clear();
        before.push_back(bytes(*call));
    }
    flows.stream(Course::packet, Course::interval, 60 * second);
    livetcp_usec end = flows.road->world.now();
    flows.road->world.run_for(5 * second);
    std::vector<Share> shares;
    for (size_t i = 0; i < flows.calls.size(); i++) {
        const auto &received = flows.calls[i]->remote()->received;
        auto sent = static_cast<size_t>((end - begin) / Course::interval);
        shares.push_back(
            {delay_quantile_ms(received, sent, 0.95), delay_quantile_ms(received, sent, 0.99),
             (bytes(*flows.calls[i]) - before[i]) / static_cast<double>(sent * Course::packet)});
    }
    return shares;
}

} // namespace

TEST_CASE("sessions on one bottleneck neither starve nor pump each other with redundancy", "[long]")
{
    for (double room : {0.3, 0.6, 1.4})
        for (uint64_t seed : {1, 2}) {
            /* of another session, on the link */
            double copy_ms = Course::interval / 1000.0 / (4 * (1 + room));
            std::vector<Share> plain = side_by_side("shortest-queue", 8, 0, 4, room, seed);
            std::vector<Share> own = side_by_side("auto", 8, 1, 4, room, seed);
            double worst = 0, least = HUGE_VAL, most = 0;
            for (const Share &share : plain)
                worst = std::max(worst, share.p99);
            for (const Share &share : own) {
                INFO("room " << room << ", seed " << seed << ": p95 " << share.p95 << ", p99 "
                             << share.p99 << ", bytes " << share.cost << "; without " << worst);
                CHECK(share.p99 <= allowed_delay(worst, worst) + copy_ms);
                least = std::min(least, share.cost);
                most = std::max(most, share.cost);
            }
            INFO("room " << room << ", seed " << seed << ": bytes " << least << " to " << most);
            CHECK(most < 2.1);
            if (room > 1) /* there is room for everybody's copies */
                CHECK(least > 1.8);
        }
}

/* A lost packet of a thin link was repaired by TCP alone, eight packets later or by its timer:
 * p99.9 was 171 to 175 ms. One connection, whose next packet shows the loss, has 129 to 136. */
TEST_CASE("on a thin link a packet that is lost comes about as soon as on one connection", "[long]")
{
    for (const char *path :
         {"delay=30ms,rate=1203kbit,queue=15040B", "delay=30ms,rate=1324kbit,queue=16544B"})
        for (double budget : {0.1, LIVETCP_REDUNDANCY_AUTO, 1.0}) {
            Course course(path, "", 1);
            course.below = "bbr";
            course.length = 60 * 1000000;
            Delays own = drive(course, course_config("auto", 8, budget), 1);
            for (uint64_t seed = 2; seed <= 4; seed++)
                own.add(drive(course, course_config("auto", 8, budget), seed));
            INFO(course.describe() << ", budget " << budget << ": p99.9 " << own.quantile(0.999)
                                   << ", bytes " << own.cost);
            CHECK(own.quantile(0.999) < 150);
            CHECK(own.cost < 1.04); /* no copies of packets that are not lost */
        }
}
