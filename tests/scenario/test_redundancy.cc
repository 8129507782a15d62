/* SPDX-License-Identifier: MIT */
/* Redundant audio from encoder to decoder over lossy connections: which frames are there when they
 * are to be played. */
#include "catch.h"
#include "sim_session.h"

#include <livetcp/playout.h>
#include <livetcp/rtp.h>

#include <map>

extern "C" {
#include "base/bytes.h"
}

using namespace scenario;

namespace
{

constexpr unsigned packets = 3000;
constexpr livetcp_usec one_way = 50000, interval = 20000;

struct Voice {
    unsigned depth;   /* frames that a packet repeats */
    unsigned repeats; /* what the session is told of it */
};

struct Heard {
    unsigned late = 0;          /* frames that no packet brought in time */
    unsigned primary_late = 0;  /* that their own did not */
    unsigned saved = 0;         /* of these */
    uint64_t played = 0;        /* by the playout, */
    uint64_t played_copies = 0; /*   copies among them */

    Heard &operator+=(const Heard &more)
    {
        late += more.late;
        primary_late += more.primary_late;
        saved += more.saved;
        played += more.played;
        played_copies += more.played_copies;
        return *this;
    }
};

/* When a frame is there, by its own packet and by any; and what a playout makes of it. */
struct Arrivals {
    std::map<uint16_t, livetcp_usec> primary, any;
    livetcp_playout_stats played = {};
};

/* A listener that plays with a fixed delay. */
struct Listener {
    livetcp_playout *playout = nullptr;

    explicit Listener(livetcp_usec delay)
    {
        livetcp_playout_config config;
        livetcp_playout_config_init(&config);
        config.mode = LIVETCP_PLAYOUT_FIXED;
        config.release = LIVETCP_PLAYOUT_TIMES_ONLY;
        config.clock_rate = 8000;
        config.latency_us = delay;
        REQUIRE(livetcp_playout_create(&config, &playout, nullptr) == LIVETCP_OK);
    }
    ~Listener()
    {
        livetcp_playout_destroy(&playout);
    }
    void put(const livetcp_redundancy_frame &frame, livetcp_usec now)
    {
        livetcp_playout_packet packet = {};
        packet.struct_size = sizeof packet;
        packet.data = static_cast<const uint8_t *>(frame.packet);
        packet.size = frame.size;
        packet.arrival_us = now;
        packet.flags = frame.redundant ? LIVETCP_PLAYOUT_REDUNDANT : 0;
        REQUIRE(livetcp_playout_put(playout, &packet, nullptr) == LIVETCP_OK);
    }
    livetcp_playout_stats stats() const
    {
        livetcp_playout_stats stats = {};
        stats.struct_size = sizeof stats;
        livetcp_playout_get_stats(playout, &stats);
        return stats;
    }
};

/* What the packets of a call have in them. The simulated ones carry no payload of ours, so the
 * decoder gets the packet that was sent when its number arrives. */
Arrivals take_apart(const SimSession &listener, std::map<uint16_t, std::vector<uint8_t>> &sent,
                    const livetcp_redundancy_config &config, livetcp_usec delay)
{
    Arrivals arrivals;
    Listener player(delay);
    livetcp_redundancy_decoder *decoder = nullptr;
    REQUIRE(livetcp_redundancy_decoder_create(&config, &decoder, nullptr) == LIVETCP_OK);
    for (const Received &r : listener.received) {
        livetcp_redundancy_frame frames[LIVETCP_REDUNDANCY_MAX_FRAMES];
        size_t count = 0;
        const auto &packet = sent[r.sequence];
        REQUIRE(livetcp_redundancy_decode(decoder, packet.data(), packet.size(), frames, &count,
                                          nullptr) == LIVETCP_OK);
        for (size_t i = 0; i < count; i++) {
            uint16_t sequence = lt_read_be16(static_cast<const uint8_t *>(frames[i].packet) + 2);
            if (!frames[i].redundant)
                arrivals.primary.emplace(sequence, r.at);
            arrivals.any.emplace(sequence, r.at);
            player.put(frames[i], r.at);
        }
    }
    arrivals.played = player.stats();
    livetcp_redundancy_decoder_destroy(&decoder);
    return arrivals;
}

/* A call over 2 % of loss, played with a delay of `over` over L. */
Heard call_once(const char *policy, unsigned connections, Voice voice, livetcp_usec over,
                uint64_t seed, const char *below)
{
    livetcp_config session = make_config(policy, connections);
    session.rtcp = LIVETCP_RTCP_OFF; /* the same losses, whatever else goes over the path */
    session.feedback_us = 0;
    auto road = std::make_shared<SimRoad>("delay=50ms,loss=2%", seed);
    road->path.congestion_control = below;
    SimCall call(road, session, seed);
    livetcp_redundancy_config config;
    livetcp_redundancy_config_init(&config);
    config.depth = voice.depth ? voice.depth : 1;
    livetcp_redundancy_encoder *encoder = nullptr;
    REQUIRE(livetcp_redundancy_encoder_create(&config, &encoder, nullptr) == LIVETCP_OK);
    std::map<uint16_t, std::vector<uint8_t>> sent;
    std::map<uint16_t, livetcp_usec> at;

    call.world.run_for(2000000);
    for (unsigned i = 0; i < packets; i++) {
        uint8_t rtp[172] = {0x80, 0};
        lt_write_be16(rtp + 2, static_cast<uint16_t>(i));
        lt_write_be32(rtp + 4, 160 * i);
        lt_write_be32(rtp + 8, 0x1234);
        std::vector<uint8_t> packet(rtp, rtp + sizeof rtp);
        if (voice.depth) {
            const void *red = nullptr;
            size_t size = 0;
            REQUIRE(livetcp_redundancy_encode(encoder, rtp, sizeof rtp, nullptr, &red, &size,
                                              nullptr) == LIVETCP_OK);
            packet.assign(static_cast<const uint8_t *>(red),
                          static_cast<const uint8_t *>(red) + size);
        }
        sent[static_cast<uint16_t>(i)] = packet;
        at[static_cast<uint16_t>(i)] = call.world.now();
        REQUIRE(call.caller.send_repeating(0x1234, static_cast<uint16_t>(i), packet.size(),
                                           voice.repeats) == LIVETCP_OK);
        call.world.run_for(interval);
    }
    call.world.run_for(5000000);
    livetcp_redundancy_encoder_destroy(&encoder);

    Arrivals arrivals = take_apart(*call.remote(), sent, config, over);
    Heard heard;
    heard.played = arrivals.played.played;
    heard.played_copies = arrivals.played.played_secondary;
    for (const auto &entry : at) {
        livetcp_usec due = entry.second + one_way + over;
        auto own = arrivals.primary.find(entry.first), any = arrivals.any.find(entry.first);
        bool own_late = own == arrivals.primary.end() || own->second > due;
        bool late = any == arrivals.any.end() || any->second > due;
        heard.primary_late += own_late;
        heard.late += late;
        heard.saved += own_late && !late;
    }
    return heard;
}

Heard call(const char *policy, unsigned connections, Voice voice, livetcp_usec over,
           const char *below = "reno")
{
    Heard all;
    for (uint64_t seed = 1; seed <= 4; seed++)
        all += call_once(policy, connections, voice, over, seed, below);
    return all;
}

} // namespace

