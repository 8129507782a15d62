/* SPDX-License-Identifier: MIT */
/* When a packet is copied that TCP repeats in vain. */
#include "catch.h"
#include "policy_view.h"

extern "C" {
#include "policy/builtin.h"
#include "policy/timed_out.h"
}

namespace
{

constexpr livetcp_usec ms = 1000;
constexpr livetcp_usec sent = 1000 * ms, patience = 260 * ms;

/* The timer of the first connection has fired. */
struct Session : OvertakenView {
    Session() : OvertakenView(sent, sent + patience)
    {
        paths[0].tcp_state = LIVETCP_TCP_TIMEOUT;
    }

    livetcp_decision review()
    {
        livetcp_decision decision = {};
        decision.review_us = LIVETCP_NEVER;
        lt_timed_out_review(&view, &packet, &decision);
        return decision;
    }
};

} // namespace

TEST_CASE("a packet that was placed is looked at when its repair should have come")
{
    Session session;
    livetcp_decision decision = {};
    decision.review_us = LIVETCP_NEVER;
    lt_timed_out_placed(&session.view, &decision);
    CHECK(decision.review_us == LIVETCP_NEVER);
    decision.connections = 1;
    lt_timed_out_placed(&session.view, &decision);
    CHECK(decision.review_us == session.view.now_us + patience);
    decision.review_us = 5;
    lt_timed_out_placed(&session.view, &decision);
    CHECK(decision.review_us == 5);
}

TEST_CASE("a packet whose repair did not come is copied, and each copy has twice the time")
{
    Session session;
    livetcp_decision decision = session.review();
    CHECK((decision.connections == 2 || decision.connections == 4));
    CHECK(decision.without_room);
    CHECK(decision.review_us == session.view.now_us + 2 * patience);

    session.packet.copies = 2;
    CHECK(session.review().review_us == sent + 2 * patience);
    session.view.now_us = sent + 2 * patience;
    CHECK(session.review().connections);
    session.packet.copies = 4;
    session.view.now_us = sent + 10000 * ms;
    CHECK(session.review().connections == 0);
    CHECK(session.review().review_us == LIVETCP_NEVER);
}

TEST_CASE("a packet that may still be on its way is not copied")
{
    Session session;
    session.packet.overtaken = false;
    CHECK(session.review().connections == 0);
    CHECK(session.review().review_us > session.view.now_us);

    session.packet.overtaken = true;
    session.paths[0].tcp_state = LIVETCP_TCP_RECOVERY;
    CHECK(session.review().connections == 0);

    session.paths[0].tcp_state = LIVETCP_TCP_TIMEOUT;
    session.packet.copies = 2;
    session.packet.carried_by = 3; /* the second connection works */
    session.view.now_us = sent + 2 * patience;
    CHECK(session.review().connections == 0);
}

TEST_CASE("the copy of a packet that TCP repeats waits until its link is nearly free")
{
    Session session;
    livetcp_usec wait = patience / 100; /* that it may cause others */
    for (livetcp_path &path : session.paths)
        path.link_free_us = session.view.now_us + 7 * ms;
    CHECK(session.review().connections == 0);
    CHECK(session.review().review_us == session.view.now_us + 7 * ms - wait);
    for (livetcp_path &path : session.paths)
        path.link_free_us = session.view.now_us + wait;
    CHECK(session.review().connections);
}
