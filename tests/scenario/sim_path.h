/* SPDX-License-Identifier: MIT */
/* A pair of emulated links (src/lab/emulate) in virtual time. */
#ifndef LT_SCENARIO_SIM_PATH_H
#define LT_SCENARIO_SIM_PATH_H

#include "world.h"

extern "C" {
#include "lab/emulate/link.h"
}

#include <memory>

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

    /* Calls `arrive` when the packet has crossed, or never. */
    void send(size_t bytes, World::Task arrive);

    void set(const lt_link_params &params);

    /* A cable pulled out: packets vanish until it is back. */
    void cut(bool is_cut)
    {
        cut_ = is_cut;
    }

    lt_link_counters counters() const;

  private:
    void arm();
    void deliver_due();

    World &world_;
    lt_link *link_;
    World::Ticket timer_ = 0;
    bool cut_ = false;
};

struct SimPath {
    /* `spec` as in `livetcp emulate --both`, for both directions. */
    SimPath(World &world, const char *spec, uint64_t seed);

    SimLink forward;  /* caller to listener */
    SimLink backward; /* listener to caller */
};

/* Parses a specification such as "delay=50ms,loss=1%"; fails the test if it is wrong. */
lt_link_params link_params(const char *spec);

} // namespace scenario

#endif
