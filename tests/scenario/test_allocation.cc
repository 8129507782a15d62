/* SPDX-License-Identifier: MIT */
/* Every allocation of a session fails once, under every policy: no crash, no leak, and the session
 * goes on. */
#include "failing_allocation.h"
#include "sim_session.h"

#include <set>

using namespace scenario;

namespace
{

const livetcp_usec second = 1000000;

unsigned send(SimCall &call, unsigned first, unsigned count)
{
    unsigned taken = 0;
    for (unsigned i = 0; i < count; i++) {
        livetcp_result result = call.caller.send(7, static_cast<uint16_t>(first + i), 300);
        if (result == LIVETCP_OK)
            taken++;
        else if (result != LIVETCP_ERR_NO_MEMORY)
            FAIL_CHECK("send: " << livetcp_result_name(result));
        call.world.run_for(10000);
    }
    return taken;
}

/* A stream that loses packets, then a connection, while one allocation fails; then some more. */
void stream(const livetcp_policy *policy)
{
    livetcp_config config = make_config(policy->name, 3);
    config.order = LIVETCP_ORDER_SEQUENCE;
    SimCall call("delay=20ms,loss=5%", config, 3);
    call.tell_stamps();
    call.world.run_for(3 * second);
    REQUIRE(call.remote() != nullptr);
    armed = true;
    unsigned taken = send(call, 0, 30);
    if (auto connection = call.caller.connection(0))
        connection->reset();
    taken += send(call, 30, 30);
    call.world.run_for(5 * second);
    armed = false;
    CHECK(taken >= 59);

    size_t before = call.remote()->received.size();
    CHECK(before + 1 >= taken);
    CHECK(send(call, 60, 20) == 20);
    call.world.run_for(5 * second);
    CHECK(call.remote()->received.size() == before + 20);
    CHECK(call.caller.state() == LIVETCP_SESSION_OPEN);
    std::set<uint16_t> sequences;
    for (const Received &packet : call.remote()->received)
        CHECK(sequences.insert(packet.sequence).second);
}

void create(const livetcp_policy *policy)
{
    livetcp_config config = make_config(policy->name, 3);
    SimRandom random;
    lt_rng_seed(&random.rng, 1);
    livetcp_engine_setup setup = {};
    setup.struct_size = sizeof setup;
    setup.config = &config;
    setup.policy = policy;
    setup.caller = true;
    setup.random = SimRandom::fill;
    setup.random_user = &random;
    livetcp_engine *session = nullptr;
    armed = true;
    livetcp_result result = livetcp_engine_create(&setup, &session, nullptr);
    armed = false;
    CHECK(result == (failed ? LIVETCP_ERR_NO_MEMORY : LIVETCP_OK));
    CHECK((session == nullptr) == failed);
    livetcp_engine_destroy(&session);
}

} // namespace

TEST_CASE("a session that cannot be created says that memory is out, whatever the policy")
{
    for (size_t i = 0; livetcp_policy_at(i); i++) {
        INFO(livetcp_policy_at(i)->name);
        CHECK(sweep_allocations([&] { create(livetcp_policy_at(i)); }) >= 3);
    }
}

TEST_CASE("a session survives each failing allocation, whatever the policy")
{
    for (size_t i = 0; livetcp_policy_at(i); i++) {
        INFO(livetcp_policy_at(i)->name);
        CHECK(sweep_allocations([&] { stream(livetcp_policy_at(i)); }) > 60);
    }
}

TEST_CASE("a session holds no more after minutes than after seconds, whatever the policy")
{
    for (size_t i = 0; livetcp_policy_at(i); i++) {
        INFO(livetcp_policy_at(i)->name);
        livetcp_config config = make_config(livetcp_policy_at(i)->name, 4);
        config.queue_packets = 100;
        SimCall call("delay=20ms,loss=2%", config, 1);
        call.tell_stamps();
        call.world.run_for(2 * second);
        send(call, 0, 1000);
        call.world.run_for(10 * second);
        long early = live;
        for (unsigned round = 1; round <= 10; round++)
            send(call, round * 1000, 1000);
        call.world.run_for(10 * second);
        CHECK(live <= early + 10);

        /* And while nothing gets through: the queue, and a window for each connection. */
        call.path.forward.cut(true);
        send(call, 20000, 3000);
        CHECK(live >= early + 90 - 4); /* what waits for timestamps goes with its connection */
        CHECK(live <= early + 100 + 4 * 64);
    }
}
