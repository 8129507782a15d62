/* SPDX-License-Identifier: MIT */
/*
 * Sessions on links whose rate never rests, as those of mobile networks, in virtual time. Links are
 * drawn at random: the logarithm of the rate walks around its mean, fades take most of it for a
 * while, a handover lets nothing through; the buffer is long. `auto` is compared with one
 * connection, with `shortest-queue`, and with datagrams without losses, whose encoder knows the
 * rate of the link a round trip ago and sends 0.95 of it. Not a test: the place to look for what a
 * changing link does. Its findings have tests of their own.
 *
 * usage: mobile-table FROM-TO [encoder | fixed | links | calls]
 *        mobile-table FROM-TO traces FOLDER
 *
 * A line for each draw: p50, p95, p99 and maximum above L in ms, the part of the link that was
 * used, for how many seconds frames were later than L + 200 ms, and the part of the time in which
 * the session believed to be beside others. FRAMES=x264|screen for the frames of a
 * recording, which an answer does not have; TRACE=1 tells each 200 ms of a session.
 *
 * links: each draw beside another one, both for one session, which is compared with the better of
 * the two alone and with other policies over both, for a fixed rate of 0.4 times the smaller mean.
 *
 * calls: encoders at both ends, each draw's link one way and another draw's rates, buffer and
 * losses the other way; and the first alone in a session that nothing answers.
 *
 * traces: the draws of such calls for real sockets. Writes the two links of each to FOLDER in
 * Mahimahi's format, and prints what `livetcp bench` needs to run it.
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

constexpr double step_s = 0.2, begin_s = 5, end_s = 64, length_s = 65, frame_s = 0.04;

struct Draw {
    double mean;           /* of the rate, kbit/s */
    double swing;          /* standard deviation of its logarithm, */
    double memory_s;       /*   which is like before for so long */
    int delay;             /* ms */
    double buffer_ms;      /* at the mean rate */
    double loss;           /* % */
    double fade_s, away_s; /* mean time from one fade, or handover, to the next */
    const char *below;
    double media;              /* of a fixed rate, kbit/s */
    std::vector<double> rates; /* kbit/s, each step_s */
};

/* About normal: mean 0, deviation 1. */
double noise(Dice &dice)
{
    double sum = 0;

    for (int i = 0; i < 6; i++)
        sum += dice.between(-1, 1) / std::sqrt(2.0);
    return sum;
}

std::vector<double> walk(const Draw &d, Dice &dice)
{
    std::vector<double> rates;
    double level = 0, fade = 0, keep = std::exp(-step_s / d.memory_s);
    int faded = 0, away = 0; /* steps that are left */

    while (static_cast<double>(rates.size()) * step_s < length_s) {
        level = keep * level + d.swing * std::sqrt(1 - keep * keep) * noise(dice);
        if (--faded < 0 && dice.between(0, 1) < step_s / d.fade_s) {
            faded = static_cast<int>(dice.between_times(0.5, 3) / step_s);
            fade = dice.between_times(0.1, 0.5);
        }
        if (--away < 0 && dice.between(0, 1) < step_s / d.away_s)
            away = static_cast<int>(dice.between(0.2, 0.8) / step_s);
        double rate = d.mean * std::exp(level - d.swing * d.swing / 2) * (faded >= 0 ? fade : 1);
        rates.push_back(away >= 0 ? 8 : std::max(rate, 0.02 * d.mean));
    }
    return rates;
}

Draw draw(uint64_t seed)
{
    Dice dice(seed);
    Draw d;

    d.mean = dice.between_times(600, 12000);
    d.swing = dice.between(0.1, 0.6);
    d.memory_s = dice.between_times(0.5, 8);
    d.delay = static_cast<int>(dice.between_times(10, 60));
    d.buffer_ms = dice.between_times(100, 1500);
    d.loss = std::vector<double>{0, 0, 0.1, 0.5}[dice.below(4)];
    d.fade_s = dice.between_times(5, 60);
    d.away_s = dice.between_times(15, 200);
    d.below = std::vector<const char *>{"cubic", "cubic", "bbr", "reno"}[dice.below(4)];
    d.media = d.mean * dice.between(0.1, 0.5);
    d.rates = walk(d, dice);
    return d;
}

