/* SPDX-License-Identifier: MIT */
/* Sessions over several networks at once: one path for each link. */
#include "catch.h"
#include "sim_video.h"

#include <algorithm>
#include <set>

using namespace scenario;

namespace
{

constexpr livetcp_usec second = 1000000;
constexpr size_t packet = 1446;

/* Video of 578 kbit/s; 602 kbit/s with the headers of TCP and IP. */
constexpr livetcp_usec interval = 20000;

struct Networks {
    Networks(const std::vector<std::string> &paths, const livetcp_config &config, uint64_t seed,
             const std::vector<unsigned> &weights = {})
        : call(std::make_shared<SimRoad>(paths, seed), config, seed, weights)
    {
        call.world.run_for(2 * second);
    }

    void cut(unsigned link, bool is_cut)
    {
        call.link(link).forward.cut(is_cut);
        call.link(link).backward.cut(is_cut);
    }

    void stream(livetcp_usec duration)
    {
        call.stream(packet - 2, interval, duration);
        sent += static_cast<size_t>(duration / interval);
    }

    double quantile(double p) const
    {
        return delay_quantile_ms(call.remote()->received, sent, p);
    }

    /* Media packets that came, each once. */
    size_t distinct() const
    {
        std::set<uint16_t> sequences;
        for (const Received &got : call.remote()->received)
            if (!got.rtcp && !sequences.insert(got.sequence).second)
                FAIL("packet " << got.sequence << " was delivered twice");
        return sequences.size();
    }

    uint64_t bytes_on(unsigned link) const
    {
        uint64_t bytes = 0;
        for (unsigned i = 0; i < call.caller.stats().connections; i++)
            if (call.link_of(i) == link)
                bytes += call.caller.connection_stats(i).bytes_sent;
        return bytes;
    }

    SimCall call;
    size_t sent = 0;
};

/* One way of the slower one, and the time that a packet takes at its rate. */
constexpr double slower_delay_ms = 45 + 33;
const std::vector<std::string> two_losing = {"delay=15ms,loss=1%,rate=361kbit,queue=12p",
                                             "delay=45ms,loss=1%,rate=361kbit,queue=12p"};

} // namespace

TEST_CASE("two links that carry 60 % of the media each lose nothing and are hardly late", "[long]")
{
    for (uint64_t seed : {1, 2, 3, 4, 5, 6}) {
        Networks networks(two_losing, make_config("auto", 8), seed);
        networks.stream(5 * second); /* the controls find their windows */
        networks.call.remote()->received.clear();
        networks.sent = 0;
        networks.stream(60 * second);
        networks.call.world.run_for(5 * second);
        CHECK(networks.distinct() >= networks.sent); /* some were under way at first */
        CHECK(networks.quantile(0.95) <= slower_delay_ms + 10);
    }
}

TEST_CASE(
    "the link of more bytes carries more of the media, and the shorter one no more than it can")
{
    for (uint64_t seed : {1, 2, 3, 4}) {
        Networks networks({"delay=20ms,loss=1%,rate=300kbit,queue=12p",
                           "delay=40ms,loss=1%,rate=600kbit,queue=12p"},
                          make_config("auto", 8), seed);
        networks.stream(5 * second);
        networks.call.remote()->received.clear();
        networks.sent = 0;
        networks.stream(60 * second);
        networks.call.world.run_for(5 * second);
        /* A packet takes 20 ms on the wider link, and 40 ms on the other. */
        CHECK(networks.quantile(0.95) <= 40 + 20 + 10);
    }
}

static double greedy_rate(const std::vector<std::string> &paths, uint64_t seed)
{
    Networks networks(paths, make_config("auto", 4 * static_cast<unsigned>(paths.size())), seed);
    GreedySource source(networks.call, packet - 2);
    networks.call.world.run_for(20 * second);
    size_t before = networks.call.remote()->received.size();
    networks.call.world.run_for(60 * second);
    source.stop();
    return static_cast<double>(networks.call.remote()->received.size() - before);
}

TEST_CASE("a greedy source gets the sum of two links", "[long]")
{
    const std::string fast = "delay=15ms,loss=1%,rate=2mbit,queue=20p";
    const std::string slow = "delay=45ms,loss=1%,rate=2mbit,queue=20p";
    for (uint64_t seed : {1, 2})
        CHECK(greedy_rate({fast, slow}, seed) >=
              0.95 * (greedy_rate({fast}, seed) + greedy_rate({slow}, seed)));
}

TEST_CASE("a link that is cut for ten seconds in twenty loses no packet and delays few", "[long]")
{
    for (unsigned link : {0, 1})
        for (uint64_t seed : {1, 2, 3}) {
            Networks networks({"delay=15ms,loss=1%", "delay=45ms,loss=1%"}, make_config("auto", 8),
                              seed);
            networks.stream(10 * second);
            for (unsigned round = 0; round < 5; round++) {
                networks.cut(link, true);
                networks.stream(10 * second);
                networks.cut(link, false);
                networks.stream(10 * second);
            }
            networks.call.world.run_for(5 * second);
            CHECK(networks.distinct() == networks.sent);
            CHECK(networks.quantile(0.999) <= 45 + 90 + 200);
        }
}

/* The connection with the longest round trip decided when a link was silent, and one that had just
 * been slow explains half a second. */
