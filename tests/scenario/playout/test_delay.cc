/* SPDX-License-Identifier: MIT */
/* The playout delay of each mode: how long, when it changes, and what a stall does to it. */
#include "call.h"

#include <cstdio>
#include <cstdlib>

namespace
{

const livetcp_playout_mode modes[] = {LIVETCP_PLAYOUT_FIXED, LIVETCP_PLAYOUT_STATIC,
                                      LIVETCP_PLAYOUT_ADAPTIVE, LIVETCP_PLAYOUT_POLICY_AWARE};

livetcp_usec none(livetcp_usec)
{
    return 0;
}

/* The delay once the path is known, on a path without jitter. */
livetcp_usec settled(livetcp_playout_mode mode,
                     const std::function<void(livetcp_playout_path &)> &path)
{
    Call call(voice(mode, 77 * ms));
    call.silence_us = 800 * ms;
    call.playout.path(path);
    call.run(6 * second, none); /* 180 packets: too few for a distribution */
    CHECK(call.playout.latency().delay_us == call.playout.latency().target_us);
    return call.playout.latency().delay_us;
}

/* A stall: nothing gets through from `begin` to `end`, then all of it at once. */
livetcp_usec stall(livetcp_usec now, livetcp_usec begin, livetcp_usec end)
{
    return now >= begin && now < end ? end - now : 0;
}

} // namespace

TEST_CASE("static is RTT + 3/f, and what is not known yet is latency")
{
    CHECK(settled(LIVETCP_PLAYOUT_STATIC, [](livetcp_playout_path &p) { p.rtt_us = 100 * ms; }) ==
          160 * ms);
    CHECK(settled(LIVETCP_PLAYOUT_STATIC, [](livetcp_playout_path &) {}) == 77 * ms);
    CHECK(settled(LIVETCP_PLAYOUT_STATIC, [](livetcp_playout_path &p) { p.rtt_us = 500 * ms; }) ==
          400 * ms); /* the most */
}

TEST_CASE("policy-aware is what the repair of the sender's policy takes")
{
    using P = livetcp_playout_path;
    auto aware = [](const std::function<void(P &)> &path) {
        return settled(LIVETCP_PLAYOUT_POLICY_AWARE, [&](P &p) {
            p.rtt_us = 100 * ms;
            path(p);
        });
    };
    CHECK(aware([](P &) {}) == 160 * ms);
    CHECK(aware([](P &p) {
              p.repair = LIVETCP_PLAYOUT_REPAIR_HEDGE;
              p.hedge_delay_us = 15 * ms;
          }) == 115 * ms);
    CHECK(aware([](P &p) {
              p.repair = LIVETCP_PLAYOUT_REPAIR_DUPLICATE;
              p.copies = 2;
          }) == 10 * ms);
    CHECK(aware([](P &p) {
              p.repair = LIVETCP_PLAYOUT_REPAIR_DUPLICATE;
              p.copies = 1; /* that is no copy */
          }) == 160 * ms);
    CHECK(aware([](P &p) {
              p.repair = LIVETCP_PLAYOUT_REPAIR_PARITY;
              p.parity_group = 4;
          }) == 90 * ms);
}

TEST_CASE("policy-aware does not wait for protections that few packets have")
{
    auto announced = [](double unprotected, double hedged, double copied, double target_late) {
        livetcp_playout_config config = voice(LIVETCP_PLAYOUT_POLICY_AWARE);
        config.target_late = target_late;
        Call call(config);
        call.playout.path([&](livetcp_playout_path &p) {
            p.rtt_us = 100 * ms;
            p.hedge_delay_us = 5 * ms;
            p.copies = 2;
            p.copy_spacing_us = 12 * ms;
            p.shares[LIVETCP_PLAYOUT_REPAIR_TCP] = unprotected;
            p.shares[LIVETCP_PLAYOUT_REPAIR_HEDGE] = hedged;
            p.shares[LIVETCP_PLAYOUT_REPAIR_DUPLICATE] = copied;
        });
        call.run(3 * second, none);
        return call.playout.latency().target_us;
    };
    /* 12 ms between copies, and 10; a twentieth of the packets is lost. */
    CHECK(announced(0.08, 0, 0.92, 0.005) == 22 * ms);
    CHECK(announced(0.12, 0, 0.88, 0.005) == 160 * ms);
    CHECK(announced(0.08, 0, 0.92, 0.001) == 160 * ms);
    CHECK(announced(0.04, 0.3, 0.66, 0.005) == 105 * ms);
    CHECK(announced(0.3, 0.3, 0.4, 0.02) == 105 * ms);
}