double rate_at(const Draw &d, double at)
{
    return d.rates[static_cast<size_t>(std::max(at, 0.0) / step_s)];
}

/* What the link carries from begin_s to end_s, kbit. */
double capacity(const Draw &d)
{
    double sum = 0;

    for (double at = begin_s; at + step_s / 2 < end_s; at += step_s)
        sum += rate_at(d, at + step_s / 2) * step_s;
    return sum;
}

struct Result {
    std::vector<double> above_ms; /* L: p50, p95, p99, maximum */
    double used, late_s, beside;
};

/* Frames over datagrams: the link takes them one after the other. */
Result known(const Draw &d, bool follows)
{
    constexpr double tick_s = 0.001;
    struct Waiting {
        double kbit, since;
    };
    std::vector<Waiting> frames;
    std::vector<double> delays;
    double sent = 0, late_s = 0, next = 0;
    size_t head = 0;

    for (double at = 0; at + tick_s < length_s; at += tick_s) {
        if (at >= next && at < end_s) {
            double rate = follows ? 0.95 * rate_at(d, at - 2e-3 * d.delay) : d.media;
            frames.push_back({rate * frame_s, at});
            sent += at >= begin_s ? rate * frame_s : 0;
            next += frame_s;
        }
        for (double room = rate_at(d, at) * tick_s; room > 0 && head < frames.size();) {
            double part = std::min(room, frames[head].kbit);
            frames[head].kbit -= part;
            room -= part;
            if (frames[head].kbit > 1e-12)
                break;
            if (frames[head].since >= begin_s)
                delays.push_back(1e3 * (at - frames[head].since));
            head++;
        }
    }
    std::sort(delays.begin(), delays.end());
    for (double delay : delays)
        late_s += delay > 200 ? frame_s : 0;
    auto at = [&](double q) {
        return delays[static_cast<size_t>(q * static_cast<double>(delays.size() - 1))];
    };
    return {{at(.5), at(.95), at(.99), at(1)}, sent / capacity(d), late_s, 0};
}

void tell(const Video &video, double now_s, double rate)
{
    livetcp_session_stats stats = video.call.caller.stats();
    livetcp_usec now = video.call.world.now();
    lt_link_counters link = video.call.path.forward.counters();

    printf(
        "  %5.1f: link %6.0f estimate %6.0f sent %6.0f regime %d window %6llu queue %4.0f ms most "
        "%5.0f lost %llu wire %llu extra %llu of %llu\n",
        now_s, rate, stats.sent.estimated_bitrate / 1e3, video.rate / 1e3, stats.sent.congestion,
        static_cast<unsigned long long>(stats.sent.window_bytes),
        static_cast<double>(stats.sent.queue_delay_us) / 1e3,
        video.delay(1, now - 400000, now - 200000),
        static_cast<unsigned long long>(link.dropped_queue),
        static_cast<unsigned long long>(link.in_bytes),
        static_cast<unsigned long long>(stats.sent.extra_bytes),
        static_cast<unsigned long long>(stats.sent.accepted_bytes));
}

/* `rate`: what the link carries, as the emulator has it. */
std::string spec_of(const Draw &d, int delay, const std::string &rate)
{
    char limits[64];

    snprintf(limits, sizeof limits, ",loss=%.1f%%,queue=%.0fB", d.loss,
             std::max(d.buffer_ms * d.mean / 8, 9000.0));
    return "delay=" + std::to_string(delay) + "ms," + rate + limits;
}

std::string spec_of(const Draw &d)
{
    char rate[32];

    snprintf(rate, sizeof rate, "rate=%.0fkbit", d.rates[0]);
    return spec_of(d, d.delay, rate);
}

