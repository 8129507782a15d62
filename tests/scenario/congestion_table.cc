/* SPDX-License-Identifier: MIT */
/*
 * Run by hand: delay and use of a bottleneck in virtual time, with an encoder that follows the
 * estimate, one that does not, and others on the same path.
 *
 *     congestion-table [WORD...]     the cases of docs/research/congestion.md
 *     congestion-table alone|beside|joined|overload|drawn|start [WORD...]
 *                                    every combination of rate, round trip, buffer, connections and
 *                                    congestion controls; and paths drawn at random: all of a
 *                                    session there, or its first seconds
 *     congestion-table steps [WORD...]
 *                                    the round trip, or the rate, changes after 13 s, for 13 s
 *     congestion-table crowds [WORD...]
 *                                    two, four and eight sessions on one bottleneck
 *     congestion-table paused [WORD...]
 *                                    an encoder that is switched off, and on again
 *     congestion-table calls [WORD...]
 *                                    encoders at both ends of a call
 *     congestion-table kernels [WORD...]
 *                                    a transfer in our place beside another
 *     congestion-table compared [WORD...]
 *                                    eight connections and one on paths drawn at random, with
 *                                    jitter, losses, and buffers of a few packets
 *
 * LEDGER=1 prints what the link carried in each of the former, as parts of its rate; "possible" is
 * the share of media if nothing but media and its headers went over it, all the time.
 *
 * Of those whose description has every WORD. SEEDS is how many of each; DRAW=N draws other paths;
 * OTHERS=N has so many flows beside or joining, BEGIN=PART begins there with so much of the rate;
 * TRACE=MS prints a line every MS. FRAMES=x264 or screen: sizes of frames of a real encoder, with a
 * key frame each two seconds.
 * AQM=codel or fq-codel: the queue has that; with ",ecn" it marks instead of dropping.
 */
#include "sim_dice.h"
#include "sim_video.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>

using namespace scenario;

namespace
{

constexpr livetcp_usec second = 1000000;

livetcp_usec usec(double seconds)
{
    return static_cast<livetcp_usec>(seconds * 1e6);
}

double option(const char *name, double usual)
{
    return getenv(name) ? atof(getenv(name)) : usual;
}

unsigned seeds()
{
    return static_cast<unsigned>(option("SEEDS", 1));
}

/* Flows beside a session, in `beside` and `joined`. */
unsigned others()
{
    return static_cast<unsigned>(option("OTHERS", 1));
}

/* The encoder's first rate there, of the path's. */
double begin_at()
{
    return option("BEGIN", 0.5);
}

struct Words {
    char **words;
    int count;