TEST_CASE("policy-aware averages shares that vary from second to second")
{
    Call call(voice(LIVETCP_PLAYOUT_POLICY_AWARE));
    for (unsigned i = 0; i < 60; i++) { /* one packet in five seconds has no copy */
        call.playout.path([&](livetcp_playout_path &p) {
            p.rtt_us = 100 * ms;
            p.copies = 2;
            p.shares[LIVETCP_PLAYOUT_REPAIR_TCP] = i % 5 ? 0 : 0.02;
            p.shares[LIVETCP_PLAYOUT_REPAIR_DUPLICATE] = i % 5 ? 1 : 0.98;
        });
        call.run(second, none);
        if (i >= 20)
            REQUIRE(call.playout.latency().target_us <= 10 * ms);
    }
}

TEST_CASE("policy-aware starts anew when most packets lose their protection")
{
    Call call(voice(LIVETCP_PLAYOUT_POLICY_AWARE));
    auto tell = [&](bool copies) {
        call.playout.path([&](livetcp_playout_path &p) {
            p.rtt_us = 100 * ms;
            p.copies = 2;
            p.hedge_delay_us = 5 * ms;
            p.shares[LIVETCP_PLAYOUT_REPAIR_HEDGE] = copies ? 0 : 1;
            p.shares[LIVETCP_PLAYOUT_REPAIR_DUPLICATE] = copies ? 1 : 0;
        });
    };
    tell(true);
    call.run(20 * second, none);
    CHECK(call.playout.latency().target_us < ms);
    for (unsigned i = 0; i < 8; i++) {
        tell(false);
        call.run(second / 10, none);
    }
    CHECK(call.playout.latency().target_us == 105 * ms);
    call.run(6 * second, none);
    CHECK(call.playout.latency().target_us < ms);
}

TEST_CASE("policy-aware is never above adaptive at the same share of late packets")
{
    /* Of each policy: the share of packets that are repaired, how long that takes, and whether the
     * packets behind wait, too. */
    struct Case {
        const char *policy;
        double share;
        livetcp_usec repair_us;
        bool blocks;
    };
    const Case cases[] = {{"single", 0.02, 160 * ms, true},
                          {"hedge", 0.02, 105 * ms, false},
                          {"parity", 0.02, 70 * ms, false},
                          {"duplicate", 0.002, 110 * ms, false},
                          {"auto", 0.004, 140 * ms, false}};
    const Case &of = GENERATE_REF(from_range(std::begin(cases), std::end(cases)));
    livetcp_usec silence_us = GENERATE(0, 800 * ms);

    struct Run {
        double late, delay_us;
    };
    auto run = [&](livetcp_playout_mode mode, double target_late) {
        livetcp_playout_config config = voice(mode);
        config.target_late = target_late;
        Call call(config);
        livetcp_usec blocked_until = 0;
        call.silence_us = silence_us;
        call.ordered = of.blocks;
        call.run(300 * second, [&](livetcp_usec now) {
            bool lost = lt_rng_uniform(&call.rng) < of.share;
            if (of.blocks) {
                if (lost && now >= blocked_until)
                    blocked_until = now + of.repair_us;
                return std::max<livetcp_usec>(blocked_until - now, 0) + call.jitter(ms / 2);
            }
            return (lost ? of.repair_us : 0) + call.jitter(ms / 2);
        });
        Run result = {0, 0};
        double count = 0;
        for (const Fate &fate : call.fates)
            if (fate.media_us > 60 * second) {
                result.late += !fate.in_time();
                result.delay_us += static_cast<double>(fate.slot.delay_us);
                count++;
            }
        return Run{result.late / count, result.delay_us / count};
    };
    Run adaptive = run(LIVETCP_PLAYOUT_ADAPTIVE, 0);
    Run same = run(LIVETCP_PLAYOUT_POLICY_AWARE, adaptive.late);
    Run usual = run(LIVETCP_PLAYOUT_POLICY_AWARE, 0.005);
    CAPTURE(of.policy, silence_us, adaptive.late, adaptive.delay_us, same.late, same.delay_us,
            usual.late, usual.delay_us);
    if (getenv("LIVETCP_PLAYOUT_TABLE"))
        printf("%-10s %-8s adaptive %6.1f ms %.2f %%; policy-aware, as late %6.1f ms %.2f %%, "
               "0.5 %% %6.1f ms %.2f %%\n",
               of.policy, silence_us ? "spurts" : "endless", adaptive.delay_us / 1000,
               100 * adaptive.late, same.delay_us / 1000, 100 * same.late, usual.delay_us / 1000,
               100 * usual.late);
    CHECK(same.delay_us <= adaptive.delay_us * 1.0625 + 1000); /* a bin of the distribution */
    CHECK(usual.late < 0.009);
    if (adaptive.late <= 0.005)
        CHECK(usual.delay_us <= adaptive.delay_us * 1.0625 + 1000);
}

