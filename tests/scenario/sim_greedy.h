/* SPDX-License-Identifier: MIT */
/* Sources that take what they can get. */
#ifndef LT_SCENARIO_SIM_GREEDY_H
#define LT_SCENARIO_SIM_GREEDY_H

#include "sim_session.h"

namespace scenario
{

/* A file transfer over a path of others. */
class GreedyTcp
{
  public:
    GreedyTcp(World &world, SimPath &path, const std::string &congestion_control = "reno")
        : tcp_(world, path.forward, path.backward, 1 << 20, congestion_control, {}, path.ecn)
    {
        tcp_.on_writable = [this] { fill(); };
        tcp_.on_data = [this](const SimTcp::Bytes &bytes) { delivered += bytes.size(); };
        fill();
    }

    uint64_t delivered = 0; /* bytes */

  private:
    void fill()
    {
        static const uint8_t bytes[65536] = {};
        while (tcp_.write(bytes, sizeof bytes) == sizeof bytes)
            ;
    }

    SimTcp tcp_;
};

/* Keeps one packet in the send queue of a caller, and hands over the next when it has left. */
class GreedySource
{
  public:
    GreedySource(SimCall &call, size_t size) : call_(call), size_(size)
    {
        call_.caller.on_written = [this](unsigned, const uint8_t *, size_t) { wake(); };
        wake();
    }

    ~GreedySource()
    {
        call_.caller.on_written = nullptr;
    }

    void stop()
    {
        stopped_ = true;
    }

  private:
    /* The session is busy when it tells. */
    void wake()
    {
        call_.world.at(call_.world.now(), [this] { fill(); });
    }

    void fill()
    {
        while (!stopped_ && call_.caller.stats().sent.queue_packets == 0 &&
               call_.caller.send(ssrc, sequence_, size_) == LIVETCP_OK)
            sequence_++;
    }

    static constexpr uint32_t ssrc = 0x6eed;
    SimCall &call_;
    size_t size_;
    uint16_t sequence_ = 0;
    bool stopped_ = false;
};

} // namespace scenario

#endif
