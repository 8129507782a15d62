/* SPDX-License-Identifier: MIT */
/* What two sessions tell each other about delays, against what is true. */
#include "catch.h"
#include "sim_session.h"

extern "C" {
#include "wire/control.h"
}

using namespace scenario;

namespace
{

const livetcp_usec second = 1000000, ms = 1000;

livetcp_config config_of(const char *policy, unsigned connections)
{
    livetcp_config config = make_config(policy, connections);
    config.rtcp = LIVETCP_RTCP_OFF;
    return config;
}

/* Mean one-way delay of the packets received from `first` on. */
double true_delay_us(const SimSession &session, size_t first)
{
    double sum = 0;
    for (size_t i = first; i < session.received.size(); i++)
        sum += static_cast<double>(session.received[i].delay);
    return sum / static_cast<double>(session.received.size() - first);
}

livetcp_usec total(const livetcp_delays &delays)
{
    CHECK(delays.send_queue_us >= 0);
    CHECK(delays.send_buffer_us >= 0);
    CHECK(delays.network_us >= 0);
    CHECK(delays.head_of_line_us >= 0);
    return delays.send_queue_us + delays.send_buffer_us + delays.network_us +
           delays.head_of_line_us;
}

/* Averages of what the statistics say while media flows, a reading after each packet. */
struct Averages {
    double sent = 0, received = 0, head_of_line = 0, send_queue = 0;
};

Averages watch(SimCall &call, size_t size, livetcp_usec interval, unsigned packets)
{
    Averages mean;
    for (unsigned i = 0; i < packets; i++) {
        call.stream(size, interval, interval);
        livetcp_session_stats ours = call.caller.stats(), theirs = call.remote()->stats();
        mean.sent += static_cast<double>(total(ours.sent.delays)) / packets;
        mean.received += static_cast<double>(total(theirs.received.delays)) / packets;
        mean.head_of_line += static_cast<double>(ours.sent.delays.head_of_line_us) / packets;
        mean.send_queue += static_cast<double>(ours.sent.delays.send_queue_us) / packets;
    }
    return mean;
}

} // namespace

TEST_CASE("on a clean path both ends know the round trip, and all delay is the network's")
{
    SimCall call("delay=40ms", config_of("shortest-queue", 3), 1);
    call.world.run_for(second);
    call.stream(172, 20000, 10 * second);
    livetcp_session_stats ours = call.caller.stats(), theirs = call.remote()->stats();
    CHECK(ours.rtt_us == Approx(80 * ms).margin(ms));
    CHECK(ours.min_rtt_us == Approx(80 * ms).margin(ms));
    CHECK(theirs.peer.rtt_us == Approx(80 * ms).margin(ms));
    CHECK(theirs.peer.min_rtt_us == Approx(80 * ms).margin(ms));
    CHECK(ours.control.feedback_rtt_us == Approx(80 * ms).margin(2 * ms));
    for (const livetcp_delays &delays : {ours.sent.delays, theirs.received.delays}) {
        CHECK(delays.send_queue_us < ms);
        CHECK(delays.send_buffer_us < ms);
        CHECK(delays.network_us == Approx(40 * ms).margin(ms));
        CHECK(delays.head_of_line_us < ms);
        CHECK(delays.playout_us == -1);
    }
    CHECK(ours.control.feedback_sent ==
          Approx(14).margin(2)); /* five at first, then one a second */
    /* Of 11 kB a second: a message for every 6 kB. */
    CHECK(theirs.control.feedback_sent == Approx(18).margin(2));
    CHECK(ours.control.feedback_received == Approx(theirs.control.feedback_sent).margin(1));
    CHECK(theirs.control.feedback_received == Approx(ours.control.feedback_sent).margin(1));
    CHECK(ours.control.feedback_invalid + theirs.control.feedback_invalid == 0);
    CHECK(ours.peer.packets == Approx(500).margin(30));
    CHECK(ours.peer.missing == 0);
    CHECK(theirs.peer.connections == 3);
    CHECK(theirs.peer.copies == 1);
    CHECK(theirs.peer.protection == 0);
    CHECK(ours.peer.connections == 0); /* it sends nothing */
}

