/* SPDX-License-Identifier: MIT */
/* Packets that are announced to follow one another at once: livetcp_packet_info.more. */
#include "io/sockets.h"

using namespace world;

namespace
{

void send_burst(livetcp_session *session, uint16_t first, unsigned count, size_t size,
                bool goes_on = false)
{
    livetcp_packet_info info = {};
    info.struct_size = sizeof info;
    for (unsigned i = 0; i < count; i++) {
        const Bytes packet = rtp((uint16_t)(first + i), size);
        info.more = goes_on || i + 1 < count;
        REQUIRE(livetcp_session_send_with(session, packet.data(), packet.size(), &info) ==
                LIVETCP_OK);
    }
}

size_t available(const Raw &peer)
{
    uint8_t block[65536];
    const ssize_t n = recv(peer.fd, block, sizeof block, MSG_DONTWAIT | MSG_PEEK);
    return n > 0 ? (size_t)n : 0;
}

const Settings PLAIN = {{"wire", "plain"}, {"timestamps", "off"}};

} // namespace

TEST_CASE("a burst waits for its last packet, and no longer", "[burst]")
{
    Context context;
    Server server(context, PLAIN);
    Raw peer(server.port);
    REQUIRE(until(context, [&] { return server.sessions() == 1; }));
    send_burst(server.session(), 0, 3, 1000, true);
    CHECK(available(peer) == 0);
    CHECK(stats_of(server.session()).sent.queue_packets == 3);
    send_burst(server.session(), 3, 1, 1000);
    CHECK(available(peer) == 4 * 1002);
    CHECK(stats_of(server.session()).sent.queue_packets == 0);
    for (uint16_t i = 0; i < 4; i++)
        CHECK((peer.next_frame(context) == rtp(i, 1000)));
}

TEST_CASE("a burst that does not go on is sent when the loop turns", "[burst]")
{
    const bool own_thread = GENERATE(false, true);
    Context context(own_thread);
    Server server(context, PLAIN);
    Raw peer(server.port);
    REQUIRE(until(context, [&] { return server.sessions() == 1; }));
    send_burst(server.session(), 0, 2, 500, true);
    CHECK((peer.next_frame(context) == rtp(0, 500)));
    CHECK((peer.next_frame(context) == rtp(1, 500)));
    /* A packet that is refused ends no burst, and holds none up. */
    send_burst(server.session(), 2, 1, 500, true);
    CHECK(send(server.session(), Bytes(5)) == LIVETCP_ERR_NOT_RTP);
    CHECK((peer.next_frame(context) == rtp(2, 500)));
}

TEST_CASE("a long burst does not wait for its end", "[burst]")
{
    Context context;
    Server server(context, {{"wire", "plain"}, {"send-buffer-windows", "0"}});
    Raw peer(server.port);
    REQUIRE(until(context, [&] { return server.sessions() == 1; }));
    send_burst(server.session(), 0, 40, 1000, true);
    CHECK(available(peer) >= 16 * 1002);
    for (uint16_t i = 0; i < 40; i++)
        CHECK((peer.next_frame(context) == rtp(i, 1000)));
}

TEST_CASE("pieces of packets are written one by one", "[burst]")
{
    Context context;
    Server server(context, {{"wire", "plain"}, {"split", "2"}});
    Raw peer(server.port);
    REQUIRE(until(context, [&] { return server.sessions() == 1; }));
    send_burst(server.session(), 0, 5, 1000);
    for (uint16_t i = 0; i < 5; i++)
        CHECK((peer.next_frame(context) == rtp(i, 1000)));
}

TEST_CASE("bursts arrive as they were, over every kind of connection", "[burst]")
{
    const bool own_thread = GENERATE(false, true);
    Settings settings = GENERATE(values<Settings>({{{"connections", "1"}},
                                                   {{"connections", "3"}},
                                                   {{"policy", "round-robin"}},
                                                   {{"policy", "duplicate"}},
                                                   {{"timestamps", "off"}},
                                                   {{"passphrase", "correct horse battery"}},
                                                   {{"websocket", "on"}}}));
    CAPTURE(own_thread, settings[0].first, settings[0].second);
    Settings listening;
    if (settings[0].first == std::string("passphrase") ||
        settings[0].first == std::string("websocket"))
        listening = settings;
    Context context(own_thread);
    Server server(context, listening);
    Caller caller(context, server.port, settings);
    REQUIRE(until(context,
                  [&] { return server.sessions() == 1 && open_connections(caller.session) > 0; }));
    uint16_t sent = 0;
    for (unsigned burst = 0; burst < 40; burst++) {
        const unsigned count = 1 + burst % 25;
        send_burst(caller.session, sent, count, 40 + burst * 30);
        sent = (uint16_t)(sent + count);
        REQUIRE(until(context, [&] { return server.record().packets() == sent; }));
    }
    const auto got = server.record().all_packets();
    CHECK(no_duplicates(got));
    for (const Bytes &packet : got)
        CHECK((packet == rtp(sequence_of(packet), packet.size())));
    CHECK(stats_of(server.session()).received.protocol_errors == 0);
}

TEST_CASE("a peer that does not read gets whole packets of a burst, later", "[burst]")
{
    Context context;
    Server server(
        context,
        {{"wire", "plain"}, {"queue-packets", "200"}, {"send-buffer-windows", GENERATE("0", "1")}});
    Raw peer(server.port);
    REQUIRE(until(context, [&] { return server.sessions() == 1; }));
    unsigned sent = 0;
    while (stats_of(server.session()).dropped.queue_full < 100) {
        send_burst(server.session(), (uint16_t)sent, 10, 1400);
        sent += 10;
        context.turn();
        REQUIRE(sent < 200000);
    }
    const livetcp_session_stats stats = stats_of(server.session());
    unsigned received = 0;
    int last = -1;
    while (received < sent - stats.dropped.queue_full) {
        const Bytes packet = peer.next_frame(context);
        REQUIRE(packet.size() == 1400);
        REQUIRE((packet == rtp(sequence_of(packet), 1400)));
        received++;
        last = sequence_of(packet);
    }
    CHECK(last == (uint16_t)(sent - 1));
    CHECK(stats_of(server.session()).sent.queue_packets == 0);
}

TEST_CASE("a connection is lost with a burst that it has not taken", "[burst]")
{
    Context context;
    Server server(context, {{"wire", "plain"}, {"send-buffer-windows", "0"}});
    auto peer = std::make_unique<Raw>(server.port);
    REQUIRE(until(context, [&] { return server.sessions() == 1; }));
    livetcp_session *session = server.session();
    for (uint16_t i = 0; i < 3000; i = (uint16_t)(i + 10))
        send_burst(session, i, 10, 1400);
    peer.reset(); /* with most of it unread */
    REQUIRE(until(context, [&] { return server.record().closed(); }));
}

TEST_CASE("a session ends within a burst", "[burst]")
{
    const bool own_thread = GENERATE(false, true);
    Context context(own_thread);
    Server server(context);
    Caller caller(context, server.port);
    REQUIRE(until(context, [&] {
        return server.sessions() == 1 && open_connections(caller.session) == default_connections;
    }));
    send_burst(caller.session, 0, 5, 1000, true);
    SECTION("it is closed, and drains")
    {
        livetcp_session_close(caller.session, LIVETCP_USEC_SEC);
        REQUIRE(until(context, [&] { return server.record().closed(); }));
        CHECK(server.record().packets() == 5);
    }
    SECTION("it is destroyed")
    {
        livetcp_session_destroy(&caller.session);
        REQUIRE(until(context, [&] { return server.record().closed(); }));
    }
}
