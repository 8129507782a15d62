/* SPDX-License-Identifier: MIT */
/* An emulated path that is away for a while, under sessions over real sockets. How soon media comes
 * is measured by `script/bench paths` (rows outage): here it has to come sooner than TCP alone
 * could bring it, and nothing may stay behind. Needs TUN and network namespaces; without them each
 * test prints "SKIPPED:" and the reason. */
#include "certificates.h"
#include "path_context.h"
#include "sockets.h"

using namespace world;

namespace
{

/* Ten times what it takes: who takes outages for round trips notices each later than the last. */
const int NOTICED_MS = 20000;

void cut(const Path &path, bool away)
{
    for (lt_direction direction : {LT_FORWARD, LT_BACKWARD}) {
        lt_link_params params;
        lt_path_get(path.path, direction, &params);
        REQUIRE(!lt_link_params_parse(&params, away ? "loss=100%" : "loss=0%", nullptr));
        REQUIRE(lt_path_set(path.path, direction, &params, nullptr) == LIVETCP_OK);
    }
}

livetcp_control_stats control_of(const Caller &caller)
{
    return stats_of(caller.session).control;
}

bool open_at_both_ends(Caller &caller, Server &server, unsigned connections)
{
    return server.sessions() && open_connections(caller.session) == connections &&
           open_connections(server.session()) == connections;
}

/* When the next outage begins: when all is as it was before the last one, or when the first packet
 * has come, and the session has not recovered yet. */
enum class Next { as_ever, at_once };

/* Three outages with media both ways or one of them. Now and then one of the old connections is the
 * first; TCP then repairs the rest. */
void outages(const Path &path, const Settings &listener, const Settings &more, bool forward,
             bool backward, Next next = Next::as_ever)
{
    std::unique_ptr<Context> far = context_at(path, LT_FAR);
    Server server(*far, with({{"host", LT_PATH_FAR_IPV4}}, listener));
    std::unique_ptr<Context> near = context_at(path, LT_NEAR);
    Caller caller(*near, server.port,
                  with({{"host", LT_PATH_FAR_IPV4}, {"connections", "3"}}, more));
    REQUIRE(until(*near, [&] { return open_at_both_ends(caller, server, 3); }));
    uint16_t sequence = 0;
    auto talk = [&] {
        if (forward)
            caller.send(rtp(sequence));
        if (backward)
            send(server.session(), rtp(sequence));
        sequence++;
        usleep(5000);
    };
    /* The connection that was one more is gone at both ends when the others work. */
    auto has_spare = [](livetcp_session *session) {
        livetcp_connection_stats stats = {};
        stats.struct_size = sizeof stats;
        return livetcp_session_get_connection_stats(session, 3, &stats) == LIVETCP_OK;
    };
    /* Packets of the listener's may be the first that come through. To the caller it is the same
     * outage until it has an acknowledgement. */
    auto is_repairing = [&] {
        for (unsigned i = 0; i < 3; i++) {
            livetcp_connection_stats stats = {};
            stats.struct_size = sizeof stats;
            if (livetcp_session_get_connection_stats(caller.session, i, &stats) == LIVETCP_OK &&
                stats.path.tcp_state == LIVETCP_TCP_TIMEOUT)
                return true;
        }
        return false;
    };
    auto as_ever = [&] {
        return open_at_both_ends(caller, server, 3) && !has_spare(caller.session) &&
               !has_spare(server.session()) && !is_repairing();
    };
    for (unsigned i = 0; i < 3; i++) {
        livetcp_control_stats before = control_of(caller);
        CAPTURE(i, forward, backward);
        cut(path, true);
        bool noticed = until(
            *near,
            [&] {
                talk();
                livetcp_control_stats control = control_of(caller);
                return (next == Next::at_once || control.outages > before.outages) &&
                       control.outage_probes > before.outage_probes + 10;
            },
            NOTICED_MS);
        REQUIRE(noticed);
        cut(path, false);
        size_t here = caller.record.packets(), there = server.record().packets();
        REQUIRE(until(*near, [&] {
            talk();
            return (!backward || caller.record.packets() > here) &&
                   (!forward || server.record().packets() > there);
        }));
        REQUIRE((next == Next::at_once || until(*near, [&] {
                     talk();
                     return as_ever();
                 })));
    }
    REQUIRE(until(*near, [&] {
        talk();
        return as_ever();
    }));
    CHECK_FALSE(server.rejected_with(LIVETCP_ERR_INDEX_IN_USE));
    CHECK(no_duplicates(server.record().all_packets()));
    CHECK(no_duplicates(caller.record.all_packets()));
    for (Record *record : {&caller.record, &server.record()}) {
        std::string why;
        CHECK((!record->lost_with(LIVETCP_ERR_CONNECTION_LOST, &why) ||
               why.find(livetcp_result_text(LIVETCP_ERR_CONNECTION_LOST)) == std::string::npos));
    }
    /* Open all the time, unless an outage follows before those that were stuck are back. */
    CHECK((caller.record.states().size() == 1 || next == Next::at_once));
    CHECK(caller.record.states().back().state == LIVETCP_SESSION_OPEN);
    CHECK(stats_of(caller.session).reconnects <= 3 * 3);
    CHECK(livetcp_session_get_state(server.session()) == LIVETCP_SESSION_OPEN);
}

} // namespace

TEST_CASE("new connections find the path after an outage", "[outage]")
{
    Path path("delay=10ms", "delay=10ms");
    if (!path.path)
        return;
    bool forward = GENERATE(true, false), backward = GENERATE(true, false);
    if (forward || backward)
        outages(path, {}, {}, forward, backward);
}

TEST_CASE("an outage that follows before the session has recovered is ended like it", "[outage]")
{
    Path path("delay=10ms", "delay=10ms");
    if (!path.path)
        return;
    bool forward = GENERATE(true, false), backward = GENERATE(true, false);
    if (forward || backward)
        outages(path, {}, {}, forward, backward, Next::at_once);
}

TEST_CASE("with TLS and a WebSocket, too", "[outage]")
{
    Path path("delay=10ms", "delay=10ms");
    if (!path.path)
        return;
    certificates made;
    certificate_options options;
    options.name = LT_PATH_FAR_IPV4;
    certificate_files files = made.make("listener", options);
    Settings listener = {{"tls", "on"}, {"tls-cert", files.certificate}, {"tls-key", files.key}};
    Settings caller = {{"tls", "on"}, {"tls-ca", made.ca}};
    outages(path, listener, caller, true, false);
    outages(path, with(listener, {{"websocket", "on"}}), with(caller, {{"websocket", "on"}}), true,
            false);
}

TEST_CASE("a session that is ended in an outage leaves nothing behind", "[outage]")
{
    Path path("delay=10ms", "delay=10ms");
    if (!path.path)
        return;
    std::unique_ptr<Context> far = context_at(path, LT_FAR);
    Server server(*far, {{"host", LT_PATH_FAR_IPV4}});
    std::unique_ptr<Context> near = context_at(path, LT_NEAR);
    auto caller = std::make_unique<Caller>(
        *near, server.port, Settings{{"host", LT_PATH_FAR_IPV4}, {"connections", "3"}});
    REQUIRE(until(*near, [&] { return open_at_both_ends(*caller, server, 3); }));
    cut(path, true);
    uint16_t sequence = 0;
    REQUIRE(until(*near, [&] {
        caller->send(rtp(sequence++));
        usleep(5000);
        return control_of(*caller).outage_probes > 8;
    }));
    caller.reset();
    cut(path, false);
}
