/* SPDX-License-Identifier: MIT */
/* Several calls side by side on one road, each with a stream of even packets, as the flows of
 * `livetcp bench`. With one flow it is a lone call. */
#ifndef LT_SCENARIO_SIM_FLOWS_H
#define LT_SCENARIO_SIM_FLOWS_H

#include "sim_session.h"

namespace scenario
{

class SimFlows
{
  public:
    SimFlows(std::shared_ptr<SimRoad> shared, const livetcp_config &config, unsigned count,
             uint64_t seed)
        : road(std::move(shared))
    {
        next_.assign(count, 65000); /* they wrap soon */
        for (unsigned i = 0; i < count; i++)
            calls.push_back(std::make_unique<SimCall>(road, config, seed + 1000003 * i));
    }

    ~SimFlows()
    {
        calls.clear();
    }

    /* A packet of `size` bytes every `interval` on each call, for `duration`, with even phases. */
    void stream(size_t size, livetcp_usec interval, livetcp_usec duration)
    {
        livetcp_usec begin = road->world.now();
        for (size_t i = 0; i < calls.size(); i++)
            schedule(i,
                     begin + interval * static_cast<livetcp_usec>(i) /
                                 static_cast<livetcp_usec>(calls.size()),
                     {size, interval, begin + duration});
        road->world.run_for(duration);
    }

    /* Delays in us of the packets that were sent between `from` and `to`; packets that never came
     * have LIVETCP_NEVER. */
    std::vector<livetcp_usec> delays(livetcp_usec from, livetcp_usec to,
                                     livetcp_usec interval) const
    {
        std::vector<livetcp_usec> all;
        for (const std::unique_ptr<SimCall> &call : calls) {
            size_t seen = 0;
            if (call->remote())
                for (const Received &packet : call->remote()->received)
                    if (!packet.rtcp && packet.at - packet.delay >= from &&
                        packet.at - packet.delay < to) {
                        all.push_back(packet.delay);
                        seen++;
                    }
            for (; seen < static_cast<size_t>((to - from) / interval); seen++)
                all.push_back(LIVETCP_NEVER);
        }
        return all;
    }

    std::shared_ptr<SimRoad> road;
    std::vector<std::unique_ptr<SimCall>> calls;

  private:
    struct Stream {
        size_t size;
        livetcp_usec interval, end;
    };

    void schedule(size_t call, livetcp_usec at, Stream stream)
    {
        if (at >= stream.end)
            return;
        road->world.at(at, [this, call, at, stream] {
            calls[call]->caller.send(0x1234, next_[call]++, stream.size);
            schedule(call, at + stream.interval, stream);
        });
    }

    std::vector<uint16_t> next_; /* sequence numbers */
};

} // namespace scenario

#endif
