/* SPDX-License-Identifier: MIT */
/* The sending side: what is refused, what is dropped when the peer does not keep up, how it ends.
 */
#include "catch.h"
#include "sim_session.h"

#include <algorithm>

using namespace scenario;

TEST_CASE("what is not RTP or too large is refused, and counted")
{
    SimCall call("delay=10ms", make_config("shortest-queue", 2), 1);
    call.world.run_for(200000);
    std::vector<uint8_t> garbage(100, 0x47);
    CHECK(livetcp_engine_send(call.caller.engine, garbage.data(), garbage.size(), nullptr,
                              call.world.now()) == LIVETCP_ERR_NOT_RTP);
    CHECK(livetcp_engine_send(call.caller.engine, garbage.data(), 0, nullptr, call.world.now()) ==
          LIVETCP_ERR_NOT_RTP);
    CHECK(call.caller.send(1, 1, 8191) == LIVETCP_ERR_PACKET_TOO_LARGE);
    CHECK(call.caller.send(1, 1, 8190) == LIVETCP_OK);
    /* Our own control messages are not the application's to send. */
    const uint8_t ours[12] = {0x80, 204, 0, 2, 0, 0, 0, 0, 'L', 'T', 'C', 'P'};
    CHECK(livetcp_engine_send(call.caller.engine, ours, sizeof ours, nullptr, call.world.now()) ==
          LIVETCP_ERR_NOT_RTP);
    CHECK(call.caller.stats().sent.refused == 4);
    CHECK(call.caller.stats().sent.accepted == 1);
    call.world.run_for(1000000);
    REQUIRE(call.remote() != nullptr);
    CHECK(call.remote()->received.size() == 1);
}

TEST_CASE("a peer that stops reading costs whole, oldest packets and bounded memory")
{
    for (const char *policy : {"single", "round-robin", "shortest-queue"}) {
        INFO(policy);
        livetcp_config config = make_config(policy, 3);
        config.queue_packets = 50;
        config.peer_timeout_us = 3600 * INT64_C(1000000);
        SimCall call("delay=10ms", config, 1, 20000);
        call.world.run_for(200000);
        for (unsigned slot = 0; slot < call.caller.stats().connections; slot++)
            call.caller.connection(slot)->up.stop_reading();
        call.stream(1000, 5000, 5 * 1000000);
        livetcp_session_stats stats = call.caller.stats();
        CHECK(stats.sent.accepted == 1000);
        CHECK(stats.sent.queue_packets <= 50);
        CHECK(stats.dropped.queue_full > 800);
        /* Nothing vanishes: each packet is sent, queued, dropped, or being written. */
        uint64_t being_written = stats.sent.accepted - stats.sent.packets -
                                 stats.sent.queue_packets - stats.dropped.queue_full;
        CHECK(being_written <= stats.connections);
    }
}

/* Until the connection that was stuck has been replaced they come on another one. */
TEST_CASE("packets queued while the path was down arrive whole and about in order after it is back")
{
    livetcp_config config = make_config("single", 1);
    SimCall call("delay=20ms", config, 1, 10000);
    call.world.run_for(200000);
    call.stream(1000, 20000, 200000);
    call.path.forward.cut(true);
    call.stream(1000, 20000, 2000000);
    call.path.forward.cut(false);
    call.world.run_for(10 * 1000000);
    REQUIRE(call.remote() != nullptr);
    const auto &received = call.remote()->received;
    REQUIRE(received.size() == 110);
    livetcp_usec newer_us = LIVETCP_NEVER;
    for (size_t sent = received.size(); sent-- > 0;) {
        auto packet = std::find_if(received.begin(), received.end(), [sent](const Received &r) {
            return r.sequence == static_cast<uint16_t>(65000 + sent);
        });
        REQUIRE(packet != received.end());
        CHECK(packet->at - 100000 <= newer_us);
        newer_us = std::min(newer_us, packet->at);
    }
    bool drained = false;
    for (const livetcp_engine_event &event : call.caller.events)
        drained |= event.type == LIVETCP_ENGINE_DRAINED;
    CHECK(drained);
}

TEST_CASE("closing with time to drain delivers what was queued, then tells the peer")
{
    SimCall call("delay=20ms,rate=1mbit,queue=100p", make_config("shortest-queue", 2), 1, 8000);
    call.world.run_for(500000);
    for (uint16_t i = 0; i < 40; i++)
        CHECK(call.caller.send(1, i, 1000) == LIVETCP_OK);
    call.caller.close(5 * 1000000);
    CHECK(call.caller.send(1, 99, 100) == LIVETCP_ERR_CLOSED);
    call.world.run_for(10 * 1000000);
    REQUIRE(call.remote() != nullptr);
    CHECK(call.remote()->received.size() == 40);
    CHECK(call.caller.state() == LIVETCP_SESSION_CLOSED);
    CHECK(call.remote()->state() == LIVETCP_SESSION_CLOSED);
    CHECK(call.caller.events.back().reason == LIVETCP_ERR_CANCELLED);
}