struct Media {
    double rate; /* kbit/s, at first if it follows */
    bool follows;
};

void set_rate(SimLink &link, double kbit)
{
    lt_link_params params = link.params();

    params.rate = static_cast<uint64_t>(kbit * 1e3);
    link.set(params);
}

Result judged(const std::vector<Played> &played, livetcp_usec begin, int delay, double carried,
              double beside)
{
    livetcp_usec from = begin + static_cast<livetcp_usec>(begin_s * 1e6);
    livetcp_usec to = begin + static_cast<livetcp_usec>(end_s * 1e6);
    Result result = {Video::delays_of(played, {.5, .95, .99, 1}, from, to),
                     Video::throughput_of(played, from, to) / 1e3 * (end_s - begin_s) / carried,
                     Video::seconds_above_of(played, delay + 200, from, to), beside};

    for (double &above : result.above_ms)
        above -= delay;
    return result;
}

/* The way back has the buffer and losses of a draw, but not its delay. */
void begin_back(SimLink &link, const Draw &d)
{
    lt_link_params params = link_params(spec_of(d).c_str());

    params.delay = link.params().delay;
    link.set(params);
}

bool is_beside(SimSession &session)
{
    return session.stats().sent.congestion == LIVETCP_CONGESTION_COMPETING;
}

/* A session over all of these links at once. With `back` an encoder answers over the way back of
 * the first, and has the second result. */
std::vector<Result> run(const std::vector<const Draw *> &links, const char *policy,
                        unsigned connections, const Media &media, uint64_t seed,
                        const Draw *back = nullptr)
{
    std::vector<std::string> specs;
    double carried = 0, beside = 0, beside_back = 0;
    int shortest = links[0]->delay;

    for (const Draw *d : links) {
        specs.push_back(spec_of(*d));
        carried += capacity(*d);
        shortest = std::min(shortest, d->delay);
    }
    auto road = std::make_shared<SimRoad>(specs, seed);
    for (unsigned i = 0; i < links.size(); i++)
        road->link(i).congestion_control = links[i]->below;
    SimLink &backward = road->link(0).backward;
    if (back)
        begin_back(backward, *back);
    Video video(road, make_config(policy, connections), media.rate * 1e3, media.follows, seed);
    set_frames(video, getenv("FRAMES"));
    road->world.run_for(500000);
    livetcp_usec begin = road->world.now();
    video.start();
    std::unique_ptr<Answer> answer;
    if (back)
        answer = std::make_unique<Answer>(video, 0.7e3 * back->mean, 17000);
    for (size_t step = 0; step < links[0]->rates.size(); step++) {
        for (unsigned i = 0; i < links.size(); i++)
            set_rate(road->link(i).forward, links[i]->rates[step]);
        if (back)
            set_rate(backward, back->rates[step]);
        road->world.run_for(static_cast<livetcp_usec>(step_s * 1e6));
        beside += is_beside(video.call.caller);
        if (back && video.call.remote())
            beside_back += is_beside(*video.call.remote());
        if (getenv("TRACE"))
            tell(video, static_cast<double>(step + 1) * step_s, links[0]->rates[step]);
    }
    video.stopped = true;
    road->world.run_for(20000000);
    road->world.clear();
    double steps = static_cast<double>(links[0]->rates.size());
    std::vector<Result> results = {judged(video.played, begin, shortest, carried, beside / steps)};
    if (back)
        results.push_back(
            judged(answer->played, begin, shortest, capacity(*back), beside_back / steps));
    return results;
}

/* ---- all draws ---- */

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

struct Contestant {
    const char *name;
    unsigned connections; /* 0: datagrams */
    std::vector<Result> results;

    template <class Value> double middle(Value value) const
    {
        std::vector<double> values;
        for (const Result &result : results)
            values.push_back(value(result));
        return median(values);
    }
};

