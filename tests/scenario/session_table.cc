/* SPDX-License-Identifier: MIT */
/*
 * `auto` against `single` and `shortest-queue` in sessions drawn at random, in virtual time;
 * path-table has only one stream of even packets on one path. Not a test: the place to look for the
 * next defect. Its findings have tests of their own.
 *
 * usage: session-table KINDS [FROM-TO]
 *
 * KINDS are letters, and FROM-TO the draws, 1-20 if left out:
 *   a  a way back that is thin             f  a transfer that comes and goes
 *   b  audio and video, or both both ways  g  video both ways over unlike links
 *   c  two to five calls                   h  one way of 100 to 350 ms
 *   d  frames, and key frames              i  jitter
 *   e  a link rate that changes            j  speech both ways
 *   k  a link that falls below the media, with max-send-delay = 400 ms
 *   l  losses of 1 to 5 %, and hardly room m  as f, for frames and speech
 *   n  losses, and room: key frames, speech
 *
 * A line is printed for each direction of audio and video where `auto` is worse than the better of
 * the others by 30 % and 10 ms: p50, p95, p99 and p99.9 of the delay in ms, and for kind k, whose
 * packets are dropped when they are late, the part that arrives. ALL=1 prints all of them, SEEDS=N
 * runs so many of each draw, and is needed where p99 is a repair or none.
 */
#include "sim_course.h"
#include "sim_dice.h"
#include "sim_greedy.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

using namespace scenario;

namespace
{

constexpr livetcp_usec second = 1000000, warmup = 5 * second, length = 30 * second;
constexpr uint32_t video_ssrc = 7, audio_ssrc = 9;
constexpr size_t largest = 1200; /* packet of a frame */

/* Packets of one size, or frames of a rate. */
struct Source {
    uint32_t ssrc = video_ssrc;
    livetcp_usec interval = 20000;
    size_t packet = Course::packet; /* 0 = frames: */
    double rate = 0;                /*   bit/s, */
    double key = 1;                 /*   key frames are so many times as large, */
    unsigned every = 1;             /*   and each so-many-th is one */
    bool back = false;              /* from the listener */
    unsigned call = 0;
    livetcp_usec phase = 0;
};

struct Draw {
    std::string there, back, below; /* the links, and TCP's congestion control */
    std::vector<Source> sources;
    unsigned calls = 1;
    std::vector<std::pair<livetcp_usec, std::string>> changes; /* of the link, both ways */
    std::vector<livetcp_usec> transfers; /* one begins, and ends, and begins... */
    std::string beside = "cubic";        /*   with this congestion control */
    livetcp_usec max_delay = 0;          /* 0 = no packet is dropped */

