/* SPDX-License-Identifier: MIT */
/* A pair of emulated links (src/lab/emulate) in virtual time. */
#ifndef LT_SCENARIO_SIM_PATH_H
#define LT_SCENARIO_SIM_PATH_H

#include "world.h"

extern "C" {
#include "lab/emulate/link.h"
}

#include <memory>
#include <string>

namespace scenario
{

/* One direction. What a packet is, its sender knows: it gives the link what to do on arrival. */
class SimLink
{
  public:
    SimLink(World &world, const lt_link_params &params, uint64_t seed);
    ~SimLink();
    SimLink(const SimLink &) = delete;
    SimLink &operator=(const SimLink &) = delete;

    /* Calls `arrive` when the packet has crossed, or never. `flow`: from new_flow(); 0 = none. */
    void send(size_t bytes, World::Task arrive, uint32_t flow = 0);
    /* One that a queue may mark instead of dropping it (ECT(0) of RFC 3168). */
    using Arrival = std::function<void(bool marked)>;
    void send_markable(size_t bytes, Arrival arrive, uint32_t flow);
    uint32_t new_flow();

    void set(const lt_link_params &params);

    /* A cable pulled out: packets vanish until it is back. */
    void cut(bool is_cut)
    {
        cut_ = is_cut;
    }

    /* A policer before the link: what a bucket of `burst` bytes, filled at `rate` bit/s, does not
     * cover is dropped at once. No rate: none. */
    void police(uint64_t rate, size_t burst);

    lt_link_params params() const;
    lt_link_counters counters() const;

  private:
    void offer(size_t bytes, lt_ecn ecn, uint32_t flow, Arrival arrive);
    bool passes_policer(size_t bytes);
    void arm();
    void deliver_due();

    World &world_;
    lt_link *link_;
    World::Ticket timer_ = 0;
    bool cut_ = false;
    uint32_t flows_ = 0;
    struct {
        double rate = 0, burst = 0, tokens = 0; /* bytes per second, bytes */
        livetcp_usec at = 0;
    } policer_;
};

/* TLS, a WebSocket or both between a session and TCP: their bytes for each write. */
struct SimFilter {
    bool tls = false, websocket = false;
    bool masked = true; /* a caller's WebSocket */

    /* TLS 1.3: a header of 5, the type and the tag (RFC 8446 section 5.2). A WebSocket: 2, a longer
     * length, the mask (RFC 6455 section 5.2). */
    size_t overhead(size_t size) const
    {
        return (tls ? 5 + 1 + 16 : 0) +
               (websocket ? 2 + (size > 125 ? 2 : 0) + (masked ? 4 : 0) : 0);
    }

    /* The same from the listener to the caller. */
    SimFilter downwards() const
    {
        return {tls, websocket, false};
    }
};

struct SimPath {
    /* `spec` as in `livetcp emulate --both`, for both directions. */
    SimPath(World &world, const char *spec, uint64_t seed);

    /* The spec of `change` on top of what the links are, from now on. */
    void change(const char *spec);

    SimLink forward;  /* caller to listener */
    SimLink backward; /* listener to caller */

    /* Of the connections that are made from now on. */
    std::string congestion_control = "reno";
    bool ecn; /* asked for where a queue marks */

    /* Of connections that begin from now on. */
    SimFilter filter;
};

/* Parses a specification such as "delay=50ms,loss=1%"; fails the test if it is wrong. */
lt_link_params link_params(const char *spec);

} // namespace scenario

#endif