    bool match(const char *text) const
    {
        for (int i = 0; i < count; i++)
            if (!strstr(text, words[i]))
                return false;
        return true;
    }
};

/* ---- cases ---- */

struct Case {
    const char *name, *path;
    double link, rate;
    bool follows;
    livetcp_usec max_delay = 0;
    unsigned greedy = 0;
    double seconds = 40;
    const char *step = nullptr;
    double step_at = 0;
};

/* With TRACE=MS, the session every so often. */
void trace(Video &video, livetcp_usec start)
{
    static const char *const names[] = {"none", "alone", "beside", "backlog"};
    const char *every = getenv("TRACE");
    if (!every)
        return;
    livetcp_session_stats stats = video.call.caller.stats();
    livetcp_usec now = video.call.world.now();
    printf("    %6.2f s: %-7s window %6llu estimate %6.0f kbit/s rate %6.0f queue %4.0f ms p50 "
           "%4.0f dropped %llu\n",
           static_cast<double>(now - start) / 1e6, names[stats.sent.congestion],
           static_cast<unsigned long long>(stats.sent.window_bytes),
           stats.sent.estimated_bitrate / 1e3, video.throughput(now - second, now) / 1e3,
           static_cast<double>(stats.sent.queue_delay_us) / 1e3, video.delay(.5, now - second, now),
           static_cast<unsigned long long>(video.call.path.forward.counters().dropped_queue));
    for (unsigned i = 0; i < LIVETCP_MAX_CONNECTIONS; i++) {
        if (!video.call.caller.connection(i))
            continue;
        livetcp_path path = video.call.caller.connection(i)->up.facts();
        printf(
            "           %u: window %3u segments, %3u in flight, %6u unsent, round trip %4.0f ms, "
            "resent %llu, state %d\n",
            i, path.cwnd_bytes / path.mss_bytes,
            (path.queued_bytes - path.unsent_bytes) / path.mss_bytes, path.unsent_bytes,
            static_cast<double>(path.rtt_us) / 1e3,
            static_cast<unsigned long long>(path.retransmitted_segments), path.tcp_state);
    }
    video.call.world.at(now + atoi(every) * 1000, [&video, start] { trace(video, start); });
}

/* One way, without queues, after the step. */
double path_delay_ms(const Case &o)
{
    return static_cast<double>(link_params(o.step ? o.step : o.path).delay) / 1e3;
}

void set_frames(Video &video)
{
    set_frames(video, getenv("FRAMES"));
}

void run(const Case &o, const char *policy, unsigned connections, uint64_t seed)
{
    livetcp_config config = make_config(policy, connections);
    config.max_send_delay_us = o.max_delay;
    auto road = std::make_shared<SimRoad>(o.path, seed);
    Video video(road, config, o.rate, o.follows, seed);
    set_frames(video);
    std::vector<std::unique_ptr<GreedyTcp>> others;
    for (unsigned i = 0; i < o.greedy; i++)
        others.push_back(std::make_unique<GreedyTcp>(road->world, road->path));
    road->world.run_for(o.greedy ? 5 * second : second / 2);
    livetcp_usec start = road->world.now(), end = start + usec(o.seconds);
    uint64_t before = others.empty() ? 0 : others[0]->delivered;
    video.start();
    trace(video, start);
    if (o.step) {
        road->world.run_until(start + usec(o.step_at));
        road->path.forward.set(link_params(o.step));
    }
    road->world.run_until(end);
    double other = others.empty() ? 0
                                  : static_cast<double>(others[0]->delivered - before) * 8 /
                                        o.seconds / o.link;
    video.stopped = true;
    road->world.run_for(3 * second);
    livetcp_usec settled = start + usec(o.step_at + 3);
    livetcp_usec full = start + usec(o.step_at + 4);
    auto all = video.delays({.5, .95, .99, 1}, start, end);
    auto late = video.delays({.5, .95, .99, 1}, settled, end);
    livetcp_session_stats stats = video.call.caller.stats();
    double told_at = -1;
    for (const Told &told : video.told)
        if (told.rate >= 0.9 * o.link && told_at < 0)
            told_at = static_cast<double>(told.at - start) / 1e6;
    printf(
        "%-24s %-7s x%u s%llu | %5.0f %5.0f %5.0f %5.0f | after 3 s %5.0f %5.0f %5.0f %5.0f "
        "use %.3f other %.2f | 4th s %.2f 0.9 at %4.1f above L + 200 for %.2f s late %llu resent "
        "%llu\n",
        o.name, policy, connections, static_cast<unsigned long long>(seed), all[0], all[1], all[2],
        all[3], late[0], late[1], late[2], late[3], video.throughput(settled, end) / o.link, other,
        video.throughput(full, full + second) / o.link, told_at,
        video.seconds_above(path_delay_ms(o) + 200, start + usec(o.step_at), end),
        static_cast<unsigned long long>(stats.dropped.late),
        static_cast<unsigned long long>(stats.sent.resent));
    fflush(stdout);
    road->world.clear();
}

/* Several sessions on one bottleneck; the last one joins after half of the time. */
void share(const char *path, double link, unsigned sessions, const char *policy,
           unsigned connections, uint64_t seed)
{
    auto road = std::make_shared<SimRoad>(path, seed);
    std::vector<std::unique_ptr<Video>> all;
    constexpr livetcp_usec length = 60 * second;
    livetcp_usec begin = road->world.now();
    auto start = [&](unsigned i) {
        all.push_back(std::make_unique<Video>(road, make_config(policy, connections),
                                              300e3 * (i + 1), true, seed + 10 * i));
        set_frames(*all.back());
        road->world.run_for(second / 2);
        all.back()->start();
    };
    for (unsigned i = 0; i + 1 < sessions; i++)
        start(i);
    road->world.run_until(begin + length / 2);
    start(sessions - 1);
    road->world.run_until(begin + length);
    for (auto [from, to] : {std::pair{20, 30}, std::pair{40, 50}, std::pair{50, 60}}) {
        double sum = 0, squares = 0;
        unsigned there = from < 30 ? sessions - 1 : sessions;
        printf("%u of %s x%u on %.0f Mbit/s s%llu %d..%d s:", sessions, policy, connections,
               link / 1e6, static_cast<unsigned long long>(seed), from, to);
        for (unsigned i = 0; i < there; i++) {
            double part = all[i]->throughput(begin + from * second, begin + to * second) / link;
            sum += part;
            squares += part * part;
            printf(" %.3f (p95 %.0f)", part,
                   all[i]->delay(.95, begin + from * second, begin + to * second));
        }
        printf(" | use %.3f Jain %.3f\n", sum, sum * sum / (there * squares));
    }
    fflush(stdout);
    road->world.clear();
}

void cases(const Words &words)
{
    const char *one = "delay=30ms,rate=1mbit,queue=40kB";
    const Case all[] = {
        {"fixed 930 on 1000", one, 1e6, 930e3, false},
        {"adaptive 1500 on 1000", one, 1e6, 1500e3, true},
        {"adaptive 300 on 1000", one, 1e6, 300e3, true},
        {"adaptive rtt200", "delay=100ms,rate=1mbit,queue=40kB", 1e6, 1500e3, true},
        {"from 300, rtt200", "delay=100ms,rate=1mbit,queue=25kB", 1e6, 300e3, true},
        {"adaptive rtt20", "delay=10ms,rate=1mbit,queue=20kB", 1e6, 1500e3, true},
        {"adaptive 5mbit", "delay=30ms,rate=5mbit,queue=40kB", 5e6, 1500e3, true},
        {"adaptive 20mbit", "delay=30ms,rate=20mbit,queue=150kB", 20e6, 6000e3, true},
        {"adaptive 300k", "delay=30ms,rate=300kbit,queue=10kB", 3e5, 450e3, true},
        {"adaptive 1% loss 5mbit", "delay=30ms,rate=5mbit,queue=80kB,loss=1%", 5e6, 1500e3, true},
        {"overload 2.9 in 1.5", "delay=30ms,rate=1500kbit,queue=40kB", 1.5e6, 2900e3, false,
         400000},
        {"overload 1.9 in 1.5", "delay=30ms,rate=1500kbit,queue=40kB", 1.5e6, 1900e3, false,
         400000},
        {"beside greedy", one, 1e6, 1500e3, true, 0, 1, 60},
        {"greedy 4 on 10 mbit", "delay=25ms,rate=10mbit,queue=50p", 10e6, 5000e3, false, 400000, 4,
         60},
        {"greedy 4 adaptive", "delay=25ms,rate=10mbit,queue=50p", 10e6, 1500e3, true, 0, 4, 60},
        {"step 1 to 0.4", one, 4e5, 1000e3, true, 0, 0, 40, "delay=30ms,rate=400kbit,queue=40kB",
         15},
        {"rtt 60 to 200", one, 1e6, 1000e3, true, 0, 0, 40, "delay=170ms,rate=1mbit,queue=40kB",
         15},
        {"rtt 60 to 120 5mbit", "delay=30ms,rate=5mbit,queue=80kB", 5e6, 4500e3, true, 0, 0, 40,
         "delay=90ms,rate=5mbit,queue=80kB", 15},
        {"rtt 200 to 60", "delay=170ms,rate=1mbit,queue=40kB", 1e6, 1000e3, true, 0, 0, 40, one,
         15},
        {"step 0.4 to 1", "delay=30ms,rate=400kbit,queue=40kB", 1e6, 1000e3, true, 0, 0, 40, one,
         15},
    };
    for (const Case &o : all)
        if (words.match(o.name))
            for (unsigned seed = 1; seed <= seeds(); seed++) {
                run(o, "single", 1, seed);
                run(o, "auto", 8, seed);
            }
    for (unsigned seed = 1; seed <= seeds() && words.match("sharing"); seed++) {
        share("delay=30ms,rate=4mbit,queue=100kB", 4e6, 4, "single", 1, seed);
        share("delay=30ms,rate=4mbit,queue=100kB", 4e6, 4, "auto", 8, seed);
        share("delay=30ms,rate=20mbit,queue=150kB", 20e6, 4, "auto", 8, seed);
    }
}

void crowds(const Words &words)
{
    for (unsigned sessions : {2U, 4U, 8U})
        for (bool one : {true, false})
            for (unsigned seed = 1; seed <= seeds(); seed++) {
                auto crowd = [&](const char *path, double link) {
                    if (words.match(
                            (std::to_string(sessions) + (one ? " single " : " auto ") + path)
                                .c_str()))
                        share(path, link, sessions, one ? "single" : "auto", one ? 1 : 8, seed);
                };
                crowd("delay=30ms,rate=4mbit,queue=100kB", 4e6);
                crowd("delay=30ms,rate=20mbit,queue=150kB", 20e6);
            }
}

/* ---- all combinations ---- */

struct Path {
    double rate, rtt_ms, buffer; /* buffer: bandwidth-delay products, six packets at least */
    const char *below;           /* the congestion control of our connections */
    const char *other = "";      /* that of the flow beside */

