/* SPDX-License-Identifier: MIT */
/* Policies that return nonsense: the session lives, says so once, and sends by the rule of
 * `single`. */
#include "catch.h"
#include "wire_tap.h"

using namespace scenario;

namespace
{

const uint32_t media = 0x1234;
const livetcp_usec second = 1000000;

using Decide = void (*)(void *, const livetcp_policy_view *, const livetcp_packet_view *,
                        livetcp_decision *);

livetcp_policy hostile(Decide place, Decide review = nullptr)
{
    livetcp_policy policy = {};
    policy.struct_size = sizeof policy;
    policy.name = "hostile";
    policy.summary = "does what no policy should";
    policy.wants = LIVETCP_WANTS_PATHS | LIVETCP_WANTS_TAIL_PROBES;
    policy.state_size = sizeof(lt_rng);
    policy.init = [](void *state, const livetcp_config *) {
        lt_rng_seed(static_cast<lt_rng *>(state), 1);
    };
    policy.place = place;
    policy.review = review;
    return policy;
}

/* One ready connection, as a sane policy would. */
uint32_t any_ready(const livetcp_policy_view *view)
{
    for (unsigned i = 0; i < view->path_count; i++)
        if (view->paths[i].ready)
            return UINT32_C(1) << i;
    return 0;
}

struct Call {
    Call(const livetcp_policy &table, double budget, uint64_t seed = 1)
        : policy(table), config(with_budget(budget)),
          call("delay=20ms,loss=2%", config, seed, 1 << 20, &policy), tap(call, {media})
    {
        call.world.run_for(2 * second);
        call.stream(500, 20000, 6 * second, media);
        call.world.run_for(10 * second);
        REQUIRE(call.remote() != nullptr);
    }

    static livetcp_config with_budget(double budget)
    {
        livetcp_config config = make_config("hedge", 4);
        config.redundancy_budget = budget;
        return config;
    }

    unsigned warnings() const
    {
        unsigned count = 0;
        for (const livetcp_engine_event &event : call.caller.events)
            if (event.type == LIVETCP_ENGINE_WARNING) {
                CHECK(event.reason == LIVETCP_ERR_BAD_DECISION);
                count++;
            }
        return count;
    }

    void check_all_delivered() const
    {
        CHECK(call.remote()->received.size() == 300);
        CHECK(call.caller.state() == LIVETCP_SESSION_OPEN);
        CHECK(call.caller.stats().open_connections == 4);
    }

    const livetcp_policy policy;
    const livetcp_config config;
    SimCall call;
    WireTap tap;
};

} // namespace

TEST_CASE("a policy that names connections which are not there is told on once")
{
    for (Decide place :
         {Decide([](void *, const livetcp_policy_view *view, const livetcp_packet_view *,
                    livetcp_decision *decision) {
              decision->connections = UINT32_C(1) << view->path_count;
          }),
          Decide([](void *, const livetcp_policy_view *, const livetcp_packet_view *,
                    livetcp_decision *decision) { decision->connections = UINT32_MAX; }),
          Decide([](void *, const livetcp_policy_view *, const livetcp_packet_view *,
                    livetcp_decision *decision) { decision->connections = UINT32_C(1) << 31; })}) {
        Call run(hostile(place), 7);
        run.check_all_delivered();
        CHECK(run.warnings() == 1);
        CHECK(run.call.caller.stats().sent.policy_errors >= 300);
        CHECK(run.call.caller.stats().sent.copies == 0);
        for (const WireTap::Written &packet : run.tap.written)
            CHECK(packet.slot == 0);
    }
}

TEST_CASE("random answers do no harm")
{
    Decide random = [](void *state, const livetcp_policy_view *, const livetcp_packet_view *,
                       livetcp_decision *decision) {
        auto *rng = static_cast<lt_rng *>(state);
        decision->connections = static_cast<uint32_t>(lt_rng_next(rng));
        if (lt_rng_next(rng) % 2)
            decision->connections &= 15;
        decision->review_us = static_cast<livetcp_usec>(lt_rng_next(rng));
        decision->protect = lt_rng_next(rng) % 2;
    };
    for (uint64_t seed = 1; seed <= 8; seed++) {
        Call run(hostile(random, random), 1, seed);
        run.check_all_delivered();
        CHECK(run.warnings() == 1);
        CHECK(run.call.caller.stats().sent.policy_errors > 1);
    }
}

TEST_CASE("a policy that always waits keeps its packets waiting, within the bounds of the queue")
{
    Decide nothing = [](void *, const livetcp_policy_view *, const livetcp_packet_view *,
                        livetcp_decision *) {};
    livetcp_policy policy = hostile(nothing, nothing);
    livetcp_config config = Call::with_budget(1);
    config.queue_packets = 100;
    SimCall call("delay=20ms", config, 1, 1 << 20, &policy);
    call.world.run_for(second);
    call.stream(500, 20000, 6 * second);
    CHECK(call.remote()->received.empty());
    CHECK(call.caller.state() == LIVETCP_SESSION_OPEN);
    CHECK(call.caller.stats().sent.queue_packets == 100);
    CHECK(call.caller.stats().dropped.queue_full == 200);
    CHECK(call.caller.stats().sent.policy_errors == 0);
    call.caller.close(second);
    call.world.run_for(3 * second);
    CHECK(call.caller.state() == LIVETCP_SESSION_CLOSED);
}

TEST_CASE("times in the past and beyond all time are as good as any")
{
    static livetcp_usec answer;
    for (livetcp_usec time : {INT64_MIN, INT64_C(-1), INT64_C(0), INT64_MAX - 1, INT64_MAX}) {
        answer = time;
        Decide place = [](void *, const livetcp_policy_view *view, const livetcp_packet_view *,
                          livetcp_decision *decision) {
            decision->connections = any_ready(view);
            decision->review_us = answer;
        };
        Decide review = [](void *, const livetcp_policy_view *, const livetcp_packet_view *,
                           livetcp_decision *decision) {
            decision->connections = 15;
            decision->review_us = answer;
        };
        Call run(hostile(place, review), 0.1);
        run.check_all_delivered();
        livetcp_session_stats stats = run.call.caller.stats();
        CHECK(stats.sent.policy_errors == 0);
        CHECK(static_cast<double>(stats.sent.extra_bytes) <=
              0.1 * static_cast<double>(stats.sent.accepted_bytes) + 6 * 500); /* one a second */
    }
}

TEST_CASE("a policy that protects everything without asking for parity sends no parity")
{
    Decide place = [](void *, const livetcp_policy_view *view, const livetcp_packet_view *,
                      livetcp_decision *decision) {
        decision->connections = any_ready(view);
        decision->protect = true;
    };
    Call run(hostile(place), 1);
    run.check_all_delivered();
    CHECK(run.call.caller.stats().sent.extra_bytes == 0);
    CHECK(run.warnings() == 0);
}

TEST_CASE("copies beyond the budget are left out, the first copy never")
{
    Decide flood = [](void *, const livetcp_policy_view *, const livetcp_packet_view *,
                      livetcp_decision *decision) { decision->connections = 15; };
    Call none(hostile(flood), 0);
    none.check_all_delivered();
    CHECK(none.call.caller.stats().sent.copies == 0);
    Call some(hostile(flood), 0.5);
    some.check_all_delivered();
    CHECK(some.call.caller.stats().sent.copies > 0);
    CHECK(some.call.caller.stats().sent.copies <= 150 + 6);
}
