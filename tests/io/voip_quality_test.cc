/* SPDX-License-Identifier: MIT */
/* What samples/voip_call says of a call: the way of a word, the mark, and why it is bad. */
#include "catch.h"

#include <string>

extern "C" {
#include "../../samples/voip_call/quality.h"
}

namespace
{

const livetcp_usec MS = LIVETCP_USEC_MSEC;

/* A good call over a path of 100 ms; each second has 50 packets. */
struct call {
    quality q = {};
    livetcp_session_stats session = {};
    livetcp_playout_stats playout = {};
    voice_state state = {};

    call()
    {
        session.min_rtt_us = 100 * MS;
        session.received.delays.network_us = 50 * MS;
        playout.delay_us = 60 * MS;
        playout.burst_ratio = 1;
        state.spoken_delay_us = 27 * MS;
        state.heard_delay_us = 10 * MS;
    }

    void pass(unsigned seconds, unsigned late = 0, unsigned lost = 0, unsigned corrected = 0)
    {
        for (unsigned i = 0; i < seconds; i++) {
            playout.received += 50 - lost;
            playout.played += 50 - late - lost;
            playout.late += late;
            playout.lost += lost;
            state.corrected += corrected;
            quality_update(&q, &session, &playout, &state);
        }
    }
};

} // namespace

TEST_CASE("mouth to ear is the sum of its parts, and a good call has no reason", "[voip-quality]")
{
    call c;
    c.session.received.delays.head_of_line_us = 20 * MS;
    c.pass(5);
    CHECK(c.q.mouth_to_ear_us == (27 + 50 + 60 + 10) * MS);
    CHECK(c.q.path_us == 50 * MS);
    CHECK(c.q.waiting_us == 20 * MS);
    CHECK(c.q.playout_us == 40 * MS);
    CHECK(c.q.mos > 4.2);
    CHECK(std::string(quality_word(c.q.mos)) == "excellent");
    CHECK(std::string(c.q.reason).empty());
}

TEST_CASE("packets that are missing are the reason, if nothing filled them", "[voip-quality]")
{
    call c;
    SECTION("late")
    {
        c.pass(5, 10);
        CHECK(std::string(c.q.reason) == "20.0 % of the packets come too late");
    }
    SECTION("lost")
    {
        c.pass(5, 0, 10);
        CHECK(std::string(c.q.reason) == "20.0 % of the packets never come");
    }
    SECTION("filled from the next packet")
    {
        c.pass(5, 10, 0, 10);
        CHECK(std::string(c.q.reason).empty());
        CHECK(c.q.mos_now > 4.2);
    }
}

TEST_CASE("the largest part of a delay is the reason", "[voip-quality]")
{
    call c;
    std::string reason;
    SECTION("the path")
    {
        c.session.min_rtt_us = 800 * MS;
        c.session.received.delays.network_us = 400 * MS;
        reason = "the path is long";
    }
    SECTION("queues")
    {
        c.session.received.delays.send_queue_us = 300 * MS;
        c.playout.delay_us = 320 * MS;
        reason = "packets wait in queues and for lost ones";
    }
    SECTION("the playout")
    {
        c.playout.delay_us = 350 * MS;
        reason = "they come unevenly and have to be held";
    }
    SECTION("the loudspeaker")
    {
        c.state.heard_delay_us = 350 * MS;
        reason = "the loudspeaker is slow";
    }
    c.pass(5);
    CHECK(c.q.mos_now < 4.0);
    CHECK(std::string(c.q.reason).find("ms of delay: " + reason) != std::string::npos);
}

TEST_CASE("now is the last ten seconds, and the call's mark is of all", "[voip-quality]")
{
    call c;
    c.pass(5, 10);
    c.pass(QUALITY_WINDOW);
    CHECK(std::string(c.q.reason).empty());
    CHECK(c.q.mos_now > 4.2);
    CHECK(c.q.mos < c.q.mos_now);
}
