/* SPDX-License-Identifier: MIT */
/* Sessions over several links: addresses of loopback stand for networks. */
#include "world.h"

#include <net/if.h>
#include <set>

using namespace world;

namespace
{

livetcp_link_stats link_stats(const livetcp_session *session, unsigned link)
{
    livetcp_link_stats stats = {};
    stats.struct_size = sizeof stats;
    REQUIRE(livetcp_session_get_link_stats(session, link, &stats) == LIVETCP_OK);
    return stats;
}

bool begins(const char *text, const std::string &with)
{
    return std::string(text).compare(0, with.size(), with) == 0;
}

livetcp_error refusal(const Settings &settings)
{
    Context context;
    livetcp_config config;
    livetcp_session *session = nullptr;
    livetcp_error error = {};
    livetcp_config_init(&config);
    for (const auto &setting : Settings{{"host", "127.0.0.1"}, {"port", "9"}})
        REQUIRE(livetcp_config_set(&config, setting.first, setting.second.c_str(), &error) ==
                LIVETCP_OK);
    for (const auto &setting : settings)
        REQUIRE(livetcp_config_set(&config, setting.first, setting.second.c_str(), &error) ==
                LIVETCP_OK);
    CHECK(livetcp_session_connect(context.context, &config, nullptr, nullptr, &session, &error) ==
          error.code);
    CHECK(session == nullptr);
    return error;
}

bool says(const livetcp_error &error, const std::string &text)
{
    INFO(error.message);
    return std::string(error.message).find(text) != std::string::npos;
}

} // namespace

TEST_CASE("connections are dealt over local addresses, and join from each", "[networks]")
{
    bool own_thread = GENERATE(false, true);
    Context context(own_thread);
    Server server(context, {{"host", "0.0.0.0"}});
    Caller caller(
        context, server.port,
        {{"localaddress", "127.0.0.2,127.0.0.3"}, {"connections", "4"}, {"link-weight", "1,5"}});
    all_open(context, caller, server, 4);
    for (unsigned i = 0; i < 4; i++) {
        livetcp_connection_stats stats = connection_stats(caller.session, i);
        CHECK(begins(stats.local, i % 2 ? "127.0.0.3:" : "127.0.0.2:"));
        CHECK(stats.path.link == i % 2);
        CHECK(stats.path.link_weight == (i % 2 ? 5 : 1));
    }
    send_and_wait(context, caller, server, 200);
    CHECK(stats_of(caller.session).links == 2);
    livetcp_link_stats second = link_stats(caller.session, 1);
    CHECK(std::string(second.network) == "127.0.0.3");
    CHECK(std::string(second.host) == "127.0.0.1");
    CHECK(second.weight == 5);
    CHECK(second.connections == 2);
    CHECK(second.open_connections == 2);
    CHECK(second.bytes_sent > 0);
    livetcp_link_stats beyond = {};
    beyond.struct_size = sizeof beyond;
    CHECK(livetcp_session_get_link_stats(caller.session, 2, &beyond) ==
          LIVETCP_ERR_INVALID_ARGUMENT);

    /* The listener knows the caller's networks by their addresses. */
    std::set<std::string> hosts[2];
    for (unsigned i = 0; i < 4; i++) {
        livetcp_connection_stats stats = connection_stats(server.session(), i);
        REQUIRE(stats.path.link < 2);
        hosts[stats.path.link].insert(std::string(stats.remote).substr(0, 9));
    }
    CHECK(hosts[0].size() == 1);
    CHECK(hosts[1].size() == 1);
    CHECK(stats_of(server.session()).links == 2);
}

TEST_CASE("connections are dealt over the hosts of one peer", "[networks]")
{
    Context context;
    Server server(context, {{"host", "0.0.0.0"}});
    Caller caller(context, server.port, {{"host", "127.0.0.1,127.0.0.2"}, {"connections", "4"}});
    all_open(context, caller, server, 4);
    for (unsigned i = 0; i < 4; i++)
        CHECK(begins(connection_stats(caller.session, i).remote,
                     i % 2 ? "127.0.0.2:" : "127.0.0.1:"));
    CHECK(std::string(link_stats(caller.session, 1).host) == "127.0.0.2");
}

TEST_CASE("a host that does not answer leaves the session to the others", "[networks]")
{
    Context context;
    Server server(context, {{"host", "127.0.0.2"}}); /* 127.0.0.1 refuses */
    Caller caller(context, server.port,
                  {{"host", "127.0.0.1,127.0.0.2"}, {"connections", "4"}, {"reconnect-min", "10"}});
    REQUIRE(until(context,
                  [&] { return server.sessions() == 1 && open_connections(caller.session) == 2; }));
    send_and_wait(context, caller, server, 100);
    CHECK(connection_stats(caller.session, 0).last_error == LIVETCP_ERR_REFUSED);
    CHECK(connection_stats(caller.session, 1).state == LIVETCP_CONNECTION_OPEN);
}

TEST_CASE("a connection is bound to its interface", "[networks]")
{
    Context context;
    Server server(context, {{"host", "127.0.0.1"}});
    char loopback[IF_NAMESIZE];
    REQUIRE(if_indextoname(1, loopback));
    Caller caller(context, server.port, {{"interface", loopback}, {"connections", "2"}});
    all_open(context, caller, server, 2);
    CHECK(std::string(link_stats(caller.session, 0).network) == loopback);
}

TEST_CASE("links that cannot be are refused, and named", "[networks]")
{
    livetcp_error error = refusal({{"interface", "no-such-if0"}});
    CHECK(error.code == LIVETCP_ERR_ADDRESS_INVALID);
    CHECK(says(error, "interface=no-such-if0"));
    CHECK(says(error, "lo"));

    /* 192.0.2.0/24 is for documentation (RFC 5737): nobody has it. */
    error = refusal({{"localaddress", "127.0.0.1,192.0.2.77"}});
    CHECK(error.code == LIVETCP_ERR_ADDRESS_INVALID);
    CHECK(says(error, "localaddress=192.0.2.77"));

    error = refusal({{"localaddress", "127.0.0.1,::1"}});
    CHECK(error.code == LIVETCP_ERR_ADDRESS_INVALID);
    CHECK(says(error, "localaddress=::1"));

    error = refusal({{"host", "127.0.0.1,::1"}, {"localaddress", "127.0.0.1"}});
    CHECK(error.code == LIVETCP_ERR_ADDRESS_INVALID);
    CHECK(says(error, "host ::1"));

    error = refusal({{"localaddress", "127.0.0.1,127.0.0.2,127.0.0.3"}, {"connections", "2"}});
    CHECK(error.code == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(says(error, "3 links"));
    CHECK(says(error, "2 connections"));

    error = refusal({{"localaddress", "127.0.0.1,127.0.0.2"}, {"link-weight", "1,2,3"}});
    CHECK(error.code == LIVETCP_ERR_INVALID_ARGUMENT);
    CHECK(says(error, "link-weight=1,2,3"));
}
