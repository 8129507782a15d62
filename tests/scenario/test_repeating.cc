/* SPDX-License-Identifier: MIT */
/* Packets that repeat the frames of those before them: on other connections than these, under every
 * policy, as far as there are any. */
#include "catch.h"
#include "sim_session.h"

#include <map>

using namespace scenario;

namespace
{

constexpr uint32_t voice = 0x1234;
constexpr size_t size = 190; /* bytes */

/* Sends packets of one stream, 20 ms apart. */
void send_all(SimCall &call, unsigned packets, unsigned repeats, uint32_t ssrc = voice)
{
    for (unsigned i = 0; i < packets; i++) {
        REQUIRE(call.caller.send_repeating(ssrc, static_cast<uint16_t>(i), size, repeats) ==
                LIVETCP_OK);
        call.world.run_for(20000);
    }
    call.world.run_for(3000000);
}

/* The connection that brought each packet first. */
std::map<uint16_t, unsigned> arrivals(const SimCall &call, uint32_t ssrc = voice)
{
    std::map<uint16_t, unsigned> by;
    for (const Received &r : call.remote()->received)
        if (r.ssrc == ssrc)
            by.emplace(r.sequence, r.connection);
    return by;
}

unsigned shared(const std::map<uint16_t, unsigned> &by, unsigned back)
{
    unsigned count = 0;
    for (const auto &entry : by) {
        auto before = by.find(static_cast<uint16_t>(entry.first - back));
        count += before != by.end() && before->second == entry.second;
    }
    return count;
}

/* Wants the connection of the last packet, as long as it is ready. */
struct Clinging {
    uint32_t last;
};

void cling(void *state, const livetcp_policy_view *view, const livetcp_packet_view *,
           livetcp_decision *decision)
{
    auto *own = static_cast<Clinging *>(state);
    for (unsigned i = view->path_count; i--;)
        if (view->paths[i].ready && (!decision->connections || own->last == UINT32_C(1) << i))
            decision->connections = UINT32_C(1) << i;
    if (decision->connections)
        own->last = decision->connections;
}

/* Never takes any but the first. */
void insist(void *, const livetcp_policy_view *view, const livetcp_packet_view *,
            livetcp_decision *decision)
{
    if (view->paths[0].ready)
        decision->connections = 1;
}

livetcp_policy policy_of(const char *name, decltype(cling) *place)
{
    livetcp_policy policy = {};
    policy.struct_size = sizeof policy;
    policy.name = name;
    policy.summary = "for a test";
    policy.state_size = sizeof(Clinging);
    policy.place = place;
    return policy;
}

} // namespace

TEST_CASE("no policy sends a packet where those are that it repeats")
{
    for (size_t i = 0; const livetcp_policy *policy = livetcp_policy_at(i); i++) {
        if (policy->max_connections == 1)
            continue;
        CAPTURE(policy->name);
        SimCall call("delay=50ms", make_config(policy->name, 8), 3);
        call.world.run_for(1000000);
        send_all(call, 200, 1);
        auto by = arrivals(call);
        CHECK(by.size() == 200);
        CHECK(shared(by, 1) == 0);
    }
}

TEST_CASE("a policy that would stay where it is has to move, as far back as is repeated")
{
    livetcp_policy clinging = policy_of("clinging", cling);
    for (unsigned repeats : {0u, 1u, 2u, 3u, 1000u}) {
        CAPTURE(repeats);
        SimCall call("delay=50ms", make_config("single", 5), 3, 1 << 20, &clinging);
        call.world.run_for(1000000);
        send_all(call, 100, repeats);
        auto by = arrivals(call);
        REQUIRE(by.size() == 100);
        for (unsigned back = 1; back <= 3; back++)
            CHECK(shared(by, back) == (back <= repeats ? 0 : shared(by, back)));
        if (!repeats)
            CHECK(shared(by, 1) == 99);
    }
}

TEST_CASE("a packet rather goes behind what it repeats than waits")
{
    livetcp_policy insisting = policy_of("insisting", insist);
    SimCall stubborn("delay=50ms", make_config("single", 3), 3, 1 << 20, &insisting);
    stubborn.world.run_for(1000000);
    send_all(stubborn, 50, 1);
    CHECK(arrivals(stubborn).size() == 50);
    CHECK(stubborn.caller.stats().sent.max_queue_delay_us < 1000);

    SimCall alone("delay=50ms", make_config("single", 1), 3);
    alone.world.run_for(1000000);
    send_all(alone, 50, 3);
    CHECK(arrivals(alone).size() == 50);
    CHECK(alone.caller.stats().sent.max_queue_delay_us < 1000);
}

TEST_CASE("streams are kept apart, and more than are remembered do no harm")
{
    livetcp_policy clinging = policy_of("clinging", cling);
    SimCall call("delay=50ms", make_config("single", 2), 3, 1 << 20, &clinging);
    call.world.run_for(1000000);
    for (uint16_t i = 0; i < 50; i++)
        for (uint32_t ssrc = 1; ssrc <= 5; ssrc++) {
            REQUIRE(call.caller.send_repeating(ssrc, i, size, 1) == LIVETCP_OK);
            call.world.run_for(2000);
        }
    for (uint32_t ssrc = 100; ssrc < 200; ssrc++)
        send_all(call, 2, 1, ssrc);
    call.world.run_for(1000000);
    for (uint32_t ssrc = 1; ssrc <= 5; ssrc++)
        CHECK(shared(arrivals(call, ssrc), 1) == 0);
    for (uint32_t ssrc = 100; ssrc < 200; ssrc++)
        CHECK(arrivals(call, ssrc).size() == 2);
}
