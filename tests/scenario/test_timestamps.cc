/* SPDX-License-Identifier: MIT */
/* The legs of the delay by the times that a simulated kernel tells, against what is true, and
 * against what is inferred without them. */
#include "catch.h"
#include "sim_session.h"

#include <cmath>

using namespace scenario;

namespace
{

const livetcp_usec second = 1000000, ms = 1000;

livetcp_config config_of(const char *policy, unsigned connections,
                         livetcp_timestamps timestamps = LIVETCP_TIMESTAMPS_AUTO)
{
    livetcp_config config = make_config(policy, connections);
    config.rtcp = LIVETCP_RTCP_OFF;
    config.timestamps = timestamps;
    return config;
}

struct Means {
    double truth = 0; /* from send() to delivery */
    double buffer = 0, network = 0, sent_repair = 0, arrived_repair = 0, sent = 0, received = 0;
};

double sum(const livetcp_delays &delays)
{
    return static_cast<double>(delays.send_queue_us + delays.send_buffer_us + delays.network_us +
                               delays.head_of_line_us);
}

/* Means of what the statistics say while media flows, a reading after each packet. */
Means watch(SimCall &call, size_t size, livetcp_usec interval, unsigned packets)
{
    Means mean;
    size_t first = call.remote()->received.size();
    for (unsigned i = 0; i < packets; i++) {
        call.stream(size, interval, interval);
        livetcp_delays ours = call.caller.stats().sent.delays,
                       theirs = call.remote()->stats().received.delays;
        mean.buffer += static_cast<double>(ours.send_buffer_us) / packets;
        mean.network += static_cast<double>(ours.network_us) / packets;
        mean.sent_repair += static_cast<double>(ours.head_of_line_us) / packets;
        mean.arrived_repair += static_cast<double>(theirs.head_of_line_us) / packets;
        mean.sent += sum(ours) / packets;
        mean.received += sum(theirs) / packets;
    }
    size_t count = call.remote()->received.size() - first;
    for (size_t i = first; i < call.remote()->received.size(); i++)
        mean.truth += static_cast<double>(call.remote()->received[i].delay) / count;
    return mean;
}

} // namespace

TEST_CASE("on a clean path the kernel's times say what is inferred without them")
{
    for (bool tells : {false, true}) {
        INFO(tells);
        SimCall call("delay=40ms", config_of("shortest-queue", 3), 1);
        if (tells)
            call.tell_stamps();
        call.world.run_for(second);
        call.stream(172, 20000, 5 * second);
        livetcp_session_stats ours = call.caller.stats(), theirs = call.remote()->stats();
        CHECK(ours.timestamped == (tells ? unsigned{LIVETCP_TIMESTAMPED_SENT} : 0u));
        CHECK(theirs.timestamped == (tells ? unsigned{LIVETCP_TIMESTAMPED_RECEIVED} : 0u));
        CHECK((ours.sent.timestamped > 0) == tells);
        CHECK(theirs.received.timestamped_reads == (tells ? theirs.received.packets : 0));
        CHECK(ours.sent.interface_queue_us == (tells ? 0 : -1));
        CHECK(theirs.received.reading_us == (tells ? 0 : -1));
        CHECK(ours.control.timestamps_invalid + theirs.control.timestamps_invalid == 0);
        for (const livetcp_delays &delays : {ours.sent.delays, theirs.received.delays}) {
            CHECK(delays.send_queue_us < ms);
            CHECK(delays.send_buffer_us < ms);
            CHECK(delays.network_us == Approx(40 * ms).margin(ms));
            CHECK(delays.head_of_line_us < ms);
        }
    }
}

TEST_CASE("with timestamps=off the kernel is not asked")
{
    SimCall call("delay=40ms", config_of("single", 1, LIVETCP_TIMESTAMPS_OFF), 1);
    call.tell_stamps();
    call.world.run_for(second);
    call.stream(172, 20000, second);
    CHECK(call.caller.stats().sent.timestamped == 0);
    CHECK(call.remote()->stats().received.timestamped_reads == 0);
}

