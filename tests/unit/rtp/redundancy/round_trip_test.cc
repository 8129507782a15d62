/* SPDX-License-Identifier: MIT */
/* Streams with loss, silence and reordering: the decoder outputs each packet as it was sent, under
 * its own sequence number, and misses none that a received packet contained. */
#include "fixture.h"

#include <map>

extern "C" {
#include "base/rng.h"
}

namespace
{

struct Stream {
    lt_rng rng;
    Encoder encoder;
    Decoder decoder;
    unsigned depth;
    std::map<uint32_t, Rtp> sent; /* by extended sequence number */
    std::map<uint32_t, bool> arrived, got;

    Stream(unsigned depth_, uint64_t seed) : encoder(depth_), depth(depth_)
    {
        lt_rng_seed(&rng, seed);
    }
    bool chance(double p)
    {
        return lt_rng_uniform(&rng) < p;
    }

    void receive(const Bytes &red, uint32_t number)
    {
        for (const Frame &frame : decoder.decode(red)) {
            uint32_t n = number - (uint16_t)(number - frame.rtp.sequence);
            REQUIRE(sent.count(n) == 1);
            CHECK(sent[n].payload == frame.rtp.payload);
            CHECK(sent[n].timestamp == frame.rtp.timestamp);
            CHECK(frame.redundant == (n != number));
            got[n] = true;
        }
    }

    void run(unsigned packets, double loss, double silence)
    {
        uint32_t timestamp = (uint32_t)lt_rng_next(&rng);
        std::pair<Bytes, uint32_t> held;
        for (uint32_t number = 0x1ff80; number < 0x1ff80 + packets; number++) {
            timestamp += chance(silence) ? 160 + (uint32_t)(lt_rng_uniform(&rng) * 12000) : 160;
            Rtp rtp;
            rtp.sequence = (uint16_t)number;
            rtp.timestamp = timestamp;
            rtp.payload = "frame " + std::to_string(number);
            sent[number] = rtp;
            Bytes red = encoder.encode(rtp);
            if (chance(loss))
                continue;
            arrived[number] = true;
            if (held.first.empty() && chance(0.05)) {
                held = {red, number};
                continue;
            }
            receive(red, number);
            if (!held.first.empty()) {
                receive(held.first, held.second);
                held.first.clear();
            }
        }
    }
};

} // namespace

TEST_CASE("every frame that a packet had comes out under its own number")
{
    for (unsigned depth = 1; depth <= LIVETCP_REDUNDANCY_MAX_DEPTH; depth++) {
        for (double silence : {0.0, 0.1}) {
            CAPTURE(depth, silence);
            Stream s(depth, 7 * depth + (silence > 0));
            const unsigned packets = 3000;
            s.run(packets, 0.2, silence);
            unsigned saved = 0, possible = 0;
            for (const auto &entry : s.sent) {
                uint32_t n = entry.first;
                if (s.arrived.count(n) || n + depth >= 0x1ff80 + packets)
                    continue;
                bool repeated = false;
                for (uint32_t by = 1; by <= depth; by++)
                    repeated =
                        repeated || (s.arrived.count(n + by) &&
                                     s.sent[n + by].timestamp - entry.second.timestamp <= 0x3fff);
                possible += repeated;
                saved += s.got.count(n);
            }
            CHECK(possible > 400);
            CHECK(saved == possible);
            CHECK(s.decoder.stats().unplaced == 0);
            CHECK(s.decoder.stats().malformed == 0);
        }
    }
}
