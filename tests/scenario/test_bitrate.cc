/* SPDX-License-Identifier: MIT */
/* The estimated bit rate, with an encoder that follows it. */
#include "catch.h"
#include "sim_session.h"

extern "C" {
#include "engine/rate/rate.h"
}

#include <algorithm>
#include <cmath>

using namespace scenario;

namespace
{

constexpr double mbit = 1e6;
constexpr size_t packet_size = 1200;

/* 25 frames a second in bursts, sizes that vary by a third, a key frame of three times the size
 * every 2 s, and a rate control that takes some 300 ms to follow. */
class Encoder
{
  public:
    Encoder(SimCall &call, double initial, double most, uint64_t seed)
        : call_(call), rate_(initial), target_(initial), most_(most)
    {
        lt_rng_seed(&rng_, seed);
    }

    void run(double seconds)
    {
        livetcp_usec end = call_.world.now() + static_cast<livetcp_usec>(seconds * 1e6);
        while (call_.world.now() < end) {
            frame();
            call_.world.run_for(40000);
            follow();
        }
    }

    size_t sent = 0, changes = 0;

  private:
    void frame()
    {
        double varied = 0.67 + 0.66 * static_cast<double>(lt_rng_next(&rng_) % 1000) / 1000;
        double of_gop = frames_++ % 50 == 0 ? 3 : 48.0 / 49;
        double size = rate_ / 8 * 0.04 * varied * of_gop;
        for (double left = size; left > 0; left -= packet_size) {
            double part = std::min(left, static_cast<double>(packet_size));
            call_.caller.send(7, sequence_++, std::max<size_t>(20, static_cast<size_t>(part)));
            sent++;
        }
    }

    void follow()
    {
        auto &events = call_.caller.events;
        for (; seen_ < events.size(); seen_++)
            if (events[seen_].type == LIVETCP_ENGINE_BITRATE) {
                target_ = events[seen_].bitrate;
                changes++;
            }
        rate_ += (std::min(target_, most_) - rate_) * 0.04 / 0.3;
    }

    SimCall &call_;
    lt_rng rng_;
    double rate_, target_, most_;
    size_t seen_ = 0, frames_ = 0;
    uint16_t sequence_ = 0;
};

struct Case {
    const char *policy;
    unsigned connections;
};
const Case cases[] = {{"single", 1}, {"shortest-queue", 5}, {"hedge", 5}};

const char *const at_4_mbit = "delay=25ms,rate=4mbit,queue=100p";
const char *const at_2_mbit = "delay=25ms,rate=2mbit,queue=100p";

double estimate(const SimCall &call)
{
    return call.caller.stats().sent.estimated_bitrate;
}

livetcp_config bounded(const Case &which, double min, double max)
{
    livetcp_config config = make_config(which.policy, which.connections);
    config.min_bitrate = static_cast<uint32_t>(min);
    config.max_bitrate = static_cast<uint32_t>(max);
    config.rtcp = LIVETCP_RTCP_OFF; /* the same losses, whatever else goes over the path */
    config.feedback_us = 0;
    return config;
}

/* A call whose encoder follows, after half a second for joining. */
struct Followed {
    Followed(const Case &which, const char *path, uint64_t seed, double initial,
             double most = 20 * mbit, double min = 0, double max = 0)
        : call(path, bounded(which, min, max), seed), encoder(call, initial, most, seed)
    {
        call.world.run_for(500000);
    }

    /* Seconds until `reached` holds; more than `limit` if it does not. */
    template <typename Reached> double seconds_until(double limit, Reached reached)
    {
        double seconds = 0;
        while (seconds <= limit && !reached()) {
            encoder.run(0.04);
            seconds += 0.04;
        }
        return seconds;
    }

    double lowest(double seconds)
    {
        double low = estimate(call);
        for (double t = 0; t < seconds; t += 0.2) {
            encoder.run(0.2);
            low = std::min(low, estimate(call));
        }
        return low;
    }

    SimCall call;
    Encoder encoder;
};

} // namespace

TEST_CASE("an encoder that follows the estimate fills the path and no queue stands", "[long]")
{
    for (const Case &which : cases)
        for (uint64_t seed = 1; seed <= 4; seed++) {
            Followed at(which, at_4_mbit, seed, 1 * mbit);
            double rising = at.seconds_until(8, [&] { return estimate(at.call) > 2.6 * mbit; });
            at.encoder.run(10); /* the first time it goes beyond what the path carries is past */
            uint64_t bytes = at.call.path.forward.counters().out_bytes;
            size_t from = at.call.remote()->received.size();
            at.encoder.run(30);
            double used = static_cast<double>(at.call.path.forward.counters().out_bytes - bytes) *
                          8 / 30 / (4 * mbit);
            auto &received = at.call.remote()->received;
            std::vector<Received> steady(received.begin() + static_cast<ptrdiff_t>(from),
                                         received.end());
            double median = delay_quantile_ms(steady, 0, 0.5);
            double p95 = delay_quantile_ms(steady, 0, 0.95);
            INFO(which.policy << " seed " << seed << ": " << rising << " s, uses " << used
                              << ", delay " << median << " and " << p95 << " ms");
            CHECK(rising < 7);
            CHECK(used > 0.7);
            CHECK(used <= 1.0);
            CHECK(median < 25 + 60); /* a frame takes 40 ms to send at this rate */
            CHECK(p95 < 25 + 475);   /* a key frame three times that, and some meet a full queue */
        }
}

