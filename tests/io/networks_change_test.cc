/* SPDX-License-Identifier: MIT */
/* A network that goes and comes back: an address of loopback, in a network namespace of the test's
 * own. Without namespaces, or the program `ip`, each test prints "SKIPPED:" and the reason. */
#include "world.h"

extern "C" {
#include "lab/emulate/netns.h"
}

#include <cstdlib>
#include <iostream>

using namespace world;

namespace
{

/* Moves this thread into a namespace that has these addresses. */
bool enter_namespace()
{
    livetcp_error error = {};
    int netns = -1;
    if (lt_netns_prepare(&error) != LIVETCP_OK ||
        lt_netns_create(&netns, nullptr, nullptr, &error) != LIVETCP_OK ||
        lt_netns_enter(netns, &error) != LIVETCP_OK) {
        std::cout << "SKIPPED: " << error.message << std::endl;
        return false;
    }
    close(netns);
    return true;
}

bool ip(const std::string &arguments)
{
    return std::system(("ip " + arguments).c_str()) == 0;
}

} // namespace

TEST_CASE("a link whose address goes gives its packets to the other, and is tried again",
          "[networks]")
{
    if (!enter_namespace())
        return;
    if (!ip("addr add 192.0.2.7/32 dev lo") || !ip("addr add 192.0.2.8/32 dev lo")) {
        std::cout << "SKIPPED: no `ip`" << std::endl;
        return;
    }
    Context context;
    Server server(context, {{"host", "0.0.0.0"}});
    /* A lost connection would be tried again after minutes only. */
    Caller caller(context, server.port,
                  {{"localaddress", "192.0.2.7,192.0.2.8"},
                   {"connections", "4"},
                   {"reconnect-min", "60000"},
                   {"reconnect-max", "600000"}});
    all_open(context, caller, server, 4);
    send_and_wait(context, caller, server, 50);

    REQUIRE(ip("addr del 192.0.2.8/32 dev lo"));
    std::string message;
    REQUIRE(until(context, [&] {
        return caller.record.lost_with(LIVETCP_ERR_CONNECTION_LOST, &message) &&
               open_connections(caller.session) == 2;
    }));
    CHECK(message.find("192.0.2.8 has gone") != std::string::npos);
    CHECK(livetcp_session_get_state(caller.session) == LIVETCP_SESSION_OPEN);
    size_t before = server.record().packets();
    for (unsigned i = 0; i < 50; i++)
        REQUIRE(caller.send(rtp((uint16_t)(1000 + i))) == LIVETCP_OK);
    REQUIRE(until(context, [&] { return server.record().packets() == before + 50; }));

    REQUIRE(ip("addr add 192.0.2.8/32 dev lo"));
    CHECK(until(context, [&] { return open_connections(caller.session) == 4; }));
}