/* A closed connection lingers for two seconds, so no repair may take longer. */
TEST_CASE("a session that is closed while connections join loses nothing")
{
    for (const char *policy : {"round-robin", "auto"})
        for (livetcp_usec after = 0; after < 150000; after += 5000) {
            SimCall call("delay=20ms,loss=10%", make_config(policy, 8),
                         static_cast<uint64_t>(after) + 1);
            uint16_t count = 0;
            while (call.caller.state() != LIVETCP_SESSION_OPEN)
                call.world.run_for(1000);
            for (livetcp_usec at = 0; at <= after; at += 5000) {
                CHECK(call.caller.send(1, count++, 1000) == LIVETCP_OK);
                call.world.run_for(5000);
            }
            call.caller.close(5 * 1000000);
            call.world.run_for(9 * 1000000);
            INFO(policy << ", closed after " << after << " us");
            REQUIRE(call.remote() != nullptr);
            CHECK(call.remote()->received.size() == count);
            CHECK(call.remote()->state() == LIVETCP_SESSION_CLOSED);
        }
}

TEST_CASE("a goodbye does not overtake what other connections still carry")
{
    /* Losses hold up some of the connections for long after others have brought their BYE. */
    SimCall call("delay=20ms,loss=10%", make_config("round-robin", 5), GENERATE(1, 2, 3, 4));
    call.world.run_for(3 * 1000000);
    for (uint16_t i = 0; i < 200; i++)
        CHECK(call.caller.send(1, i, 1000) == LIVETCP_OK);
    call.caller.close(5 * 1000000);
    call.world.run_for(9 * 1000000);
    REQUIRE(call.remote() != nullptr);
    CHECK(call.remote()->received.size() == 200);
    CHECK(call.remote()->state() == LIVETCP_SESSION_CLOSED);
    CHECK(call.remote()->events.back().reason == LIVETCP_ERR_CLOSED);
}

TEST_CASE("what was held back for its order is delivered before the end")
{
    livetcp_config config = make_config("round-robin", 2);
    config.order = LIVETCP_ORDER_SEQUENCE;
    SimCall call("delay=1ms", config, 1);
    call.world.run_for(500000);
    for (uint16_t i : {7, 8, 10, 11})
        CHECK(call.caller.send(1, i, 100) == LIVETCP_OK);
    call.caller.close(0);
    call.world.run_for(10000);
    REQUIRE(call.remote() != nullptr);
    REQUIRE(call.remote()->state() == LIVETCP_SESSION_CLOSED);
    REQUIRE(call.remote()->received.size() == 4);
    CHECK(call.remote()->received[3].sequence == 11);
    CHECK(call.remote()->received[2].discontinuity);
}

TEST_CASE("after a goodbye, a connection that goes silent ends at the peer timeout")
{
    livetcp_config config = make_config("round-robin", 2);
    config.peer_timeout_us = 2000000;
    SimCall call("delay=20ms", config, 1);
    call.world.run_for(500000);
    REQUIRE(call.remote() != nullptr);
    /* the BYE of one connection only */
    static const uint8_t bye[] = {0, 16,  0x89, 204, 0,   3, 0, 0, 0,
                                  0, 'L', 'T',  'C', 'P', 0, 0, 0, 0};
    call.remote()->receive(0, bye, sizeof bye);
    CHECK(call.remote()->state() == LIVETCP_SESSION_OPEN);
    CHECK(call.remote()->send(1, 1, 100) == LIVETCP_ERR_CLOSED);
    call.world.run_for(3 * 1000000);
    CHECK(call.remote()->state() == LIVETCP_SESSION_CLOSED);
}

TEST_CASE("closing without time to drain is immediate")
{
    SimCall call("delay=20ms", make_config("shortest-queue", 2), 1);
    call.world.run_for(500000);
    call.caller.close(0);
    CHECK(call.caller.state() == LIVETCP_SESSION_CLOSED);
    CHECK(livetcp_engine_deadline(call.caller.engine) == LIVETCP_NEVER);
    call.world.run_for(100000);
    REQUIRE(call.remote() != nullptr);
    CHECK(call.remote()->state() == LIVETCP_SESSION_CLOSED);
    bool told = false;
    for (const livetcp_engine_event &event : call.remote()->events)
        told |= event.type == LIVETCP_ENGINE_SESSION_STATE && event.reason == LIVETCP_ERR_CLOSED;
    CHECK(told);
}