    std::string describe() const
    {
        std::string text = there + (back.empty() ? "" : " / " + back) + ", over " + below;
        if (calls > 1)
            text += ", " + std::to_string(calls) + " calls";
        if (!changes.empty())
            text += ", " + std::to_string(changes.size()) + " changes";
        if (!transfers.empty())
            text += ", beside " + beside;
        if (sources[0].rate > 0)
            text +=
                ", video of " + std::to_string(static_cast<int>(sources[0].rate / 1e3)) + " kbit/s";
        return text;
    }
};

/* ---- drawing ---- */

std::string draw_congestion_control(Dice &dice)
{
    const char *const names[] = {"reno", "cubic", "bbr"};
    return names[dice.below(3)];
}

double draw_loss(Dice &dice)
{
    const double percent[] = {0, 0, 0.3, 1, 2};
    return percent[dice.below(5)];
}

/* A link with a buffer of 50 to 400 ms. */
std::string draw_link(Dice &dice, double way_ms, double rate, double percent,
                      double smallest = 9000)
{
    char spec[128];
    snprintf(spec, sizeof spec, "delay=%.0fms,rate=%.0fkbit,queue=%.0fB,loss=%g%%", way_ms,
             rate / 1e3, std::max(smallest, rate / 8 * dice.between(0.05, 0.4)), percent);
    return spec;
}

Source frames(double rate, double key = 1, unsigned every = 1)
{
    Source source;
    source.packet = 0;
    source.rate = rate;
    source.interval = 40000;
    source.key = key;
    source.every = every;
    return source;
}

Source speech()
{
    Source source;
    source.ssrc = audio_ssrc;
    source.packet = Course::speech;
    return source;
}

void answer(Draw &draw, livetcp_usec phase)
{
    for (size_t i = 0, count = draw.sources.size(); i < count; i++) {
        draw.sources.push_back(draw.sources[i]);
        draw.sources.back().back = true;
        draw.sources.back().phase = phase;
    }
}

Draw draw_session(char kind, uint64_t seed)
{
    Dice dice(seed * 31 + static_cast<unsigned char>(kind));
    Draw draw;
    double way = dice.between(5, 100), loss = draw_loss(dice), media = Course::media;
    char change[32];
    draw.below = draw_congestion_control(dice);
    switch (kind) {
    case 'a':
        draw.there = draw_link(dice, way, media * dice.between(2, 15), loss);
        draw.back = draw_link(dice, way, dice.between(40e3, 400e3), 0, dice.between(4000, 40000));
        draw.sources.emplace_back();
        break;
    case 'b': {
        double rate = dice.between(200e3, 2e6);
        draw.there =
            draw_link(dice, way, (rate * 1.08 + Course::speech_rate) * dice.between(1.15, 3), loss);
        draw.sources = {frames(rate), speech()};
        if (dice.below(2))
            answer(draw, 11000);
        break;
    }
    case 'c':
        draw.calls = 2 + dice.below(4);
        draw.there = draw_link(dice, way, media * draw.calls * dice.between(1.1, 2), loss);
        for (unsigned i = 0; i < draw.calls; i++) {
            draw.sources.emplace_back();
            draw.sources.back().call = i;
            draw.sources.back().phase = 20000 * i / draw.calls;
        }
        break;
    case 'd': {
        double rate = dice.between(300e3, 4e6);
        draw.there = draw_link(dice, way, rate * 1.08 * dice.between(1.3, 4), loss);
        draw.sources = {frames(rate, dice.between(3, 10), 25 + dice.below(75))};
        break;
    }
    case 'e':
        draw.there = draw_link(dice, way, media * dice.between(1.2, 6), loss);
        for (livetcp_usec at = 3 * second; at < warmup + length;
             at += static_cast<livetcp_usec>(dice.between(1, 6) * second)) {
            snprintf(change, sizeof change, "rate=%.0fkbit", media * dice.between(1.1, 6) / 1e3);
            draw.changes.emplace_back(at, change);
        }
        draw.sources.emplace_back();
        break;
    case 'f':
    case 'm':
        draw.there = draw_link(dice, way, media * dice.between(3, 12), kind == 'f' ? 0 : loss);
        draw.beside = draw_congestion_control(dice);
        for (livetcp_usec at = 3 * second; at < warmup + length;
             at += static_cast<livetcp_usec>(dice.between(1, 7) * second))
            draw.transfers.push_back(at);
        if (kind == 'f')
            draw.sources.emplace_back();
        else
            draw.sources = {frames(media * dice.between(0.5, 1.2)), speech()};
        break;
    case 'g':
        draw.there = draw_link(dice, way, media * dice.between(1.3, 3), loss);
        draw.back = draw_link(dice, way, media * dice.between(1.3, 6), loss);
        draw.sources.emplace_back();
        answer(draw, 7000);
        break;
    case 'h':
        draw.there = draw_link(dice, dice.between(100, 350), media * dice.between(1.3, 10), loss);
        draw.sources.emplace_back();
        break;
    case 'i':
        draw.there = draw_link(dice, way, media * dice.between(1.3, 20), loss) +
                     ",jitter=" + std::to_string(1 + dice.below(30)) + "ms";
        draw.sources.emplace_back();
        break;
    case 'k':
        draw.there = draw_link(dice, way, media * dice.between(1.5, 8), loss);
        for (livetcp_usec at = 6 * second; at < warmup + length;
             at += static_cast<livetcp_usec>(dice.between(5, 12) * second)) {
            bool falls = draw.changes.size() % 2 == 0;
            double times = falls ? dice.between(0.3, 0.95) : dice.between(1.5, 8);
            snprintf(change, sizeof change, "rate=%.0fkbit", media * times / 1e3);
            draw.changes.emplace_back(at, change);
        }
        draw.max_delay = 400000;
        draw.sources.emplace_back();
        break;
    case 'l': {
        double rate = dice.between(200e3, 2e6), percent = dice.between(1, 5);
        draw.there = draw_link(
            dice, way, (rate * 1.08 + Course::speech_rate) * dice.between(1.2, 2.2), percent);
        draw.sources = {frames(rate), speech()};
        break;
    }
    case 'n': {
        double rate = dice.between(200e3, 3e6);
        draw.there = draw_link(dice, way, rate * dice.between(4, 20), dice.between(0.3, 3));
        draw.sources = {frames(rate, dice.between(3, 10), 50), speech()};
        break;
    }
    case 'j':
        draw.there = draw_link(dice, way, Course::speech_rate * dice.between(1.3, 10), loss, 3000);
        draw.sources = {speech()};
        answer(draw, 1000 + 1000 * static_cast<livetcp_usec>(dice.below(18)));
        break;
    default:
        fprintf(stderr, "session-table: no kind '%c'; there are a to n\n", kind);
        exit(2);
    }
    return draw;
}

/* ---- running ---- */

struct Arrived : Delays {
    double expected = 0; /* packets */

