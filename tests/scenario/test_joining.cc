/* SPDX-License-Identifier: MIT */
/* How a session comes to be: the first connection, the others, either direction, plain wire. */
#include "catch.h"
#include "sim_session.h"

#include <set>

using namespace scenario;

namespace
{

unsigned count_state(const SimSession &session, livetcp_session_state state)
{
    unsigned count = 0;
    for (const livetcp_engine_event &event : session.events)
        count += event.type == LIVETCP_ENGINE_SESSION_STATE && event.state.session == state;
    return count;
}

} // namespace

TEST_CASE("a session of any size carries media on all connections after three round trips")
{
    for (unsigned connections : {1u, 2u, 5u, 32u}) {
        INFO(connections << " connections");
        SimCall call("delay=50ms", make_config("shortest-queue", connections), 1);
        call.world.run_for(301000); /* TCP; CREATE and ACCEPT; JOIN and CHALLENGE */
        for (unsigned slot = 0; slot < connections; slot++)
            CHECK(call.caller.connection_stats(slot).path.usable);
        call.world.run_for(100000); /* PROOF and JOINED */
        REQUIRE(call.remote() != nullptr);
        CHECK(call.listener.sessions.size() == 1);
        CHECK(call.caller.stats().open_connections == connections);
        CHECK(call.remote()->stats().open_connections == connections);
        CHECK(call.caller.state() == LIVETCP_SESSION_OPEN);
        CHECK(count_state(call.caller, LIVETCP_SESSION_OPEN) == 1);
        CHECK(call.listener.rejections.empty());
    }
}

TEST_CASE("media starts on the first connection before the others have joined")
{
    SimCall call("delay=50ms", make_config("shortest-queue", 5), 1);
    call.caller.send(1, 1, 200); /* nothing is connected: it waits in the send queue */
    call.world.run_for(151000);  /* TCP handshake 100 ms, then 50 ms: it is there, and held */
    REQUIRE(call.remote() == nullptr);
    call.world.run_for(100000); /* ACCEPT and PROOF, which follows it */
    REQUIRE(call.remote() != nullptr);
    REQUIRE(call.remote()->received.size() == 1);
    CHECK(call.remote()->received[0].delay == 250000);
    CHECK(call.remote()->stats().open_connections == 1);
}

TEST_CASE("packets travel both ways on all connections")
{
    SimCall call("delay=10ms", make_config("round-robin", 5), 1);
    call.world.run_for(200000);
    REQUIRE(call.remote() != nullptr);
    for (uint16_t i = 0; i < 50; i++) {
        CHECK(call.remote()->send(2, i, 300) == LIVETCP_OK);
        CHECK(call.caller.send(1, i, 300) == LIVETCP_OK);
        call.world.run_for(20000);
    }
    CHECK(call.caller.received.size() == 50);
    CHECK(call.remote()->received.size() == 50);
    std::vector<unsigned> used(5);
    for (const Received &packet : call.caller.received)
        used[packet.connection]++;
    CHECK(used == std::vector<unsigned>{10, 10, 10, 10, 10});
}

TEST_CASE("a session joins through loss")
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        INFO("seed " << seed);
        SimCall call("delay=50ms,loss=10%", make_config("shortest-queue", 5), seed);
        call.world.run_for(60 * 1000000);
        CHECK(call.caller.stats().open_connections == 5);
        REQUIRE(call.remote() != nullptr);
        CHECK(call.remote()->stats().open_connections == 5);
    }
}

TEST_CASE("where the first connection goes silent, another one creates the session")
{
    for (livetcp_usec delay : {10000, 300000}) {
        const std::string path = "delay=" + std::to_string(delay) + "us";
        INFO(path);
        SimCall call(std::make_shared<SimRoad>(std::vector<std::string>{path, path}, 1),
                     make_config("auto", 4), 1);
        call.world.run_for(2 * delay); /* TCP */
        call.link(0).forward.cut(true);
        call.stream(500, 20000, 1000000 + 10 * delay);
        REQUIRE(call.remote() != nullptr);
        CHECK(call.caller.state() == LIVETCP_SESSION_OPEN);
        CHECK(call.caller.stats().open_connections >= 1);
        CHECK(call.listener.sessions.size() == 1);
        CHECK(count_state(call.caller, LIVETCP_SESSION_OPEN) == 1);
        call.link(0).forward.cut(false);
        call.world.run_for(20 * 1000000);
        CHECK(call.caller.stats().open_connections == 4);
        CHECK(call.listener.sessions.size() == 1);
        std::set<uint16_t> came;
        for (const Received &packet : call.remote()->received)
            CHECK((packet.rtcp || came.insert(packet.sequence).second));
        CHECK(came.size() == static_cast<size_t>((1000000 + 10 * delay) / 20000));
    }
}

TEST_CASE("split writes a frame in parts that arrive as one packet")
{
    livetcp_config config = make_config("single", 1);
    config.split = 3;
    config.rtcp = LIVETCP_RTCP_OFF;
    config.feedback_us = 0;
    SimCall call("delay=10ms", config, 1);
    call.world.run_for(200000);
    uint64_t before = call.path.forward.counters().in_packets;
    for (uint16_t i = 0; i < 10; i++) {
        call.caller.send(1, i, 1000);
        call.world.run_for(50000);
    }
    CHECK(call.path.forward.counters().in_packets - before == 30);
    REQUIRE(call.remote() != nullptr);
    CHECK(call.remote()->received.size() == 10);
}

TEST_CASE("RTCP of the application crosses, and no control message of ours reaches it")
{
    SimCall call("delay=10ms", make_config("shortest-queue", 2), 1);
    call.world.run_for(200000);
    const uint8_t receiver_report[8] = {0x80, 201, 0, 1, 0, 0, 0, 9};
    CHECK(livetcp_engine_send(call.caller.engine, receiver_report, sizeof receiver_report, nullptr,
                              call.world.now()) == LIVETCP_OK);
    call.caller.service();
    call.world.run_for(5000000); /* keepalives in between */
    REQUIRE(call.remote() != nullptr);
    REQUIRE(call.remote()->received.size() == 1);
    CHECK(call.remote()->received[0].rtcp);
    CHECK(call.caller.received.empty());
}