TEST_CASE("the platform is asked about connections whose facts can have changed, and no others")
{
    livetcp_config config = make_config("shortest-queue", 3);
    config.tail_probes = 0; /* which ask, too */
    SimCall call("delay=50ms", config, 1);
    call.world.run_for(1000000);
    call.stream(500, 200000, 1000000); /* every connection is idle again after each packet */
    livetcp_engine *engine = call.caller.engine;
    std::vector<uint8_t> packet(100);
    packet[0] = 0x80;
    livetcp_usec now = call.world.now();

    CHECK(livetcp_engine_wants_path_info(engine, now) == 0); /* nothing to decide */
    REQUIRE(livetcp_engine_send(engine, packet.data(), packet.size(), nullptr, now) == LIVETCP_OK);
    CHECK(livetcp_engine_wants_path_info(engine, now) == 7); /* older than 100 ms, all of them */
    livetcp_path idle = {};
    idle.known = LIVETCP_PATH_QUEUED | LIVETCP_PATH_TCP_STATE;
    idle.tcp_state = LIVETCP_TCP_OPEN;
    for (unsigned slot = 0; slot < 3; slot++)
        livetcp_engine_path_info(engine, slot, &idle, now);
    CHECK(livetcp_engine_wants_path_info(engine, now) == 0);
    CHECK(call.caller.connection_stats(0).path.rtt_us == 100000); /* known from before */

    call.caller.service(); /* writes the packet on one of them */
    unsigned busy = 0;
    for (unsigned slot = 0; slot < 3; slot++)
        if (call.caller.connection_stats(slot).path.queued_bytes)
            busy |= 1u << slot;
    REQUIRE(busy != 0);
    REQUIRE((busy & (busy - 1)) == 0);
    REQUIRE(livetcp_engine_send(engine, packet.data(), packet.size(), nullptr, now + 999) ==
            LIVETCP_OK);
    CHECK(livetcp_engine_wants_path_info(engine, now + 999) == 0);
    CHECK(livetcp_engine_wants_path_info(engine, now + 1000) == busy);
    CHECK(livetcp_engine_wants_path_info(engine, now + 100000) == 7);
}

TEST_CASE("the platform is not asked before an acknowledgement can be there")
{
    livetcp_config config = make_config("shortest-queue", 1);
    config.tail_probes = 0;
    SimCall call("delay=50ms", config, 1);
    call.world.run_for(1000000);
    livetcp_engine *engine = call.caller.engine;
    std::vector<uint8_t> packet(100);
    packet[0] = 0x80;
    livetcp_usec now = call.world.now();

    REQUIRE(livetcp_engine_send(engine, packet.data(), packet.size(), nullptr, now) == LIVETCP_OK);
    call.caller.service();
    livetcp_path written = call.caller.connection_stats(0).path;
    REQUIRE(written.queued_bytes > 0);
    REQUIRE(written.min_rtt_us == 100000);
    now += 20000;
    REQUIRE(livetcp_engine_send(engine, packet.data(), packet.size(), nullptr, now) == LIVETCP_OK);
    CHECK(livetcp_engine_wants_path_info(engine, now) == 1); /* it may not be sent yet */
    written.unsent_bytes = 0;
    livetcp_engine_path_info(engine, 0, &written, now);
    CHECK(livetcp_engine_wants_path_info(engine, now + 20000) == 0);
    CHECK(livetcp_engine_wants_path_info(engine, now + 60000) == 0);
    CHECK(livetcp_engine_wants_path_info(engine, now + 70000) == 1);

    written.tcp_state = LIVETCP_TCP_RECOVERY; /* of a loss: more comes at any time */
    livetcp_engine_path_info(engine, 0, &written, now);
    CHECK(livetcp_engine_wants_path_info(engine, now + 20000) == 1);
}

