/* SPDX-License-Identifier: MIT */
/* Lost connections and lost listeners. */
#include "catch.h"
#include "sim_session.h"

#include <set>

using namespace scenario;

TEST_CASE("a lost connection is replaced while the session lives, and no packet comes twice")
{
    SimCall call("delay=20ms,loss=1%", make_config("shortest-queue", 5), 1);
    call.world.run_for(1000000);
    for (unsigned round = 0; round < 20; round++) {
        call.stream(1000, 10000, 1000000);
        if (auto connection = call.caller.connection(round % 5))
            connection->reset();
    }
    call.stream(1000, 10000, 2000000);
    call.world.run_for(5000000);
    REQUIRE(call.listener.sessions.size() == 1);
    CHECK(call.caller.stats().open_connections == 5);
    CHECK(call.caller.stats().reconnects >= 15);
    std::set<uint16_t> sequences;
    for (const Received &packet : call.remote()->received)
        CHECK(sequences.insert(packet.sequence).second);
    /* Lost is only what the kernel of the broken connection still held. */
    CHECK(sequences.size() > 2200 - 20 * 10);
    unsigned closed = 0;
    for (const livetcp_engine_event &event : call.caller.events)
        closed += event.type == LIVETCP_ENGINE_SESSION_STATE &&
                  event.state.session != LIVETCP_SESSION_OPEN;
    CHECK(closed == 0);
}

TEST_CASE("a caller keeps trying a listener that refuses, ever more slowly, and tells why")
{
    livetcp_config config = make_config("shortest-queue", 1);
    SimCall call("delay=10ms", config, 1);
    call.listener.refusing = true;
    call.world.run_for(30 * 1000000);
    std::vector<livetcp_usec> attempts;
    unsigned refused = 0;
    for (const livetcp_engine_event &event : call.caller.events)
        refused += event.reason == LIVETCP_ERR_REFUSED;
    /* 0.1 + 0.2 + ... + 3.2 s, then every 5 s or so: 11 at most in 30 s, with the spread. */
    CHECK(refused >= 8);
    CHECK(refused <= 14);
    CHECK(call.caller.connection_stats(0).last_error == LIVETCP_ERR_REFUSED);
    call.listener.refusing = false;
    call.world.run_for(10 * 1000000);
    CHECK(call.caller.state() == LIVETCP_SESSION_OPEN);
}

TEST_CASE("without reconnect a session ends with its last connection, and says why")
{
    livetcp_config config = make_config("shortest-queue", 2);
    config.reconnect = 0;
    SimCall call("delay=10ms", config, 1);
    call.world.run_for(1000000);
    call.caller.connection(0)->reset();
    call.world.run_for(1000000);
    CHECK(call.caller.state() == LIVETCP_SESSION_OPEN);
    call.caller.connection(1)->reset();
    call.world.run_for(1000000);
    CHECK(call.caller.state() == LIVETCP_SESSION_CLOSED);
    CHECK(call.caller.events.back().reason == LIVETCP_ERR_CONNECTION_LOST);
}

TEST_CASE("a listener that forgot the session gets a new one, with a new identity")
{
    SimCall call("delay=10ms", make_config("shortest-queue", 5), 1);
    call.world.run_for(1000000);
    std::vector<uint8_t> before(livetcp_engine_session_id(call.caller.engine),
                                livetcp_engine_session_id(call.caller.engine) + 16);
    call.listener.crash();
    call.stream(500, 20000, 10 * 1000000);
    CHECK(call.caller.state() == LIVETCP_SESSION_OPEN);
    CHECK(call.caller.stats().open_connections == 5);
    REQUIRE(call.listener.sessions.size() == 1);
    CHECK(call.remote()->received.size() > 400);
    std::vector<uint8_t> after(livetcp_engine_session_id(call.caller.engine),
                               livetcp_engine_session_id(call.caller.engine) + 16);
    CHECK(before != after);
}

TEST_CASE("a listener's session outlives a break shorter than linger, and ends after it")
{
    livetcp_config config = make_config("shortest-queue", 3);
    config.linger_us = 4 * 1000000;
    for (bool back_in_time : {true, false}) {
        INFO((back_in_time ? "back in time" : "too late"));
        SimCall call("delay=10ms", config, 1);
        call.world.run_for(1000000);
        SimSession *remote = call.remote();
        REQUIRE(remote != nullptr);
        call.listener.refusing = true;
        for (unsigned slot = 0; slot < 3; slot++)
            call.caller.connection(slot)->reset();
        call.world.run_for(back_in_time ? 2 * 1000000 : 6 * 1000000);
        CHECK(remote->state() ==
              (back_in_time ? LIVETCP_SESSION_CONNECTING : LIVETCP_SESSION_CLOSED));
        call.listener.refusing = false;
        call.world.run_for(10 * 1000000);
        CHECK(call.caller.state() == LIVETCP_SESSION_OPEN);
        CHECK(call.listener.sessions.size() == (back_in_time ? 1 : 2));
    }
}

TEST_CASE("a packet that a turned-away connection cut short goes on another, once")
{
    livetcp_config config = make_config("round-robin", 2);
    SimCall call("delay=20ms", config, 1, 3000);
    call.world.run_for(1000000);
    REQUIRE(call.caller.stats().open_connections == 2);
    for (uint16_t sequence = 0; sequence < 8; sequence++)
        call.caller.send(1, sequence, 1000); /* 6 KB fit: two packets are cut, two wait */
    REQUIRE(call.caller.connection_stats(0).path.blocked);
    lt_control reject = {};
    reject.type = LT_CONTROL_REJECT;
    reject.reason = static_cast<uint8_t>(-LIVETCP_ERR_INDEX_IN_USE);
    uint8_t frame[LT_CONTROL_MAX];
    call.caller.receive(0, frame, lt_control_encode(&reject, frame));
    call.world.run_for(5000000);
    CHECK(call.caller.connection_stats(0).last_error == LIVETCP_ERR_INDEX_IN_USE);
    std::multiset<uint16_t> sequences;
    for (const Received &packet : call.remote()->received)
        sequences.insert(packet.sequence);
    CHECK(sequences == std::multiset<uint16_t>{0, 1, 2, 3, 4, 5, 6, 7});
    CHECK(call.caller.stats().dropped.connection == 0);
}
