/* SPDX-License-Identifier: MIT */
/* Connections and peers that are lost, and come back. */
#include "io/sockets.h"

using namespace world;

namespace
{

/* Reconnects soon, so that tests need not wait. */
const Settings QUICK = {{"reconnect-min", "10"}, {"reconnect-max", "50"}};

Settings quick(Settings more = {})
{
    more.insert(more.begin(), QUICK.begin(), QUICK.end());
    return more;
}

bool open_at_both_ends(Caller &caller, Server &server, unsigned connections, size_t session = 0)
{
    return server.sessions() > session && open_connections(caller.session) == connections &&
           open_connections(server.session(session)) == connections;
}

} // namespace

TEST_CASE("a lost connection is replaced and nothing comes twice", "[loss]")
{
    bool own_thread = GENERATE(false, true);
    bool cut_by_caller = GENERATE(false, true);
    CAPTURE(own_thread, cut_by_caller);
    Context context(own_thread);
    Server server(context);
    Caller caller(context, server.port, quick());
    REQUIRE(until(context, [&] { return open_at_both_ends(caller, server, default_connections); }));

    uint16_t sequence = 0;
    for (unsigned lost = 0; lost < 5; lost++) {
        cut(cut_by_caller ? caller.session : server.session(), lost);
        REQUIRE(until(context, [&] {
            REQUIRE(caller.send(rtp(sequence++, 1000)) == LIVETCP_OK);
            return stats_of(caller.session).reconnects == lost + 1 &&
                   open_at_both_ends(caller, server, default_connections);
        }));
    }
    size_t before = server.record().packets();
    for (int i = 0; i < 100; i++)
        REQUIRE(caller.send(rtp(sequence++, 1000)) == LIVETCP_OK);
    REQUIRE(until(context, [&] { return server.record().packets() >= before + 100; }));
    CHECK(no_duplicates(server.record().all_packets()));
    CHECK(server.sessions() == 1);
    CHECK(caller.record.states().size() == 1); /* open all the time */
    std::string message;
    CHECK(caller.record.lost_with(LIVETCP_ERR_CONNECTION_LOST, &message));
    CHECK(message.find("127.0.0.1:" + std::to_string(server.port)) != std::string::npos);
    CHECK(connection_stats(caller.session, 3).reconnects == 1);
    CHECK(connection_stats(caller.session, 3).last_error == LIVETCP_ERR_CONNECTION_LOST);
}

TEST_CASE("a session survives the loss of all its connections", "[loss]")
{
    Context context;
    Server server(context);
    Caller caller(context, server.port, quick({{"connections", "3"}}));
    REQUIRE(until(context, [&] { return open_at_both_ends(caller, server, 3); }));
    for (unsigned i = 0; i < 3; i++)
        cut(caller.session, i);
    REQUIRE(until(context, [&] { return caller.record.states().size() >= 2; }));
    CHECK(caller.record.states()[1].state == LIVETCP_SESSION_CONNECTING);
    CHECK(caller.record.states()[1].error.code == LIVETCP_ERR_CONNECTION_LOST);
    REQUIRE(caller.send(rtp(1)) == LIVETCP_OK);
    REQUIRE(until(context, [&] { return open_at_both_ends(caller, server, 3); }));
    REQUIRE(until(context, [&] { return server.record().packets() == 1; }));
    CHECK(server.sessions() == 1);
}

TEST_CASE("a peer that was gone is called again", "[loss]")
{
    std::string wire = GENERATE(values<std::string>({"session", "plain"}));
    unsigned connections = wire == "plain" ? 1 : 2;
    Context here, there;
    auto server = std::make_unique<Server>(there, Settings{{"wire", wire}});
    uint16_t port = server->port;
    Caller caller(here, port, quick({{"wire", wire}, {"connections", "2"}}));
    REQUIRE(
        until({&here, &there}, [&] { return open_at_both_ends(caller, *server, connections); }));

    /* The program at the other end dies without a word, and a new one starts later. */
    for (unsigned i = 0; i < connections; i++)
        cut(server->session(), i);
    there.end();
    REQUIRE(until(here, [&] { return caller.record.lost_with(LIVETCP_ERR_REFUSED); }));
    CHECK(livetcp_session_get_state(caller.session) == LIVETCP_SESSION_CONNECTING);
    Context again;
    server =
        std::make_unique<Server>(again, Settings{{"wire", wire}, {"port", std::to_string(port)}});
    REQUIRE(
        until({&here, &again}, [&] { return open_at_both_ends(caller, *server, connections); }));
    REQUIRE(caller.send(rtp(5)) == LIVETCP_OK);
    REQUIRE(until({&here, &again}, [&] { return server->record().packets() == 1; }));
}

