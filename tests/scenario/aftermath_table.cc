/* SPDX-License-Identifier: MIT */
/*
 * Is a session as good after a disturbance as it was before, in virtual time? Paths and sources are
 * drawn at random; something happens to the path for a few seconds, and 15 s after its end 20 s are
 * measured, beside the same session without it. Not a test: the place to look for what a session
 * does not forget. Its findings have tests of their own.
 *
 * usage: aftermath-table FROM-TO [KIND]...
 *
 * KIND: outage (3 s), slow (5 s of 0.6 times the media), slower (3 s of 0.15 times), transfer (8 s
 * of another flow over CUBIC), bbr (the same over BBR), longer (8 s of 100 ms more round trip),
 * shorter (8 s of half the round trip), lossy (4 s of 25 %), faster (twice the rate, for good); all
 * of them if left out. A line is printed where it is worse, for a fixed rate: p50 by 5 % and 2 ms,
 * p95 by 20 % and 5 ms, or half of the extra bytes; for an encoder that follows: a tenth of the
 * link used, or p95. ALL=1 prints all of them, and BEFORE=S lets a session run for so long before,
 * 40 s if left out.
 */
#include "sim_dice.h"
#include "sim_greedy.h"
#include "sim_video.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

using namespace scenario;

namespace
{

struct Draw {
    double rate, media; /* kbit/s */
    int delay;          /* ms */
    double queue, loss; /* bytes, % */
    const char *below, *policy;
    unsigned connections;
    bool follows;
};

Draw draw(uint64_t seed)
{
    Dice dice(seed);
    Draw d;

    d.rate = dice.between_times(600, 18000);
    d.delay = static_cast<int>(dice.between_times(5, 110));
    double product = d.rate * 2 * d.delay / 8;
    d.queue = std::max(product * dice.between_times(0.5, 4), d.rate * 40 / 8);
    d.loss = std::vector<double>{0, 0, 0.3, 1, 2}[dice.below(5)];
    d.below = std::vector<const char *>{"reno", "cubic", "bbr"}[dice.below(3)];
    d.connections = dice.below(4) ? 8 : 4;
    d.policy = std::vector<const char *>{"auto", "auto", "parity", "hedge"}[dice.below(4)];
    d.follows = dice.below(2);
    d.media = d.rate * dice.between(0.1, 0.5);
    return d;
}

std::string setting(const char *key, double value, const char *unit)
{
    char text[40];

    snprintf(text, sizeof text, "%s=%.1f%s", key, value, unit);
    return text;
}

struct Disturbance {
    const char *name;
    double seconds;
    std::string change, back; /* of the path; "" = none */
    const char *other;        /* congestion control of another flow; nullptr = none */
};

std::vector<Disturbance> disturbances(const Draw &d)
{
    const std::string rate = setting("rate", d.rate, "kbit"),
                      delay = setting("delay", d.delay, "ms");
    const std::string loss = setting("loss", d.loss, "%");

    return {{"outage", 3, "loss=100%", loss, nullptr},
            {"slow", 5, setting("rate", 0.6 * d.media, "kbit"), rate, nullptr},
            {"slower", 3, setting("rate", 0.15 * d.media, "kbit"), rate, nullptr},
            {"transfer", 8, "", "", "cubic"},
            {"bbr", 8, "", "", "bbr"},
            {"longer", 8, setting("delay", d.delay + 50, "ms"), delay, nullptr},
            {"shorter", 8, setting("delay", d.delay / 2.0, "ms"), delay, nullptr},
            {"lossy", 4, "loss=25%", loss, nullptr},
            {"faster", 5, setting("rate", 2 * d.rate, "kbit"), "", nullptr}};
}

struct Result {
    double p50, p95, p99, used, extra, estimate; /* ms, ms, ms, of the link, per byte, kbit/s */
    int regime;
};

void disturb(Alone &at, const Disturbance &what)
{
    std::unique_ptr<GreedyTcp> other;

    if (what.other)
        other = std::make_unique<GreedyTcp>(at.road->world, at.road->path, what.other);
    if (!what.change.empty())
        at.road->path.change(what.change.c_str());
    at.run(what.seconds);
    if (!what.back.empty())
        at.road->path.change(what.back.c_str());
}

Result run(const Draw &d, uint64_t seed, const Disturbance *what)
{
    const char *length = getenv("BEFORE");
    std::string path = setting("delay", d.delay, "ms") + "," + setting("rate", d.rate, "kbit") +
                       "," + setting("loss", d.loss, "%") +
                       ",queue=" + std::to_string(static_cast<unsigned>(d.queue)) + "B";
    Alone at(path.c_str(), make_config(d.policy, d.connections), d.media * 1e3, d.follows, seed,
             d.below);

    at.run(length ? atof(length) : 40);
    if (what)
        disturb(at, *what);
    at.run(15);
    livetcp_usec from = at.road->world.now();
    livetcp_session_stats first = at.stats();
    at.run(20);
    livetcp_usec to = at.road->world.now();
    livetcp_session_stats last = at.stats();
    at.video.stopped = true;
    at.run(20);
    std::vector<double> delays = Video::delays_of(at.video.played, {.5, .95, .99}, from, to);
    auto link = static_cast<double>(at.road->path.forward.params().rate);
    return {delays[0],
            delays[1],
            delays[2],
            at.video.throughput(from, to) / link,
            static_cast<double>(last.sent.extra_bytes - first.sent.extra_bytes) /
                static_cast<double>(last.sent.accepted_bytes - first.sent.accepted_bytes),
            last.sent.estimated_bitrate / 1e3,
            last.sent.congestion};
}

bool is_worse(const Draw &d, const Result &before, const Result &after)
{
    if (d.follows)
        return after.used < before.used - 0.1 || after.p95 > 1.2 * before.p95 + 15;
    return after.p50 > 1.05 * before.p50 + 2 || after.p95 > 1.2 * before.p95 + 5 ||
           after.extra < before.extra / 2;
}

bool is_known(const std::string &kind)
{
    const std::vector<Disturbance> all = disturbances(draw(1));

    return std::any_of(all.begin(), all.end(),
                       [&](const Disturbance &what) { return kind == what.name; });
}

} // namespace

