/* SPDX-License-Identifier: MIT */
/* Media as calls have it: an encoder's frames, whose packets come together, and speech beside them,
 * at a rate of their own. session-table, kinds b, d, l, m and n, shows the figures behind these
 * bounds. */
#include "catch.h"
#include "sim_video.h"

#include <map>

using namespace scenario;

namespace
{

constexpr livetcp_usec second = 1000000;

/* The packets sent from 5 s on, with several seeds. */
struct Heard {
    std::vector<Played> video, speech;
    std::vector<Played> frames; /* of the video: they arrive with their last packet */
    double extra = 0;           /* bytes for a byte of media, mean of the seeds */

    double video_ms(double quantile) const
    {
        return Video::delays_of(video, {quantile}, 0, INT64_MAX)[0];
    }

    double frame_ms(double quantile) const
    {
        return Video::delays_of(frames, {quantile}, 0, INT64_MAX)[0];
    }

    double speech_ms(double quantile) const
    {
        return Video::delays_of(speech, {quantile}, 0, INT64_MAX)[0];
    }
};

struct Calls {
    const char *path;
    double rate; /* of the video */
    const char *below = "cubic";
    unsigned seeds = 4;
    double seconds = 30;
    double key = 1; /* key frames, one in 50, are so many times as large */
    const char *policy = "auto";
};

void add(std::vector<Played> &all, const std::vector<Played> &more, livetcp_usec from)
{
    for (const Played &packet : more)
        if (packet.sent >= from)
            all.push_back(packet);
}

std::vector<Played> frames_of(const std::vector<Played> &packets)
{
    std::map<livetcp_usec, Played> last; /* by the time of the frame */
    for (const Played &packet : packets) {
        Played &frame = last[packet.sent];
        if (frame.delay < packet.delay)
            frame = packet;
    }
    std::vector<Played> frames;
    for (const auto &frame : last)
        frames.push_back(frame.second);
    return frames;
}

/* `meanwhile` runs the world. */
Heard hold(const Calls &calls, const std::function<void(Alone &)> &meanwhile)
{
    Heard heard;
    for (uint64_t seed = 1; seed <= calls.seeds; seed++) {
        Alone at(calls.path, make_config(calls.policy, 8), calls.rate, false, seed);
        at.video.key = calls.key;
        at.video.every = 50;
        at.road->path.congestion_control = calls.below;
        at.video.talk();
        at.run(5);
        livetcp_usec from = at.road->world.now();
        meanwhile(at);
        at.video.stopped = true;
        at.run(20);
        add(heard.video, at.video.played, from);
        add(heard.frames, frames_of(at.video.played), from);
        add(heard.speech, at.video.heard, from);
        heard.extra += static_cast<double>(at.stats().sent.extra_bytes) /
                       static_cast<double>(at.stats().sent.accepted_bytes) / calls.seeds;
    }
    return heard;
}

Heard hold(const Calls &calls)
{
    return hold(calls, [&](Alone &at) { at.run(calls.seconds); });
}

} // namespace

TEST_CASE("speech has its copies, whatever the video beside it has spent")
{
    Heard heard = hold({"delay=30ms,rate=20mbit,queue=500kB,loss=1%", 1e6});
    INFO("speech p99 " << heard.speech_ms(.99) << ", video p99 " << heard.video_ms(.99)
                       << ", extra " << heard.extra);
    CHECK(heard.speech_ms(.99) < 40); /* 70 when video's parity had spent all */
    CHECK(heard.extra < 0.36);
}

TEST_CASE("the queue of a frame's own packets is no reason to send no parity", "[long]")
{
    Heard heard = hold({"delay=70ms,rate=3mbit,queue=75kB,loss=1%", 1e6});
    INFO("extra " << heard.extra << ", video p99 " << heard.video_ms(.99) << ", speech p99 "
                  << heard.speech_ms(.99));
    CHECK(heard.extra > 0.2);          /* 0.08 where frames were taken for a standing queue, */
    CHECK(heard.video_ms(.99) < 215);  /* 254, */
    CHECK(heard.speech_ms(.99) < 230); /* and 252 */
}

TEST_CASE("packets that wait behind their own key frame are no reason to send no copies")
{
    Heard heard = hold({"delay=35ms,rate=5145kbit,queue=182kB,loss=2%", 630e3, "reno", 4, 30, 8});
    INFO("speech p95 " << heard.speech_ms(.95) << " p99 " << heard.speech_ms(.99) << ", frames p95 "
                       << heard.frame_ms(.95) << ", extra " << heard.extra);
    CHECK(heard.extra > 0.15);        /* 0.02 where a key frame was taken for a full link, */
    CHECK(heard.speech_ms(.95) < 60); /* 88, */
    CHECK(heard.frame_ms(.95) < 135); /* and 165 */
}

TEST_CASE("a frame that loses a packet does not wait for the parity of the next one")
{
    Heard heard =
        hold({"delay=100ms,rate=40mbit,queue=1MB,loss=0.6%", 950e3, "bbr", 4, 30, 1, "parity"});
    INFO("frames p90 " << heard.frame_ms(.9) << " p95 " << heard.frame_ms(.95) << " p99 "
                       << heard.frame_ms(.99) << ", extra " << heard.extra);
    CHECK(heard.frame_ms(.95) < 120); /* 141 when groups ended anywhere */
    CHECK(heard.extra < 0.32);
}

/* The rate of the link is known from frames, and so that its queue is hardly our own. p95 was 528.
 */
TEST_CASE("frames of a fixed rate keep up with a transfer that comes and goes", "[long]")
{
    Heard heard =
        hold({"delay=28ms,rate=5296kbit,queue=190kB,loss=0.3%", 614e3, "reno", 12}, [](Alone &at) {
            for (double seconds : {5.0, 3.0, 6.0}) {
                auto transfer = std::make_unique<GreedyTcp>(at.road->world, at.road->path, "reno");
                at.run(seconds);
                transfer.reset();
                at.run(seconds / 2);
            }
        });
    INFO("video p50 " << heard.video_ms(.5) << " p95 " << heard.video_ms(.95) << " p99 "
                      << heard.video_ms(.99) << ", speech p95 " << heard.speech_ms(.95));
    CHECK(heard.video_ms(.95) < 1250); /* 987; 1876 where the window followed what got through */
}

TEST_CASE("what has waited for a link that is fast again does not make speech wait", "[long]")
{
    std::vector<Played> speech;
    for (const char *fall : {"rate=300kbit", "rate=450kbit"})
        for (uint64_t seed = 1; seed <= 12; seed++) {
            Alone at("delay=47ms,rate=3mbit,queue=84kB", make_config("auto", 8), 500e3, false,
                     seed);
            at.video.talk();
            at.run(8);
            for (unsigned i = 0; i < 3; i++) {
                at.road->path.change(fall);
                at.run(4);
                at.road->path.change("rate=1mbit");
                livetcp_usec from = at.road->world.now();
                at.run(6);
                for (const Played &packet : at.video.heard)
                    if (packet.sent >= from && packet.sent < from + 3 * second)
                        speech.push_back(packet);
            }
        }
    double p50 = Video::delays_of(speech, {.5}, 0, INT64_MAX)[0];
    double p95 = Video::delays_of(speech, {.95}, 0, INT64_MAX)[0];
    INFO("speech p50 " << p50 << " p95 " << p95);
    CHECK(p95 < 800); /* 1052 when all of it went at once */
}