TEST_CASE("without reconnecting a session ends with its last connection", "[loss]")
{
    Context context;
    Server server(context);
    Caller caller(context, server.port, {{"auto-reconnect", "false"}, {"connections", "2"}});
    REQUIRE(until(context, [&] { return open_at_both_ends(caller, server, 2); }));
    cut(caller.session, 0);
    REQUIRE(until(context, [&] { return open_connections(caller.session) == 1; }));
    CHECK_FALSE(caller.record.closed());
    cut(caller.session, 1);
    REQUIRE(until(context, [&] { return caller.record.closed(); }));
    CHECK(caller.record.last_error().code == LIVETCP_ERR_CONNECTION_LOST);
    CHECK(caller.send(rtp(1)) == LIVETCP_ERR_CLOSED);
}

TEST_CASE("a listener's session ends when nobody comes back", "[loss]")
{
    Context here, there;
    Server server(here, {{"linger", "100"}});
    Caller caller(there, server.port);
    REQUIRE(until({&here, &there},
                  [&] { return open_at_both_ends(caller, server, default_connections); }));
    for (unsigned i = 0; i < default_connections; i++)
        cut(server.session(), i);
    /* `there` does not turn any more: the caller hangs. */
    REQUIRE(until(here, [&] { return server.record().closed(); }));
    CHECK(server.record().last_error().code != LIVETCP_OK);
}

TEST_CASE("a peer that falls silent is noticed", "[loss]")
{
    Context here, there;
    Settings settings = {{"peer-timeout", "1000"}, {"keepalive", "100"}};
    Server server(there, settings);
    Caller caller(here, server.port, quick(settings));
    REQUIRE(until({&here, &there},
                  [&] { return open_at_both_ends(caller, server, default_connections); }));
    /* `there` hangs; its kernel goes on acknowledging. */
    REQUIRE(until(here, [&] { return caller.record.lost_with(LIVETCP_ERR_PEER_TIMEOUT); }));
    std::string message;
    CHECK(caller.record.lost_with(LIVETCP_ERR_PEER_TIMEOUT, &message));
    CHECK(message.find("127.0.0.1") != std::string::npos);
    /* It wakes up. */
    REQUIRE(until({&here, &there}, [&] {
        return open_connections(caller.session) == default_connections &&
               livetcp_session_get_state(caller.session) == LIVETCP_SESSION_OPEN;
    }));
}

/* What each connection has written, or read. */
static std::vector<uint64_t> bytes(livetcp_session *session,
                                   uint64_t livetcp_connection_stats::*what)
{
    std::vector<uint64_t> all;
    for (unsigned i = 0; i < default_connections; i++)
        all.push_back(connection_stats(session, i).*what);
    return all;
}

static bool all_more(const std::vector<uint64_t> &after, const std::vector<uint64_t> &before)
{
    for (size_t i = 0; i < before.size(); i++)
        if (after[i] <= before[i])
            return false;
    return true;
}

TEST_CASE("who was kept from reading does not take the peer for silent", "[loss]")
{
    Context here, there;
    Server server(there, {{"peer-timeout", "1000"}, {"keepalive", "100"}});
    Caller caller(here, server.port, {{"peer-timeout", "600000"}, {"keepalive", "100"}});
    REQUIRE(until({&here, &there},
                  [&] { return open_at_both_ends(caller, server, default_connections); }));
    auto read = bytes(server.session(), &livetcp_connection_stats::bytes_read);
    auto written = bytes(caller.session, &livetcp_connection_stats::bytes_sent);
    /* `there` hangs for longer than it is patient, and the caller's keepalives wait in its sockets.
     */
    uint64_t end = uv_hrtime() + 1500000000;
    REQUIRE(until(here, [&] {
        return uv_hrtime() > end &&
               all_more(bytes(caller.session, &livetcp_connection_stats::bytes_sent), written);
    }));
    REQUIRE(until(there, [&] {
        return server.record().lost_with(LIVETCP_ERR_PEER_TIMEOUT) ||
               all_more(bytes(server.session(), &livetcp_connection_stats::bytes_read), read);
    }));
    CHECK(!server.record().lost_with(LIVETCP_ERR_PEER_TIMEOUT));
    CHECK(open_connections(server.session()) == default_connections);
}

TEST_CASE("idle connections stay open", "[loss]")
{
    Context context;
    Settings settings = {{"peer-timeout", "3000"}, {"keepalive", "100"}};
    Server server(context, settings);
    Caller caller(context, server.port, settings);
    REQUIRE(until(context, [&] { return open_at_both_ends(caller, server, default_connections); }));
    uint64_t quiet = stats_of(caller.session).received.bytes_read;
    /* Sixty keepalives on each connection: twice what peer-timeout allows for silence. */
    REQUIRE(until(context, [&] {
        return stats_of(caller.session).received.bytes_read > quiet + 60 * 5 * 20;
    }));
    CHECK(stats_of(caller.session).reconnects == 0);
    CHECK(caller.record.states().size() == 1);
}
