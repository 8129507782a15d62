/* SPDX-License-Identifier: MIT */
/* Something on the way ends TCP: it acknowledges what it then may lose. */
#include "catch.h"
#include "sim_session.h"

#include <map>
#include <set>

using namespace scenario;

namespace
{

const livetcp_usec held_us = 150000; /* by the middlebox */

/* A call through a middlebox, all connections open. The calls' first connections begin when they
 * are made, so these are replaced. */
struct Through {
    explicit Through(const livetcp_config &config, livetcp_usec middlebox_us = held_us)
        : call("delay=10ms", config, 1), count(config.connections)
    {
        call.middlebox_us = middlebox_us;
        call.caller.on_written = [this](unsigned slot, const uint8_t *data, size_t size) {
            if (size >= 50 && lt_control_is(data + 2, size - 2) && (data[2] & 31) <= 2)
                numbers[slot] = lt_connection_number(data + ((data[2] & 31) == 0 ? 38 : 34));
        };
        call.world.run_for(5000); /* those of the constructor had none, and are not up yet */
        call.world.run_for(3000000);
        for (unsigned slot = 0; slot < count; slot++)
            call.caller.connection(slot)->middlebox_us = middlebox_us;
        call.world.run_for(1000000);
        REQUIRE(call.remote());
        REQUIRE(call.caller.stats().open_connections == count);
    }

    unsigned warnings() const
    {
        unsigned found = 0;
        for (const livetcp_engine_event &event : call.caller.events)
            found +=
                event.type == LIVETCP_ENGINE_WARNING && event.reason == LIVETCP_ERR_CONNECTION_LOST;
        return found;
    }

    /* Of the packets that came, none twice. */
    size_t arrived() const
    {
        std::set<uint16_t> sequences;
        for (const Received &packet : call.remote()->received)
            CHECK(sequences.insert(packet.sequence).second);
        return sequences.size();
    }

    SimCall call;
    unsigned count;
    std::map<unsigned, uint32_t> numbers; /* of the connections, from CREATE and JOIN */
};

} // namespace

TEST_CASE("what a middlebox had acknowledged when its connection broke is sent again, and counted")
{
    Through t(make_config("shortest-queue", 3));
    t.call.stream(1000, 10000, 1000000);
    t.call.caller.connection(0)->reset();
    t.call.stream(1000, 10000, 1000000);
    t.call.caller.connection(1)->reset();
    t.call.stream(1000, 10000, 1000000);
    t.call.world.run_for(3000000);
    CHECK(t.arrived() == 300);
    livetcp_session_stats sent = t.call.caller.stats(), received = t.call.remote()->stats();
    CHECK(sent.sent.acknowledged_lost >= 4); /* a third of 15 in each middlebox, at least */
    CHECK(sent.sent.acknowledged_resent == sent.sent.acknowledged_lost);
    CHECK(received.received.acknowledged_lost == sent.sent.acknowledged_lost);
    CHECK(received.received.acknowledged_resent == sent.sent.acknowledged_resent);
    CHECK(t.warnings() == 1);
}

TEST_CASE("so is what the only connection had, once it is back")
{
    livetcp_config config = make_config("single", 1);
    config.order = GENERATE(LIVETCP_ORDER_ARRIVAL, LIVETCP_ORDER_SEQUENCE);
    config.order_wait_us = 2000000;
    Through t(config);
    t.call.stream(1000, 10000, 1000000);
    t.call.caller.connection(0)->reset();
    t.call.stream(1000, 10000, 1000000);
    t.call.world.run_for(3000000);
    CHECK(t.arrived() == 200);
    CHECK(t.call.caller.stats().sent.acknowledged_resent >= 10);
    CHECK(t.call.remote()->stats().received.acknowledged_lost >= 10);
}

