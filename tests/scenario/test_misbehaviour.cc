/* SPDX-License-Identifier: MIT */
/* Peers that break the rules: their connection ends with a clear reason, the rest goes on. */
#include "catch.h"
#include "sim_session.h"

#include <cstring>

using namespace scenario;

namespace
{

/* A session of two connections, and bytes that one of them brings all of a sudden. */
livetcp_result inject(std::vector<uint8_t> bytes)
{
    SimCall call("delay=10ms", make_config("shortest-queue", 2), 1);
    call.world.run_for(1000000);
    SimSession *remote = call.remote();
    REQUIRE(remote != nullptr);
    livetcp_result result = livetcp_engine_receive(remote->engine, 1, bytes.data(), bytes.size(),
                                                   nullptr, call.world.now());
    remote->service();
    call.world.run_for(50000);
    CHECK(remote->state() == LIVETCP_SESSION_OPEN);
    CHECK(remote->stats().open_connections == (result == LIVETCP_OK ? 2 : 1));
    CHECK(remote->connection_stats(1).last_error == result);
    size_t before = remote->received.size();
    call.stream(500, 10000, 2000000);
    call.world.run_for(100000);
    CHECK(remote->received.size() == before + 200);
    CHECK(call.listener.sessions.size() == 1);
    CHECK(remote->stats().open_connections == 2); /* the caller has replaced it */
    return result;
}

std::vector<uint8_t> framed(std::vector<uint8_t> content)
{
    content.insert(content.begin(), {static_cast<uint8_t>(content.size() >> 8),
                                     static_cast<uint8_t>(content.size())});
    return content;
}

std::vector<uint8_t> control(const lt_control &message)
{
    std::vector<uint8_t> frame(LT_CONTROL_MAX);
    frame.resize(lt_control_encode(&message, frame.data()));
    return frame;
}

/* What a stranger gets for writing `bytes` to a fresh connection, wherever the stream is cut. */
std::vector<livetcp_result> strangers(const std::vector<uint8_t> &bytes, livetcp_usec wait)
{
    SimCall call("delay=10ms", make_config("shortest-queue", 2), 1);
    call.world.run_for(1000000);
    auto connection = std::make_shared<SimConnection>(call.world, call.path, 1 << 20);
    call.listener.accept(connection);
    connection->up.write(bytes.data(), bytes.size());
    call.world.run_for(wait);
    CHECK(call.caller.stats().open_connections == 2);
    CHECK(call.listener.sessions.size() == 1);
    return call.listener.rejections;
}

} // namespace

TEST_CASE("garbage in an open session costs the connection it came on")
{
    CHECK(inject(framed(std::vector<uint8_t>(20, 0x00))) == LIVETCP_ERR_GARBAGE);
    std::vector<uint8_t> version_1(20, 0);
    version_1[0] = 0x40;
    CHECK(inject(framed(version_1)) == LIVETCP_ERR_GARBAGE);
    CHECK(inject(framed({0x80, 96, 0, 1})) == LIVETCP_ERR_GARBAGE); /* RTP header cut short */
    CHECK(inject(framed({0x80, 201, 0, 7, 0, 0, 0, 1})) == LIVETCP_ERR_GARBAGE); /* RTCP too long */
}

TEST_CASE("null frames and control messages of later versions are skipped")
{
    CHECK(inject({0, 0, 0, 0}) == LIVETCP_OK);
    CHECK(inject(framed({0x9f, 204, 0, 2, 0, 0, 0, 0, 'L', 'T', 'C', 'P'})) == LIVETCP_OK);
}

TEST_CASE("control messages out of place cost the connection they came on")
{
    lt_control message = {};
    for (lt_control_type type : {LT_CONTROL_CREATE, LT_CONTROL_JOIN, LT_CONTROL_ACCEPT,
                                 LT_CONTROL_CHALLENGE, LT_CONTROL_PROOF, LT_CONTROL_JOINED}) {
        INFO("type " << type);
        message.type = type;
        message.version = LT_WIRE_VERSION;
        message.count = 2;
        CHECK(inject(control(message)) == LIVETCP_ERR_PROTOCOL);
    }
}

TEST_CASE("strangers are turned away with the reason, and nobody else notices")
{
    lt_control join = {};
    join.type = LT_CONTROL_JOIN;
    join.version = LT_WIRE_VERSION;
    join.count = 2;
    join.index = 1;
    using Reasons = std::vector<livetcp_result>;
    CHECK(strangers(control(join), 1000000) == Reasons{LIVETCP_ERR_UNKNOWN_SESSION});
    CHECK(strangers({}, 4900000) == Reasons{});
    CHECK(strangers({}, 5100000) == Reasons{LIVETCP_ERR_HANDSHAKE_TIMEOUT});
    CHECK(strangers({0, 20}, 5100000) == Reasons{LIVETCP_ERR_HANDSHAKE_TIMEOUT});
    CHECK(strangers(framed(std::vector<uint8_t>(20, 0x11)), 1000000) ==
          Reasons{LIVETCP_ERR_GARBAGE});
    const char http[] = "GET / HTTP/1.1\r\nHost: here\r\n\r\n";
    CHECK(strangers(std::vector<uint8_t>(http, http + strlen(http)), 1000000).size() == 1);
}

TEST_CASE("an index that is in use is refused, and the connection that has it goes on")
{
    SimCall call("delay=10ms", make_config("shortest-queue", 2), 1);
    call.world.run_for(1000000);
    SimSession *remote = call.remote();
    REQUIRE(remote != nullptr);
    CHECK(livetcp_engine_adopt(remote->engine, 1, call.world.now()) == LIVETCP_ERR_INDEX_IN_USE);
    CHECK(livetcp_engine_adopt(remote->engine, 3, call.world.now()) == LIVETCP_ERR_INDEX_RANGE);
    remote->service();
    call.world.run_for(1000000);
    CHECK(remote->stats().open_connections == 2);
    CHECK(remote->stats().reconnects == 0);
}