    double queue_bytes() const
    {
        return std::max(9000.0, buffer * rate / 8 * rtt_ms / 1e3);
    }

    double full_queue_ms() const
    {
        return queue_bytes() * 8 / rate * 1e3;
    }

    std::string spec() const
    {
        char text[128];
        snprintf(text, sizeof text, "delay=%.1fms,rate=%.0fkbit,queue=%.0fB", rtt_ms / 2,
                 rate / 1e3, queue_bytes());
        const char *aqm = getenv("AQM");
        return aqm ? text + std::string(",aqm=") + aqm : text;
    }

    std::shared_ptr<SimRoad> road(uint64_t seed) const
    {
        return std::make_shared<SimRoad>(spec().c_str(), seed, below);
    }

    std::string name(unsigned connections) const
    {
        char text[160];
        snprintf(text, sizeof text, "rate=%g rtt=%.0f buffer=%.2g below=%s n=%u other=%s",
                 rate / 1e6, rtt_ms, buffer, below, connections, other);
        return text;
    }
};

/* How a figure is distributed over all combinations, and how many keep the bound. */
struct Column {
    const char *name;
    double low, high;
    std::vector<double> values = {};

    void print()
    {
        size_t within = 0;
        for (double value : values)
            within += value >= low && value <= high;
        std::sort(values.begin(), values.end());
        auto q = [&](double p) {
            return values[static_cast<size_t>(p * static_cast<double>(values.size() - 1))];
        };
        if (!values.empty())
            printf("%-28s within bounds %zu of %zu; min %.3g p10 %.3g p50 %.3g p90 %.3g max %.3g\n",
                   name, within, values.size(), q(0), q(.1), q(.5), q(.9), q(1));
    }
};

/* A source that has the path to itself. */
struct Source {
    double times; /* of the path's rate */
    bool follows;
    livetcp_usec max_send_delay = 0;
    bool speaks = false;
};

/* What the link has carried, and what was handed over. */
struct Ledger {
    lt_link_counters link = {};
    livetcp_sent_stats sent = {};
    livetcp_usec at = 0;

    static Ledger of(const Video &video)
    {
        return {video.call.path.forward.counters(), video.call.caller.stats().sent,
                video.call.world.now()};
    }

