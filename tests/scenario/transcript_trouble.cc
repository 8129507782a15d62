/* SPDX-License-Identifier: MIT */
/* Scenes of the transcripts: paths that are too slow or cut, and connections, peers and sessions
 * that end. */
#include "catch.h"
#include "transcript.h"

extern "C" {
#include "wire/control.h"
}

namespace scenario
{

namespace
{

const livetcp_usec second = 1000000, ms = 1000;

/* ---- too slow ---- */

void overload(SimCall &call)
{
    call.world.run_for(second);
    play_programme(call, 5 * second);
    call.world.run_for(second);
    CHECK(call.caller.stats().dropped.late > 0);
    CHECK(call.caller.stats().sent.keyframes_wanted > 0);
}

void full_queue(SimCall &call)
{
    call.world.run_for(second);
    play_programme(call, 4 * second);
    call.world.run_for(second);
    CHECK(call.caller.stats().dropped.queue_full > 0);
}

/* The kernel takes part of a packet, and then nothing. */
void cut_short(SimCall &call)
{
    call.world.run_for(second);
    play_programme(call, 4 * second);
    call.world.run_for(2 * second);
}

void cable_pulled(SimCall &call)
{
    call.world.run_for(second);
    play_programme(call, second);
    call.path.forward.cut(true);
    play_programme(call, 1500 * ms);
    call.path.forward.cut(false);
    play_programme(call, 2 * second);
    call.path.forward.cut(true);
    call.path.backward.cut(true);
    play_programme(call, 2 * second);
    call.path.forward.cut(false);
    call.path.backward.cut(false);
    play_programme(call, 3 * second);
}

/* The estimate of the bit rate follows the path. */
void path_changes(SimCall &call)
{
    call.world.run_for(second);
    for (const char *rate : {"3mbit", "400kbit", "3mbit"}) {
        call.path.forward.set(
            link_params((std::string("delay=20ms,queue=50p,rate=") + rate).c_str()));
        play_programme(call, 3 * second);
    }
}

/* ---- connections that end ---- */

void lost_connections(SimCall &call)
{
    call.world.run_for(second);
    for (unsigned slot = 0; slot < 3; slot++) {
        play_programme(call, 500 * ms);
        if (auto connection = call.caller.connection(slot))
            connection->reset();
    }
    play_programme(call, 2 * second);
    call.world.run_for(second);
    CHECK(call.caller.stats().reconnects >= 3);
}

void all_lost(SimCall &call)
{
    call.world.run_for(second);
    play_voice(call, 500 * ms);
    call.listener.refusing = true;
    for (unsigned slot = 0; slot < livetcp_engine_connections(call.caller.engine); slot++)
        if (auto connection = call.caller.connection(slot))
            connection->reset();
    play_voice(call, 2 * second);
    call.listener.refusing = false;
    play_voice(call, 4 * second);
}

/* Only the caller notices that a connection is gone. */
void half_open(SimCall &call)
{
    call.world.run_for(second);
    play_voice(call, second);
    auto connection = call.caller.connection(1);
    connection->listener.on_closed = nullptr;
    connection->caller.on_data = nullptr;
    call.caller.lost(1, LIVETCP_ERR_CONNECTION_LOST);
    play_voice(call, 8 * second);
    CHECK(call.caller.stats().open_connections == 3);
}

void crash(SimCall &call)
{
    call.world.run_for(second);
    play_voice(call, 500 * ms);
    call.listener.crash();
    play_voice(call, 5 * second);
    CHECK(call.caller.state() == LIVETCP_SESSION_OPEN);
    REQUIRE(call.listener.sessions.size() == 1);
    CHECK(call.remote()->received.size() > 100);
}

void bad_handshakes(SimCall &call)
{
    play_voice(call, 10 * second);
    CHECK(call.caller.stats().open_connections >= 7); /* one may be on its way again */
}

/* ---- sessions that end ---- */

void drain(SimCall &call)
{
    call.world.run_for(500 * ms);
    for (uint16_t i = 0; i < 40; i++)
        call.caller.send(1, i, 1000);
    call.caller.close(5 * second);
    call.world.run_for(6 * second);
    CHECK(call.remote()->received.size() >= 40);
    CHECK(call.remote()->state() == LIVETCP_SESSION_CLOSED);
}

void close_at_once(SimCall &call)
{
    call.world.run_for(500 * ms);
    for (uint16_t i = 0; i < 40; i++)
        call.caller.send(1, i, 1000);
    call.caller.close(0);
    call.world.run_for(2 * second);
}

void drain_too_short(SimCall &call)
{
    call.world.run_for(500 * ms);
    for (uint16_t i = 0; i < 100; i++)
        call.caller.send(1, i, 1000);
    call.caller.close(200 * ms);
    call.world.run_for(2 * second);
}

void listener_closes(SimCall &call)
{
    call.world.run_for(second);
    for (uint16_t i = 0; i < 50; i++) {
        call.caller.send(1, i, 500);
        call.remote()->send(2, i, 500);
        call.world.run_for(10 * ms);
    }
    call.remote()->close(second);
    call.world.run_for(3 * second);
    CHECK(call.caller.state() == LIVETCP_SESSION_CLOSED);
}

/* ---- peers that break the rules ---- */

std::vector<uint8_t> framed(std::vector<uint8_t> content)
{
    content.insert(content.begin(), {static_cast<uint8_t>(content.size() >> 8),
                                     static_cast<uint8_t>(content.size())});
    return content;
}

std::vector<uint8_t> control(lt_control_type type)
{
    lt_control message = {};
    message.type = type;
    message.version = LT_WIRE_VERSION;
    message.count = 2;
    message.index = 1;
    std::vector<uint8_t> frame(LT_CONTROL_MAX);
    frame.resize(lt_control_encode(&message, frame.data()));
    return frame;
}

void receive(SimSession &session, unsigned slot, const std::vector<uint8_t> &bytes)
{
    session.receive(slot, bytes.data(), bytes.size());
}

void garbage(SimCall &call)
{
    const std::vector<uint8_t> pieces[] = {framed(std::vector<uint8_t>(20, 0)),
                                           framed({0x80, 96, 0, 1}),
                                           {0, 0, 0, 0},
                                           control(LT_CONTROL_CREATE),
                                           control(LT_CONTROL_JOINED),
                                           control(LT_CONTROL_REJECT)};

    call.world.run_for(second);
    for (const auto &piece : pieces) {
        receive(*call.remote(), 1, piece);
        play_voice(call, 400 * ms);
        receive(call.caller, 0, piece);
        play_voice(call, 600 * ms);
    }
    CHECK(call.remote()->stats().received.protocol_errors > 0);
    CHECK(call.caller.stats().received.protocol_errors > 0);
}

/* On connections that belong to no session. */
void strangers(SimCall &call)
{
    const std::vector<uint8_t> pieces[] = {control(LT_CONTROL_JOIN),
                                           control(LT_CONTROL_PING),
                                           framed(std::vector<uint8_t>(20, 0x11)),
                                           {'G', 'E', 'T', ' ', '/'}};

    call.world.run_for(second);
    for (const auto &piece : pieces) {
        auto connection = std::make_shared<SimConnection>(call.world, call.path, 1 << 20);
        call.listener.accept(connection);
        connection->up.write(piece.data(), piece.size());
        play_voice(call, second);
    }
    call.world.run_for(5 * second);
    CHECK(call.listener.rejections.size() == 4);
}

livetcp_config with_limit(const char *policy, unsigned connections, livetcp_usec limit)
{
    livetcp_config config = make_config(policy, connections);
    config.max_send_delay_us = limit;
    return config;
}

void add_slow_scenes(std::vector<Scene> &scenes)
{
    const char *const slow = "delay=20ms,rate=600kbit,queue=20p";

    for (const char *policy : {"single", "shortest-queue", "earliest-delivery", "auto", "parity"})
        scenes.push_back({std::string("overload-") + policy, slow,
                          with_limit(policy, policy == std::string("single") ? 1 : 3, 300 * ms),
                          overload});
    livetcp_config config = with_limit("shortest-queue", 3, 300 * ms);
    config.send_buffer_delay_us = 30 * ms;
    scenes.push_back({"overload-min-buf-delay", slow, config, overload});
    config = with_limit("shortest-queue", 3, 20 * ms); /* less than a round trip */
    scenes.push_back(
        {"limit-below-the-round-trip", "delay=40ms,rate=700kbit,queue=20p", config, overload});
    config = make_config("shortest-queue", 3);
    config.queue_packets = 40;
    scenes.push_back({"full-queue", slow, config, full_queue});
    config.send_buffer_windows = 0;
    config.queue_packets = 200;
    scenes.push_back({"cut-short", slow, config, cut_short, 3000});
    config = with_limit("shortest-queue", 3, 400 * ms);
    config.keepalive_interval_us = 300 * ms;
    config.peer_timeout_us = 1000 * ms;
    scenes.push_back({"cable-pulled", "delay=20ms", config, cable_pulled});
    config = make_config("earliest-delivery", 3);
    config.min_bitrate = 300000;
    config.max_bitrate = 1500000;
    scenes.push_back({"path-changes", "delay=20ms,rate=3mbit,queue=50p", config, path_changes});
    config.min_bitrate = config.max_bitrate = 0;
    config.max_send_delay_us = 500 * ms;
    scenes.push_back(
        {"path-changes-with-a-limit", "delay=20ms,rate=3mbit,queue=50p", config, path_changes});
}

} // namespace

void add_trouble_scenes(std::vector<Scene> &scenes)
{
    const char *const path = "delay=20ms,loss=1%";

    add_slow_scenes(scenes);
    for (const char *policy : {"round-robin", "shortest-queue", "duplicate", "parity", "auto"})
        scenes.push_back({std::string("lost-connections-") + policy, path, make_config(policy, 4),
                          lost_connections});
    livetcp_config config = make_config("shortest-queue", 3);
    scenes.push_back({"all-lost", path, config, all_lost});
    scenes.push_back({"half-open", "delay=10ms", config, half_open});
    config.linger_us = 500 * ms;
    scenes.push_back({"all-lost-and-forgotten", path, config, all_lost});
    config.auto_reconnect = false;
    scenes.push_back({"no-reconnect", path, config, all_lost});
    scenes.push_back({"crash", "delay=10ms", make_config("shortest-queue", 5), crash});
    config = make_config("single", 1);
    config.wire = LIVETCP_WIRE_PLAIN;
    scenes.push_back({"plain-all-lost", path, config, all_lost});
    config = make_config("auto", 8);
    config.connect_timeout_us = 500 * ms;
    config.handshake_timeout_us = 500 * ms;
    scenes.push_back({"bad-handshakes", "delay=50ms,loss=20%", config, bad_handshakes});

    const char *const narrow = "delay=20ms,rate=1mbit,queue=100p";
    config = make_config("shortest-queue", 2);
    scenes.push_back({"drain", narrow, config, drain, 8000});
    scenes.push_back({"drain-too-short", narrow, config, drain_too_short, 8000});
    scenes.push_back({"close-at-once", narrow, config, close_at_once, 8000});
    scenes.push_back({"listener-closes", path, config, listener_closes});
    scenes.push_back(
        {"drain-with-loss", "delay=20ms,loss=10%", make_config("round-robin", 5), drain});
    scenes.push_back({"drain-with-parity", "delay=20ms,loss=3%", make_config("parity", 5), drain});
    config = make_config("shortest-queue", 2);
    scenes.push_back({"garbage", "delay=10ms", config, garbage});
    scenes.push_back({"strangers", "delay=10ms", config, strangers});
    config.order = LIVETCP_ORDER_SEQUENCE;
    scenes.push_back({"drain-in-sequence-order", path, config, drain});
}

} // namespace scenario