TEST_CASE("room in a send buffer is waited for where the kernel's sending makes some")
{
    const uint32_t mss = 1000;
    livetcp_config config = make_config("single", 1);
    config.send_buffer_segments = 3;
    SimCall call("delay=50ms", config, 1);
    call.world.run_for(1000000);
    livetcp_engine *engine = call.caller.engine;
    std::vector<uint8_t> packet(500);
    packet[0] = 0x80;
    livetcp_usec now = call.world.now();
    livetcp_engine_write write;

    livetcp_path facts = {};
    facts.known = LIVETCP_PATH_QUEUED | LIVETCP_PATH_UNSENT | LIVETCP_PATH_CWND | LIVETCP_PATH_MSS |
                  LIVETCP_PATH_SACKED;
    facts.cwnd_bytes = 10 * mss;
    facts.mss_bytes = mss;
    facts.queued_bytes = 13 * mss; /* ten in flight, three wait: full */
    facts.unsent_bytes = 3 * mss;
    REQUIRE(livetcp_engine_send(engine, packet.data(), packet.size(), nullptr, now) == LIVETCP_OK);
    CHECK(livetcp_engine_wants_writable(engine) == 0); /* nobody was asked yet */
    livetcp_engine_path_info(engine, 0, &facts, now);
    CHECK_FALSE(livetcp_engine_next_write(engine, now, &write));
    CHECK(livetcp_engine_unsent_limit(engine, 0) == 3 * mss);
    CHECK(livetcp_engine_wants_writable(engine) == 1);
    CHECK(livetcp_engine_deadline(engine) <= now + 5000); /* all the same */

    /* The kernel has sent: facts are asked for anew, however young, and the packet goes. */
    CHECK(livetcp_engine_wants_path_info(engine, now) == 0);
    livetcp_engine_writable(engine, 0);
    CHECK(livetcp_engine_wants_path_info(engine, now) == 1);

    /* But in recovery the window is full of what is not acknowledged: no use to watch. */
    facts.unsent_bytes = 2 * mss;
    livetcp_engine_path_info(engine, 0, &facts, now);
    CHECK_FALSE(livetcp_engine_next_write(engine, now, &write));
    CHECK(livetcp_engine_wants_writable(engine) == 0);
    CHECK(livetcp_engine_deadline(engine) <= now + 5000);

    facts.queued_bytes = 12 * mss;
    livetcp_engine_path_info(engine, 0, &facts, now);
    CHECK(livetcp_engine_next_write(engine, now, &write));
    CHECK(livetcp_engine_wants_writable(engine) == 0);

    /* What is known to have arrived is in flight, too. */
    facts.sacked_bytes = 4 * mss;
    livetcp_engine_path_info(engine, 0, &facts, now);
    CHECK(livetcp_engine_unsent_limit(engine, 0) == 3 * mss);
}

TEST_CASE("how much may be unsent follows send-buffer-windows and -segments, and is never zero")
{
    livetcp_config config = make_config("single", 1);
    SimCall initial("delay=50ms", config, 1);
    CHECK(livetcp_engine_unsent_limit(initial.caller.engine, 0) == 1448); /* (1,1) */
    config.send_buffer_segments = 0;
    SimCall none("delay=50ms", config, 1);
    CHECK(livetcp_engine_unsent_limit(none.caller.engine, 0) == 1);
    config.send_buffer_segments = 4;
    SimCall typical("delay=50ms", config, 1);
    CHECK(livetcp_engine_unsent_limit(typical.caller.engine, 0) == 4 * 1448); /* no facts yet */
    config.send_buffer_windows = 0;
    SimCall unlimited("delay=50ms", config, 1);
    CHECK(livetcp_engine_unsent_limit(unlimited.caller.engine, 0) == UINT32_MAX);
}

namespace
{

struct Greedy {
    size_t arrived;
    double p50;
};

/* A source that keeps one packet ahead, for 20 s over a bottleneck that its window alone fills. */
Greedy send_greedily(unsigned a, unsigned b)
{
    livetcp_config config = make_config("single", 1);
    config.send_buffer_windows = a;
    config.send_buffer_segments = b;
    SimCall call("delay=50ms,rate=4mbit,queue=30p", config, 1);
    uint16_t sent = 0;
    call.world.run_for(1000000);
    for (unsigned ms = 0; ms < 20000; ms++) {
        while (call.caller.stats().sent.queue_packets == 0)
            REQUIRE(call.caller.send(1, sent++, 1446) == LIVETCP_OK);
        call.world.run_for(1000);
    }
    call.world.run_for(2000000);
    REQUIRE(call.remote() != nullptr);
    const std::vector<Received> &received = call.remote()->received;
    return {received.size(), delay_quantile_ms(received, received.size(), 0.5)};
}

} // namespace

TEST_CASE(
    "one segment beyond the window costs no throughput, and further ones no delay, since what "
    "is in flight is limited")
{
    Greedy one = send_greedily(1, 1), three = send_greedily(1, 3), ten = send_greedily(1, 10);
    CHECK(one.arrived > 19 * 4e6 / 8 / 1500 * 0.9);
    CHECK(one.arrived >= ten.arrived * 0.95);
    CHECK(three.p50 < one.p50 + 10);
    CHECK(ten.p50 < one.p50 + 10);
}