/* Packet size, messages of the receiver in ten seconds. */
TEST_CASE("a receiver tells five times a second, and less often of thin media")
{
    for (auto [size, messages] : {std::pair{1000, 50}, {400, 38}, {172, 18}, {20, 10}}) {
        SimCall call("delay=40ms", config_of("shortest-queue", 3), 1);
        call.world.run_for(second);
        call.stream(static_cast<size_t>(size), 20000, 10 * second);
        INFO(size << " bytes");
        CHECK(call.remote()->stats().control.feedback_sent == Approx(messages).margin(3));
    }
}

TEST_CASE("a lost SYN-ACK's timeout is not taken for the path's round trip")
{
    for (unsigned delayed : {0u, 2u, 5u}) {
        SimCall call("delay=50ms", config_of("auto", 5), 1);
        for (unsigned slot = 0; slot < 5; slot++)
            call.handshake_rtt[slot] = slot < delayed ? 1100 * ms : 100 * ms;
        call.world.run_for(150 * ms);
        call.stream(100, 20000, 1500 * ms);
        INFO(delayed << " connections that lost a SYN-ACK");
        CHECK(call.caller.stats().rtt_us == Approx(100 * ms).margin(5 * ms));
        CHECK(call.remote()->stats().peer.rtt_us == Approx(100 * ms).margin(5 * ms));
        CHECK(call.remote()->stats().peer.rtt_variation_us < 50 * ms);
        call.stream(100, 20000, 20 * second);
        CHECK(call.caller.stats().rtt_us == Approx(100 * ms).margin(ms));
        CHECK(call.caller.stats().min_rtt_us == Approx(100 * ms).margin(ms));
    }
}

TEST_CASE("a round trip that is longer than a second is told as it is")
{
    SimCall call("delay=480ms", config_of("auto", 3), 1);
    for (unsigned slot = 0; slot < 3; slot++)
        call.handshake_rtt[slot] = 1100 * ms;
    call.world.run_for(1500 * ms);
    CHECK(call.caller.stats().rtt_us == 1100 * ms);
    call.stream(100, 20000, 20 * second);
    CHECK(call.caller.stats().rtt_us == Approx(960 * ms).epsilon(0.05));
}

TEST_CASE("feedback stops with the media")
{
    SimCall call("delay=40ms", config_of("single", 1), 1);
    call.world.run_for(second);
    CHECK(call.caller.stats().control.feedback_sent == 0);
    call.stream(172, 20000, second);
    call.world.run_for(second);
    uint64_t before =
        call.caller.stats().control.feedback_sent + call.remote()->stats().control.feedback_sent;
    call.world.run_for(60 * second);
    CHECK(call.caller.stats().control.feedback_sent +
              call.remote()->stats().control.feedback_sent ==
          before);
}

TEST_CASE("without feedback nothing is told, and one's own legs are known all the same")
{
    livetcp_config config = config_of("single", 1);
    config.feedback_us = 0;
    SimCall call("delay=40ms", config, 1);
    call.world.run_for(second);
    call.stream(172, 20000, 5 * second);
    CHECK(call.caller.stats().control.feedback_sent == 0);
    CHECK(call.caller.stats().sent.delays.network_us == Approx(40 * ms).margin(ms));
    CHECK(call.remote()->stats().received.delays.network_us == -1);
}

TEST_CASE("repair of losses is the head of line's")
{
    SimCall call("delay=40ms,loss=3%", config_of("single", 1), 1);
    call.world.run_for(second);
    call.stream(172, 20000, 5 * second);
    size_t first = call.remote()->received.size();
    Averages mean = watch(call, 172, 20000, 3000);
    double truth = true_delay_us(*call.remote(), first);
    INFO("true " << truth << ", sender " << mean.sent << ", receiver " << mean.received);
    CHECK(truth > 44 * ms); /* repairs there are */
    CHECK(mean.sent == Approx(truth).epsilon(0.15));
    CHECK(mean.received == Approx(truth).epsilon(0.15));
    CHECK(mean.head_of_line == Approx(truth - 40 * ms).epsilon(0.5));
}