int main(int argc, char **argv)
{
    unsigned from, to, rows = 0, worse = 0;
    const std::vector<std::string> kinds(argv + std::min(argc, 2), argv + argc);

    if (argc < 2 || sscanf(argv[1], "%u-%u", &from, &to) != 2 || from > to ||
        !std::all_of(kinds.begin(), kinds.end(), is_known)) {
        fprintf(stderr, "usage: aftermath-table FROM-TO [KIND]...; KINDs are in the source\n");
        return 2;
    }
    printf(
        "draw, disturbance, session: p50 p95 p99 in ms, part of the link, extra bytes, estimate in "
        "kbit/s and regime without it -> after it\n");
    for (unsigned seed = from; seed <= to; seed++) {
        const Draw d = draw(seed);
        const Result before = run(d, seed, nullptr);
        for (const Disturbance &what : disturbances(d)) {
            if (!kinds.empty() && std::find(kinds.begin(), kinds.end(), what.name) == kinds.end())
                continue;
            const Result after = run(d, seed, &what);
            bool bad = is_worse(d, before, after);
            rows++;
            worse += bad;
            if (!bad && !getenv("ALL"))
                continue;
            printf(
                "%3u %-8s %-6s x%u %-5s %-7s %5.0f of %5.0f kbit/s, RTT %3d, queue %6.0f B, loss "
                "%.1f %%: %.0f %.0f %.0f %.2f %.2f %.0f %d -> %.0f %.0f %.0f %.2f %.2f %.0f %d\n",
                seed, what.name, d.policy, d.connections, d.below, d.follows ? "encoder" : "fixed",
                d.media, d.rate, 2 * d.delay, d.queue, d.loss, before.p50, before.p95, before.p99,
                before.used, before.extra, before.estimate, before.regime, after.p50, after.p95,
                after.p99, after.used, after.extra, after.estimate, after.regime);
            fflush(stdout);
        }
    }
    printf("worse: %u of %u\n", worse, rows);
    return 0;
}
