/* SPDX-License-Identifier: MIT */
/* A peer that stops reading: queues stay bounded, packets are dropped whole, nobody waits. */
#include "io/sockets.h"

using namespace world;

namespace
{

/* Sends until the queue has dropped some, packets wait and nothing moves: after it was full, the
 * kernel takes more when its buffers grow. Every call must come back with success. */
unsigned fill(livetcp_session *session, Context &context, size_t packet_size)
{
    const int still_ms = 200;
    unsigned sent = 0;
    auto moved = [&] {
        uint64_t written = stats_of(session).sent.packets;
        return until(
            context, [&] { return stats_of(session).sent.packets != written; }, still_ms);
    };
    do {
        for (int i = 0; i < 500; i++)
            REQUIRE(send(session, rtp((uint16_t)sent++, packet_size)) == LIVETCP_OK);
        context.turn();
        REQUIRE(sent < 200000);
    } while (stats_of(session).dropped.queue_full < 100 ||
             stats_of(session).sent.queue_packets == 0 || moved());
    return sent;
}

} // namespace

TEST_CASE("a peer that does not read costs whole packets and nobody else's", "[pressure]")
{
    Context context;
    Server server(context,
                  {{"wire", "plain"}, {"queue-packets", "200"}, {"send-buffer-windows", "0"}});
    Raw stuck(server.port);
    REQUIRE(until(context, [&] { return server.sessions() == 1; }));
    Caller reader(context, server.port, {{"wire", "plain"}});
    REQUIRE(until(context,
                  [&] { return server.sessions() == 2 && open_connections(reader.session) == 1; }));
    unsigned sent = fill(server.session(0), context, 1400);
    livetcp_session_stats stats = stats_of(server.session(0));
    CHECK(stats.sent.queue_packets <= 200);
    CHECK(stats.sent.accepted == sent);
    CHECK(connection_stats(server.session(0), 0).path.blocked);

    for (uint16_t i = 0; i < 100; i++)
        REQUIRE(send(server.session(1), rtp(i)) == LIVETCP_OK);
    REQUIRE(until(context, [&] { return reader.record.packets() == 100; }));

    /* It reads again: what comes is whole packets in order, and the queue runs empty. */
    size_t drained = server.record(0).drained();
    unsigned received = 0;
    uint64_t dropped = stats.dropped.queue_full;
    int last = -1;
    while (received < sent - dropped) {
        Bytes packet = stuck.next_frame(context);
        REQUIRE(packet.size() == 1400);
        REQUIRE((packet == rtp(sequence_of(packet), 1400)));
        received++;
        last = sequence_of(packet);
    }
    CHECK(last == (uint16_t)(sent - 1)); /* the newest were kept */
    REQUIRE(until(context, [&] { return server.record(0).drained() > drained; }));
    stats = stats_of(server.session(0));
    CHECK(stats.sent.packets + stats.dropped.queue_full == sent);
    CHECK(stats.sent.queue_packets == 0);
}

TEST_CASE("a session whose peer hangs keeps within its bounds", "[pressure]")
{
    Context here, there;
    Server server(there);
    Caller caller(here, server.port, {{"queue-bytes", "100000"}, {"policy", "shortest-queue"}});
    REQUIRE(until({&here, &there},
                  [&] { return open_connections(caller.session) == default_connections; }));
    unsigned sent = fill(caller.session, here, 1400);
    CHECK(stats_of(caller.session).sent.queue_bytes <= 100000);
    /* The other end goes on, and everything that was kept arrives. */
    REQUIRE(until({&here, &there}, [&] {
        livetcp_session_stats stats = stats_of(caller.session);
        return stats.sent.packets + stats.dropped.queue_full == sent && server.sessions() == 1 &&
               server.record().packets() == stats.sent.packets;
    }));
    CHECK(caller.record.drained() > 0);
    CHECK(stats_of(caller.session).reconnects == 0);
}

TEST_CASE("closing does not wait for a peer that does not read", "[pressure]")
{
    bool destroy = GENERATE(false, true);
    Context here, there;
    Server server(there);
    Caller caller(here, server.port);
    REQUIRE(until({&here, &there},
                  [&] { return open_connections(caller.session) == default_connections; }));
    fill(caller.session, here, 1400);
    if (destroy) {
        livetcp_session_destroy(&caller.session);
    } else {
        livetcp_session_close(caller.session, 50 * LIVETCP_USEC_MSEC);
        REQUIRE(until(here, [&] { return caller.record.closed(); }));
        CHECK(caller.record.last_error().code == LIVETCP_ERR_CANCELLED);
    }
}

TEST_CASE("what waits for a peer that hangs is dropped when it is too late", "[pressure]")
{
    Context here, there;
    Server server(there);
    Caller caller(
        here, server.port,
        {{"max-send-delay", "100"}, {"redundancy-budget", "0"}, {"queue-bytes", "100000000"}});
    REQUIRE(until({&here, &there},
                  [&] { return open_connections(caller.session) == default_connections; }));
    unsigned sent = 0;
    REQUIRE(until(here, [&] {
        for (int i = 0; i < 10 && sent < 30000; i++)
            REQUIRE(send(caller.session, rtp((uint16_t)sent++, 1400)) == LIVETCP_OK);
        return stats_of(caller.session).dropped.late >= 100;
    }));
    CHECK(stats_of(caller.session).sent.delay_limit_us >= 100 * LIVETCP_USEC_MSEC);
    /* The other end goes on, and what is not dropped by then arrives. */
    REQUIRE(until({&here, &there}, [&] {
        livetcp_session_stats stats = stats_of(caller.session);
        return stats.sent.packets + stats.dropped.late + stats.dropped.queue_full == sent &&
               server.record().packets() == stats.sent.packets;
    }));
    CHECK(stats_of(caller.session).dropped.late_delta == stats_of(caller.session).dropped.late);
}