TEST_CASE("a bottleneck's queue is the network's, and what waits behind it the send queue's")
{
    livetcp_config config = config_of("single", 1);
    config.max_send_delay_us = 500 * ms;
    SimCall call("delay=20ms,rate=400kbit,queue=6p", config, 1);
    call.world.run_for(second);
    call.stream(1000, 16000, 10 * second); /* 500 kbit/s */
    size_t first = call.remote()->received.size();
    Averages mean = watch(call, 1000, 16000, 1200);
    double truth = true_delay_us(*call.remote(), first);
    INFO("true " << truth << ", sender " << mean.sent << ", receiver " << mean.received);
    CHECK(mean.send_queue > 20 * ms);
    CHECK(mean.sent == Approx(truth).epsilon(0.25));
    CHECK(mean.received == Approx(truth).epsilon(0.25));
}

TEST_CASE("what the policy does for a packet reaches the receiver")
{
    struct {
        const char *policy;
        unsigned protection, copies, group;
    } cases[] = {{"single", 0, 1, 0},
                 {"duplicate", LIVETCP_PROTECTION_COPIES | LIVETCP_PROTECTION_HEDGE, 2, 0},
                 {"hedge", LIVETCP_PROTECTION_HEDGE, 1, 0},
                 {"parity", LIVETCP_PROTECTION_PARITY, 1, 4}};
    for (const auto &c : cases) {
        INFO(c.policy);
        livetcp_config config = config_of(c.policy, 5);
        SimCall call("delay=40ms,loss=1%", config, 1);
        call.world.run_for(second);
        call.stream(172, 20000, 5 * second);
        livetcp_session_stats theirs = call.remote()->stats();
        CHECK(theirs.peer.protection == c.protection);
        CHECK(theirs.peer.copies == c.copies);
        CHECK(theirs.peer.parity_group == c.group);
        bool hedges = c.protection & LIVETCP_PROTECTION_HEDGE;
        CHECK((theirs.peer.hedge_delay_us >= 0) == hedges);
        if (hedges) {
            CHECK(theirs.peer.hedge_delay_us >= 2 * ms);
            CHECK(theirs.peer.hedge_delay_us < 60 * ms);
        }
    }
}

namespace
{

/* Two copies of every packet but each twentieth, as `auto` where its budget is short. */
void place_mostly_twice(void *state, const livetcp_policy_view *view, const livetcp_packet_view *,
                        livetcp_decision *decision)
{
    unsigned *placed = static_cast<unsigned *>(state), wanted = *placed % 20 ? 2 : 1;

    for (unsigned i = 0; i < view->path_count && wanted; i++)
        if (view->paths[i].ready) {
            decision->connections |= UINT32_C(1) << i;
            wanted--;
        }
    *placed += decision->connections != 0;
}

} // namespace

TEST_CASE("the least protected packet of each interval is told of, and not the last")
{
    livetcp_policy policy = {};
    policy.struct_size = sizeof policy;
    policy.name = "mostly-twice";
    policy.summary = "copies of most packets";
    policy.wants = LIVETCP_WANTS_PATHS;
    policy.state_size = sizeof(unsigned);
    policy.place = place_mostly_twice;
    livetcp_config config = config_of("duplicate", 4);
    config.redundancy_budget = 2;
    SimCall call("delay=40ms", config, 1, 1 << 20, &policy);
    call.world.run_for(second);
    call.stream(172, 20000, 2 * second); /* at first it tells more often */
    for (unsigned told = 0; told < 10; told++) {
        call.stream(172, 20000, second);
        livetcp_session_stats theirs = call.remote()->stats();
        INFO("second " << told << ": copies " << theirs.peer.copies);
        CHECK(theirs.peer.protection == 0);
        CHECK(theirs.peer.copies == 1);
    }
}

