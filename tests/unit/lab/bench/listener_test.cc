/* SPDX-License-Identifier: MIT */
/* A listener with an adaptive playout delay. */
#include "fixture.h"

extern "C" {
#include "base/rng.h"
#include "lab/bench/listener.h"
#include "lab/bench/packet.h"
#include "lab/bench/red.h"
}

#include <cmath>
#include <vector>

namespace
{

const livetcp_usec ms = 1000, interval = 20 * ms, never = LT_DELAY_NEVER;

/* Packets in talkspurts of 50 with a second between them, of this delay and with no copies. */
std::vector<lt_spoken> speak(unsigned count, const std::function<livetcp_usec(unsigned)> &delay)
{
    std::vector<lt_spoken> packets;
    for (unsigned i = 0; i < count; i++) {
        livetcp_usec due = 1000000 + i * interval + i / 50 * 1000 * ms, d = delay(i);
        packets.push_back({due, d == never ? never : due + d, never, true, true});
    }
    return packets;
}

/* Every packet that came carries the one before. */
void repeat(std::vector<lt_spoken> &packets)
{
    for (size_t i = 1; i < packets.size(); i++)
        packets[i - 1].copy = packets[i].arrival;
}

lt_playout hear(const std::vector<lt_spoken> &packets, livetcp_usec min = 0)
{
    lt_playout playout = {};
    livetcp_error error = {};
    REQUIRE(lt_listener_play(packets.data(), (uint32_t)packets.size(), min, &playout, &error) ==
            LIVETCP_OK);
    lt_listener_finish(&playout);
    return playout;
}

} // namespace

TEST_CASE("a listener hears everything on a path that does nothing")
{
    lt_playout p = hear(speak(1000, [](unsigned) { return 10 * ms; }));
    CHECK(p.packets == 1000);
    CHECK(p.late == 0);
    CHECK(p.secondary == 0);
    CHECK(p.talkspurts == 20);
    CHECK(std::isnan(lt_playout_saved_share(&p)));
    CHECK(p.delay < 20 * ms); /* the first talkspurt's 110 ms and 10 ms */
    CHECK(p.delay >= 10 * ms);
    CHECK(p.stddev > 0);
}

TEST_CASE("its delay follows the jitter, and is that from sending to playing")
{
    lt_rng rng;
    lt_rng_seed(&rng, 1);
    auto some = [&](livetcp_usec max) {
        return hear(speak(10000, [&](unsigned) {
            return 10 * ms + (livetcp_usec)(lt_rng_uniform(&rng) * (double)max);
        }));
    };
    lt_playout low = some(4 * ms), high = some(40 * ms);
    CHECK(low.delay > 12 * ms);
    CHECK(low.delay < 20 * ms);
    CHECK(high.delay > 45 * ms);
    CHECK(high.delay < 75 * ms);
    CHECK(lt_playout_late_share(&low) < 0.02);
    CHECK(lt_playout_late_share(&high) < 0.02);
}

TEST_CASE("copies are heard where the original is late or lost, if they come in time")
{
    std::vector<lt_spoken> packets =
        speak(1000, [](unsigned i) { return i % 10 == 5 ? never : 10 * ms; });
    lt_playout without = hear(packets);
    CHECK(without.late == 100);
    CHECK(without.bursts == 100);
    CHECK(without.secondary == 0);
    CHECK(lt_playout_saved_share(&without) == 0);
    repeat(packets);
    lt_playout with = hear(packets, lt_listener_min_delay(1, interval));
    CHECK(with.late == 0);
    CHECK(with.secondary == 100);
    CHECK(lt_playout_saved_share(&with) == 1);
    CHECK(with.packets == 1000);
    lt_playout soon = hear(packets, interval / 2); /* a copy is 20 ms after its original */
    CHECK(soon.late > 80);
    CHECK(soon.late + soon.secondary == 100);
}

TEST_CASE("what is left out is neither heard nor missed")
{
    std::vector<lt_spoken> packets =
        speak(1000, [](unsigned i) { return i >= 200 && i < 300 ? 500 * ms : 10 * ms; });
    for (unsigned i = 190; i < 330; i++)
        packets[i].plays = packets[i].counts = false;
    lt_playout p = hear(packets);
    CHECK(p.packets == 860);
    CHECK(p.late == 0);
    for (lt_spoken &packet : packets)
        packet.plays = packet.counts = false;
    p = hear(packets);
    CHECK(p.packets == 0);
    CHECK(p.delay == 0);
    CHECK(std::isnan(lt_playout_late_share(&p)));
}