    /* Parts of a link of `rate` bit/s since `from`. A packet's own headers are those of TCP, IP and
     * its frame; control is all that is no media, copy or parity, acknowledgements included. */
    void print(const Ledger &from, double rate) const
    {
        double all = static_cast<double>(at - from.at) / 1e6 * rate / 8;
        auto part = [all](uint64_t now, uint64_t before, double bytes = 1) {
            return static_cast<double>(now - before) * bytes / all;
        };
        double media = part(sent.accepted_bytes, from.sent.accepted_bytes);
        double headers = part(sent.accepted, from.sent.accepted, SimTcp::headers + 2);
        double extra = part(sent.extra_bytes, from.sent.extra_bytes);
        double busy = part(link.out_bytes, from.link.out_bytes);
        printf("    idle %.4f media %.4f headers %.4f extra %.4f control %.4f lost %llu; possible "
               "%.4f\n",
               1 - busy, media, headers, extra, busy - media - headers - extra,
               static_cast<unsigned long long>(link.dropped_queue - from.link.dropped_queue),
               media / (media + headers));
    }
};

/* `look` gets the source once it has sent for `seconds`, and when it began; `begun` when it begins.
 */
void send_alone(const Path &path, unsigned connections, const Source &source, double seconds,
                uint64_t seed, const std::function<void(Video &, livetcp_usec)> &look,
                const std::function<void(Video &, livetcp_usec)> &begun = {})
{
    auto road = path.road(seed);
    livetcp_config config = make_config(connections > 1 ? "auto" : "single", connections);
    config.max_send_delay_us = source.max_send_delay;
    Video video(road, config, source.times * path.rate, source.follows, seed);
    set_frames(video);
    road->world.run_for(second / 2);
    livetcp_usec start = road->world.now();
    video.start();
    if (source.speaks)
        video.talk();
    trace(video, start);
    if (begun)
        begun(video, start);
    road->world.run_until(start + usec(seconds) + second);
    look(video, start);
    road->world.clear();
}

struct Outcome {
    double use, p95, p99;
    double first_ms; /* the most in the first 3 s, above L */
    double told_ms;  /* until the source was told less than the path carries; < 0 = never */
    double filled;   /* the share from 4 to 6 s */
    double ramp_ms;  /* the most in the first 6 s, above L */
};

Outcome alone_once(const Path &path, unsigned connections, double times, bool follows,
                   uint64_t seed)
{
    constexpr double seconds = 25;
    Outcome got = {};
    Ledger settled;
    send_alone(
        path, connections, {times, follows}, seconds, seed,
        [&](Video &video, livetcp_usec start) {
            livetcp_usec end = start + usec(seconds);
            auto late = video.delays({.95, .99}, start + 3 * second, end);
            double told_ms = -1;
            for (const Told &told : video.told)
                if (told.rate <= path.rate && told_ms < 0)
                    told_ms = static_cast<double>(told.at - start) / 1e3;
            got = {video.throughput(start + 3 * second, end) / path.rate,
                   late[0],
                   late[1],
                   video.delay(1, start, start + 3 * second) - path.rtt_ms / 2,
                   told_ms,
                   video.throughput(start + 4 * second, start + 6 * second) / path.rate,
                   video.delay(1, start, start + 6 * second) - path.rtt_ms / 2};
            if (follows && getenv("LEDGER"))
                Ledger::of(video).print(settled, path.rate);
        },
        [&settled](Video &video, livetcp_usec start) {
            video.call.world.at(start + 3 * second, [&] { settled = Ledger::of(video); });
        });
    return got;
}

struct AloneColumns {
    Column use = {"use", 0.92, 1}, p95 = {"p95 above the floor", -1e9, 20},
           p99 = {"p99 above the floor", -1e9, 35},
           first = {"first 3 s above L, from 1.5", -1e9, 200},
           told = {"told above 2 RTT, from 1.5", -1e9, 300},
           filled = {"use from 4 to 6 s, from 0.3", 0.9, 1},
           ramp = {"first 6 s above L, from 0.3", -1e9, 200};

    void take(const Path &path, unsigned n, uint64_t seed)
    {
        Outcome got = alone_once(path, n, 1.5, true, seed);
        Outcome floor = alone_once(path, n, got.use, false, seed);
        Outcome low = alone_once(path, n, 0.3, true, seed);
        printf("%s s%llu: use %.3f p95 %.0f (floor %.0f) p99 %.0f (floor %.0f) first %.0f told "
               "%.0f; from 0.3: first %.0f, use from 4 to 6 s %.3f, all %.3f\n",
               path.name(n).c_str(), static_cast<unsigned long long>(seed), got.use, got.p95,
               floor.p95, got.p99, floor.p99, got.first_ms, got.told_ms, low.ramp_ms, low.filled,
               low.use);
        fflush(stdout);
        use.values.push_back(got.use);
        p95.values.push_back(got.p95 - floor.p95);
        p99.values.push_back(got.p99 - floor.p99);
        first.values.push_back(got.first_ms);
        told.values.push_back(got.told_ms < 0 ? HUGE_VAL : got.told_ms - 2 * path.rtt_ms);
        filled.values.push_back(low.filled);
        ramp.values.push_back(low.ramp_ms);
    }