void print(const char *name, const Result &r)
{
    printf(" | %s %4.0f %5.0f %5.0f max %5.0f use %.2f late %4.1f beside %.2f", name, r.above_ms[0],
           r.above_ms[1], r.above_ms[2], r.above_ms[3], r.used, r.late_s, r.beside);
}

/* Draws in which `one` is later than `other` at this place of above_ms. */
unsigned later(const Contestant &one, const Contestant &other, size_t place)
{
    unsigned count = 0;

    for (size_t i = 0; i < one.results.size(); i++)
        count += one.results[i].above_ms[place] > 1.05 * other.results[i].above_ms[place] + 5;
    return count;
}

void print(unsigned seed, const Draw &d)
{
    printf("%3u %-5s %5.0f kbit/s swing %.2f in %.1f s, RTT %3d, buffer %4.0f ms, loss %.1f %%, "
           "fade each %2.0f s, away %3.0f s",
           seed, d.below, d.mean, d.swing, d.memory_s, 2 * d.delay, d.buffer_ms, d.loss, d.fade_s,
           d.away_s);
}

void print_medians(const char *kind, const Contestant &who)
{
    auto delay = [&](size_t place) {
        return who.middle([place](const Result &r) { return r.above_ms[place]; });
    };

    printf("%s, %s: medians p50 %.0f p95 %.0f p99 %.0f max %.0f use %.3f late %.1f s\n", kind,
           who.name, delay(0), delay(1), delay(2), delay(3),
           who.middle([](const Result &r) { return r.used; }),
           who.middle([](const Result &r) { return r.late_s; }));
}

void print_later(const Contestant &ours, const Contestant &other)
{
    printf("auto later than %s by 5 %% and 5 ms: p95 in %u, p99 in %u, most in %u of %zu\n",
           other.name, later(ours, other, 1), later(ours, other, 2), later(ours, other, 3),
           ours.results.size());
}

void compare(unsigned from, unsigned to, bool follows)
{
    Contestant all[] = {
        {"known", 0, {}}, {"single", 1, {}}, {"shortest-queue", 8, {}}, {"auto", 8, {}}};

    for (unsigned seed = from; seed <= to; seed++) {
        const Draw d = draw(seed);
        const Media media = {follows ? 0.7 * d.mean : d.media, follows};
        print(seed, d);
        printf(", media %4.0f", media.rate);
        for (Contestant &who : all) {
            who.results.push_back(who.connections
                                      ? run({&d}, who.name, who.connections, media, seed)[0]
                                      : known(d, follows));
            print(who.name, who.results.back());
        }
        printf("\n");
        fflush(stdout);
    }
    for (const Contestant &who : all)
        print_medians(follows ? "encoder" : "fixed", who);
    print_later(all[3], all[1]);
    print_later(all[3], all[2]);
}

/* The better of two at each place. */
Result better(const Result &one, const Result &other)
{
    Result best = one;

    for (size_t i = 0; i < best.above_ms.size(); i++)
        best.above_ms[i] = std::min(one.above_ms[i], other.above_ms[i]);
    return best;
}

void compare_links(unsigned from, unsigned to)
{
    Contestant ours = {"auto", 8, {}}, others[] = {{"duplicate", 8, {}}, {"shortest-queue", 8, {}}},
               alone = {"the better link alone", 4, {}};

    for (unsigned seed = from; seed <= to; seed++) {
        const Draw d = draw(seed), other = draw(seed + 1000);
        const Media media = {0.4 * std::min(d.mean, other.mean), false};
        auto add = [&](Contestant &who, const Result &result) {
            who.results.push_back(result);
            print(who.name, result);
        };
        auto over = [&](const std::vector<const Draw *> &links, const Contestant &who) {
            return run(links, &who == &alone ? "auto" : who.name, who.connections, media, seed)[0];
        };
        print(seed, d);
        printf("; ");
        print(seed + 1000, other);
        printf(", media %4.0f", media.rate);
        add(alone, better(over({&d}, alone), over({&other}, alone)));
        for (Contestant &who : others)
            add(who, over({&d, &other}, who));
        add(ours, over({&d, &other}, ours));
        printf("\n");
        fflush(stdout);
    }
    for (const Contestant *who : {&alone, &others[0], &others[1], &ours})
        print_medians("links", *who);
    for (const Contestant *who : {&alone, &others[0], &others[1]})
        print_later(ours, *who);
}

