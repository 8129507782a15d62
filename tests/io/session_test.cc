/* SPDX-License-Identifier: MIT */
/* Sessions that work: every number of connections, both wires, both directions, both loops. */
#include "io/world.h"

using namespace world;

namespace
{

/* Sends `count` packets each way, a few at a time so that the queues stay short, and checks that
 * each came once and as it was. */
void exchange(Context &context, Caller &caller, Server &server, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        REQUIRE(caller.send(rtp((uint16_t)i, 12 + i % 1400)) == LIVETCP_OK);
        REQUIRE(send(server.session(), rtp((uint16_t)i, 12 + i % 1400, 99)) == LIVETCP_OK);
        if (i % 50 == 49)
            REQUIRE(until(context, [&] {
                return server.record().packets() == i + 1 && caller.record.packets() == i + 1;
            }));
    }
    for (const auto &got : {server.record().all_packets(), caller.record.all_packets()}) {
        CHECK(no_duplicates(got));
        for (const Bytes &packet : got) {
            uint16_t sequence = sequence_of(packet);
            uint32_t ssrc = packet[11] == 99 ? 99 : 0x1234;
            CHECK((packet == rtp(sequence, 12 + sequence % 1400u, ssrc)));
        }
    }
}

} // namespace

TEST_CASE("media goes both ways over any number of connections", "[session]")
{
    bool own_thread = GENERATE(false, true);
    unsigned connections = GENERATE(1u, 2u, 5u, 32u);
    CAPTURE(own_thread, connections);
    Context context(own_thread);
    Server server(context);
    Caller caller(context, server.port, {{"connections", std::to_string(connections)}});
    all_open(context, caller, server, connections);
    exchange(context, caller, server, 500);
    CHECK(livetcp_session_get_state(caller.session) == LIVETCP_SESSION_OPEN);
    CHECK(caller.record.states().size() == 1);
    livetcp_session_stats stats = stats_of(caller.session);
    CHECK(stats.sent.packets == 500);
    CHECK(stats.received.packets == 500);
    CHECK(stats.connections == connections);
    CHECK(stats.reconnects == 0);
    CHECK(stats.received.protocol_errors == 0);
    livetcp_session_destroy(&caller.session);
    CHECK(caller.session == nullptr);
    REQUIRE(until(context, [&] { return server.record().closed(); }));
    CHECK(server.record().last_error().code == LIVETCP_ERR_CLOSED);
}

TEST_CASE("every policy carries media", "[session]")
{
    std::string policy = GENERATE(values<std::string>({"single", "round-robin", "shortest-queue"}));
    std::string split = GENERATE(values<std::string>({"1", "3"}));
    CAPTURE(policy, split);
    Context context;
    Server server(context);
    Caller caller(context, server.port, {{"policy", policy}, {"split", split}});
    REQUIRE(until(context, [&] {
        return server.sessions() == 1 &&
               livetcp_session_get_state(caller.session) == LIVETCP_SESSION_OPEN;
    }));
    exchange(context, caller, server, 200);
}

TEST_CASE("a listener on every address takes IPv4 and IPv6", "[session]")
{
    std::string host = GENERATE(values<std::string>({"127.0.0.1", "::1", "localhost"}));
    CAPTURE(host);
    if (host == "::1" && !has_ipv6()) {
        WARN("this host has no IPv6");
        return;
    }
    Context context;
    Server server(context, {{"host", ""}});
    Caller caller(context, server.port, {{"host", host}});
    all_open(context, caller, server, default_connections);
    exchange(context, caller, server, 100);
    livetcp_connection_stats stats = connection_stats(caller.session, 0);
    std::string port = ":" + std::to_string(server.port);
    CHECK(std::string(stats.remote).find(port) != std::string::npos);
    if (host == "::1")
        CHECK(std::string(stats.remote) == "[::1]" + port);
    if (host == "127.0.0.1")
        CHECK(server.at(0).remote.compare(0, 10, "127.0.0.1:") == 0);
}

