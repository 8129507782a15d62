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
    config.auto_reconnect = false;
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

namespace
{

/* Connections of the caller that were lost for a reason, of all and of this one. */
unsigned losses(const SimSession &session, livetcp_result reason = LIVETCP_OK)
{
    unsigned count = 0;
    for (const livetcp_engine_event &event : session.events)
        count += event.type == LIVETCP_ENGINE_CONNECTION_STATE && event.reason != LIVETCP_OK &&
                 (reason == LIVETCP_OK || event.reason == reason);
    return count;
}

unsigned session_events(const SimSession &session)
{
    unsigned count = 0;
    for (const livetcp_engine_event &event : session.events)
        count += event.type == LIVETCP_ENGINE_SESSION_STATE;
    return count;
}

/* 0.1 + 0.2 + ... + 3.2 s, then every 5 s or so, with the spread. */
const unsigned attempts_min = 8, attempts_max = 14;

} // namespace

TEST_CASE("a port where nobody listens refuses a session once for all its connections, each time")
{
    SimCall call("delay=10ms", make_config("shortest-queue", 8), 1);
    call.listener.refusing = true;
    call.world.run_for(50000);
    CHECK(losses(call.caller) == 1);
    call.world.run_for(30 * 1000000);
    CHECK(losses(call.caller) == losses(call.caller, LIVETCP_ERR_REFUSED));
    CHECK(losses(call.caller) >= attempts_min);
    CHECK(losses(call.caller) <= attempts_max);
    CHECK(session_events(call.caller) == 0); /* it was connecting all the time */
    call.listener.refusing = false;
    call.world.run_for(10 * 1000000);
    CHECK(call.caller.stats().open_connections == 8);
    CHECK(call.listener.sessions.size() == 1);
}

TEST_CASE("a listener that turns a session away is asked by one connection, ever more slowly")
{
    SimCall call("delay=10ms", make_config("shortest-queue", 8), 1);
    call.listener.turning_away = LIVETCP_ERR_TOO_MANY_SESSIONS;
    call.world.run_for(30 * 1000000);
    CHECK(losses(call.caller) == losses(call.caller, LIVETCP_ERR_TOO_MANY_SESSIONS));
    CHECK(losses(call.caller) >= attempts_min);
    CHECK(losses(call.caller) <= attempts_max);
    unsigned asked = 0;
    for (livetcp_result reason : call.listener.rejections)
        asked += reason == LIVETCP_ERR_TOO_MANY_SESSIONS;
    CHECK(asked == losses(call.caller));
    CHECK(call.listener.accepted == 7 + asked); /* the first time all of them connect */
    call.listener.turning_away = LIVETCP_OK;
    call.stream(500, 20000, 10 * 1000000);
    CHECK(call.caller.stats().open_connections == 8);
    CHECK(call.remote()->received.size() > 200);
}

TEST_CASE("a listener that accepts and closes at once is not called again at once")
{
    std::string wire = GENERATE(values<std::string>({"session", "plain"}));
    CAPTURE(wire);
    livetcp_config config = make_config("single", 1);
    config.wire = wire == "plain" ? LIVETCP_WIRE_PLAIN : LIVETCP_WIRE_SESSION;
    SimCall call("delay=10ms", config, 1);
    call.listener.slamming = true;
    call.world.run_for(30 * 1000000);
    CHECK(call.listener.accepted >= attempts_min);
    CHECK(call.listener.accepted <= attempts_max);
    call.listener.slamming = false;
    call.world.run_for(10 * 1000000);
    CHECK(call.caller.state() == LIVETCP_SESSION_OPEN);
    /* It has lasted: what comes now is another matter, and tried soon. */
    call.caller.connection(0)->reset();
    call.world.run_for(300000);
    CHECK(call.caller.state() == LIVETCP_SESSION_OPEN);
}

TEST_CASE("a session whose listener is gone asks for it on one connection at a time")
{
    SimCall call("delay=10ms", make_config("shortest-queue", 8), 1);
    call.world.run_for(2 * 1000000);
    REQUIRE(call.caller.stats().open_connections == 8);
    call.listener.refusing = true;
    for (unsigned slot = 0; slot < 8; slot++)
        call.caller.connection(slot)->reset();
    call.world.run_for(30 * 1000000);
    CHECK(losses(call.caller, LIVETCP_ERR_CONNECTION_LOST) == 8);
    CHECK(losses(call.caller, LIVETCP_ERR_REFUSED) >= attempts_min);
    CHECK(losses(call.caller, LIVETCP_ERR_REFUSED) <= attempts_max);
    CHECK(session_events(call.caller) == 2); /* open, connecting */
    call.listener.refusing = false;
    call.world.run_for(10 * 1000000);
    CHECK(call.caller.stats().open_connections == 8);
}

TEST_CASE("without reconnect one refusal ends the session, and the others are given up")
{
    livetcp_config config = make_config("shortest-queue", 8);
    config.auto_reconnect = false;
    SimCall call("delay=10ms", config, 1);
    call.listener.turning_away = LIVETCP_ERR_TOO_MANY_SESSIONS;
    call.world.run_for(2 * 1000000);
    CHECK(call.caller.state() == LIVETCP_SESSION_CLOSED);
    CHECK(losses(call.caller) == 1);
    CHECK(call.caller.events.back().reason == LIVETCP_ERR_TOO_MANY_SESSIONS);
}