TEST_CASE("the estimate falls within a second when the rate is halved, and rises again", "[long]")
{
    for (const Case &which : cases)
        for (uint64_t seed = 1; seed <= 4; seed++) {
            Followed at(which, at_4_mbit, seed, 2 * mbit);
            at.encoder.run(15);
            at.call.path.forward.set(link_params(at_2_mbit));
            double falling = at.seconds_until(3, [&] { return estimate(at.call) < 2 * mbit; });
            at.encoder.run(15);
            double low = estimate(at.call);
            at.call.path.forward.set(link_params(at_4_mbit));
            double rising = at.seconds_until(25, [&] { return estimate(at.call) > 2.6 * mbit; });
            INFO(which.policy << " seed " << seed << ": falls in " << falling << " s, is "
                              << low / mbit << " Mb/s then, rises in " << rising << " s");
            CHECK(falling < 1.0);
            CHECK(low < 2 * mbit);
            CHECK(low > 0.8 * mbit);
            CHECK(rising < 20);
        }
}

TEST_CASE("random loss that TCP copes with does not lower the estimate", "[long]")
{
    for (const Case &which : cases)
        for (const char *path : {"delay=20ms,loss=1%,rate=20mbit,queue=100p",
                                 "delay=20ms,loss=3%,rate=20mbit,queue=100p"})
            for (uint64_t seed = 1; seed <= 4; seed++) {
                double rate = which.connections == 1 ? 0.5 * mbit : 1.5 * mbit;
                Followed at(which, path, seed, rate, rate);
                at.encoder.run(4);
                double lowest = at.lowest(30);
                INFO(which.policy << " " << path << " seed " << seed << ": " << lowest / mbit);
                CHECK(lowest > 0.9 * rate);
            }
}

TEST_CASE("a source that uses little of the path keeps the estimate it has")
{
    for (const Case &which : cases) {
        INFO(which.policy);
        Followed at(which, "delay=50ms,rate=10mbit,queue=100p", 1, 1 * mbit, 1 * mbit, 0, 8 * mbit);
        CHECK(at.lowest(30) == 8 * mbit);
        Followed unbounded(which, "delay=50ms,rate=10mbit,queue=100p", 1, 1 * mbit, 1 * mbit);
        unbounded.encoder.run(10);
        CHECK(unbounded.lowest(20) > 1.2 * mbit);
        CHECK(estimate(unbounded.call) < 2.6 * mbit); /* and does not promise what is not shown */
    }
}

TEST_CASE("the estimate stays between its bounds, and is told when it reaches one")
{
    for (const Case &which : cases) {
        INFO(which.policy);
        Followed low(which, at_2_mbit, 1, 1 * mbit, 20 * mbit, 3 * mbit);
        CHECK(low.lowest(20) >= 0);
        CHECK(estimate(low.call) == 3 * mbit);
        Followed high(which, at_4_mbit, 1, 1 * mbit, 20 * mbit, 0, 1.5 * mbit);
        CHECK(estimate(high.call) == 1.5 * mbit); /* before anything was sent */
        CHECK(high.lowest(20) == 1.5 * mbit);
        CHECK(high.encoder.changes == 1);
    }
}

TEST_CASE("a path that is down lowers the estimate, which comes back after it")
{
    for (const Case &which : cases)
        for (uint64_t seed = 1; seed <= 4; seed++) {
            Followed at(which, at_4_mbit, seed, 2 * mbit);
            at.encoder.run(10);
            double before = estimate(at.call);
            at.call.path.forward.cut(true);
            at.encoder.run(3);
            double during = estimate(at.call);
            at.call.path.forward.cut(false);
            double rising = at.seconds_until(25, [&] { return estimate(at.call) > 2.6 * mbit; });
            INFO(which.policy << " seed " << seed << ": " << before / mbit << ", " << during / mbit
                              << ", back in " << rising << " s");
            CHECK(during < 0.6 * before);
            CHECK(during > 0.03 * before);
            CHECK(rising < 25);
        }
}

TEST_CASE("a longer way is not taken for a queue of ours for long")
{
    for (const Case &which : cases) {
        Followed at(which, "delay=20ms,rate=10mbit,queue=100p", 1, 2 * mbit, 2 * mbit);
        at.encoder.run(10);
        double before = estimate(at.call);
        at.call.path.forward.set(link_params("delay=120ms,rate=10mbit,queue=100p"));
        double lowest = at.lowest(10);
        at.encoder.run(20);
        INFO(which.policy << ": " << before / mbit << ", " << lowest / mbit << ", "
                          << estimate(at.call) / mbit);
        CHECK(lowest > 0.015 * before);
        CHECK(estimate(at.call) > 0.4 * before);
    }
}

