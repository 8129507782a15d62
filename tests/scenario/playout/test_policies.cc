/* SPDX-License-Identifier: MIT */
/* What a listener gets from each policy: speech over paths drawn at random, sent by the engine and
 * played by the modes that learn their delay. */
#include "call.h"
#include "sim_session.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

using namespace scenario;

namespace
{

/* What came of one stream: when each packet was sent and came, and what the sender announced. */
struct Journey {
    struct Arrival {
        uint16_t sequence;
        livetcp_usec sent_us, at_us;
    };
    std::vector<Arrival> arrivals; /* in the order in which they came */
    std::vector<std::pair<livetcp_usec, livetcp_playout_path>> announced;
    livetcp_usec begin_us = 0;
};

/* As src/io/playout_attach.c reads it. */
livetcp_playout_path announced_path(const livetcp_session_stats &stats)
{
    livetcp_playout_path path = {};
    path.struct_size = sizeof path;
    path.rtt_us = std::max<livetcp_usec>(stats.peer.rtt_us, 0);
    path.hedge_delay_us = std::max<livetcp_usec>(stats.peer.hedge_delay_us, 0);
    path.copies = stats.peer.copies;
    path.parity_group = stats.peer.parity_group;
    path.copy_spacing_us = std::max<livetcp_usec>(stats.peer.copy_spacing_us, 0);
    if (stats.peer.protection & LIVETCP_PROTECTION_COPIES && stats.peer.copies >= 2)
        path.repair = LIVETCP_PLAYOUT_REPAIR_DUPLICATE;
    else if (stats.peer.protection & LIVETCP_PROTECTION_PARITY && stats.peer.parity_group >= 2)
        path.repair = LIVETCP_PLAYOUT_REPAIR_PARITY;
    else if (stats.peer.protection & LIVETCP_PROTECTION_HEDGE)
        path.repair = LIVETCP_PLAYOUT_REPAIR_HEDGE;
    for (unsigned i = 0; i < LIVETCP_PLAYOUT_REPAIRS; i++)
        path.shares[i] = stats.peer.protection_shares[i];
    return path;
}

constexpr livetcp_usec frame_us = 20 * ms, talk_us = 1200 * ms;

Journey travel(const std::string &path, const char *policy, livetcp_usec silence_us, uint64_t seed)
{
    bool alone = !strcmp(policy, "single");
    SimCall call(path.c_str(), make_config(policy, alone ? 1 : 8), seed);
    Journey journey;
    std::map<uint16_t, livetcp_usec> sent;
    call.world.run_for(2 * second);
    journey.begin_us = call.world.now();
    for (livetcp_usec media_us = 0; media_us < 240 * second; media_us += frame_us) {
        if (media_us % (talk_us + silence_us) < talk_us) {
            auto sequence = static_cast<uint16_t>(sent.size());
            sent[sequence] = call.world.now();
            call.caller.send(1, sequence, 172);
        }
        if (media_us % second == 0 && call.remote())
            journey.announced.push_back({call.world.now(), announced_path(call.remote()->stats())});
        call.world.run_for(frame_us);
    }
    call.world.run_for(5 * second);
    for (const Received &packet : call.remote()->received)
        if (!packet.rtcp)
            journey.arrivals.push_back({packet.sequence, sent.at(packet.sequence), packet.at});
    return journey;
}

struct Heard {
    double late = 0, delay_ms = 0;
};

/* After a minute, in which the mode learns. */
Heard play(const Journey &journey, livetcp_playout_mode mode, double target_late)
{
    livetcp_playout_config config = voice(mode);
    config.target_late = target_late;
    Playout playout(config);
    size_t announced = 0, count = 0;
    Heard heard;
    for (const Journey::Arrival &arrival : journey.arrivals) {
        for (; announced < journey.announced.size() &&
               journey.announced[announced].first <= arrival.at_us;
             announced++)
            livetcp_playout_set_path(playout.handle, &journey.announced[announced].second);
        Rtp rtp;
        rtp.sequence = arrival.sequence;
        rtp.timestamp = static_cast<uint32_t>((arrival.sent_us - journey.begin_us) * 8000 / second);
        livetcp_playout_slot slot = playout.arrive(rtp, arrival.at_us);
        if (arrival.sent_us < journey.begin_us + 60 * second)
            continue;
        heard.late += slot.result != LIVETCP_PLAYOUT_PLAY;
        heard.delay_ms += static_cast<double>(slot.delay_us) / 1000;
        count++;
    }
    return {heard.late / static_cast<double>(count), heard.delay_ms / static_cast<double>(count)};
}

std::string draw_path(uint64_t seed)
{
    lt_rng rng;
    char path[96];
    if (seed == 0)
        return "delay=50ms,loss=2%";
    lt_rng_seed(&rng, seed);
    auto between = [&](double low, double high) {
        return low + (high - low) * lt_rng_uniform(&rng);
    };
    double way = between(5, 100), loss = between(0, 4), jitter = between(0, 4);
    snprintf(path, sizeof path, "delay=%.0fms,loss=%.1f%%,jitter=%.1fms", way, loss, jitter);
    return path;
}

} // namespace