TEST_CASE("a listener on a name listens on each of its addresses", "[session]")
{
    Context context;
    Server server(context, {{"host", "localhost"}});
    Caller caller(context, server.port, {{"host", "127.0.0.1"}});
    all_open(context, caller, server, default_connections);
}

TEST_CASE("a caller binds its local address", "[session]")
{
    Context context;
    Server server(context, {{"host", "0.0.0.0"}});
    Caller caller(context, server.port, {{"localaddress", "127.0.0.2"}, {"connections", "2"}});
    all_open(context, caller, server, 2);
    CHECK(std::string(connection_stats(caller.session, 1).local).compare(0, 10, "127.0.0.2:") == 0);
    CHECK(server.at(0).remote.compare(0, 10, "127.0.0.2:") == 0);
}

TEST_CASE("plain wire carries media both ways", "[session]")
{
    bool own_thread = GENERATE(false, true);
    Context context(own_thread);
    Server server(context, {{"wire", "plain"}});
    Caller caller(context, server.port, {{"wire", "plain"}});
    all_open(context, caller, server, 1);
    exchange(context, caller, server, 500);
    livetcp_session_destroy(&caller.session);
    REQUIRE(until(context, [&] { return server.record().closed(); }));
    CHECK(server.record().packets() == 500);
}

TEST_CASE("packets sent before the connection is open are not lost", "[session]")
{
    Context context;
    Server server(context);
    Caller caller(context, server.port);
    for (unsigned i = 0; i < 100; i++)
        REQUIRE(caller.send(rtp((uint16_t)i)) == LIVETCP_OK);
    REQUIRE(
        until(context, [&] { return server.sessions() == 1 && server.record().packets() == 100; }));
    REQUIRE(until(context, [&] { return caller.record.drained() > 0; }));
}

TEST_CASE("close drains the queue before the peer sees the end", "[session]")
{
    std::string wire = GENERATE(values<std::string>({"session", "plain"}));
    Context context;
    Server server(context, {{"wire", wire}});
    Caller caller(context, server.port, {{"wire", wire}, {"queue-bytes", "4194304"}});
    REQUIRE(until(context, [&] {
        return livetcp_session_get_state(caller.session) == LIVETCP_SESSION_OPEN;
    }));
    for (unsigned i = 0; i < 1000; i++)
        REQUIRE(caller.send(rtp((uint16_t)i, 1400)) == LIVETCP_OK);
    livetcp_session_close(caller.session, 20 * LIVETCP_USEC_SEC);
    CHECK(caller.send(rtp(7777)) == LIVETCP_ERR_CLOSED);
    REQUIRE(until(context, [&] {
        return caller.record.closed() && server.sessions() == 1 && server.record().closed();
    }));
    CHECK(caller.record.last_error().code == LIVETCP_ERR_CANCELLED);
    CHECK(server.record().last_error().code == LIVETCP_ERR_CLOSED);
    CHECK(server.record().packets() == 1000);
    CHECK(livetcp_session_get_state(caller.session) == LIVETCP_SESSION_CLOSED);
}

/* The kernel has no space for the rest of a burst, or of TLS records, when the session ends. */
TEST_CASE("packets that count as sent arrive although the session ends at once", "[session]")
{
    auto secure = GENERATE(values<std::pair<const char *, std::string>>(
        {{"wire", "plain"}, {"passphrase", "ten characters"}}));
    CAPTURE(secure.first);
    Context context, elsewhere;
    Server server(elsewhere, {secure, {"linger", "0"}}); /* no BYE comes through */
    Caller caller(
        context, server.port,
        {secure, {"connections", "1"}, {"policy", "single"}, {"send-buffer-windows", "0"}});
    REQUIRE(until({&context, &elsewhere},
                  [&] { return open_connections(caller.session) == 1 && server.sessions() == 1; }));
    unsigned sent = 0;
    livetcp_session_stats stats;
    do { /* the server does not read meanwhile */
        for (unsigned i = 0; i < 20; i++)
            REQUIRE(caller.send(rtp((uint16_t)sent++, 1400)) == LIVETCP_OK);
        context.turn();
        stats = stats_of(caller.session);
    } while (stats.sent.queue_packets == 0);
    stats = stats_of(caller.session);
    livetcp_session_destroy(&caller.session);
    REQUIRE(until({&context, &elsewhere}, [&] { return server.record().closed(); }));
    CHECK(server.record().packets() >= stats.sent.packets);
    CHECK(server.record().packets() < sent);
}