TEST_CASE("a round-trip time that makes no sense is left out and counted")
{
    Call call(voice(LIVETCP_PLAYOUT_STATIC));
    using P = livetcp_playout_path;
    call.silence_us = 800 * ms;
    call.playout.path([](P &p) { p.rtt_us = 100 * ms; });
    call.run(5 * second, none);
    for (livetcp_usec nonsense : {-1 * ms, 36000 * second, INT64_MAX, INT64_MIN})
        call.playout.path([&](P &p) { p.rtt_us = nonsense; });
    call.playout.path([](P &p) { p.hedge_delay_us = -1; });
    call.playout.path([](P &p) { p.copies = 4000000000u; });
    call.playout.path([](P &p) { p.parity_group = 4000000000u; });
    call.playout.path([](P &p) { p.repair = static_cast<livetcp_playout_repair>(99); });
    CHECK(call.playout.stats().path_ignored == 8);
    call.playout.path([](P &) {}); /* 0: not known */
    CHECK(call.playout.stats().path_ignored == 8);
    call.run(5 * second, none);
    CHECK(call.playout.latency().delay_us == 160 * ms);
}

TEST_CASE("adaptive covers the jitter there is, and shrinks when there is less")
{
    Call call(voice(LIVETCP_PLAYOUT_ADAPTIVE));
    call.silence_us = 800 * ms;
    auto phase = [&](livetcp_usec mean) {
        size_t begin = call.fates.size(), late = 0, late_half = 0;
        call.run(60 * second, [&](livetcp_usec) { return call.jitter(mean); });
        for (size_t i = begin; i < call.fates.size(); i++) {
            late += !call.fates[i].in_time();
            late_half += i > (begin + call.fates.size()) / 2 && !call.fates[i].in_time();
        }
        CHECK(late < (call.fates.size() - begin) / 10);
        CHECK(late_half < (call.fates.size() - begin) / 50);
        return call.playout.latency().delay_us;
    };
    livetcp_usec calm = phase(2 * ms), rough = phase(20 * ms), calm_again = phase(2 * ms);
    CHECK(calm < 15 * ms);
    CHECK(rough > 60 * ms);
    CHECK(calm_again < 30 * ms);
}