TEST_CASE("an index whose connection has gone silent is freed for the caller that comes back")
{
    SimCall call("delay=10ms", make_config("shortest-queue", 2), 1);
    call.world.run_for(1000000);
    /* Only the caller notices that this connection is gone. */
    auto connection = call.caller.connection(1);
    connection->listener.on_closed = nullptr;
    connection->caller.on_data = nullptr;
    call.caller.lost(1, LIVETCP_ERR_CONNECTION_LOST);
    call.world.run_for(8 * 1000000);
    CHECK(call.caller.stats().open_connections == 2);
    CHECK(call.remote()->stats().open_connections == 2);
    CHECK(call.listener.sessions.size() == 1);
}

TEST_CASE("a PONG that nobody asked for is no measurement, whatever it says")
{
    lt_control message = {};
    message.type = LT_CONTROL_PONG;
    for (uint64_t timestamp : {UINT64_C(0), UINT64_C(1) << 63, (UINT64_C(1) << 63) + 1, UINT64_MAX,
                               (UINT64_C(1) << 63) - 1}) {
        message.timestamp = timestamp;
        CHECK(inject(control(message)) == LIVETCP_OK);
    }
}

TEST_CASE("the reason in a REJECT is what its connection was lost for, if there is such a reason")
{
    lt_control message = {};
    message.type = LT_CONTROL_REJECT;
    message.reason = -LIVETCP_ERR_NO_MEMORY;
    CHECK(inject(control(message)) == LIVETCP_ERR_NO_MEMORY);
    for (unsigned reason : {0u, 200u, 255u}) {
        message.reason = static_cast<uint8_t>(reason);
        CHECK(inject(control(message)) == LIVETCP_ERR_PROTOCOL);
    }
}

TEST_CASE("a caller that never proves itself gets no session, however lively the connection")
{
    SimCall call("delay=10ms", make_config("shortest-queue", 2), 1);
    lt_credentials credentials;
    lt_caller_handshake handshake;
    lt_opening create;
    SimRandom random = {7};
    REQUIRE(lt_credentials_create(&credentials, nullptr, SimRandom::fill, &random) == LIVETCP_OK);
    REQUIRE(lt_caller_start(&handshake, &credentials, nullptr, 0, 1, SimRandom::fill, &random,
                            &create) == LIVETCP_OK);
    lt_control ping = {};
    ping.type = LT_CONTROL_PING;
    std::vector<uint8_t> pings = control(ping);

    call.world.run_for(1000000);
    auto connection = std::make_shared<SimConnection>(call.world, call.path, 1 << 20);
    call.listener.accept(connection);
    connection->up.write(create.frame, create.size);
    for (int i = 0; i < 6; i++) {
        call.world.run_for(800000);
        CHECK(call.listener.sessions.size() == 1);
        CHECK(call.listener.rejections.empty());
        connection->up.write(pings.data(), pings.size());
    }
    call.world.run_for(800000); /* past the 5 s that the handshake may take */
    CHECK(call.listener.sessions.size() == 1);
    CHECK(call.listener.rejections == std::vector<livetcp_result>{LIVETCP_ERR_HANDSHAKE_TIMEOUT});
    CHECK(call.listener.sessions[0]->stats().open_connections == 2);
}

TEST_CASE("an engine is a session or plain: wire=auto is for who makes engines")
{
    livetcp_config config = make_config("single", 1);
    config.mode = LIVETCP_MODE_LISTENER;
    config.wire = LIVETCP_WIRE_AUTO;
    REQUIRE(livetcp_config_check(&config, nullptr) == LIVETCP_OK);
    livetcp_engine_setup setup = {};
    setup.struct_size = sizeof setup;
    setup.config = &config;
    setup.random = SimRandom::fill;
    livetcp_engine *engine = nullptr;
    livetcp_error error = {};
    CHECK(livetcp_engine_create(&setup, &engine, &error) == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(engine == nullptr);
    CHECK(std::string(error.message).find("wire=session or wire=plain") != std::string::npos);
}

TEST_CASE("an owner that names a connection which is not there is ignored")
{
    SimCall call("delay=10ms", make_config("shortest-queue", 2), 1);
    call.world.run_for(1000000);
    livetcp_engine *engine = call.caller.engine;
    livetcp_usec now = call.world.now();
    livetcp_path info = {};
    livetcp_tx_timestamp timestamp = {};
    const uint8_t byte = 0;
    for (unsigned none : {unsigned{LIVETCP_MAX_CONNECTIONS}, UINT32_MAX}) {
        livetcp_engine_connected(engine, none, now);
        livetcp_engine_wrote(engine, none, 1, now);
        livetcp_engine_blocked(engine, none);
        livetcp_engine_writable(engine, none);
        livetcp_engine_path_info(engine, none, &info, now);
        livetcp_engine_has_timestamps(engine, none);
        livetcp_engine_tx_timestamp(engine, none, &timestamp, now);
        livetcp_engine_lost(engine, none, LIVETCP_ERR_CONNECTION_LOST, now);
        CHECK(livetcp_engine_receive(engine, none, &byte, 1, nullptr, now) == LIVETCP_OK);
        CHECK(livetcp_engine_unsent_limit(engine, none) == UINT32_MAX);
        CHECK(livetcp_engine_adopt(engine, none, now) == LIVETCP_ERR_INDEX_RANGE);
    }
    call.stream(500, 20000, 1000000);
    CHECK(call.remote()->received.size() == 50);
}