/* LIVETCP_RANDOM_PATHS=100 draws as many, and LIVETCP_PLAYOUT_TABLE=1 prints what they gave. */
TEST_CASE("over drawn paths policy-aware is never above adaptive at the same share of late packets")
{
    const char *asked = getenv("LIVETCP_RANDOM_PATHS");
    uint64_t paths = asked ? static_cast<uint64_t>(atoi(asked)) : 2;
    unsigned tried = 0, above = 0, late = 0;
    for (uint64_t seed = 0; seed < paths; seed++)
        for (const char *policy : {"single", "hedge", "parity", "duplicate", "auto"})
            for (livetcp_usec silence_us : {0 * ms, 800 * ms}) {
                std::string path = draw_path(seed);
                Journey journey = travel(path, policy, silence_us, seed + 1);
                Heard adaptive = play(journey, LIVETCP_PLAYOUT_ADAPTIVE, 0.005);
                /* Where a repair takes the time of a round trip, delays fall by that at the share
                 * of losses: a share just below it is another case. */
                Heard same =
                    play(journey, LIVETCP_PLAYOUT_POLICY_AWARE, adaptive.late * 1.15 + 0.002);
                Heard usual = play(journey, LIVETCP_PLAYOUT_POLICY_AWARE, 0.005);
                if (getenv("LIVETCP_PLAYOUT_TABLE"))
                    printf("%-36s %-10s %-7s adaptive %6.1f ms %5.2f %%; as late %6.1f ms %5.2f "
                           "%%; 0.5 %% %6.1f ms %5.2f %%\n",
                           path.c_str(), policy, silence_us ? "spurts" : "endless",
                           adaptive.delay_ms, 100 * adaptive.late, same.delay_ms, 100 * same.late,
                           usual.delay_ms, 100 * usual.late);
                CAPTURE(path, seed, policy, silence_us, adaptive.late, adaptive.delay_ms, same.late,
                        same.delay_ms, usual.late, usual.delay_ms);
                tried++;
                /* At just 0.5 % it is chance who is on which side. */
                above +=
                    same.delay_ms > adaptive.delay_ms * 1.0625 + 1 || /* a bin */
                    (adaptive.late <= 0.004 && usual.delay_ms > adaptive.delay_ms * 1.0625 + 1);
                late += usual.late > 0.01;
                CHECK(usual.late < 0.02);
                CHECK(same.late < adaptive.late * 1.5 + 0.015);
            }
    /* Where the share is that of the losses, or the distribution is of few. */
    CHECK(above * 10 <= tried);
    CHECK(late * 10 <= tried);
}