/* Smaller steps keep the queue shorter: with those of 5 % an encoder went on at 3 % above the rate
 * at which a queue would drain. A fall of a tenth is told at once; on a path of its own, one of
 * 3 %. */
TEST_CASE("changes are told when they matter, and not too often")
{
    Followed at(cases[1], at_4_mbit, 1, 1 * mbit);
    livetcp_usec told = 0;
    double last = 0;
    at.call.caller.on_event = [&](const livetcp_engine_event &event) {
        if (event.type != LIVETCP_ENGINE_BITRATE)
            return;
        CHECK(std::abs(event.bitrate - last) >= 0.0199 * last);
        if (event.bitrate > 0.97 * last)
            CHECK(at.call.world.now() - told >= 300000);
        told = at.call.world.now();
        last = event.bitrate;
    };
    at.encoder.run(60);
    CHECK(at.encoder.changes > 5);
    CHECK(at.encoder.changes < 150);
}

TEST_CASE("no path info makes the estimate leave its bounds, or the window close")
{
    lt_rng rng;
    lt_rng_seed(&rng, 5);
    auto below = [&](uint64_t n) { return lt_rng_next(&rng) % n; };
    for (int round = 0; round < 200; round++) {
        livetcp_config config = make_config("single", 1);
        config.min_bitrate = round % 2 ? 100000 : 0;
        config.max_bitrate = round % 3 ? 5000000 : 0;
        lt_rate rate;
        lt_rate_init(&rate, &config);
        std::vector<livetcp_path> paths(1 + below(LIVETCP_MAX_CONNECTIONS));
        livetcp_usec now = 0;
        for (int i = 0; i < 300; i++) {
            now += static_cast<livetcp_usec>(below(below(20) ? 60000 : 9000000));
            for (unsigned slot = 0; slot < paths.size(); slot++) {
                livetcp_path &path = paths[slot];
                path.usable = below(4) > 0;
                path.known = static_cast<uint32_t>(below(2048));
                path.tcp_state = static_cast<livetcp_tcp_state>(below(5));
                path.queued_bytes =
                    static_cast<uint32_t>(below(2) ? below(1 << 16) : lt_rng_next(&rng));
                path.sacked_bytes = static_cast<uint32_t>(below(2) ? 0 : lt_rng_next(&rng));
                path.unsent_bytes = static_cast<uint32_t>(lt_rng_next(&rng));
                path.cwnd_bytes = static_cast<uint32_t>(lt_rng_next(&rng));
                path.rtt_us = static_cast<livetcp_usec>(below(2000000));
                path.min_rtt_us = static_cast<livetcp_usec>(below(2000000));
                path.retransmitted_segments = below(2) ? 0 : lt_rng_next(&rng);
                path.last_write_us = below(2) ? now : INT64_MIN;
                if (below(2)) {
                    lt_packet packet = {};
                    uint64_t size = below(1 << 16);
                    packet.frame_size = below(1 << 12) + LT_FRAME_HEADER;
                    packet.ssrc = static_cast<uint32_t>(below(2));
                    packet.timestamp = static_cast<uint32_t>(below(100));
                    lt_rate_on_written(&rate, slot, &path, size, below(2) ? &packet : nullptr, now);
                }
                if (below(2)) {
                    lt_frame_arrival arrival = {
                        static_cast<uint32_t>(below(2)), static_cast<uint32_t>(below(100)),
                        below(2) ? lt_rng_next(&rng) : static_cast<uint64_t>(now),
                        static_cast<uint32_t>(below(2) ? lt_rng_next(&rng) : below(100000)),
                        static_cast<uint32_t>(below(2) ? lt_rng_next(&rng) : below(100000))};
                    lt_rate_on_arrival(&rate, &arrival, now);
                }
                if (below(2))
                    lt_rate_on_path_info(&rate, slot, &path, now);
                if (!below(50))
                    lt_rate_reset_slot(&rate, slot);
            }
            lt_rate_view view = {paths.data(),
                                 static_cast<unsigned>(paths.size()),
                                 below(1 << 24),
                                 below(1 << 24),
                                 below(1 << 24),
                                 static_cast<livetcp_usec>(below(3000000)),
                                 static_cast<livetcp_usec>(below(2) ? 0 : below(1000000)),
                                 below(1 << 20),
                                 0,
                                 below(2) == 1};
            lt_rate_update(&rate, &view, now);
            lt_rate_expire(&rate, now);
            REQUIRE(std::isfinite(rate.bitrate.estimate));
            REQUIRE(rate.bitrate.estimate >= 0);
            REQUIRE(std::isfinite(rate.congestion.path.limit));
            REQUIRE(lt_rate_window(&rate) >= (rate.congestion.lasts ? 1500 : 2000));
            if (rate.bitrate.estimate > 0)
                REQUIRE(lt_rate_get(&rate) >= config.min_bitrate);
            if (config.max_bitrate)
                REQUIRE(lt_rate_get(&rate) <= config.max_bitrate);
        }
    }
}
