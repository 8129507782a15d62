/* SPDX-License-Identifier: MIT */
/*
 * One call in virtual time, the same every time: what the engine costs per packet, for
 * instructions.sh to count. 500 packets of 1448 bytes a second, and voice, with policy
 * auto over 8 connections; 1 % of what crosses the path is lost, RTT 100 ms.
 *
 * usage: bench-engine-cost [SECONDS]   of virtual time, default 60; prints the packets sent
 */
#include "sim_session.h"

#include <cstdio>
#include <cstdlib>

using namespace scenario;

int main(int argc, char **argv)
{
    const livetcp_usec step = 2000;
    const long seconds = argc > 1 ? atol(argv[1]) : 60;

    if (argc > 2 || seconds < 1 || seconds > 3600) {
        fprintf(stderr, "usage: bench-engine-cost [SECONDS], 1..3600\n");
        return 2;
    }
    SimCall call("delay=50ms,loss=1%", make_config("auto", 8), 1);
    call.world.run_for(1000000);
    long sent = 0;
    for (long i = 0; i < seconds * 500; i++) {
        sent += call.caller.send(1, static_cast<uint16_t>(i), 1448) == LIVETCP_OK;
        if (i % 10 == 0)
            sent += call.caller.send(2, static_cast<uint16_t>(i / 10), 172) == LIVETCP_OK;
        call.world.run_for(step);
    }
    call.world.run_for(1000000);
    printf("%ld packets\n", sent);
    return call.remote() && call.remote()->stats().received.packets > 0 ? 0 : 1;
}