TEST_CASE("what is played and not measured teaches the listener its delay")
{
    std::vector<lt_spoken> packets = speak(1000, [](unsigned) { return 10 * ms; });
    for (unsigned i = 0; i < 100; i++)
        packets[i].counts = false;
    lt_playout p = hear(packets);
    CHECK(p.packets == 900);
    CHECK(p.late == 0);
    CHECK(p.talkspurts == 18);
    CHECK(p.delay < 11 * ms);
    CHECK(p.stddev < ms);
}

TEST_CASE("a run has a listener for every scheme, whose copies count at fixed delays, too")
{
    FakeRun run;
    livetcp_error error = {};
    REQUIRE(lt_playout_parse(&run.options->playout, "10,40,adaptive", nullptr, 0, 20000, &error) ==
            LIVETCP_OK);
    CHECK(run.options->playout.points[2].adaptive);
    run.options->schemes[1].redundancy = 1;
    for (unsigned scheme : {0u, 1u})
        run.fill(scheme, 0, [](uint32_t i) { return i % 20 == 10 ? LT_DELAY_NEVER : 50000; });
    for (uint32_t i = 1; i < run.options->plan.packets; i++) {
        lt_record *record = lt_shared_record(run.log->runs[1].shared, &run.options->plan, 0, i - 1);
        record->copy = record[1].arrival;
    }
    run.make();
    const lt_playout *plain = run.outcomes.outcomes[0].playout;
    const lt_playout *red = run.outcomes.outcomes[1].playout;
    CHECK(plain[0].late == 50);
    CHECK(plain[2].late == 50);
    CHECK(red[0].late == 50);
    CHECK(red[0].secondary == 0);
    CHECK(red[1].late == 0);
    CHECK(red[1].secondary == 50);
    CHECK(red[2].late == 0);
    CHECK(red[2].secondary == 50);
    CHECK(red[2].packets == 1000);
    CHECK(red[2].mos > plain[2].mos);
    CHECK(red[2].delay >= 80 * ms); /* L and 30 ms */
    CHECK(red[2].delay < 160 * ms);
}

TEST_CASE("redundant packets come apart again, and repeat half of the one before")
{
    lt_plan plan = {};
    lt_scheme scheme = {};
    lt_red sender, receiver;
    plan.streams = 2;
    plan.size = 174;
    scheme.redundancy = 2;
    REQUIRE(lt_red_init(&sender, &scheme, &plan, nullptr) == LIVETCP_OK);
    REQUIRE(lt_red_init(&receiver, &scheme, &plan, nullptr) == LIVETCP_OK);
    std::vector<uint8_t> packet(172);
    unsigned copies = 0;
    for (unsigned i = 0; i < 100; i++)
        for (unsigned stream : {0u, 1u}) {
            lt_probe probe = {stream, i, 5, false}, read;
            livetcp_redundancy_frame frames[LIVETCP_REDUNDANCY_MAX_FRAMES];
            const void *sent;
            size_t size = packet.size();
            lt_packet_prepare(packet.data(), size, LT_BENCH_SSRC + stream, 1);
            lt_packet_timestamp(packet.data(), &probe, i * interval);
            lt_red_encode(&sender, stream, packet.data(), &sent, &size);
            CHECK(size <= lt_red_size(packet.size(), 2));
            std::vector<uint8_t> wire((const uint8_t *)sent, (const uint8_t *)sent + size);
            size_t count = lt_red_decode(&receiver, wire.data(), size, frames);
            REQUIRE(count == std::min(i, 2u) + 1);
            for (size_t k = 0; k < count; k++) {
                REQUIRE(lt_packet_read((const uint8_t *)frames[k].packet, frames[k].size, &read));
                CHECK(read.stream == stream);
                CHECK(read.index == i - (count - 1 - k));
                CHECK(frames[k].redundant == (k + 1 < count));
                CHECK(frames[k].size == (k + 1 < count ? 12 + 80 : 172));
                copies += frames[k].redundant;
            }
        }
    CHECK(copies == 2 * (1 + 98 * 2));
    livetcp_redundancy_frame frames[LIVETCP_REDUNDANCY_MAX_FRAMES];
    CHECK(lt_red_decode(&receiver, packet.data(), 5, frames) == 0);
    packet[8] ^= 1; /* nobody's SSRC */
    CHECK(lt_red_decode(&receiver, packet.data(), packet.size(), frames) == 0);
    lt_red_clear(&sender);
    lt_red_clear(&receiver);
}
