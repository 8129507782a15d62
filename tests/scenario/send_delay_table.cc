/* SPDX-License-Identifier: MIT */
/*
 * max-send-delay side by side in virtual time: which share of a programme's pictures a viewer sees
 * who plays 0.5, 1, 2 or 4 s behind, when the link of 10 Mbit/s slows down or is cut for a while.
 * Not a test; docs/research/tuning.md has the table.
 *
 * usage: send-delay-table [LIMIT_MS...]
 */
#include "programme.h"

#include <cstdio>
#include <cstdlib>

using namespace scenario;

namespace
{

struct Trouble {
    const char *name, *link; /* NULL: it is cut */
    livetcp_usec length;
};

const Trouble troubles[] = {{"0.7 Mbit/s for 10 s", "delay=20ms,rate=700kbit,queue=50p", 10 * SEC},
                            {"0.3 Mbit/s for 10 s", "delay=20ms,rate=300kbit,queue=50p", 10 * SEC},
                            {"cut for 1 s", nullptr, 1 * SEC},
                            {"cut for 5 s", nullptr, 5 * SEC}};
const livetcp_usec playouts[] = {500 * MS, 1 * SEC, 2 * SEC, 4 * SEC};
const char usual[] = "delay=20ms,rate=10mbit,queue=100p";
const unsigned seeds = 10;

struct Result {
    double shown[sizeof playouts / sizeof *playouts] = {};
    double sound_p95_s = 0, longest_s = 0;
};

void run(const Trouble &trouble, livetcp_usec limit, uint64_t seed, Result &result)
{
    livetcp_config config = make_config("auto", 8);
    config.max_send_delay_us = limit;
    SimCall call(usual, config, seed);
    call.world.run_for(SEC);
    Programme programme(call);
    programme.play(5 * SEC);
    if (trouble.link)
        call.path.forward.set(link_params(trouble.link));
    else
        call.path.forward.cut(true);
    programme.play(trouble.length);
    if (trouble.link)
        call.path.forward.set(link_params(usual));
    else
        call.path.forward.cut(false);
    programme.play(20 * SEC);
    call.world.run_for(20 * SEC);

    for (size_t i = 0; i < sizeof playouts / sizeof *playouts; i++)
        result.shown[i] += static_cast<double>(programme.shown(playouts[i])) /
                           static_cast<double>(programme.pictures()) / seeds;
    auto tally = programme.tally();
    result.sound_p95_s += static_cast<double>(tally[LIVETCP_IMPORTANCE_AUDIO].p95()) / SEC / seeds;
    for (const auto &of : tally)
        result.longest_s = std::max(result.longest_s, static_cast<double>(of.second.longest) / SEC);
}

} // namespace

int main(int argc, char **argv)
{
    std::vector<livetcp_usec> limits;
    for (int i = 1; i < argc; i++)
        limits.push_back(atol(argv[i]) * MS);
    if (limits.empty())
        limits = {0, 1000 * MS, 2000 * MS, 4000 * MS};
    printf("| Trouble | max-send-delay | shown 0.5 s behind | 1 s | 2 s | 4 s | sound p95 | latest "
           "packet |\n|---|---|---|---|---|---|---|---|\n");
    for (const Trouble &trouble : troubles) {
        for (livetcp_usec limit : limits) {
            Result result;
            for (uint64_t seed = 1; seed <= seeds; seed++)
                run(trouble, limit, seed, result);
            printf("| %s | %d ms |", trouble.name, static_cast<int>(limit / MS));
            for (double share : result.shown)
                printf(" %.1f %% |", 100 * share);
            printf(" %.2f s | %.1f s |\n", result.sound_p95_s, result.longest_s);
        }
    }
}
