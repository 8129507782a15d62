/* SPDX-License-Identifier: MIT */
/* How a caller introduces itself, and what the listener's application answers, in virtual time. */
#include "catch.h"
#include "sim_session.h"

using namespace scenario;

namespace
{

livetcp_config named(const char *stream_id, livetcp_role role, unsigned connections)
{
    livetcp_config config = make_config("shortest-queue", connections);
    snprintf(config.stream_id, sizeof config.stream_id, "%s", stream_id);
    config.role = role;
    return config;
}

struct Introduced {
    std::string stream_id;
    livetcp_role role;
    livetcp_usec at;
};

/* Records who comes, and lets in who wants "studio". */
void guard(SimCall &call, std::vector<Introduced> &seen, unsigned code)
{
    call.listener.admit = [&call, &seen, code](const livetcp_pending &pending, std::string &words) {
        seen.push_back({livetcp_pending_stream_id(&pending), livetcp_pending_role(&pending),
                        call.world.now()});
        words = "there is no such stream";
        return seen.back().stream_id == "studio" ? 0 : code;
    };
}

} // namespace

TEST_CASE("a listener learns name and role two and a half round trips after the call begins")
{
    std::vector<Introduced> seen;
    SimCall call("delay=50ms", named("studio", LIVETCP_ROLE_PUBLISH, 3), 1);
    guard(call, seen, 404);
    livetcp_usec begin = call.world.now();
    call.world.run_for(100500); /* TCP is up; what is sent now follows CREATE */
    for (uint16_t sequence = 0; sequence < 5; sequence++)
        CHECK(call.caller.send(1, sequence, 500) == LIVETCP_OK);
    call.world.run_for(2000000);
    REQUIRE(seen.size() == 1);
    CHECK(seen[0].stream_id == "studio");
    CHECK(seen[0].role == LIVETCP_ROLE_PUBLISH);
    CHECK(seen[0].at - begin == 250000);
    REQUIRE(call.remote() != nullptr);
    REQUIRE(call.remote()->received.size() == 5);
    /* The session gets it with PROOF: held, not late. */
    for (const Received &packet : call.remote()->received)
        CHECK(packet.at == seen[0].at);
    CHECK(call.caller.stats().open_connections == 3);
}

TEST_CASE("a name arrives whole, or nobody does, however the path loses")
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        std::vector<Introduced> seen;
        SimCall call("delay=20ms,loss=20%", named("studio", LIVETCP_ROLE_SUBSCRIBE, 4), seed);
        guard(call, seen, 404);
        call.world.run_for(20 * 1000000);
        REQUIRE(!seen.empty());
        for (const Introduced &one : seen) {
            CHECK(one.stream_id == "studio");
            CHECK(one.role == LIVETCP_ROLE_SUBSCRIBE);
        }
        CHECK(call.caller.state() == LIVETCP_SESSION_OPEN);
    }
}

TEST_CASE("who is turned away for good hears why, once, and does not call again")
{
    std::vector<Introduced> seen;
    const char *words = nullptr;
    SimCall call("delay=10ms", named("attic", LIVETCP_ROLE_SUBSCRIBE, 3), 1);
    guard(call, seen, 404);
    call.world.run_for(60 * 1000000);
    CHECK(seen.size() == 1);
    CHECK(call.listener.sessions.empty());
    CHECK(call.caller.state() == LIVETCP_SESSION_CLOSED);
    CHECK(call.caller.events.back().reason == LIVETCP_ERR_CANCELLED);
    CHECK(livetcp_engine_rejection(call.caller.engine, &words) == 404);
    CHECK(std::string(words) == "there is no such stream");
}

TEST_CASE("who is turned away for now calls again, ever more slowly")
{
    std::vector<Introduced> seen;
    const char *words = nullptr;
    SimCall call("delay=10ms", named("attic", LIVETCP_ROLE_SUBSCRIBE, 3), 1);
    guard(call, seen, 503);
    call.world.run_for(30 * 1000000);
    CHECK(seen.size() >= 6);
    CHECK(seen.size() <= 14);
    CHECK(call.caller.state() == LIVETCP_SESSION_CONNECTING);
    CHECK(livetcp_engine_rejection(call.caller.engine, &words) == 503);
    for (size_t i = 3; i < seen.size(); i++)
        CHECK(seen[i].at - seen[i - 1].at > (seen[2].at - seen[1].at));
    call.listener.admit = nullptr;
    call.world.run_for(10 * 1000000);
    CHECK(call.caller.stats().open_connections == 3);
}