    double part() const
    {
        return static_cast<double>(sorted.size()) / expected;
    }
};

/* By direction of audio and video; the delay of a frame is that of its last packet. */
using Streams = std::map<std::string, Arrived>;

std::string stream_name(uint32_t ssrc, bool back)
{
    return std::string(ssrc == audio_ssrc ? "audio" : "video") + (back ? " back" : "");
}

class Run
{
  public:
    Run(const Draw &drawn, const char *policy, unsigned connections, uint64_t seed)
        : draw_(drawn), road_(std::make_shared<SimRoad>(drawn.there.c_str(), seed))
    {
        if (!draw_.back.empty())
            road_->path.backward.set(link_params(draw_.back.c_str()));
        road_->path.congestion_control = draw_.below;
        livetcp_config config = course_config(policy, connections, LIVETCP_REDUNDANCY_AUTO);
        config.max_send_delay_us = draw_.max_delay;
        for (unsigned i = 0; i < draw_.calls; i++)
            calls_.push_back(std::make_unique<SimCall>(road_, config, seed + 1000003 * i));
        lt_rng_seed(&sizes_, seed);
        sent_.resize(draw_.sources.size());
    }

    ~Run()
    {
        transfer_.reset();
        calls_.clear();
        road_->world.clear();
    }

    Streams delays()
    {
        World &world = road_->world;
        world.run_for(2 * second);
        begin_ = world.now();
        for (const auto &change : draw_.changes)
            world.at(begin_ + change.first,
                     [this, &change] { road_->path.change(change.second.c_str()); });
        for (livetcp_usec at : draw_.transfers)
            world.at(begin_ + at, [this] { begin_or_end_transfer(); });
        for (size_t i = 0; i < draw_.sources.size(); i++)
            world.at(begin_ + draw_.sources[i].phase, [this, i] { send(i); });
        world.run_for(warmup + length + 20 * second);
        return collect();
    }

  private:
    struct Sent {
        uint16_t packets = 0;
        unsigned frames = 0, counted = 0; /* counted: packets after the warm-up */
    };

    void begin_or_end_transfer()
    {
        if (transfer_)
            transfer_.reset();
        else
            transfer_ = std::make_unique<GreedyTcp>(road_->world, road_->path, draw_.beside);
    }

    size_t next_size(const Source &source, unsigned frame)
    {
        if (source.packet)
            return source.packet;
        double varied = 0.9 + 0.2 * static_cast<double>(lt_rng_next(&sizes_) % 1000) / 1000;
        double mean = (source.key + source.every - 1) / source.every;
        double times = frame % source.every == 0 ? source.key : 1;
        double bytes = source.rate / 8 * static_cast<double>(source.interval) / second;
        return std::max<size_t>(static_cast<size_t>(bytes * varied * times / mean), 40);
    }

    void send(size_t number)
    {
        const Source &source = draw_.sources[number];
        Sent &sent = sent_[number];
        SimCall &call = *calls_[source.call];
        SimSession *from = source.back ? call.remote() : &call.caller;
        livetcp_usec now = road_->world.now();
        if (now >= begin_ + warmup + length)
            return;
        bool audio = source.ssrc == audio_ssrc;
        size_t left = next_size(source, sent.frames++);
        while (left > 0) {
            size_t part = source.packet ? left : std::min(left, largest);
            if (from)
                from->send_as(source.ssrc, sent.packets++, static_cast<uint32_t>(now * 9 / 100),
                              std::max<size_t>(part, 24),
                              audio ? LIVETCP_IMPORTANCE_AUDIO : LIVETCP_IMPORTANCE_DELTA,
                              !source.packet && part == left);
            sent.counted += now >= begin_ + warmup;
            left -= part;
        }
        road_->world.at(now + source.interval, [this, number] { send(number); });
    }

