/* SPDX-License-Identifier: MIT */
/* Silence: kept alive when it is the application's, noticed when it is the path's. */
#include "catch.h"
#include "sim_session.h"

using namespace scenario;

TEST_CASE("an idle session stays open and costs one small message a connection and interval")
{
    SimCall call("delay=50ms,loss=1%", make_config("shortest-queue", 5), 1);
    call.world.run_for(1000000);
    uint64_t before = call.caller.stats().sent.bytes;
    call.world.run_for(600 * INT64_C(1000000));
    CHECK(call.caller.state() == LIVETCP_SESSION_OPEN);
    CHECK(call.caller.stats().open_connections == 5);
    CHECK(call.caller.stats().reconnects == 0);
    uint64_t bytes = call.caller.stats().sent.bytes - before;
    CHECK(bytes < 5 * 600 * 2 * 40);
    CHECK(bytes > 5 * 600 * 15);
}

/* Both asked before, which doubled what a thin link carries beside speech: p95 was 37 ms above that
 * of one connection. */
TEST_CASE("on an idle connection only the caller asks")
{
    for (const char *path : {"delay=2ms", "delay=30ms,jitter=5ms", "delay=150ms,loss=1%"}) {
        SimCall call(path, make_config("shortest-queue", 5), 1);
        call.world.run_for(5000000);
        uint64_t caller = call.caller.stats().sent.bytes;
        uint64_t listener = call.remote()->stats().sent.bytes;
        call.world.run_for(100 * INT64_C(1000000));
        /* a PING or a PONG each second, of 22 bytes, and few others */
        INFO(path);
        CHECK(call.caller.stats().sent.bytes - caller < 5 * 100 * 22 * 1.1);
        CHECK(call.remote()->stats().sent.bytes - listener < 5 * 100 * 22 * 1.1);
    }
}

/* Eight connections asked once a second each, which was a tenth of the link beside speech. */
TEST_CASE("beside thin media connections are kept alive less often, beside more as often as set")
{
    struct Case {
        size_t size;
        double seconds; /* between two messages of the listener on a connection */
    };
    for (const Case &of : {Case{60, 2.5 * 9 / 8}, Case{160, 2.5 * 9 / 8}, Case{1400, 9 / 8.0}}) {
        livetcp_config config = make_config("shortest-queue", 8);
        config.rtcp = LIVETCP_RTCP_OFF;
        config.feedback_us = 0;
        SimCall call("delay=30ms", config, 1);
        call.stream(of.size, 20000, 5 * INT64_C(1000000));
        uint64_t before = call.remote()->stats().sent.bytes;
        call.stream(of.size, 20000, 100 * INT64_C(1000000));
        double messages = static_cast<double>(call.remote()->stats().sent.bytes - before) / 14;
        INFO(of.size << " bytes: " << messages << " messages");
        CHECK(messages > 8 * 100 / of.seconds * 0.9);
        CHECK(messages < 8 * 100 / of.seconds * 22 / 14 * 1.1); /* PADDING or PING */
        CHECK(call.caller.stats().open_connections == 8);
        CHECK(call.caller.stats().reconnects == 0);
    }
}

TEST_CASE("a sending session needs no pings, yet hears its peer")
{
    livetcp_config config = make_config("single", 1);
    config.rtcp = LIVETCP_RTCP_OFF;
    config.feedback_us = 0;
    SimCall call("delay=50ms", config, 1);
    call.world.run_for(1000000);
    livetcp_session_stats before = call.caller.stats();
    call.stream(1000, 20000, 60 * 1000000);
    livetcp_session_stats after = call.caller.stats();
    /* Pongs to the silent peer's pings, and nothing else besides media. */
    uint64_t control = after.sent.bytes - before.sent.bytes - 3000 * 1002;
    CHECK(control <= 61 * 22);
    CHECK(call.caller.state() == LIVETCP_SESSION_OPEN);
}

TEST_CASE("a dead path is noticed within peer-timeout, idle or sending, at both ends")
{
    for (bool sending : {false, true}) {
        INFO((sending ? "sending" : "idle"));
        livetcp_config config = make_config("shortest-queue", 3);
        SimCall call("delay=20ms", config, 1);
        call.world.run_for(2000000);
        REQUIRE(call.remote() != nullptr);
        call.path.forward.cut(true);
        call.path.backward.cut(true);
        if (sending)
            call.stream(500, 20000, 12 * 1000000);
        else
            call.world.run_for(12 * 1000000);
        CHECK(call.caller.state() == LIVETCP_SESSION_CONNECTING);
        CHECK(call.remote()->state() == LIVETCP_SESSION_CONNECTING);
        CHECK(call.caller.connection_stats(0).last_error == LIVETCP_ERR_PEER_TIMEOUT);
        call.path.forward.cut(false);
        call.path.backward.cut(false);
        call.world.run_for(10 * 1000000);
        CHECK(call.caller.stats().open_connections == 3);
        CHECK(call.listener.sessions.size() == 1);
    }
}

TEST_CASE("pings measure the round-trip time where the platform does not")
{
    SimCall call("delay=40ms", make_config("single", 1), 1);
    call.world.run_for(5000000);
    livetcp_path path = call.caller.connection_stats(0).path;
    REQUIRE((path.known & LIVETCP_PATH_RTT) != 0);
    CHECK(path.rtt_us == 80000);
}
