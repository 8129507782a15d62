/* SPDX-License-Identifier: MIT */
/* When a packet is doubtful, and sent again. */
#include "catch.h"
#include "policy_view.h"

extern "C" {
#include "policy/builtin.h"
}

namespace
{

constexpr livetcp_usec ms = 1000;

/* How long after the round trip a packet is reviewed. */
livetcp_usec delay_of_hedge(uint64_t group_rate, size_t largest_packet)
{
    PolicyView s;
    livetcp_path &path = s.add_path(LIVETCP_PATH_RTT | LIVETCP_PATH_GROUP);
    livetcp_decision decision = {};

    path.rtt_us = 70 * ms;
    path.rtt_variation_us = 1 * ms;
    path.group_rate = group_rate;
    path.oldest_unacked_us = LIVETCP_NEVER;
    s.view.now_us = 1000 * ms;
    s.view.largest_packet = largest_packet;
    lt_hedge_placed(&s.view, 1, 0, &decision);
    return decision.review_us - s.view.now_us - path.rtt_us;
}

} // namespace

TEST_CASE("a packet may wait for a segment on a slow link, or for a small packet of speech")
{
    CHECK(delay_of_hedge(0, 1400) == 2 * ms);
    CHECK(delay_of_hedge(25000, 1400) == 62 * ms);
    CHECK(delay_of_hedge(25000, 180) == 12 * ms);
    CHECK(delay_of_hedge(25000, 0) == 62 * ms); /* not known */
}