    void print()
    {
        for (Column *column : {&use, &p95, &p99, &first, &told, &filled, &ramp})
            column->print();
    }
};

/* Every path that has the words. */
void every(const Words &words, const std::function<void(const Path &, unsigned, uint64_t)> &take)
{
    for (double rate : {0.3e6, 1e6, 5e6, 20e6})
        for (double rtt : {20.0, 60.0, 200.0})
            for (double buffer : {0.5, 1.0, 4.0})
                for (const char *below : {"reno", "cubic", "bbr"})
                    for (unsigned n : {1u, 8u}) {
                        Path path = {rate, rtt, buffer, below};
                        for (unsigned seed = 1;
                             words.match(path.name(n).c_str()) && seed <= seeds(); seed++)
                            take(path, n, seed);
                    }
}

void alone(const Words &words)
{
    AloneColumns columns;
    every(words, [&](const Path &path, unsigned n, uint64_t seed) { columns.take(path, n, seed); });
    columns.print();
}

/* Encoders at both ends, from 1.5 times the path's rate, in three phases to each other. */
void calls(const Words &words)
{
    Column use = {"use, of both directions", 0.92, 1}, p95 = {"p95 above L", -1e9, 80},
           first = {"first 3 s above L", -1e9, 200};
    auto take = [&](const Path &path, unsigned n, livetcp_usec apart, uint64_t seed) {
        constexpr double seconds = 25;
        Alone alone(path.spec().c_str(), make_config(n > 1 ? "auto" : "single", n), 1.5 * path.rate,
                    true, seed, path.below);
        Answer answer(alone.video, 1.5 * path.rate, apart);
        alone.run(seconds + 1);
        livetcp_usec from = alone.begin + 3 * second, to = alone.begin + usec(seconds);
        printf("%s apart=%lld s%llu:", path.name(n).c_str(), static_cast<long long>(apart),
               static_cast<unsigned long long>(seed));
        for (const std::vector<Played> *played : {&alone.video.played, &answer.played}) {
            use.values.push_back(Video::throughput_of(*played, from, to) / path.rate);
            p95.values.push_back(Video::delays_of(*played, {.95}, from, to)[0] - path.rtt_ms / 2);
            first.values.push_back(Video::delays_of(*played, {1}, alone.begin, from)[0] -
                                   path.rtt_ms / 2);
            printf(" use %.3f p95 above L %.0f first %.0f", use.values.back(), p95.values.back(),
                   first.values.back());
        }
        printf("\n");
        fflush(stdout);
    };
    every(words, [&](const Path &path, unsigned n, uint64_t seed) {
        for (livetcp_usec apart : {5000, 17000, 29000})
            take(path, n, apart, seed);
    });
    use.print();
    p95.print();
    first.print();
}

/* SEEDS times 20 paths. */
void draw(const Words &words, const std::function<void(const Path &, unsigned, uint64_t)> &take)
{
    Dice dice(static_cast<uint64_t>(option("DRAW", 13)));
    const char *const controls[] = {"reno", "cubic", "bbr"};
    for (unsigned i = 1; i <= 20 * seeds(); i++) {
        double rate = dice.between_times(0.3e6, 20e6), rtt = dice.between_times(20, 200),
               buffer = dice.between_times(0.25, 4);
        const char *below = controls[dice.below(3)];
        unsigned n = dice.below(8) + 1;
        Path path = {rate, rtt, buffer, below};
        if (words.match(path.name(n).c_str()))
            take(path, n, i);
    }
}

void drawn(const Words &words)
{
    AloneColumns columns;
    draw(words, [&](const Path &path, unsigned n, uint64_t seed) { columns.take(path, n, seed); });
    columns.print();
}

/* The first seconds: the most that a packet took, above L. */
void start(const Words &words)
{
    constexpr double limit_ms = 400;
    constexpr auto limit = static_cast<livetcp_usec>(limit_ms * 1e3);
    auto most = [](const Path &path, unsigned n, const Source &source, double seconds,
                   uint64_t seed) {
        double got = 0;
        send_alone(path, n, source, seconds, seed, [&](Video &video, livetcp_usec begin) {
            got = video.delay(1, begin, begin + usec(seconds)) - path.rtt_ms / 2;
        });
        return got;
    };
    Column fast = {"first 3 s, from 1.5", -1e9, 200}, slow = {"first 6 s, from 0.3", -1e9, 200},
           fits = {"first 3 s at 0.8, fixed", -1e9, 200},
           over[] = {{"above 400 + RTT/2, at 1.27", -1e9, 0},
                     {"above 400 + RTT/2, at 1.93", -1e9, 0}};
    draw(words, [&](const Path &path, unsigned n, uint64_t seed) {
        double from[] = {most(path, n, {1.5, true}, 3, seed), most(path, n, {0.3, true}, 6, seed),
                         most(path, n, {0.8, false}, 3, seed),
                         most(path, n, {1.27, false, limit}, 3, seed),
                         most(path, n, {1.93, false, limit}, 3, seed)};
        printf("%s s%llu: from 1.5 %.0f; from 0.3 %.0f; 0.8 fixed %.0f; overload 1.27 %.0f 1.93 "
               "%.0f (400 + RTT/2 %.0f)\n",
               path.name(n).c_str(), static_cast<unsigned long long>(seed), from[0], from[1],
               from[2], from[3], from[4], limit_ms + path.rtt_ms / 2);
        fflush(stdout);
        fast.values.push_back(from[0]);
        slow.values.push_back(from[1]);
        fits.values.push_back(from[2]);
        for (unsigned i = 0; i < 2; i++)
            over[i].values.push_back(from[3 + i] - limit_ms - path.rtt_ms / 2);
    });
    for (Column *column : {&fast, &slow, &fits, &over[0], &over[1]})
        column->print();
}

/* A path drawn at random, as it may be behind a radio link or a small router. */
struct DrawnPath {
    double rate, rtt_ms, queue_bytes;
    std::string spec;
    const char *below, *frames;
    double times; /* of the rate: what the encoder begins at */