TEST_CASE("frames that are late come again in time, on another connection", "[long]")
{
    /* A packet that repeats one frame comes 20 ms after it, one that repeats three up to 60 ms. */
    for (const char *policy : {"round-robin", "shortest-queue", "earliest-delivery"}) {
        CAPTURE(policy);
        Heard none = call(policy, 5, {0, 0}, 25000);
        Heard one = call(policy, 5, {1, 1}, 25000), three = call(policy, 5, {3, 3}, 65000);
        CHECK(none.late > 400);
        CHECK(none.saved == 0);
        CHECK(one.late < none.late / 10);
        CHECK(one.saved + one.late == one.primary_late);
        CHECK(three.late < one.late);
    }
}

TEST_CASE("on one connection nothing comes sooner the second time")
{
    Heard heard = call("single", 1, {1, 1}, 25000);
    CHECK(heard.primary_late > 1000);
    CHECK(heard.saved == 0);
}

/* Not over NewReno: there, windows of two segments keep packets waiting on both. */
TEST_CASE("with few connections it matters that the session knows what is repeated")
{
    for (const char *policy : {"shortest-queue", "earliest-delivery"}) {
        CAPTURE(policy);
        Heard told = call(policy, 2, {1, 1}, 25000, "bbr");
        Heard untold = call(policy, 2, {1, 0}, 25000, "bbr");
        CHECK(told.late < 3 * untold.late / 4);
    }
}

TEST_CASE("a playout plays what comes again in time, and counts it as saved")
{
    for (unsigned depth = 1; depth <= 3; depth++) {
        CAPTURE(depth);
        Heard heard = call("shortest-queue", 5, {depth, depth}, 65000);
        CHECK(heard.saved > 400);
        /* Of the end of each call a few packets are not due yet. */
        CHECK(heard.played + heard.late <= 4 * packets);
        CHECK(heard.played + heard.late >= 4 * (packets - 5));
        /* And a few copies come before their packets, which are in time as well. */
        CHECK(heard.played_copies >= heard.saved);
        CHECK(heard.played_copies <= heard.saved + 10);
    }
}
