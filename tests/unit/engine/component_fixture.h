/* SPDX-License-Identifier: MIT */
/* Links of a plain wire whose paths are known, for tests of the components above them. */
#ifndef LT_UNIT_ENGINE_COMPONENT_FIXTURE_H
#define LT_UNIT_ENGINE_COMPONENT_FIXTURE_H

#include "catch.h"

#include <vector>

extern "C" {
#include "base/bytes.h"
#include "engine/events.h"
#include "engine/links/links.h"
#include "engine/packet.h"
}

const livetcp_usec ms = 1000;

/* Control frames that a component wrote, LENGTH included. */
struct Written {
    unsigned slot;
    std::vector<uint8_t> frame;

    lt_control message() const
    {
        lt_control message = {};
        REQUIRE(lt_control_decode(frame.data() + 2, frame.size() - 2, &message) == LIVETCP_OK);
        return message;
    }
};

/* Links without an engine. */
struct Bench {
    explicit Bench(unsigned count, bool is_caller = true, livetcp_wire wire = LIVETCP_WIRE_SESSION)
    {
        livetcp_config_init(&config);
        config.wire = wire;
        lt_rng_seed(&rng, 7);
        lt_links_setup setup = {};
        setup.config = &config;
        setup.caller = is_caller;
        setup.count = count;
        setup.random = random;
        setup.random_user = &rng;
        setup.jitter = &rng;
        setup.events = &events;
        setup.writer = writer();
        REQUIRE(lt_links_create(&setup, &links) == LIVETCP_OK);
    }

    ~Bench()
    {
        lt_links_destroy(&links);
    }

    Bench(const Bench &) = delete;
    Bench &operator=(const Bench &) = delete;

    static livetcp_result random(void *user, uint8_t *bytes, size_t size)
    {
        auto *rng = static_cast<lt_rng *>(user);
        for (size_t i = 0; i < size; i++)
            bytes[i] = static_cast<uint8_t>(lt_rng_next(rng));
        return LIVETCP_OK;
    }

    static bool write(void *user, unsigned slot, const uint8_t *frame, size_t size)
    {
        auto *self = static_cast<Bench *>(user);
        self->written.push_back({slot, std::vector<uint8_t>(frame, frame + size)});
        return true;
    }

    lt_control_writer writer()
    {
        return {write, this};
    }

    /* Adopts every slot, as a listener's session on a wire without handshakes, and gives it path
     * info: 20 ms, nothing queued, a window of ten segments. */
    void open_all(livetcp_usec now)
    {
        for (unsigned i = 0; i < lt_links_count(links); i++) {
            REQUIRE(lt_links_adopt(links, i, 0, now) == LIVETCP_OK);
            tell(i, 0, now);
        }
    }

    void tell(unsigned slot, uint32_t queued, livetcp_usec now)
    {
        livetcp_path info = {};
        info.known = LIVETCP_PATH_QUEUED | LIVETCP_PATH_UNSENT | LIVETCP_PATH_CWND |
                     LIVETCP_PATH_MSS | LIVETCP_PATH_RTT | LIVETCP_PATH_MIN_RTT |
                     LIVETCP_PATH_TCP_STATE;
        info.tcp_state = LIVETCP_TCP_OPEN;
        info.queued_bytes = queued;
        info.cwnd_bytes = 14480;
        info.mss_bytes = 1448;
        info.rtt_us = info.min_rtt_us = 20 * ms;
        info.rtt_variation_us = ms;
        REQUIRE(lt_links_path_info(links, slot, &info, now));
    }

    livetcp_path &path(unsigned slot)
    {
        return lt_links_paths(links)[slot];
    }

    std::vector<livetcp_engine_event> take_events()
    {
        std::vector<livetcp_engine_event> taken;
        livetcp_engine_event event;
        while (lt_events_take(&events, &event))
            taken.push_back(event);
        return taken;
    }

    livetcp_config config;
    lt_rng rng;
    lt_events events = {};
    lt_links *links = nullptr;
    std::vector<Written> written;
};

/* An RTP packet of 12 bytes and a payload. */
inline std::vector<uint8_t> rtp(uint16_t sequence, size_t size = 100, uint32_t ssrc = 0x1234)
{
    std::vector<uint8_t> packet(size);
    packet[0] = 0x80;
    packet[1] = 96;
    lt_write_be16(&packet[2], sequence);
    lt_write_be32(&packet[8], ssrc);
    return packet;
}

#endif