TEST_CASE("a playout's margin reaches the sender, the least of each interval")
{
    SimCall call("delay=40ms", config_of("single", 1), 1);
    call.world.run_for(second);
    call.stream(172, 20000, second);
    CHECK(call.caller.stats().peer.margin_us == LIVETCP_NO_MARGIN);
    livetcp_playout_report report = {sizeof report, 60 * ms, 25 * ms, 3};
    auto tell = [&](livetcp_usec margin) {
        report.margin_us = margin;
        return livetcp_engine_report_playout(call.remote()->engine, &report);
    };
    CHECK(tell(25 * ms) == LIVETCP_OK);
    CHECK(tell(-5 * ms) == LIVETCP_OK);
    CHECK(tell(30 * ms) == LIVETCP_OK);
    CHECK(tell(LIVETCP_NO_MARGIN) == LIVETCP_OK);
    call.stream(172, 20000, second / 2);
    livetcp_session_stats ours = call.caller.stats();
    CHECK(ours.peer.margin_us == -5 * ms);
    CHECK(ours.peer.late_playout == 3);
    CHECK(ours.sent.delays.playout_us == 60 * ms);
    CHECK(call.remote()->stats().received.delays.playout_us == 60 * ms);
    CHECK(tell(30 * ms) == LIVETCP_OK);
    call.stream(172, 20000, second / 2);
    CHECK(call.caller.stats().peer.margin_us == 30 * ms);

    CHECK(tell(61 * second) == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(tell(INT64_MIN + 1) == LIVETCP_ERR_INVALID_ARGUMENT);
    report.delay_us = -1;
    CHECK(tell(0) == LIVETCP_ERR_INVALID_ARGUMENT);
}

TEST_CASE("in sequence order the wait for a gap is head of line, too")
{
    livetcp_config config = config_of("round-robin", 4);
    config.order = LIVETCP_ORDER_SEQUENCE;
    SimCall call("delay=40ms,loss=3%", config, 1);
    call.world.run_for(second);
    call.stream(172, 20000, 5 * second);
    size_t first = call.remote()->received.size();
    double held = 0;
    for (unsigned i = 0; i < 1500; i++) {
        call.stream(172, 20000, 20000);
        held += static_cast<double>(call.remote()->stats().received.delays.head_of_line_us) / 1500;
    }
    CHECK(call.remote()->received.size() > first + 1400);
    CHECK(held > 2 * ms);
    CHECK(call.remote()->stats().received.sequence_gaps == 0);
}

TEST_CASE("a peer that lies is not believed, and keeps its connection")
{
    SimCall call("delay=40ms", config_of("single", 1), 1);
    call.world.run_for(second);
    call.stream(172, 20000, 2 * second);
    livetcp_session_stats before = call.caller.stats(), theirs = call.remote()->stats();
    auto hear = [](SimSession &session, const lt_control &message) {
        uint8_t frame[LT_CONTROL_MAX];
        session.receive(0, frame, lt_control_encode(&message, frame));
    };
    for (uint32_t lie : {0u, 36000u * 100000u, static_cast<uint32_t>(-1000)}) {
        lt_control message = {};
        message.type = LT_CONTROL_TRANSMISSION;
        message.transmission.number = 1000;
        message.transmission.copies = 1;
        message.transmission.connections = 1;
        message.transmission.rtt_us = lie;
        message.transmission.min_rtt_us = 1000;
        hear(*call.remote(), message);
        message = {};
        message.type = LT_CONTROL_RECEPTION;
        message.reception.number = 1000;
        message.reception.echo_number = 5000;
        message.reception.echo_age_us = lie;
        hear(call.caller, message);
    }
    CHECK(call.remote()->stats().control.feedback_invalid == theirs.control.feedback_invalid + 3);
    CHECK(call.caller.stats().control.feedback_invalid == before.control.feedback_invalid + 3);
    CHECK(call.remote()->stats().peer.rtt_us == theirs.peer.rtt_us);
    CHECK(call.caller.stats().control.feedback_rtt_us == before.control.feedback_rtt_us);
    call.stream(172, 20000, second);
    CHECK(call.caller.stats().open_connections == 1);
    CHECK(call.caller.stats().reconnects == 0);
    CHECK(call.remote()->stats().peer.rtt_us == Approx(80 * ms).margin(ms));
}

TEST_CASE("after the listener forgot the session, feedback works with the new one")
{
    SimCall call("delay=20ms", config_of("single", 1), 1);
    call.world.run_for(second);
    call.stream(172, 20000, 20 * second);
    call.listener.crash();
    call.world.run_for(10 * second);
    REQUIRE(call.remote() != nullptr);
    call.stream(172, 20000, 3 * second);
    CHECK(call.remote()->stats().peer.rtt_us == Approx(40 * ms).margin(ms));
    CHECK(call.caller.stats().peer.packets < 200); /* the new one's count */
}