TEST_CASE("with timestamps=auto some of many packets are asked about, with on all of them")
{
    const struct {
        livetcp_timestamps timestamps;
        livetcp_usec interval;
        double share;
    } cases[] = {{LIVETCP_TIMESTAMPS_AUTO, 200000, 1},
                 {LIVETCP_TIMESTAMPS_AUTO, 20000, 0.2},
                 {LIVETCP_TIMESTAMPS_AUTO, 1000, 0.01},
                 {LIVETCP_TIMESTAMPS_ON, 1000, 1}};
    for (const auto &c : cases) {
        INFO(c.timestamps << " " << c.interval);
        SimCall call("delay=20ms", config_of("single", 1, c.timestamps), 1);
        call.tell_stamps();
        call.world.run_for(second);
        call.stream(172, c.interval, second); /* until the rate of packets is known, all of them */
        livetcp_session_stats before = call.caller.stats();
        call.stream(172, c.interval, 20 * second);
        call.world.run_for(second);
        livetcp_session_stats after = call.caller.stats();
        CHECK(static_cast<double>(after.sent.timestamped - before.sent.timestamped) /
                  static_cast<double>(after.sent.packets - before.sent.packets) ==
              Approx(c.share).epsilon(0.25));
    }
}

TEST_CASE("the repair of losses by the kernel's times, at both ends")
{
    auto measure = [](bool tells) {
        SimCall call("delay=50ms,loss=3%", config_of("single", 1), 1);
        if (tells)
            call.tell_stamps();
        call.world.run_for(second);
        call.stream(172, 20000, 5 * second);
        return watch(call, 172, 20000, 3000);
    };
    Means told = measure(true), inferred = measure(false);
    INFO("true " << told.truth << ", told " << told.sent << " and " << told.received
                 << ", inferred " << inferred.sent << "; repair " << told.sent_repair << " and "
                 << told.arrived_repair);
    CHECK(told.truth == inferred.truth); /* looking changes nothing */
    CHECK(told.truth > 60 * ms);
    CHECK(told.sent == Approx(told.truth).epsilon(0.1));
    CHECK(told.received == Approx(told.truth).epsilon(0.12));
    CHECK(std::abs(told.sent - told.truth) < std::abs(inferred.sent - told.truth));
    CHECK(told.network == Approx(50 * ms).epsilon(0.1));
    CHECK(told.arrived_repair == Approx(told.sent_repair).epsilon(0.3));
}

TEST_CASE("what waits in the send buffer waits there by the kernel's times, whole bursts of it")
{
    livetcp_config config = config_of("single", 1);
    config.send_buffer_windows = 0; /* all of it is the kernel's */
    SimCall call("delay=20ms,rate=2mbit,queue=20p", config, 1);
    call.tell_stamps();
    call.world.run_for(second);
    auto frames = [&](unsigned count) {
        Means mean;
        size_t first = call.remote()->received.size();
        for (unsigned i = 0; i < count; i++) {
            for (unsigned j = 0; j < 9; j++) /* a picture, and another every 50 ms */
                call.stream(1000, j < 8 ? 1 : 49992, j < 8 ? 1 : 49992);
            mean.sent += sum(call.caller.stats().sent.delays) / count;
        }
        size_t received = call.remote()->received.size() - first;
        for (size_t i = first; i < call.remote()->received.size(); i++)
            mean.truth += static_cast<double>(call.remote()->received[i].delay) / received;
        return mean;
    };
    frames(40);
    Means mean = frames(400);
    INFO("true " << mean.truth << ", sender's " << mean.sent);
    CHECK(mean.truth > 30 * ms);
    CHECK(mean.sent == Approx(mean.truth).epsilon(0.25));
}

TEST_CASE("a copy that comes after another says nothing about repair")
{
    SimCall call("delay=50ms,loss=3%", config_of("duplicate", 4), 1);
    call.tell_stamps();
    call.world.run_for(second);
    call.stream(172, 20000, 5 * second);
    Means mean = watch(call, 172, 20000, 2000);
    INFO("true " << mean.truth << ", sent " << mean.sent << ", repair " << mean.sent_repair);
    CHECK(mean.sent_repair < 5 * ms);
    CHECK(mean.sent == Approx(mean.truth).epsilon(0.1));
}

