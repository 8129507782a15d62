/* SPDX-License-Identifier: MIT */
/* What a session really wrote, packet by packet: a judge that takes nothing from the engine's own
 * books. */
#ifndef LT_SCENARIO_WIRE_TAP_H
#define LT_SCENARIO_WIRE_TAP_H

#include "sim_session.h"

#include <map>
#include <set>

namespace scenario
{

class WireTap
{
  public:
    /* One RTP or RTCP packet that was handed whole to a connection. */
    struct Written {
        livetcp_usec at;
        unsigned slot;
        uint32_t ssrc;
        uint16_t sequence; /* 0 for RTCP */
        size_t size;
        bool rtcp;
        bool first; /* no connection had it before */
        bool own;   /* of the application: neither parity nor control */
    };

    /* Listens to the calling side. `ssrcs` are the application's own. */
    WireTap(SimCall &call, std::set<uint32_t> ssrcs);

    /* A new connection of that slot begins with a whole frame. */
    void forget(unsigned slot)
    {
        streams_[slot].clear();
    }

    std::vector<Written> written;

  private:
    void bytes(unsigned slot, const uint8_t *data, size_t size);
    void packet(unsigned slot, const uint8_t *data, size_t size);

    SimCall &call_;
    std::set<uint32_t> ssrcs_;
    std::map<unsigned, std::vector<uint8_t>> streams_;
    std::set<std::pair<uint32_t, uint16_t>> seen_;
};

} // namespace scenario

#endif