TEST_CASE("the delay changes where talkspurts start and nowhere else, and stays within bounds")
{
    for (livetcp_playout_mode mode : modes) {
        for (bool markers : {false, true}) {
            INFO("mode " << mode << " markers " << markers);
            livetcp_playout_config config = voice(mode);
            config.min_latency_us = 20 * ms;
            config.max_latency_us = 250 * ms;
            Call call(config);
            call.silence_us = 600 * ms;
            call.markers = markers;
            unsigned step = 0, changed = 0;
            for (; step < 60; step++) {
                using P = livetcp_playout_path;
                livetcp_usec mean = (step * 7 % 11) * 4 * ms, rtt = (step % 5 + 1) * 60 * ms;
                call.playout.path([&](P &p) {
                    p.rtt_us = rtt;
                    p.repair = LIVETCP_PLAYOUT_REPAIR_HEDGE;
                });
                livetcp_usec begin = step * 3 * second + second;
                call.run(3 * second, [&](livetcp_usec now) {
                    return call.jitter(mean) +
                           (step % 8 == 5 ? stall(now, begin, begin + 1500 * ms) : 0);
                });
            }
            for (size_t i = 1; i < call.fates.size(); i++) {
                const Fate &before = call.fates[i - 1], &now = call.fates[i];
                livetcp_usec moved = now.total_us() - before.total_us();
                REQUIRE(now.slot.delay_us <= config.max_latency_us);
                if (now.slot.result == LIVETCP_PLAYOUT_PLAY)
                    REQUIRE(now.slot.play_us - now.arrival_us <= config.max_latency_us);
                if (now.slot.events & LIVETCP_PLAYOUT_TALKSPURT)
                    changed += moved != 0;
                else if (now.slot.delay_us < config.max_latency_us)
                    REQUIRE(std::llabs(moved) <= 20);
                REQUIRE(now.slot.play_us > before.slot.play_us); /* no frozen timestamps */
            }
            CHECK(call.playout.stats().resyncs == 0);
            if (mode != LIVETCP_PLAYOUT_FIXED)
                CHECK(changed > 15);
            CHECK(call.playout.stats().talkspurts >= 100);
        }
    }
}

TEST_CASE("voice recovers from a stall of 1.5 s within a talkspurt")
{
    for (livetcp_playout_mode mode : modes) {
        for (livetcp_usec silence : {600 * ms, 0 * ms}) {
            INFO("mode " << mode << " silence " << silence);
            Call call(voice(mode));
            const livetcp_usec begin = 30 * second + 100 * ms, end = begin + 1500 * ms;
            call.silence_us = silence;
            call.playout.path([](livetcp_playout_path &p) { p.rtt_us = 60 * ms; });
            call.run(60 * second, [&](livetcp_usec now) {
                return call.jitter(3 * ms) + stall(now, begin, end);
            });
            livetcp_usec before = 0;
            unsigned late = 0;
            for (const Fate &fate : call.fates) {
                if (fate.media_us < begin)
                    before = fate.slot.delay_us;
                /* A talkspurt of 1.2 s, and the silence that may be under way. */
                if (fate.media_us > end + 1800 * ms) {
                    REQUIRE(fate.slot.delay_us < before + 20 * ms);
                    late += !fate.in_time();
                }
            }
            CHECK(late < 50); /* of 1400: u + 4v does not cover all */
            CHECK(call.playout.stats().resyncs == 0);
            CHECK(call.playout.stats().timestamp_resets == 0);
        }
    }
}

TEST_CASE("video recovers from a stall of 1.5 s within two seconds")
{
    for (livetcp_playout_mode mode : modes) {
        for (unsigned key_every : {0u, 50u}) {
            INFO("mode " << mode << " key frame every " << key_every);
            Call call(video(mode));
            const livetcp_usec begin = 30 * second + 100 * ms, end = begin + 1500 * ms;
            call.key_every = key_every;
            call.playout.path([](livetcp_playout_path &p) { p.rtt_us = 60 * ms; });
            call.run(60 * second, [&](livetcp_usec now) {
                return call.jitter(3 * ms) + stall(now, begin, end);
            });
            livetcp_usec before = 0;
            unsigned late = 0;
            for (size_t i = 1; i < call.fates.size(); i++) {
                const Fate &fate = call.fates[i];
                if (fate.media_us < begin)
                    before = fate.slot.delay_us;
                if (fate.media_us > end + 2 * second) {
                    REQUIRE(fate.slot.delay_us < before + 20 * ms);
                    late += !fate.in_time();
                }
                REQUIRE(fate.slot.play_us > call.fates[i - 1].slot.play_us);
            }
            CHECK(late < 30); /* of 700 */
            livetcp_playout_stats stats = call.playout.stats();
            CHECK(stats.lost == 0);
            CHECK(stats.played_late >= 30);
            CHECK(stats.played_late <= 100);
            CHECK(stats.freezes == 1);
            CHECK(stats.longest_freeze_us > 1200 * ms);
            CHECK(stats.longest_freeze_us < 1600 * ms);
        }
    }
}

