/* SPDX-License-Identifier: MIT */
/* A call with an encoder of 25 frames a second, and what its receiver saw. */
#ifndef LT_SCENARIO_SIM_VIDEO_H
#define LT_SCENARIO_SIM_VIDEO_H

#include "sim_greedy.h"

extern "C" {
#include "base/bytes.h"
#include "lab/bench/encoder.h"
}

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <set>

namespace scenario
{

struct Played {
    livetcp_usec sent, delay;
    size_t size;
};

/* What the encoder was told, and when. */
struct Told {
    livetcp_usec at;
    double rate;
};

/* The sizes of frames vary by a tenth, or as those of `sizes` do, at the rate that the session told
 * last if `follows`, else at its own. */
struct Video {
    static constexpr livetcp_usec frame_us = 40000;
    static constexpr size_t packet_size = 1200;
    static constexpr uint32_t audio_ssrc = 9;

    Video(std::shared_ptr<SimRoad> road, const livetcp_config &config, double at, bool does_follow,
          uint64_t seed)
        : call(std::move(road), config, seed), rate(at), follows(does_follow)
    {
        lt_rng_seed(&rng, seed);
        call.listener.on_session = [this](SimSession &session) {
            session.on_arrival = [this](const livetcp_packet &packet) { arrived(packet); };
        };
        call.caller.on_event = [this](const livetcp_engine_event &event) {
            if (event.type != LIVETCP_ENGINE_BITRATE)
                return;
            told.push_back({call.world.now(), static_cast<double>(event.bitrate)});
            if (follows)
                rate = std::min(overshoots * static_cast<double>(event.bitrate), most);
        };
    }

    void start()
    {
        frame();
    }

    /* Relative to a mean of 1. */
    double frame_size()
    {
        bool is_key = made++ % every == 0;
        double varied = 0.9 + 0.2 * static_cast<double>(lt_rng_next(&rng) % 1000) / 1000;
        double delta = sizes ? sizes->delta[deltas % sizes->count] : varied;
        double large = sizes ? sizes->key : key * varied;
        deltas += !is_key;
        return (is_key ? large : delta) * every / ((sizes ? sizes->key : key) + every - 1);
    }

    void frame()
    {
        bool is_key = (sizes || key > 1) && made % every == 0;
        size_t left = std::max<size_t>(static_cast<size_t>(rate / 8 * 0.04 * frame_size()), 60);
        send_frame(call.caller, 7, left, sequence, stamp,
                   is_key ? LIVETCP_IMPORTANCE_KEY : LIVETCP_IMPORTANCE_DELTA);
        if (!stopped && !off)
            call.world.at(call.world.now() + frame_us, [this] { frame(); });
    }

    /* No frames; speech goes on. */
    void pause()
    {
        off = true;
    }

    /* With a key frame, once the last frame before the pause was sent. */
    void resume()
    {
        off = false;
        made = 0;
        frame();
    }

    static void send_frame(SimSession &from, uint32_t ssrc, size_t left, uint16_t &next,
                           uint32_t &timestamp,
                           livetcp_importance importance = LIVETCP_IMPORTANCE_DELTA)
    {
        while (left > 0) {
            size_t part = std::min(left, packet_size);
            from.send_as(ssrc, next++, timestamp, std::max<size_t>(part, 24), importance,
                         part == left);
            left -= part;
        }
        timestamp += 3600;
    }

    /* A packet of 20 ms of speech at 64 kbit/s every 20 ms, in the same session. */
    void talk()
    {
        call.caller.send_as(audio_ssrc, said, said * 960u, 172, LIVETCP_IMPORTANCE_AUDIO);
        said++;
        if (!stopped)
            call.world.at(call.world.now() + 20000, [this] { talk(); });
    }

    void arrived(const livetcp_packet &packet)
    {
        if (packet.rtcp || packet.size < 20)
            return;
        auto sent = static_cast<livetcp_usec>(lt_read_be64(packet.data + 12));
        bool is_audio = lt_read_be32(packet.data + 8) == audio_ssrc;
        (is_audio ? heard : played).push_back({sent, call.world.now() - sent, packet.size});
    }

    /* Of what was sent in that time, in ms; infinite if nothing was. */
    std::vector<double> delays(std::vector<double> quantiles, livetcp_usec from,
                               livetcp_usec to) const
    {
        return delays_of(played, std::move(quantiles), from, to);
    }

    static std::vector<double> delays_of(const std::vector<Played> &packets,
                                         std::vector<double> quantiles, livetcp_usec from,
                                         livetcp_usec to)
    {
        std::vector<livetcp_usec> all;
        for (const Played &p : packets)
            if (p.sent >= from && p.sent < to)
                all.push_back(p.delay);
        std::sort(all.begin(), all.end());
        for (double &q : quantiles) {
            auto place = static_cast<size_t>(q * static_cast<double>(all.size()));
            q = all.empty() ? HUGE_VAL
                            : static_cast<double>(all[std::min(all.size() - 1, place)]) / 1000;
        }
        return quantiles;
    }

    double delay(double quantile, livetcp_usec from, livetcp_usec to) const
    {
        return delays({quantile}, from, to)[0];
    }