TEST_CASE("close sends also what was queued before the connection was open", "[session]")
{
    Context context;
    Server server(context);
    Caller caller(context, server.port);
    for (unsigned i = 0; i < 100; i++)
        REQUIRE(caller.send(rtp((uint16_t)i)) == LIVETCP_OK);
    livetcp_session_close(caller.session, 20 * LIVETCP_USEC_SEC);
    REQUIRE(until(context, [&] {
        return caller.record.closed() && server.sessions() == 1 && server.record().closed();
    }));
    CHECK(server.record().packets() == 100);
}

TEST_CASE("sequence order arrives in sequence", "[session]")
{
    Context context;
    Server server(context, {{"order", "sequence"}});
    Caller caller(context, server.port, {{"policy", "round-robin"}});
    all_open(context, caller, server, default_connections);
    for (unsigned i = 0; i < 1000; i++) {
        REQUIRE(caller.send(rtp((uint16_t)i, 1000)) == LIVETCP_OK);
        if (i % 100 == 99)
            REQUIRE(until(context, [&] { return server.record().packets() == i + 1; }));
    }
    std::vector<Bytes> got = server.record().all_packets();
    for (unsigned i = 0; i < got.size(); i++)
        REQUIRE(sequence_of(got[i]) == i);
}

TEST_CASE("packets that cannot be sent are refused whole", "[session]")
{
    Context context;
    Server server(context);
    Caller caller(context, server.port, {{"max-packet", "1000"}});
    Bytes garbage(100, 0x16);
    CHECK(caller.send(rtp(1, 1001)) == LIVETCP_ERR_PACKET_TOO_LARGE);
    CHECK(caller.send(garbage) == LIVETCP_ERR_NOT_RTP);
    CHECK(caller.send(rtp(2, 1000)) == LIVETCP_OK);
    REQUIRE(
        until(context, [&] { return server.sessions() == 1 && server.record().packets() == 1; }));
    CHECK(server.record().all_packets()[0].size() == 1000);
    CHECK(stats_of(caller.session).sent.refused == 2);
}