    void collect_from(const SimSession *receiver, bool back, Streams &streams) const
    {
        std::map<livetcp_usec, livetcp_usec> frames;
        if (!receiver)
            return;
        for (const Received &packet : receiver->received) {
            livetcp_usec sent = packet.at - packet.delay;
            if (packet.rtcp || sent < begin_ + warmup)
                continue;
            streams[stream_name(packet.ssrc, back)].sorted.push_back(
                static_cast<double>(packet.delay) / 1000);
            if (packet.ssrc == video_ssrc)
                frames[sent] = std::max(frames[sent], packet.delay);
        }
        if (draw_.sources[0].packet)
            return;
        for (const auto &frame : frames)
            streams[back ? "frames back" : "frames"].sorted.push_back(
                static_cast<double>(frame.second) / 1000);
    }

    Streams collect() const
    {
        Streams streams;
        std::map<std::string, size_t> expected;
        for (size_t i = 0; i < draw_.sources.size(); i++)
            expected[stream_name(draw_.sources[i].ssrc, draw_.sources[i].back)] += sent_[i].counted;
        for (const auto &call : calls_) {
            collect_from(call->remote(), false, streams);
            collect_from(&call->caller, true, streams);
        }
        for (const auto &[name, count] : expected) {
            std::vector<double> &delays = streams[name].sorted;
            streams[name].expected = static_cast<double>(count);
            if (!draw_.max_delay)
                delays.resize(std::max(count, delays.size()), HUGE_VAL);
        }
        for (auto &stream : streams)
            std::sort(stream.second.sorted.begin(), stream.second.sorted.end());
        return streams;
    }

    const Draw &draw_;
    std::shared_ptr<SimRoad> road_;
    std::vector<std::unique_ptr<SimCall>> calls_;
    std::unique_ptr<GreedyTcp> transfer_;
    std::vector<Sent> sent_;
    lt_rng sizes_;
    livetcp_usec begin_ = 0;
};

Streams run(const Draw &draw, const char *policy, unsigned connections, uint64_t draw_number,
            unsigned seeds)
{
    Streams all;
    for (unsigned i = 0; i < seeds; i++)
        for (const auto &[name, delays] :
             Run(draw, policy, connections, draw_number + 100 * i).delays()) {
            all[name].add(delays);
            all[name].expected += delays.expected;
        }
    return all;
}

void print(const char *policy, const Arrived &delays, const Draw &draw)
{
    printf("  %s", policy);
    for (double p : {0.5, 0.95, 0.99, 0.999})
        printf(" %.0f", delays.quantile(p));
    if (draw.max_delay)
        printf(" of %.2f", delays.part());
}

void compare(char kind, unsigned from, unsigned to)
{
    unsigned seeds = getenv("SEEDS") ? static_cast<unsigned>(atoi(getenv("SEEDS"))) : 1;
    unsigned rows = 0;
    std::map<double, unsigned> worse = {{0.5, 0}, {0.95, 0}, {0.99, 0}};
    for (unsigned number = from; number <= to; number++) {
        Draw draw = draw_session(kind, number);
        Streams own = run(draw, "auto", 8, number, seeds);
        Streams single = run(draw, "single", 1, number, seeds);
        Streams queue = run(draw, "shortest-queue", 8, number, seeds);
        for (const auto &[name, delays] : own) {
            bool is_worse = false;
            rows++;
            for (auto &[p, count] : worse) {
                double best = std::min(single[name].quantile(p), queue[name].quantile(p));
                bool is = delays.quantile(p) > 1.3 * best + 10;
                is_worse |= is;
                count += is;
            }
            if (!is_worse && !getenv("ALL"))
                continue;
            printf("%c %u %s, %s\n", kind, number, name.c_str(), draw.describe().c_str());
            print("auto", delays, draw);
            print("| single", single[name], draw);
            print("| shortest-queue", queue[name], draw);
            printf("\n");
            fflush(stdout);
        }
    }
    printf("%c: %u rows; worse at p50 %u, p95 %u, p99 %u\n", kind, rows, worse[0.5], worse[0.95],
           worse[0.99]);
}

} // namespace

int main(int argc, char **argv)
{
    unsigned from = 1, to = 20;
    if (argc < 2 || argc > 3 ||
        (argc == 3 && (sscanf(argv[2], "%u-%u", &from, &to) != 2 || from > to))) {
        fprintf(stderr, "usage: session-table KINDS [FROM-TO], e.g. session-table bj 1-20\n");
        return 2;
    }
    for (const char *kind = argv[1]; *kind; kind++)
        compare(*kind, from, to);
    return 0;
}
