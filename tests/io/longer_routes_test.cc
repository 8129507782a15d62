/* SPDX-License-Identifier: MIT */
/* A load balancer that chooses one of two routes by the ports, under sessions over real sockets.
 * Needs TUN and network namespaces; without them each test prints "SKIPPED:" and the reason. */
#include "path_context.h"
#include "sockets.h"

using namespace world;

namespace
{

/* The reserve of eight connections is two. */
unsigned on_shorter_route(livetcp_session *session)
{
    unsigned count = 0;

    for (unsigned i = 0; i < 8; i++) {
        livetcp_connection_stats stats = connection_stats(session, i);
        count += stats.state == LIVETCP_CONNECTION_OPEN &&
                 stats.path.known & LIVETCP_PATH_MIN_RTT && stats.path.min_rtt_us < 40000;
    }
    return count;
}

} // namespace

TEST_CASE("connections leave a longer route, and nothing is lost or comes twice", "[routes]")
{
    Path path("delay=10ms,routes=0+30ms", "delay=10ms");
    if (!path.path)
        return;
    bool listener_sends = GENERATE(false, true);
    std::unique_ptr<Context> far = context_at(path, LT_FAR);
    Server server(*far, {{"host", LT_PATH_FAR_IPV4}});
    std::unique_ptr<Context> near = context_at(path, LT_NEAR);
    Caller caller(*near, server.port, {{"host", LT_PATH_FAR_IPV4}, {"connections", "8"}});
    REQUIRE(until(*near, [&] {
        return server.sessions() && open_connections(caller.session) == 8 &&
               open_connections(server.session()) == 8;
    }));
    uint16_t sequence = 0;
    REQUIRE(until(
        *near,
        [&] {
            if (listener_sends)
                send(server.session(), rtp(sequence));
            else
                caller.send(rtp(sequence));
            sequence++;
            usleep(10000);
            return on_shorter_route(caller.session) >= 6 && open_connections(caller.session) == 8;
        },
        60000));
    auto &record = listener_sends ? caller.record : server.record();
    REQUIRE(until(*near, [&] { return record.packets() >= sequence; }));
    CHECK(record.packets() == sequence);
    CHECK(no_duplicates(record.all_packets()));
    CHECK(caller.record.states().size() == 1); /* open all the time */
    livetcp_session_stats stats = stats_of(caller.session);
    CHECK(stats.reconnects == stats.rerouted);
}