TEST_CASE("the last packets before a pause are missed, too")
{
    Through t(make_config("round-robin", 2));
    for (uint16_t sequence = 0; sequence < 10; sequence++)
        t.call.caller.send(1, sequence, 1000);
    t.call.world.run_for(60000); /* acknowledged, and in the middleboxes */
    t.call.caller.connection(0)->reset();
    t.call.world.run_for(3000000);
    CHECK(t.arrived() == 10);
    CHECK(t.call.caller.stats().sent.acknowledged_lost == 5);
}

TEST_CASE("a listener's packets come again, too")
{
    Through t(make_config("round-robin", 2));
    for (uint16_t sequence = 0; sequence < 10; sequence++)
        t.call.remote()->send(1, sequence, 1000);
    t.call.world.run_for(60000);
    t.call.caller.connection(1)->reset();
    t.call.world.run_for(3000000);
    CHECK(t.call.caller.received.size() == 10);
    CHECK(t.call.remote()->stats().sent.acknowledged_resent == 5);
    CHECK(t.call.caller.stats().received.acknowledged_lost == 5);
    CHECK(t.call.caller.stats().received.acknowledged_resent == 5);
}

TEST_CASE("a connection that only the peer has lost is replaced when it says so")
{
    Through t(make_config("round-robin", 2));
    t.call.stream(1000, 10000, 500000);
    t.call.caller.connection(0)->lose(false);
    t.call.stream(1000, 10000, 1000000);
    t.call.world.run_for(3000000);
    CHECK(t.arrived() == 150);
    CHECK(t.call.caller.connection_stats(0).last_error == LIVETCP_ERR_CONNECTION_LOST);
    CHECK(t.call.caller.stats().open_connections == 2);
    CHECK(t.call.remote()->stats().open_connections == 2);
    CHECK(t.call.caller.stats().sent.acknowledged_resent > 0);
}

TEST_CASE("what has become too late is not sent again, and counted as that")
{
    livetcp_config config = make_config("single", 1);
    config.max_send_delay_us = 400000;
    Through t(config);
    t.call.stream(1000, 10000, 1000000);
    t.call.listener.refusing = true;
    t.call.caller.connection(0)->reset();
    t.call.world.run_for(3000000);
    t.call.listener.refusing = false;
    t.call.world.run_for(6000000);
    REQUIRE(t.call.caller.state() == LIVETCP_SESSION_OPEN);
    livetcp_session_stats stats = t.call.caller.stats();
    CHECK(stats.sent.acknowledged_lost >= 10);
    CHECK(stats.dropped.late + stats.dropped.connection >= stats.sent.acknowledged_lost);
    CHECK(t.arrived() + stats.dropped.late + stats.dropped.connection == 100);
}

TEST_CASE("what nobody has confirmed when a session ends is counted")
{
    const char *policy = GENERATE("round-robin", "duplicate");
    Through t(make_config(policy, 2));
    t.call.stream(1000, 10000, 1000000);
    CHECK(t.call.caller.stats().sent.unconfirmed == 0);
    /* The middlebox dies, and nobody answers any more. */
    t.call.listener.refusing = true;
    for (unsigned slot = 0; slot < t.count; slot++)
        if (auto connection = t.call.caller.connection(slot))
            connection->reset();
    size_t came = t.arrived();
    t.call.world.run_for(100000);
    t.call.caller.close(0);
    t.call.world.run_for(100000);
    REQUIRE(t.call.caller.state() == LIVETCP_SESSION_CLOSED);
    livetcp_session_stats stats = t.call.caller.stats();
    CHECK(came < 100);
    /* Those that TCP had not acknowledged were taken back, and wait in the send queue. */
    CHECK(stats.sent.unconfirmed + stats.sent.resent >= 100 - came);
    CHECK(stats.sent.unconfirmed <= 100);
    CHECK(stats.sent.unconfirmed >= 10);
}

TEST_CASE("of a session that ends in order the last packets are without a receipt")
{
    Through t(make_config("shortest-queue", 2), 0);
    t.call.stream(1000, 10000, 1000000);
    t.call.caller.close(1000000);
    t.call.world.run_for(2000000);
    REQUIRE(t.call.caller.state() == LIVETCP_SESSION_CLOSED);
    CHECK(t.arrived() == 100);
    CHECK(t.call.caller.stats().sent.unconfirmed <= 30); /* feedback, and a round trip */
}

