/* SPDX-License-Identifier: MIT */
/* A stream over a path of which everything is known, played in virtual time. */
#ifndef LT_TESTS_SCENARIO_PLAYOUT_CALL_H
#define LT_TESTS_SCENARIO_PLAYOUT_CALL_H

#include "unit/playout/fixture.h"

#include <algorithm>
#include <cmath>
#include <functional>

extern "C" {
#include "base/rng.h"
}

/* What became of one packet, next to what the path did to it. */
struct Fate {
    Rtp rtp;
    livetcp_usec sent_us;  /* by our clock */
    livetcp_usec media_us; /* by the sender's, from the first packet */
    livetcp_usec arrival_us;
    bool spurt; /* first of a talkspurt */
    livetcp_playout_slot slot;
    livetcp_playout_stats stats;

    /* What the playout takes for the arrival without queueing, less what it would have been. */
    livetcp_usec base_error(livetcp_usec way_us) const
    {
        return slot.play_us - slot.delay_us - (sent_us + way_us);
    }
    /* From sending to playing. */
    livetcp_usec total_us() const
    {
        return slot.play_us - sent_us;
    }
    bool in_time() const
    {
        return slot.result == LIVETCP_PLAYOUT_PLAY;
    }
};

/* The way of a packet: nothing is ever lost or overtaken on one TCP connection. */
class Call
{
  public:
    explicit Call(const livetcp_playout_config &given)
        : config(given), playout(given),
          frame_us(given.media == LIVETCP_PLAYOUT_VIDEO ? 40 * ms : 20 * ms)
    {
        lt_rng_seed(&rng, 1);
    }

    /* Exponential, of this mean. */
    livetcp_usec jitter(livetcp_usec mean)
    {
        return static_cast<livetcp_usec>(-std::log(1 - lt_rng_uniform(&rng)) *
                                         static_cast<double>(mean));
    }

    /* Sends for so long; `queue` says what a packet that is sent at this time, counted from the
     * start of the call, waits for beyond the way. */
    void run(livetcp_usec for_us, const std::function<livetcp_usec(livetcp_usec)> &queue)
    {
        livetcp_usec until = media_us + for_us;
        while (media_us < until) {
            Fate fate = {};
            bool first = fates.empty();
            livetcp_usec cycle = talk_us + silence_us;
            fate.spurt = first || (silence_us && (media_us - frame_us) % cycle >= talk_us);
            if (!silence_us || media_us % cycle < talk_us)
                send(fate, queue);
            media_us += frame_us;
        }
    }

    livetcp_playout_config config;
    Playout playout;
    lt_rng rng;
    livetcp_usec frame_us;
    livetcp_usec way_us = 30 * ms;
    livetcp_usec talk_us = 1200 * ms, silence_us = 0; /* 0: without pauses */
    double skew_ppm = 0;
    bool markers = false;
    bool ordered = true;    /* one TCP connection: a packet waits for those before it */
    unsigned key_every = 0; /* video: frames */
    livetcp_usec media_us = 0;
    std::vector<Fate> fates;

  private:
    void send(Fate &fate, const std::function<livetcp_usec(livetcp_usec)> &queue)
    {
        uint32_t first = 4294960000u; /* wraps soon */
        fate.media_us = media_us;
        fate.sent_us = 1000 * second + media_us +
                       static_cast<livetcp_usec>(static_cast<double>(media_us) * skew_ppm * 1e-6);
        fate.arrival_us = fate.sent_us + way_us + queue(fate.sent_us - 1000 * second);
        if (ordered && !fates.empty())
            fate.arrival_us = std::max(fate.arrival_us, fates.back().arrival_us);
        fate.rtp.sequence = static_cast<uint16_t>(65000 + fates.size());
        fate.rtp.timestamp =
            first + static_cast<uint32_t>(media_us * config.clock_rate / LIVETCP_USEC_SEC);
        fate.rtp.marker = markers && fate.spurt;
        if (key_every && fates.size() % key_every == 0)
            fate.rtp.flags = LIVETCP_PLAYOUT_KEY_FRAME;
        fate.slot = playout.arrive(fate.rtp, fate.arrival_us);
        fate.stats = playout.stats();
        fates.push_back(fate);
    }
};

#endif
