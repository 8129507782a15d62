/* SPDX-License-Identifier: MIT */
/* A playout driven in virtual time, and its recorded output. */
#ifndef LT_TESTS_UNIT_CORE_PLAYOUT_FIXTURE_H
#define LT_TESTS_UNIT_CORE_PLAYOUT_FIXTURE_H

#include "catch.h"

#include <functional>
#include <vector>

extern "C" {
#include "base/bytes.h"

#include <livetcp/playout.h>
}

const livetcp_usec ms = LIVETCP_USEC_MSEC;
const livetcp_usec second = LIVETCP_USEC_SEC;

/* Voice: packets of 20 ms, timestamps at 8 kHz. */
inline livetcp_playout_config voice(livetcp_playout_mode mode, livetcp_usec latency_us = 100 * ms)
{
    livetcp_playout_config config;
    livetcp_playout_config_init(&config);
    config.mode = mode;
    config.clock_rate = 8000;
    config.latency_us = latency_us;
    return config;
}

/* Video: timestamps at 90 kHz. */
inline livetcp_playout_config video(livetcp_playout_mode mode, livetcp_usec latency_us = 100 * ms)
{
    livetcp_playout_config config = voice(mode, latency_us);
    config.media = LIVETCP_PLAYOUT_VIDEO;
    config.clock_rate = 90000;
    return config;
}

struct Rtp {
    uint16_t sequence = 0;
    uint32_t timestamp = 0;
    bool marker = false;
    unsigned flags = 0;
    uint32_t ssrc = 7;
    size_t size = 20;
    uint32_t name = 0; /* in the payload, to identify the packet */
};

/* One result of pull(), and its time. */
struct Output {
    livetcp_playout_kind kind;
    uint16_t sequence;
    uint32_t timestamp, ssrc;
    unsigned missing, events;
    bool late, discontinuity;
    livetcp_usec play_us, duration_us, now;
    uint32_t name;
};

class Playout
{
  public:
    explicit Playout(const livetcp_playout_config &config)
    {
        livetcp_error error = {};
        result = livetcp_playout_create(&config, &handle, &error);
        INFO(error.message);
        REQUIRE(result == LIVETCP_OK);
    }
    ~Playout()
    {
        livetcp_playout_destroy(&handle);
    }
    Playout(const Playout &) = delete;
    Playout &operator=(const Playout &) = delete;

    static std::vector<uint8_t> bytes(const Rtp &rtp)
    {
        std::vector<uint8_t> data(rtp.size);
        data[0] = 0x80;
        data[1] = static_cast<uint8_t>((rtp.marker ? 0x80 : 0) | 96);
        lt_write_be16(&data[2], rtp.sequence);
        lt_write_be32(&data[4], rtp.timestamp);
        lt_write_be32(&data[8], rtp.ssrc);
        lt_write_be32(&data[12], rtp.name);
        return data;
    }

    livetcp_playout_slot put(const Rtp &rtp, livetcp_usec arrival_us, void *token = nullptr)
    {
        std::vector<uint8_t> data = bytes(rtp);
        livetcp_playout_packet packet = {};
        livetcp_playout_slot slot = {};
        packet.struct_size = sizeof packet;
        packet.data = data.data();
        packet.size = data.size();
        packet.arrival_us = arrival_us;
        packet.flags = rtp.flags;
        packet.token = token;
        slot.struct_size = sizeof slot;
        result = livetcp_playout_put(handle, &packet, &slot);
        return slot;
    }

    livetcp_playout_item pull(livetcp_usec now)
    {
        livetcp_playout_item item = {};
        item.struct_size = sizeof item;
        REQUIRE(livetcp_playout_pull(handle, now, &item) == LIVETCP_OK);
        return item;
    }

    livetcp_usec deadline() const
    {
        return livetcp_playout_next_deadline(handle);
    }

    /* Plays at every deadline up to `until`. */
    void play(livetcp_usec until)
    {
        livetcp_usec due;
        while ((due = deadline()) <= until) {
            livetcp_usec now = due > clock ? due : clock;
            livetcp_playout_item item = pull(now);
            clock = now;
            if (item.kind == LIVETCP_PLAYOUT_NOTHING) {
                if (deadline() <= now)
                    FAIL("nothing to play at the deadline, and no other deadline");
                continue;
            }
            outputs.push_back({item.kind, item.sequence, item.timestamp, item.ssrc, item.missing,
                               item.events, item.late, item.discontinuity, item.play_us,
                               item.duration_us, now,
                               item.size ? lt_read_be32(item.data + 12) : 0});
        }
        if (until > clock)
            clock = until;
    }

    /* Plays until the arrival, then puts the packet. */
    livetcp_playout_slot arrive(const Rtp &rtp, livetcp_usec arrival_us)
    {
        play(arrival_us - 1);
        if (arrival_us > clock)
            clock = arrival_us;
        return put(rtp, arrival_us);
    }

    livetcp_playout_stats stats() const
    {
        livetcp_playout_stats stats = {};
        stats.struct_size = sizeof stats;
        REQUIRE(livetcp_playout_get_stats(handle, &stats) == LIVETCP_OK);
        return stats;
    }

    livetcp_playout_latency latency() const
    {
        livetcp_playout_latency latency = {};
        latency.struct_size = sizeof latency;
        REQUIRE(livetcp_playout_get_latency(handle, &latency) == LIVETCP_OK);
        return latency;
    }

    void path(const std::function<void(livetcp_playout_path &)> &fill)
    {
        livetcp_playout_path path = {};
        path.struct_size = sizeof path;
        fill(path);
        REQUIRE(livetcp_playout_set_path(handle, &path) == LIVETCP_OK);
    }

    std::vector<int> played() const
    {
        std::vector<int> sequences;
        for (const Output &output : outputs)
            if (output.kind == LIVETCP_PLAYOUT_PACKET)
                sequences.push_back(output.sequence);
        return sequences;
    }

    unsigned concealed() const
    {
        unsigned count = 0;
        for (const Output &output : outputs)
            count += output.kind == LIVETCP_PLAYOUT_CONCEAL ? output.missing : 0;
        return count;
    }

    livetcp_playout *handle = nullptr;
    livetcp_result result = LIVETCP_OK;
    std::vector<Output> outputs;
    livetcp_usec clock = INT64_MIN;
};

#endif