TEST_CASE("long after the last packet all are confirmed when a session ends")
{
    Through t(make_config("shortest-queue", 2), 0);
    t.call.stream(1000, 10000, 1000000);
    t.call.world.run_for(2000000);
    t.call.caller.close(0);
    t.call.world.run_for(1000000);
    REQUIRE(t.call.caller.state() == LIVETCP_SESSION_CLOSED);
    CHECK(t.arrived() == 100);
    CHECK(t.call.caller.stats().sent.unconfirmed == 0);
}

TEST_CASE("a packet whose copy came is not missed")
{
    Through t(make_config("duplicate", 2));
    t.call.stream(1000, 10000, 500000);
    t.call.caller.connection(0)->reset();
    t.call.world.run_for(3000000);
    CHECK(t.arrived() == 50);
    CHECK(t.call.caller.stats().sent.acknowledged_lost == 0);
    CHECK(t.warnings() == 0);
}

TEST_CASE("without a middlebox nothing is missed, however often connections break")
{
    SimCall call("delay=20ms,loss=1%", make_config("shortest-queue", 3), 1);
    call.world.run_for(1000000);
    for (unsigned round = 0; round < 12; round++) {
        call.stream(1000, 10000, 500000);
        if (auto connection = call.caller.connection(round % 3))
            connection->reset();
    }
    call.world.run_for(3000000);
    /* The acknowledgement is behind the data, so what was acknowledged has come. */
    CHECK(call.caller.stats().sent.acknowledged_lost == 0);
}

TEST_CASE("receipts that cannot be are ignored")
{
    Through t(make_config("round-robin", 2));
    t.call.stream(1000, 10000, 300000);
    const lt_receipt cases[] = {{~t.numbers[1], 0},         /* no such connection */
                                {t.numbers[1], 0x40000000}, /* more than was written */
                                {t.numbers[0], 0}};         /* said on the connection itself */
    for (const lt_receipt &receipt : cases) {
        lt_control message = {};
        message.type = LT_CONTROL_RECEIPT;
        message.receipt = receipt;
        uint8_t frame[LT_CONTROL_MAX];
        t.call.caller.receive(0, frame, lt_control_encode(&message, frame));
    }
    lt_control answer = {};
    answer.type = LT_CONTROL_RESENT;
    answer.resent = {t.numbers[1], UINT32_MAX, UINT32_MAX};
    uint8_t frame[LT_CONTROL_MAX];
    t.call.caller.receive(0, frame, lt_control_encode(&answer, frame));
    t.call.world.run_for(1000000);
    CHECK(t.call.caller.stats().open_connections == 2);
    CHECK(t.call.caller.stats().sent.acknowledged_lost == 0);
    CHECK(t.call.caller.stats().received.acknowledged_lost == 0);
    CHECK(t.arrived() == 30);
}

TEST_CASE("a receiver that claims that nothing came gets what is kept, once")
{
    livetcp_config config = make_config("round-robin", 2);
    config.feedback_us = 0; /* nothing says what came before the end */
    Through t(config, 0);
    t.call.stream(1000, 10000, 300000);
    lt_control message = {};
    message.type = LT_CONTROL_RECEIPT;
    message.receipt.number = t.numbers[1];
    uint8_t frame[LT_CONTROL_MAX];
    size_t size = lt_control_encode(&message, frame);
    for (unsigned time = 0; time < 4; time++)
        t.call.caller.receive(0, frame, size);
    t.call.world.run_for(3000000);
    /* One may be without TCP's acknowledgement: that is sent again, whatever the receipt. */
    CHECK(t.call.caller.stats().sent.acknowledged_resent >= 14);
    CHECK(t.call.caller.stats().sent.acknowledged_resent <= 15);
    CHECK(t.call.caller.stats().open_connections == 2);
    CHECK(t.arrived() == 30);
}