void compare_calls(unsigned from, unsigned to)
{
    Contestant alone = {"auto, nothing answers", 8, {}};
    Contestant both[] = {{"single", 1, {}}, {"shortest-queue", 8, {}}, {"auto", 8, {}}};

    for (unsigned seed = from; seed <= to; seed++) {
        const Draw d = draw(seed), back = draw(seed + 1000);
        print(seed, d);
        printf("; ");
        print(seed + 1000, back);
        const Media media = {0.7 * d.mean, true};
        alone.results.push_back(run({&d}, "auto", 8, media, seed)[0]);
        print(alone.name, alone.results.back());
        for (Contestant &who : both)
            for (const Result &result : run({&d}, who.name, who.connections, media, seed, &back)) {
                who.results.push_back(result);
                print(who.name, result);
            }
        printf("\n");
        fflush(stdout);
    }
    print_medians("calls", alone);
    for (const Contestant &who : both)
        print_medians("calls", who);
    print_later(both[2], both[0]);
    print_later(both[2], both[1]);
}

/* ---- for real sockets ---- */

/* A packet may leave at each time in the file, in ms. */
void write_trace(const Draw &d, const std::string &path)
{
    constexpr double packet_kbit = 1.5 * 8;
    FILE *file = fopen(path.c_str(), "w");
    double room = 0;

    if (!file) {
        perror(path.c_str());
        exit(1);
    }
    for (int ms = 1; ms <= static_cast<int>(1000 * length_s); ms++)
        for (room += rate_at(d, (ms - 1) / 1e3) / 1e3; room >= packet_kbit; room -= packet_kbit)
            fprintf(file, "%d\n", ms);
    fclose(file);
}

void write_traces(unsigned from, unsigned to, const std::string &folder)
{
    for (unsigned seed = from; seed <= to; seed++) {
        const Draw d = draw(seed), back = draw(seed + 1000);
        const std::string there = folder + "/" + std::to_string(seed) + ".there";
        const std::string way_back = folder + "/" + std::to_string(seed) + ".back";
        write_trace(d, there);
        write_trace(back, way_back);
        printf("--path %s --path-back %s --congestion-control %s --adaptive=%.0fkbit --trace ideal "
               "--key-interval 0 --max-rate 40mbit --direction both --warmup %.0fs --duration "
               "%.0fs --seed %u\n",
               spec_of(d, d.delay, "trace=" + there).c_str(),
               spec_of(back, d.delay, "trace=" + way_back).c_str(), d.below, 0.7 * d.mean, begin_s,
               end_s - begin_s, seed);
    }
}

int usage()
{
    fprintf(stderr, "usage: mobile-table FROM-TO [encoder | fixed | links | calls]\n"
                    "       mobile-table FROM-TO traces FOLDER\n");
    return 2;
}

} // namespace

int main(int argc, char **argv)
{
    unsigned from, to;
    const std::string kind = argc > 2 ? argv[2] : "";

    if (argc < 2 || sscanf(argv[1], "%u-%u", &from, &to) != 2 || from > to)
        return usage();
    if (kind == "traces" && argc == 4) {
        write_traces(from, to, argv[3]);
        return 0;
    }
    if (argc > 3 ||
        (argc == 3 && kind != "encoder" && kind != "fixed" && kind != "links" && kind != "calls"))
        return usage();
    if (kind.empty() || kind == "encoder")
        compare(from, to, true);
    if (kind.empty() || kind == "fixed")
        compare(from, to, false);
    if (kind.empty() || kind == "links")
        compare_links(from, to);
    if (kind.empty() || kind == "calls")
        compare_calls(from, to);
    return 0;
}