    static DrawnPath draw(Dice &dice)
    {
        static const char *const controls[] = {"reno", "cubic", "bbr"};
        static const char *const encoders[] = {nullptr, "x264", "screen"};
        static const double losses[] = {0, 0, 0.3, 1, 2}, jitters[] = {0, 0, 1, 5, 15},
                            starts[] = {0.3, 0.7, 1.5};
        DrawnPath path = {};
        path.rate = dice.between_times(0.4e6, 8e6);
        path.rtt_ms = dice.between_times(20, 250);
        double product = path.rate / 8 * path.rtt_ms / 1e3;
        path.queue_bytes = std::max(6000.0, product * dice.between_times(0.5, 5));
        double loss = losses[dice.below(5)], jitter = jitters[dice.below(5)];
        bool bursts = dice.below(3) == 0;
        path.below = controls[dice.below(3)];
        path.frames = encoders[dice.below(3)];
        path.times = starts[dice.below(3)];
        char text[160];
        snprintf(text, sizeof text, "delay=%.1fms,rate=%.0fkbit,queue=%.0fB", path.rtt_ms / 2,
                 path.rate / 1e3, path.queue_bytes);
        path.spec = text;
        if (loss > 0)
            path.spec += ",loss=" + std::to_string(loss) + "%" + (bursts ? ",burst=3" : "");
        if (jitter > 0)
            path.spec += ",jitter=" + std::to_string(jitter) + "ms";
        return path;
    }
};

/* Eight connections and one: no more above L than one has, by 5 % and 5 ms. */
void compared(const Words &words)
{
    struct Got {
        std::vector<double> ms; /* above L */
        double use;
        uint64_t dropped, offered;
    };
    constexpr double seconds = 25;
    Column p95 = {"p95 above one connection's", -1e9, 5}, p99 = {"p99 above one's", -1e9, 5},
           most = {"most above one's", -1e9, 5}, use = {"use less one's", -0.02, 1};
    auto once = [](const DrawnPath &path, unsigned n, uint64_t seed) {
        auto prepare = [&path](Video &video) {
            lt_link_params back, way = link_params(path.spec.c_str());
            lt_link_params_init(&back);
            back.delay = way.delay;
            back.jitter = way.jitter;
            video.call.path.backward.set(back);
            set_frames(video, path.frames);
        };
        Alone alone(path.spec.c_str(), make_config(n > 1 ? "auto" : "single", n),
                    path.times * path.rate, true, seed, path.below, prepare);
        trace(alone.video, alone.begin);
        alone.run(seconds + 1);
        livetcp_usec settled = alone.begin + 3 * second, end = alone.begin + usec(seconds);
        lt_link_counters link = alone.road->path.forward.counters();
        Got got = {alone.video.delays({.5, .95, .99, 1}, settled, end),
                   alone.video.throughput(settled, end) / path.rate, link.dropped_queue,
                   link.in_packets};
        for (double &ms : got.ms)
            ms -= path.rtt_ms / 2;
        return got;
    };
    Dice dice(static_cast<uint64_t>(option("DRAW", 13)));
    for (unsigned i = 1; i <= 20 * seeds(); i++) {
        DrawnPath path = DrawnPath::draw(dice);
        char name[300];
        snprintf(name, sizeof name, "%s full=%.0fms below=%s frames=%s from=%.1f",
                 path.spec.c_str(), path.queue_bytes * 8e3 / path.rate, path.below,
                 path.frames ? path.frames : "equal", path.times);
        if (!words.match(name))
            continue;
        Got eight = once(path, 8, i), one = once(path, 1, i);
        printf("s%u %s\n", i, name);
        for (const Got *got : {&eight, &one})
            printf("    %s: p50 %.0f p95 %.0f p99 %.0f max %.0f use %.3f dropped %llu of %llu\n",
                   got == &one ? "one  " : "eight", got->ms[0], got->ms[1], got->ms[2], got->ms[3],
                   got->use, static_cast<unsigned long long>(got->dropped),
                   static_cast<unsigned long long>(got->offered));
        fflush(stdout);
        auto above = [&](unsigned q) { return eight.ms[q] - 1.05 * one.ms[q]; };
        p95.values.push_back(above(1));
        p99.values.push_back(above(2));
        most.values.push_back(above(3));
        use.values.push_back(eight.use - one.use);
    }
    for (Column *column : {&p95, &p99, &most, &use})
        column->print();
}

/* A source at more than the path carries, and speech in the same session. */
void overload(const Words &words)
{
    constexpr double limit_ms = 400;
    Column most = {"most above 400 + RTT", -1e9, 0}, use = {"delivered", 0.92, 1},
           speech = {"speech p99 above L", 0, 80}, speech_most = {"speech most above L", 0, 1e9};
    auto once = [&](const Path &path, unsigned n, double times, uint64_t seed) {
        constexpr double seconds = 25;
        const Source source = {times, false, static_cast<livetcp_usec>(limit_ms * 1e3), true};
        send_alone(path, n, source, seconds, seed, [&](Video &video, livetcp_usec start) {
            livetcp_usec settled = start + 3 * second, end = start + usec(seconds);
            double all = video.delay(1, start, end), p99 = video.delay(.99, settled, end);
            double heard[] = {video.speech_delay(.5, settled, end),
                              video.speech_delay(.99, settled, end),
                              video.speech_delay(1, settled, end)};
            double through = (video.throughput(settled, end) + 172 * 8 * 50) / path.rate;
            livetcp_usec last = start;
            size_t late = 0;
            for (const Played &packet : video.played)
                if (static_cast<double>(packet.delay) / 1e3 > limit_ms + path.rtt_ms) {
                    last = std::max(last, packet.sent);
                    late++;
                }
            printf(
                "%s times=%.2g s%llu: most %.0f (400 + RTT %.0f; %zu above it, sent until %.1f s) "
                "p99 %.0f delivered %.3f; speech p50 %.0f p99 %.0f most %.0f (L %.0f)\n",
                path.name(n).c_str(), times, static_cast<unsigned long long>(seed), all,
                limit_ms + path.rtt_ms, late, static_cast<double>(last - start) / 1e6, p99, through,
                heard[0], heard[1], heard[2], path.rtt_ms / 2);
            fflush(stdout);
            most.values.push_back(all - limit_ms - path.rtt_ms);
            use.values.push_back(through);
            speech.values.push_back(heard[1] - path.rtt_ms / 2);
            speech_most.values.push_back(heard[2] - path.rtt_ms / 2);
        });
    };
    for (double rate : {0.3e6, 1.5e6, 5e6})
        for (double rtt : {20.0, 60.0, 200.0})
            for (double buffer : {0.5, 1.0, 4.0})
                for (const char *below : {"reno", "cubic", "bbr"})
                    for (unsigned n : {1u, 8u})
                        for (double times : {1.27, 1.93}) {
                            Path path = {rate, rtt, buffer, below};
                            for (unsigned seed = 1;
                                 words.match(path.name(n).c_str()) && seed <= seeds(); seed++)
                                once(path, n, times, seed);
                        }
    for (Column *column : {&most, &use, &speech, &speech_most})
        column->print();
}

/* The other flow is there first, or joins a session that has had the path to itself. */
void beside(const Words &words, bool joins)
{
    Column fair = {"share of a fair one", 0.7, 1.2}, late = {"p95 above L + full queue", -1e9, 30},
           again = {"p95 above L + frame, after", -1e9, 20}, back = {"use, after", 0.92, 1},
           soon = {"p95 above the floor, 5 to 13 s", -1e9, 20}, up = {"use, 5 to 13 s", 0.92, 1},
           found = {"last beside, s after", 0, 5};
    auto once = [&](const Path &path, unsigned n, uint64_t seed) {
        auto road = path.road(seed);
        Video video(road, make_config(n > 1 ? "auto" : "single", n), begin_at() * path.rate, true,
                    seed);
        set_frames(video);
        std::vector<std::unique_ptr<GreedyTcp>> flows;
        auto begin = [&] {
            for (unsigned i = 0; i < others(); i++)
                flows.push_back(std::make_unique<GreedyTcp>(road->world, road->path, path.other));
        };
        auto delivered = [&] {
            uint64_t sum = 0;
            for (const auto &flow : flows)
                sum += flow->delivered;
            return sum;
        };
        if (!joins)
            begin();
        road->world.run_for(5 * second);
        livetcp_usec start = road->world.now(), gone = start + 50 * second;
        video.start();
        trace(video, start);
        if (joins) {
            road->world.run_for(12 * second);
            start = road->world.now();
            gone = start + 50 * second;
            begin();
        }
        road->world.run_until(start + 10 * second);
        uint64_t before = delivered();
        road->world.run_until(gone);
        double their = static_cast<double>(delivered() - before) * 8 / 40 / path.rate / others();
        double fair_share = 1.0 / (1 + others());
        flows.clear();
        livetcp_usec end = gone + 25 * second;
        double last = 0;
        while (road->world.now() < end + second) {
            road->world.run_for(second / 20);
            if (video.call.caller.stats().sent.congestion == LIVETCP_CONGESTION_COMPETING)
                last = static_cast<double>(road->world.now() - gone) / 1e6;
        }
        double share = video.throughput(start + 10 * second, gone) / path.rate;
        auto during = video.delays({.5, .95}, start + 10 * second, gone);
        double after = video.delay(.95, gone + 5 * second, end);
        double use = video.throughput(gone + 5 * second, end) / path.rate;
        livetcp_usec from = gone + 5 * second, to = gone + 13 * second;
        double soon_use = video.throughput(from, to) / path.rate;
        double soon_p95 = video.delay(.95, from, to);
        double floor = alone_once(path, n, soon_use, false, seed).p95;
        double full = path.rtt_ms / 2 + path.full_queue_ms();
        printf("%s s%llu: share %.2f (other %.2f) p50 %.0f p95 %.0f (L + full %.0f); after: use "
               "%.3f p95 %.0f (L + frame %.0f); 5 to 13 s: use %.3f p95 %.0f (floor %.0f), beside "
               "until %.1f s\n",
               path.name(n).c_str(), static_cast<unsigned long long>(seed), share / fair_share,
               their / fair_share, during[0], during[1], full, use, after, path.rtt_ms / 2 + 40,
               soon_use, soon_p95, floor, last);
        fflush(stdout);
        fair.values.push_back(share / fair_share);
        late.values.push_back(during[1] - full);
        again.values.push_back(after - path.rtt_ms / 2 - 40);
        back.values.push_back(use);
        soon.values.push_back(soon_p95 - floor);
        up.values.push_back(soon_use);
        found.values.push_back(last);
        road->world.clear();
    };
    for (double rate : {1e6, 5e6, 20e6})
        for (double rtt : {20.0, 60.0, 200.0})
            for (double buffer : {0.5, 1.0, 4.0})
                for (const char *below : {"reno", "cubic", "bbr"})
                    for (const char *other : {"reno", "cubic", "bbr"})
                        for (unsigned n : {1u, 8u}) {
                            Path path = {rate, rtt, buffer, below, other};
                            for (unsigned seed = 1;
                                 words.match(path.name(n).c_str()) && seed <= seeds(); seed++)
                                once(path, n, seed);
                        }
    for (Column *column : {&fair, &late, &again, &back, &up, &soon, &found})
        column->print();
}

/* Two transfers, of which one has the congestion control of our connections: the share that one
 * connection can have at most, as nothing above TCP makes its window larger. */
void kernels(const Words &words)
{
    Column fair = {"share of a fair one", 0.7, 1.2};
    auto once = [&](const Path &path, uint64_t seed) {
        SimRoad road(path.spec().c_str(), seed);
        GreedyTcp other(road.world, road.path, path.other);
        road.world.run_for(5 * second);
        GreedyTcp own(road.world, road.path, path.below);
        road.world.run_for(10 * second);
        uint64_t before = own.delivered, others_before = other.delivered;
        road.world.run_for(40 * second);
        double fair_bytes = path.rate / 8 / 2 * 40;
        double share = static_cast<double>(own.delivered - before) / fair_bytes;
        printf("%s s%llu: share %.2f (other %.2f)\n", path.name(1).c_str(),
               static_cast<unsigned long long>(seed), share,
               static_cast<double>(other.delivered - others_before) / fair_bytes);
        fair.values.push_back(share);
        road.world.clear();
    };
    for (double rate : {1e6, 5e6, 20e6})
        for (double rtt : {20.0, 60.0, 200.0})
            for (double buffer : {0.5, 1.0, 4.0})
                for (const char *below : {"reno", "cubic", "bbr"})
                    for (const char *other : {"reno", "cubic", "bbr"}) {
                        Path path = {rate, rtt, buffer, below, other};
                        for (unsigned seed = 1;
                             words.match(path.name(1).c_str()) && seed <= seeds(); seed++)
                            once(path, seed);
                    }
    fair.print();
}

/* Each 13 s: as it was, another round trip or rate, as it was. */
void steps(const Words &words)
{
    Column above = {"above L + 200 ms after it, s", 0, 1}, later = {"the same from 3 s on", 0, 0.1},
           used = {"use 5 s after it", 0.92, 1}, back = {"the same after its end", 0, 1};
    auto once = [&](Path path, double rate, double rtt_ms, unsigned n, uint64_t seed) {
        char name[200];
        snprintf(name, sizeof name, "%s to=%.1f/%.0f", path.name(n).c_str(), rate / 1e6, rtt_ms);
        if (!words.match(name))
            return;
        auto road = path.road(seed);
        Video video(road, make_config(n > 1 ? "auto" : "single", n), 1.5 * path.rate, true, seed);
        set_frames(video);
        road->world.run_for(second);
        video.start();
        trace(video, road->world.now());
        auto set = [&](double bits, double rtt) {
            for (SimLink *link : {&road->path.forward, &road->path.backward}) {
                lt_link_params params = link->params();
                params.delay = static_cast<livetcp_usec>(rtt * 500);
                if (link == &road->path.forward)
                    params.rate = static_cast<uint64_t>(bits);
                link->set(params);
            }
        };
        livetcp_usec at = road->world.now() + 13 * second, end = at + 13 * second;
        road->world.run_until(at);
        set(rate, rtt_ms);
        road->world.run_until(end);
        set(path.rate, path.rtt_ms);
        road->world.run_until(end + 10 * second);
        auto late = [&](livetcp_usec from, livetcp_usec to, double limit) {
            double sum = 0;
            for (livetcp_usec t = from; t < to; t += second / 10)
                sum += video.delay(1, t, t + second / 10) > limit ? 0.1 : 0;
            return sum;
        };
        above.values.push_back(late(at, end, rtt_ms / 2 + 200));
        later.values.push_back(late(at + 3 * second, end, rtt_ms / 2 + 200));
        used.values.push_back(video.throughput(at + 5 * second, end) / rate);
        back.values.push_back(late(end, end + 8 * second, path.rtt_ms / 2 + 200));
        printf("%s s%llu: above %.1f s, from 3 s on %.1f, use %.3f, back %.1f\n", name,
               static_cast<unsigned long long>(seed), above.values.back(), later.values.back(),
               used.values.back(), back.values.back());
        fflush(stdout);
        road->world.clear();
    };
    struct Step {
        double rate, rtt_ms;
    };
    for (const char *below : {"reno", "cubic", "bbr"})
        for (unsigned n : {1u, 8u})
            for (const Step &to : {Step{1e6, 200}, {1e6, 20}, {0.4e6, 60}, {2e6, 60}})
                for (unsigned seed = 1; seed <= seeds(); seed++)
                    once({1e6, 60, 40000.0 * 8 / 1e6 / 0.06, below, ""}, to.rate, to.rtt_ms, n,
                         seed);
    for (Column *column : {&above, &later, &used, &back})
        column->print();
}

/* Video that is switched off for a while, and on again with a key frame; beside speech, if it
 * speaks. */
void paused(const Words &words)
{
    Column again = {"first 2 s again, above L", -1e9, 400},
           first = {"first 2 s, above L", -1e9, 400};
    for (bool speaks : {false, true})
        for (double pause : {3.0, 10.0, 60.0})
            every(words, [&](const Path &path, unsigned n, uint64_t seed) {
                auto road = path.road(seed);
                Video video(road, make_config(n > 1 ? "auto" : "single", n), path.rate, true, seed);
                video.key = 5;
                video.every = 50;
                set_frames(video);
                road->world.run_for(second / 2);
                if (speaks)
                    video.talk();
                road->world.run_for(usec(speaks ? pause : 0));
                livetcp_usec begun = road->world.now();
                video.start();
                trace(video, begun);
                road->world.run_until(begun + 12 * second);
                video.pause();
                road->world.run_for(usec(pause));
                livetcp_usec resumed = road->world.now();
                uint64_t lost = video.call.path.forward.counters().dropped_queue;
                double rate = video.rate;
                video.resume();
                road->world.run_for(4 * second);
                first.values.push_back(video.delay(1, begun, begun + 2 * second) - path.rtt_ms / 2);
                again.values.push_back(video.delay(1, resumed, resumed + 2 * second) -
                                       path.rtt_ms / 2);
                printf("%s s%llu pause=%.0f speech=%d: first %.0f, again %.0f from %.2f of the "
                       "rate, %llu lost\n",
                       path.name(n).c_str(), static_cast<unsigned long long>(seed), pause, speaks,
                       first.values.back(), again.values.back(), rate / path.rate,
                       static_cast<unsigned long long>(
                           video.call.path.forward.counters().dropped_queue - lost));
                fflush(stdout);
                road->world.clear();
            });
    first.print();
    again.print();
}

} // namespace

int main(int argc, char **argv)
{
    const std::string section = argc > 1 ? argv[1] : "";
    const Words all = {argv + 1, argc - 1}, rest = {argv + 2, argc - 2};
    if (section == "alone")
        alone(rest);
    else if (section == "beside")
        beside(rest, false);
    else if (section == "joined")
        beside(rest, true);
    else if (section == "crowds")
        crowds(rest);
    else if (section == "calls")
        calls(rest);
    else if (section == "kernels")
        kernels(rest);
    else if (section == "overload")
        overload(rest);
    else if (section == "drawn")
        drawn(rest);
    else if (section == "start")
        start(rest);
    else if (section == "compared")
        compared(rest);
    else if (section == "steps")
        steps(rest);
    else if (section == "paused")
        paused(rest);
    else
        cases(all);
    return 0;
}
