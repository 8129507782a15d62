/* SPDX-License-Identifier: MIT */
/* Which packets of a thin link are copied, and when. */
#include "catch.h"
#include "policy_view.h"

extern "C" {
#include "policy/builtin.h"
#include "policy/overtaken.h"
}

namespace
{

constexpr livetcp_usec ms = 1000;
constexpr livetcp_usec sent = 1000 * ms, now = 1090 * ms;

/* It left 90 ms ago. */
struct Session : OvertakenView {
    Session() : OvertakenView(sent, now)
    {
    }

    livetcp_decision review(double times = 2)
    {
        livetcp_decision decision = {};
        decision.review_us = LIVETCP_NEVER;
        lt_overtaken_review(&overtaken, &view, &packet, times, &decision);
        return decision;
    }

    lt_overtaken overtaken = {};
};

} // namespace

TEST_CASE("a packet that others on its route have overtaken is copied once, without room")
{
    Session session;
    livetcp_decision decision = session.review();
    CHECK((decision.connections == 2 || decision.connections == 4));
    CHECK(decision.without_room);
    CHECK(decision.review_us == LIVETCP_NEVER);
    session.packet.copies = 2;
    CHECK(session.review().connections == 0);
}

TEST_CASE("a packet that may just wait in a queue is not copied, and looked at again soon")
{
    Session session;
    session.packet.overtaken = false;
    livetcp_decision decision = session.review();
    CHECK(decision.connections == 0);
    CHECK(decision.review_us > now);
    CHECK(decision.review_us < now + 20 * ms);
}

TEST_CASE("a copy waits until nothing of the session waits at the bottleneck")
{
    Session session;
    for (livetcp_path &path : session.paths)
        path.link_free_us = now + 7 * ms;
    livetcp_decision decision = session.review();
    CHECK(decision.connections == 0);
    CHECK(decision.review_us == now + 7 * ms);
}

TEST_CASE("no copy in bursts of losses, of parity, or of a packet that waits for several repairs")
{
    Session burst, parity, old;
    burst.view.burst_us = 10 * ms;
    CHECK(burst.review().connections == 0);
    parity.packet.parity = true;
    CHECK(parity.review().connections == 0);
    old.packet.first_sent_us = now - 400 * ms;
    CHECK(old.review().connections == 0);
    CHECK(old.review().review_us == LIVETCP_NEVER);
}

/* On 1.25 times the media a copy delays four packets, one in fifty of two hundred. */
TEST_CASE("copies delay one packet in fifty at most")
{
    Session session;
    unsigned copies = 0;
    for (unsigned i = 0; i < 2000; i++) {
        lt_overtaken_placed(&session.overtaken);
        copies += session.review(1.25).connections != 0;
    }
    CHECK(copies >= 9);
    CHECK(copies <= 11);
}
