/* SPDX-License-Identifier: MIT */
/* When a policy is asked about packets that are under way, and how often. */
#include "catch.h"
#include "wire_tap.h"

extern "C" {
#include "engine/repair/repair.h"
}

using namespace scenario;

namespace
{

const livetcp_usec second = 1000000, never = INT64_MAX;

} // namespace

TEST_CASE("an RTCP packet that is late is not copied and keeps nobody busy")
{
    SimCall call("delay=50ms", make_config("hedge", 3), 1);
    call.world.run_for(2 * second);
    call.stream(500, 20000, second);
    call.world.run_for(second);
    call.path.forward.cut(true);
    call.caller.send_report(7);
    unsigned timers = 0;
    for (livetcp_usec end = call.world.now() + second; call.world.now() < end && timers < 10000;
         timers++) {
        livetcp_usec due = livetcp_engine_deadline(call.caller.engine);
        call.world.run_until(due > call.world.now() + 1000 ? call.world.now() + 1000 : due);
        REQUIRE(livetcp_engine_deadline(call.caller.engine) > call.world.now());
    }
    CHECK(timers < 10000);
    CHECK(call.caller.stats().sent.copies == 0);
}

TEST_CASE("a packet on a connection that goes into recovery is asked about once for it")
{
    for (unsigned seed = 1; seed <= 8; seed++) {
        livetcp_config config = make_config("hedge", 6);
        config.hedge_delay_us = 10 * second; /* so that only the alarm is left */
        config.redundancy_budget = 7;
        config.tail_probes = 1;
        config.rtcp = LIVETCP_RTCP_OFF; /* nothing else is to be lost */
        config.feedback_us = 0;
        config.keepalive_interval_us = 9 * second;
        SimCall call("delay=50ms", config, seed);
        call.world.run_for(2 * second);
        call.stream(500, 20000, 2 * second);
        call.world.run_for(second);
        call.path.forward.cut(true);
        call.stream(500, 10000, 10000); /* this one is lost, and its chaser is not */
        call.path.forward.cut(false);
        call.stream(500, 20000, second);
        call.world.run_for(5 * second);
        livetcp_session_stats stats = call.caller.stats();
        CHECK(stats.sent.copies == 2); /* at once, since it has lost a round trip */
        CHECK(call.remote()->received.size() == 151);
    }
}

TEST_CASE("a policy that asks to be asked at once is asked once a millisecond at most")
{
    static unsigned asked;
    static livetcp_usec answer;
    livetcp_policy eager = *livetcp_policy_find("hedge");
    eager.place = [](void *, const livetcp_policy_view *view, const livetcp_packet_view *,
                     livetcp_decision *decision) {
        asked++;
        decision->review_us = answer == never ? view->now_us + 1 : answer;
        for (unsigned i = 0; i < view->path_count && !decision->connections; i++)
            if (view->paths[i].ready && view->queue_packets < 3)
                decision->connections = UINT32_C(1) << i;
    };
    eager.review = [](void *, const livetcp_policy_view *view, const livetcp_packet_view *,
                      livetcp_decision *decision) {
        asked++;
        decision->review_us = answer == never ? view->now_us + 1 : answer;
    };
    for (livetcp_usec soon : {never, INT64_MIN, static_cast<livetcp_usec>(0), never - 1}) {
        answer = soon;
        SimCall call("delay=50ms", make_config("hedge", 3), 1, 1 << 20, &eager);
        call.world.run_for(2 * second);
        asked = 0;
        call.caller.send(1, 1, 500); /* under way, and then a queue that waits */
        call.world.run_for(50000);
        CHECK(asked <= 55);
        asked = 0;
        for (uint16_t i = 2; i < 6; i++)
            call.caller.send(1, i, 500);
        call.world.run_for(1 * second);
        CHECK(asked <= 2100);
    }
}

namespace
{

/* What asks hedge, and counts how often. */
unsigned reviews;

void counted_review(void *state, const livetcp_policy_view *view, const livetcp_packet_view *packet,
                    livetcp_decision *decision)
{
    reviews++;
    livetcp_policy_find("hedge")->review(state, view, packet, decision);
}

} // namespace

TEST_CASE("a great backlog under way does not keep the policy busy")
{
    livetcp_policy counted = *livetcp_policy_find("hedge");
    counted.review = counted_review;
    livetcp_config config = make_config("hedge", 8);
    config.send_buffer_windows = 0; /* all of it into the send buffers */
    config.redundancy_budget = 0.05;
    SimCall call("delay=50ms", config, 1, 1 << 24, &counted);
    call.world.run_for(2 * second);
    for (uint16_t i = 0; i < 40; i++) /* the initial window ends two seconds after these */
        call.caller.send(3, i, 500);
    call.stream(500, 20000, 3 * second);
    reviews = 0;
    call.path.forward.cut(true);
    for (uint16_t i = 0; i < 8000; i++)
        call.caller.send(2, i, 500);
    for (unsigned ms = 0; ms < 1000; ms++) {
        unsigned before = reviews;
        call.world.run_for(1000);
        REQUIRE(reviews - before <= 4 * LT_REVIEW_MAX);
    }
    CHECK(reviews > 0);
    CHECK(reviews <= 1000 / 4 * LT_REVIEW_MAX); /* a round every 5 ms, and some for copies */
    call.path.forward.cut(false);
    call.world.run_for(20 * second);
    CHECK(call.remote()->received.size() == 40 + 150 + 8000);
}