TEST_CASE("tables of callbacks and infos without their size are refused with words", "[session]")
{
    Context context;
    Server server(context);
    Caller caller(context, server.port);
    livetcp_config config;
    livetcp_error error = {};
    livetcp_session *session = nullptr;
    livetcp_listener *listener = nullptr;
    const livetcp_session_callbacks none = {};
    const livetcp_listener_callbacks nobody = {};

    livetcp_config_init(&config);
    REQUIRE(livetcp_config_apply_uri(&config, "livetcp://127.0.0.1:1", nullptr) == LIVETCP_OK);
    CHECK(livetcp_session_connect(context.context, &config, &none, nullptr, &session, &error) ==
          LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(std::string(error.message).find("sizeof(livetcp_session_callbacks)") !=
          std::string::npos);
    CHECK(session == nullptr);
    CHECK(livetcp_listener_create(context.context, &config, &nobody, nullptr, &listener, &error) ==
          LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(std::string(error.message).find("sizeof(livetcp_listener_callbacks)") !=
          std::string::npos);
    CHECK(listener == nullptr);
    CHECK(livetcp_session_set_callbacks(caller.session, &none, nullptr) ==
          LIVETCP_ERR_INVALID_ARGUMENT);

    config.struct_size = 0;
    CHECK(livetcp_session_connect(context.context, &config, nullptr, nullptr, &session, &error) ==
          LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(std::string(error.message).find("livetcp_config_init()") != std::string::npos);

    const livetcp_packet_info info = {};
    Bytes packet = rtp(1);
    CHECK(livetcp_session_send_with(caller.session, packet.data(), packet.size(), &info) ==
          LIVETCP_ERR_INVALID_ARGUMENT);
}

TEST_CASE("statistics fill what the caller has room for", "[session]")
{
    Context context;
    Server server(context);
    Caller caller(context, server.port);
    all_open(context, caller, server, default_connections);
    struct {
        size_t struct_size;
        unsigned connections;
        unsigned open_connections;
        uint64_t untouched;
    } old = {offsetof(livetcp_session_stats, reconnects), 0, 0, 0xabcdef};
    CHECK(livetcp_session_get_stats(caller.session, (livetcp_session_stats *)(void *)&old) ==
          LIVETCP_OK);
    CHECK(old.connections == default_connections);
    CHECK(old.open_connections == default_connections);
    CHECK(old.untouched == 0xabcdef);
    CHECK(old.struct_size == offsetof(livetcp_session_stats, reconnects));
    livetcp_connection_stats stats = {};
    stats.struct_size = sizeof stats;
    CHECK(livetcp_session_get_connection_stats(caller.session, default_connections, &stats) ==
          LIVETCP_ERR_INVALID_ARGUMENT);
    livetcp_session_stats none = {};
    CHECK(livetcp_session_get_stats(caller.session, &none) == LIVETCP_ERR_INVALID_ARGUMENT);
    stats = connection_stats(caller.session, 3);
    CHECK(stats.index == 3);
    CHECK(stats.state == LIVETCP_CONNECTION_OPEN);
    CHECK(stats.path.usable);
    CHECK(std::string(stats.local).compare(0, 10, "127.0.0.1:") == 0);
}

TEST_CASE("statistics of sessions are Prometheus text", "[session]")
{
    Context context;
    Server server(context);
    Caller caller(context, server.port, {{"connections", "2"}});
    all_open(context, caller, server, 2);
    send_and_wait(context, caller, server, 3);
    livetcp_session *const sessions[] = {caller.session, server.session()};
    const char *const labels[] = {"stream=\"a\",peer=\"x\"", "stream=\"b\",peer=\"y\""};
    std::string text(65536, '?');
    const size_t length = livetcp_sessions_prometheus(sessions, labels, 2, &text[0], text.size());
    REQUIRE(length > 0);
    REQUIRE(length < text.size());
    CHECK(text[length] == '\0');
    text.resize(length);
    CHECK(text.find("\nlivetcp_sent_packets_total{stream=\"a\",peer=\"x\"} 3\n"
                    "livetcp_sent_packets_total{stream=\"b\",peer=\"y\"} 0\n") !=
          std::string::npos);
    CHECK(text.find("\nlivetcp_received_packets_total{stream=\"b\",peer=\"y\"} 3\n") !=
          std::string::npos);
    CHECK(text.find("{stream=\"b\",peer=\"y\",connection=\"1\"} ") != std::string::npos);
    const std::string type = "# TYPE livetcp_dropped_packets_total counter\n";
    CHECK(text.find(type) != std::string::npos);
    CHECK(text.find(type) == text.rfind(type));
    CHECK(text.back() == '\n');

    char small[100] = "what was there";
    CHECK(livetcp_sessions_prometheus(sessions, labels, 2, small, sizeof small) > sizeof small);
    CHECK(small[0] == '\0');
    CHECK(livetcp_sessions_prometheus(sessions, labels, 2, nullptr, 0) > sizeof small);
    CHECK(livetcp_sessions_prometheus(nullptr, nullptr, 0, &text[0], text.size()) > 0);
}