TEST_CASE("stamps that never come leave what is inferred")
{
    SimCall call("delay=40ms", config_of("single", 1), 1);
    call.tell_stamps();
    call.caller.on_stamp = [](livetcp_tx_timestamp &) { return false; };
    call.world.run_for(second);
    call.stream(172, 20000, 10 * second);
    livetcp_session_stats ours = call.caller.stats();
    CHECK(ours.sent.timestamped == 0);
    CHECK(ours.timestamped == 0);
    CHECK(ours.sent.delays.network_us == Approx(40 * ms).margin(ms));
    /* And when they begin after all, they are believed, at the latest in a minute. */
    call.caller.on_stamp = nullptr;
    call.stream(172, 20000, 65 * second);
    CHECK(call.caller.stats().timestamped == LIVETCP_TIMESTAMPED_SENT);
}

TEST_CASE("stamps that stop coming are no longer believed")
{
    SimCall call("delay=40ms", config_of("single", 1), 1);
    call.tell_stamps();
    call.world.run_for(second);
    call.stream(172, 20000, 2 * second);
    CHECK(call.caller.stats().timestamped == LIVETCP_TIMESTAMPED_SENT);
    call.caller.on_stamp = [](livetcp_tx_timestamp &) { return false; };
    call.stream(172, 20000, 11 * second);
    CHECK(call.caller.stats().timestamped == 0);
    CHECK(call.caller.stats().sent.delays.network_us == Approx(40 * ms).margin(ms));
}

TEST_CASE("a kernel whose times cannot be is not believed")
{
    const std::function<void(livetcp_tx_timestamp &)> lies[] = {
        [](livetcp_tx_timestamp &stamp) { stamp.at_us += 10 * second; },
        [](livetcp_tx_timestamp &stamp) { stamp.at_us -= 10 * second; },
        [](livetcp_tx_timestamp &stamp) {
            stamp.at_us -= stamp.kind == LIVETCP_TX_SENT ? 60 * ms : 0;
        },
        [](livetcp_tx_timestamp &stamp) {
            stamp.at_us -= stamp.kind == LIVETCP_TX_ACKNOWLEDGED ? 90 * ms : 0;
        },
        [](livetcp_tx_timestamp &stamp) { stamp.at_us = INT64_MIN / 2; },
        [](livetcp_tx_timestamp &stamp) { stamp.at_us = INT64_MAX; }};
    for (const auto &lie : lies) {
        SimCall call("delay=40ms", config_of("single", 1), 1);
        call.tell_stamps();
        call.caller.on_stamp = [&](livetcp_tx_timestamp &stamp) {
            lie(stamp);
            return true;
        };
        call.world.run_for(second);
        call.stream(172, 20000, 5 * second);
        livetcp_session_stats ours = call.caller.stats();
        CHECK(ours.control.timestamps_invalid > 0);
        CHECK(ours.sent.timestamped == 0);
        CHECK(ours.sent.delays.network_us == Approx(40 * ms).margin(ms));
        CHECK(ours.open_connections == 1);
    }
}

TEST_CASE("stamps of the connection before mean nothing to the next one")
{
    SimCall call("delay=40ms", config_of("single", 1), 1);
    call.tell_stamps();
    std::vector<livetcp_tx_timestamp> old;
    call.caller.on_stamp = [&](livetcp_tx_timestamp &stamp) {
        old.push_back(stamp);
        return true;
    };
    call.world.run_for(second);
    call.stream(172, 20000, 2 * second);
    call.caller.connection(0)->reset();
    REQUIRE(!old.empty());
    for (livetcp_tx_timestamp &stamp : old) /* while there is none, */
        livetcp_engine_tx_timestamp(call.caller.engine, 0, &stamp, call.world.now());
    call.world.run_for(second);
    for (livetcp_tx_timestamp &stamp : old) /*   and when there is */
        livetcp_engine_tx_timestamp(call.caller.engine, 0, &stamp, call.world.now());
    uint64_t before = call.caller.stats().sent.timestamped;
    call.stream(172, 20000, 2 * second);
    CHECK(call.caller.stats().sent.timestamped > before + 16);
    CHECK(call.caller.stats().control.timestamps_invalid == 0);
    CHECK(call.caller.stats().sent.delays.network_us == Approx(40 * ms).margin(ms));
}
