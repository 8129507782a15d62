/* SPDX-License-Identifier: MIT */
/* Chasers: what follows a packet on its connection when nothing else does. */
#include "catch.h"
#include "sim_session.h"

using namespace scenario;

namespace
{

const unsigned packets = 500;

/* Voice on five connections: on each of them a packet in 100 ms. */
uint64_t tail_probes_of_a_call(const char *path, const char *policy)
{
    livetcp_config config = make_config(policy, 5);

    config.rtcp = LIVETCP_RTCP_OFF;
    config.feedback_us = 0;
    SimCall call(path, config, 1);
    call.world.run_for(1000000);
    call.stream(160, 20000, packets * 20000);
    call.world.run_for(1000000);
    CHECK(call.remote()->received.size() == packets);
    return call.caller.stats().sent.padding;
}

} // namespace

TEST_CASE("a packet alone on its connection is followed before it can be acknowledged")
{
    CHECK(tail_probes_of_a_call("delay=10ms", "shortest-queue") >= packets * 9 / 10);
}

TEST_CASE("nothing follows a packet that is known to be acknowledged")
{
    /* A tail probe goes after a millisecond at least; the round trip of a local network is shorter.
     */
    CHECK(tail_probes_of_a_call("delay=0.2ms", "shortest-queue") == 0);
    CHECK(tail_probes_of_a_call("delay=0.2ms", "auto") == 0);
}

TEST_CASE("where the next packet comes first, only one that is late is followed")
{
    CHECK(tail_probes_of_a_call("delay=100ms", "shortest-queue") <= packets / 50);
}