TEST_CASE("a link that lets nothing through after a slow moment hands its frames over at once",
          "[long]")
{
    std::vector<double> longest;
    for (uint64_t seed = 1; seed <= 25; seed++) {
        auto road =
            std::make_shared<SimRoad>(std::vector<std::string>{"delay=22ms,rate=6mbit,queue=120kB",
                                                               "delay=53ms,rate=4mbit,queue=300kB"},
                                      seed);
        Video video(road, make_config("auto", 8), 1.4e6, false, seed);
        auto quick_for = [&](const char *rate, double seconds) {
            road->link(0).change(rate);
            road->world.run_for(static_cast<livetcp_usec>(seconds * 1e6));
        };
        road->world.run_for(second / 2);
        video.start();
        quick_for("rate=6mbit", 10);
        quick_for("rate=400kbit", 0.6);
        quick_for("rate=6mbit", 1.2);
        livetcp_usec from = road->world.now();
        quick_for("rate=8kbit", 0.7);
        livetcp_usec to = road->world.now();
        quick_for("rate=6mbit", 3);
        longest.push_back(video.delay(1, from - second / 10, to));
        road->world.clear();
    }
    std::sort(longest.begin(), longest.end());
    INFO("p50 " << longest[12] << ", p80 " << longest[20] << ", most " << longest[24]);
    CHECK(longest[20] < 53 + 350); /* 622 without */
}

TEST_CASE("a link of half the loss and round trip gets the media when it alone suffices")
{
    for (uint64_t seed : {1, 2, 3}) {
        Networks networks({"delay=40ms,loss=2%", "delay=20ms,loss=1%"}, make_config("auto", 8),
                          seed);
        networks.stream(60 * second);
        double share = static_cast<double>(networks.bytes_on(1)) /
                       static_cast<double>(networks.bytes_on(0) + networks.bytes_on(1));
        CHECK(share > 0.95);
    }
}

TEST_CASE("an expensive link carries media only when the cheap one does not suffice")
{
    for (bool cheap_suffices : {true, false}) {
        Networks networks({cheap_suffices ? "delay=40ms,rate=2mbit,queue=20p"
                                          : "delay=40ms,rate=300kbit,queue=20p",
                           "delay=20ms,rate=2mbit,queue=20p"},
                          make_config("auto", 8), 1, {1, 10});
        networks.stream(30 * second);
        double share = static_cast<double>(networks.bytes_on(1)) /
                       static_cast<double>(networks.bytes_on(0) + networks.bytes_on(1));
        if (cheap_suffices)
            CHECK(share < 0.02);
        else
            CHECK(share > 0.4);
        CHECK(networks.quantile(0.95) < 200);
    }
}

TEST_CASE("a session opens on the link that works")
{
    for (unsigned dead : {0, 1}) {
        auto road =
            std::make_shared<SimRoad>(std::vector<std::string>{"delay=10ms", "delay=10ms"}, 1);
        road->link(dead).forward.cut(true);
        SimCall call(road, make_config("auto", 4), 1);
        call.world.run_for(2 * second);
        CHECK(call.caller.state() == LIVETCP_SESSION_OPEN);
        CHECK(call.caller.stats().open_connections == 2);
        road->link(dead).forward.cut(false);
        call.world.run_for(10 * second);
        CHECK(call.caller.stats().open_connections == 4);
    }
}

/* The first packet that the application sent after the path is back, and when it comes after that.
 */
static livetcp_usec first_after_outage(const std::vector<std::string> &paths, livetcp_usec outage,
                                       uint64_t seed, livetcp_session_stats &stats,
                                       unsigned &keyframes)
{
    livetcp_config config = make_config("auto", 8);
    config.max_send_delay_us = 500000;
    Networks networks(paths, config, seed);
    networks.call.stream(packet - 2, interval, 5 * second + static_cast<livetcp_usec>(seed) * 7000);
    for (unsigned i = 0; i < paths.size(); i++)
        networks.cut(i, true);
    networks.call.stream(packet - 2, interval, outage);
    for (unsigned i = 0; i < paths.size(); i++)
        networks.cut(i, false);
    livetcp_usec back = networks.call.world.now(), first = LIVETCP_NEVER;
    size_t events = networks.call.caller.events.size();
    networks.call.stream(packet - 2, interval, 5 * second);
    networks.call.world.run_for(second);
    stats = networks.call.caller.stats();
    keyframes = 0;
    for (size_t i = 0; i < networks.call.caller.events.size(); i++)
        keyframes += i + 1 > events / 2 &&
                     networks.call.caller.events[i].type == LIVETCP_ENGINE_KEYFRAME_WANTED;
    for (const Received &got : networks.call.remote()->received)
        if (!got.rtcp && got.at - got.delay >= back && got.at - back < first)
            first = got.at - back;
    return first;
}

TEST_CASE(
    "after an outage new packets come soon, old ones are dropped and a key frame is asked for")
{
    for (livetcp_usec delay : {10000, 30000, 100000})
        for (livetcp_usec outage : {1500000, 4000000})
            for (uint64_t seed = 1; seed <= 2; seed++) {
                std::string path = "delay=" + std::to_string(delay) + "us";
                livetcp_session_stats stats;
                unsigned keyframes;
                livetcp_usec first = first_after_outage({path}, outage, seed, stats, keyframes);
                INFO("round trip " << 2 * delay << " us, outage " << outage << " us, seed " << seed
                                   << ": " << first << " us");
                /* TCP's timer doubles: it waits as long again as the outage has lasted, at most. */
                CHECK(first <= outage + 4 * delay + 200000);
                CHECK(stats.dropped.late > 0);
                CHECK(keyframes > 0);
            }
}
