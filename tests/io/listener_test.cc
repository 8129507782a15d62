/* SPDX-License-Identifier: MIT */
/* Listeners: many sessions, too many sessions, unwanted sessions. */
#include "io/sockets.h"

using namespace world;

TEST_CASE("a full listener turns new sessions away", "[listener]")
{
    std::string wire = GENERATE(values<std::string>({"session", "plain"}));
    Context context;
    Server server(context, {{"wire", wire}, {"max-sessions", "2"}});
    Settings settings = {{"wire", wire}, {"connections", "1"}, {"auto-reconnect", "false"}};
    Caller first(context, server.port, settings), second(context, server.port, settings);
    REQUIRE(until(context, [&] {
        return server.sessions() == 2 && open_connections(server.session(0)) == 1 &&
               open_connections(server.session(1)) == 1;
    }));
    Caller third(context, server.port, settings);
    REQUIRE(until(context, [&] { return third.record.closed(); }));
    CHECK(server.rejected_with(LIVETCP_ERR_TOO_MANY_SESSIONS));
    if (wire == "session") {
        CHECK(third.record.last_error().code == LIVETCP_ERR_TOO_MANY_SESSIONS);
        CHECK(std::string(third.record.last_error().message).find("max-sessions") !=
              std::string::npos);
    }
    CHECK(server.sessions() == 2);
    /* One leaves, and there is room again. */
    livetcp_session_destroy(&first.session);
    REQUIRE(until(context, [&] { return server.record(0).closed() || server.record(1).closed(); }));
    Caller fourth(context, server.port, settings);
    REQUIRE(until(context, [&] { return open_connections(fourth.session) == 1; }));
    REQUIRE(until(context, [&] { return server.sessions() == 3; }));
}

TEST_CASE("a session without connections makes room for a new one", "[listener]")
{
    Context here, there;
    Server server(here, {{"max-sessions", "1"}, {"linger", "600000"}});
    Caller gone(there, server.port);
    REQUIRE(until({&here, &there}, [&] {
        return server.sessions() == 1 && open_connections(server.session()) == default_connections;
    }));
    for (unsigned i = 0; i < default_connections; i++)
        cut(server.session(), i);
    REQUIRE(until(here, [&] { return open_connections(server.session()) == 0; }));
    CHECK_FALSE(server.record().closed());
    Caller next(here, server.port);
    REQUIRE(until(here, [&] { return open_connections(next.session) == default_connections; }));
    REQUIRE(until(here, [&] { return server.record(0).closed(); }));
    CHECK(server.record(0).last_error().code == LIVETCP_ERR_TOO_MANY_SESSIONS);
    CHECK(server.sessions() == 2);
}

TEST_CASE("sessions outlive their listener", "[listener]")
{
    Context context;
    Server server(context);
    Caller caller(context, server.port, {{"reconnect-min", "10"}, {"connections", "2"}});
    REQUIRE(until(context, [&] {
        return server.sessions() == 1 && open_connections(server.session()) == 2;
    }));
    livetcp_listener_destroy(&server.listener);
    REQUIRE(caller.send(rtp(1)) == LIVETCP_OK);
    REQUIRE(until(context, [&] { return server.record().packets() == 1; }));
    cut(caller.session, 1);
    REQUIRE(until(context, [&] { return caller.record.lost_with(LIVETCP_ERR_REFUSED); }));
    REQUIRE(caller.send(rtp(2)) == LIVETCP_OK);
    REQUIRE(until(context, [&] { return server.record().packets() == 2; }));
}

TEST_CASE("a listener without on_session turns everyone away", "[listener]")
{
    Context context;
    livetcp_config config = config_with({{"host", "127.0.0.1"}});
    livetcp_listener *listener = nullptr;
    livetcp_error error;
    REQUIRE(livetcp_listener_create(context.context, &config, nullptr, nullptr, &listener,
                                    &error) == LIVETCP_OK);
    Caller caller(context, livetcp_listener_port(listener), {{"auto-reconnect", "false"}});
    REQUIRE(until(context, [&] { return caller.record.closed(); }));
    livetcp_listener_destroy(&listener);
}

TEST_CASE("two hundred sessions come and go", "[listener]")
{
    bool own_thread = GENERATE(false, true);
    Context context(own_thread);
    Server server(context);
    uint16_t port = server.port;
    for (unsigned round = 0; round < 10; round++) {
        std::vector<std::unique_ptr<Caller>> callers;
        for (unsigned i = 0; i < 20; i++) {
            callers.push_back(std::make_unique<Caller>(
                context, port, Settings{{"connections", std::to_string(1 + i % 4)}}));
            /* Some are destroyed before they are connected, some while they join. */
            if (i % 5 == 4)
                callers[i - 2].reset();
            (void)callers[i]->send(rtp((uint16_t)i));
        }
        REQUIRE(until(context, [&] {
            for (unsigned i = 0; i < 20; i++)
                if (callers[i] && open_connections(callers[i]->session) != 1 + i % 4)
                    return false;
            return true;
        }));
        for (unsigned i = 0; i < 20; i++)
            if (callers[i] && i % 2)
                livetcp_session_close(callers[i]->session, LIVETCP_USEC_SEC);
    }
    CHECK(until(context, [&] {
        for (size_t i = 0; i < server.sessions(); i++)
            if (!server.record(i).closed())
                return false;
        return true;
    }));
    CHECK(server.sessions() >= 160);
}