TEST_CASE("sound without pauses gets its delay back slowly, without a jump")
{
    livetcp_playout_config config = voice(LIVETCP_PLAYOUT_STATIC, 300 * ms);
    Call call(config);
    call.run(5 * second, none);
    CHECK(call.playout.latency().delay_us == 300 * ms);
    call.playout.path([&](livetcp_playout_path &p) { p.rtt_us = 50 * ms; });
    call.run(220 * second, none);
    CHECK(call.playout.latency().delay_us <= 110 * ms);
    for (size_t i = 1; i < call.fates.size(); i++)
        REQUIRE(std::llabs(call.fates[i].total_us() - call.fates[i - 1].total_us()) <= 20);
}

TEST_CASE("video follows by slewing, or at a key frame at once")
{
    for (unsigned key_every : {0u, 25u}) {
        Call call(video(LIVETCP_PLAYOUT_STATIC));
        call.key_every = key_every;
        auto rtt = [&](livetcp_usec us) {
            call.playout.path([&](livetcp_playout_path &p) { p.rtt_us = us; });
        };
        rtt(20 * ms);
        call.run(5 * second, none);
        rtt(220 * ms);
        call.run(2 * second, none);
        CHECK(call.playout.latency().delay_us == call.playout.latency().target_us);
        livetcp_usec biggest = 0;
        for (size_t i = 1; i < call.fates.size(); i++)
            biggest = std::max<livetcp_usec>(biggest, call.fates[i].total_us() -
                                                          call.fates[i - 1].total_us());
        if (key_every)
            CHECK(biggest > 100 * ms);
        else
            CHECK(biggest <= 8 * ms);
    }
}

TEST_CASE("what the first packets waited for is not taken for the path, nor played")
{
    for (bool is_video : {false, true}) {
        for (livetcp_playout_mode mode : modes) {
            for (livetcp_playout_release release :
                 {LIVETCP_PLAYOUT_WHEN_DUE, LIVETCP_PLAYOUT_IN_ORDER}) {
                INFO("video " << is_video << " mode " << mode << " release " << release);
                livetcp_playout_config config = is_video ? video(mode) : voice(mode);
                config.release = release;
                Call call(config);
                call.silence_us = is_video ? 0 : 800 * ms;
                call.run(10 * second, [&](livetcp_usec now) {
                    return call.jitter(2 * ms) + stall(now, 0, second);
                });
                unsigned late = 0;
                livetcp_usec last = 0;
                for (const Fate &fate : call.fates) {
                    if (fate.media_us > 1100 * ms) {
                        late += !fate.in_time();
                        REQUIRE(fate.slot.delay_us <= 320 * ms);
                    }
                    if (fate.media_us > 3 * second) /* the next talkspurt, or slewed */
                        REQUIRE(fate.slot.delay_us <= 120 * ms);
                }
                for (const Output &output : call.playout.outputs) {
                    if (output.kind != LIVETCP_PLAYOUT_PACKET || output.late)
                        continue;
                    REQUIRE(output.play_us >= last + (last && !is_video && !release ? 10 * ms : 0));
                    last = output.play_us;
                }
                CHECK(late <= 10);
                CHECK(call.playout.stats().resyncs >= 1);
                CHECK(call.playout.stats().resyncs < 100);
            }
        }
    }
}