    /* Of the speech; what never came does not count. */
    double speech_delay(double quantile, livetcp_usec from, livetcp_usec to) const
    {
        return delays_of(heard, {quantile}, from, to)[0];
    }

    /* For how long some packet took more than `ms`, in seconds: frames that have one. */
    double seconds_above(double ms, livetcp_usec from, livetcp_usec to) const
    {
        return seconds_above_of(played, ms, from, to);
    }

    static double seconds_above_of(const std::vector<Played> &packets, double ms, livetcp_usec from,
                                   livetcp_usec to)
    {
        std::set<livetcp_usec> frames;
        for (const Played &p : packets)
            if (p.sent >= from && p.sent<to &&static_cast<double>(p.delay)> ms * 1000)
                frames.insert(p.sent);
        return static_cast<double>(frames.size()) * static_cast<double>(frame_us) / 1e6;
    }

    /* bit/s of media that came through. */
    double throughput(livetcp_usec from, livetcp_usec to) const
    {
        return throughput_of(played, from, to);
    }

    static double throughput_of(const std::vector<Played> &packets, livetcp_usec from,
                                livetcp_usec to)
    {
        double bytes = 0;
        for (const Played &p : packets)
            bytes += p.sent >= from && p.sent < to ? static_cast<double>(p.size) : 0;
        return bytes * 8 * 1e6 / static_cast<double>(to - from);
    }

    SimCall call;
    lt_rng rng;
    double rate, most = 40e6;
    double overshoots = 1; /* times what it is told */
    double key = 1; /* each `every`th frame is so many times as large; the rate is the mean */
    unsigned every = 1, made = 0, deltas = 0;
    const lt_frame_sizes *sizes = nullptr; /* of a recording, with key frames each `every` */
    bool follows, stopped = false, off = false;
    uint16_t sequence = 0;
    uint32_t stamp = 0;
    uint16_t said = 0; /* packets of speech */
    std::vector<Played> played, heard;
    std::vector<Told> told;
};

/* Sizes of frames of a real encoder, "x264" or "screen", with a key frame each two seconds; all
 * about equal without a name. Needs livetcp_bench. */
inline void set_frames(Video &video, const char *name)
{
    static lt_frame_sizes x264, screen;
    if (!x264.count) {
        lt_frame_sizes_x264(&x264);
        lt_frame_sizes_screen(&screen);
    }
    if (!name)
        return;
    video.sizes = std::strcmp(name, "screen") == 0 ? &screen : &x264;
    video.every = 50;
}

/* The other end of a call answers with video of its own, at the rate that it is told, `apart` after
 * the caller's frames, once there is a session. */
struct Answer {
    Answer(Video &asks, double at, livetcp_usec apart) : video(asks), rate(at)
    {
        video.call.caller.on_arrival = [this](const livetcp_packet &packet) { arrived(packet); };
        video.call.world.at(video.call.world.now() + apart, [this] { frame(); });
    }

    void frame()
    {
        if (SimSession *remote = video.call.remote())
            send(*remote);
        video.call.world.at(video.call.world.now() + Video::frame_us, [this] { frame(); });
    }

    void send(SimSession &remote)
    {
        double varied = 0.9 + 0.2 * static_cast<double>(lt_rng_next(&video.rng) % 1000) / 1000;
        auto left = std::max<size_t>(static_cast<size_t>(rate / 8 * 0.04 * varied), 60);
        remote.on_event = [this](const livetcp_engine_event &event) {
            if (event.type == LIVETCP_ENGINE_BITRATE)
                rate = std::min(static_cast<double>(event.bitrate), video.most);
        };
        Video::send_frame(remote, 8, left, sequence, stamp);
    }

    void arrived(const livetcp_packet &packet)
    {
        if (packet.rtcp || packet.size < 20)
            return;
        auto sent = static_cast<livetcp_usec>(lt_read_be64(packet.data + 12));
        played.push_back({sent, video.call.world.now() - sent, packet.size});
    }

    Video &video;
    double rate;
    uint16_t sequence = 0;
    uint32_t stamp = 0;
    std::vector<Played> played;
};

/* One video on a path of its own. */
struct Alone {
    /* `below`: congestion control of its connections. `prepare` gets the video before anything is
     * sent. */
    Alone(const char *path, const livetcp_config &config, double rate, bool follows, uint64_t seed,
          const char *below = "reno", const std::function<void(Video &)> &prepare = {})
        : road(std::make_shared<SimRoad>(path, seed, below)),
          video(road, config, rate, follows, seed)
    {
        if (prepare)
            prepare(video);
        road->world.run_for(500000);
        begin = road->world.now();
        video.start();
    }

    ~Alone()
    {
        road->world.clear();
    }

    void run(double seconds)
    {
        road->world.run_for(static_cast<livetcp_usec>(seconds * 1e6));
    }

    livetcp_session_stats stats() const
    {
        return video.call.caller.stats();
    }

    std::shared_ptr<SimRoad> road;
    Video video;
    livetcp_usec begin;
};

} // namespace scenario

#endif
