/* SPDX-License-Identifier: MIT */
/* Which connections the burst that took the other copies of a packet may hold up. */
#include "catch.h"
#include "policy_view.h"

extern "C" {
#include "policy/builtin.h"
}

namespace
{

constexpr livetcp_usec ms = 1000;

/* Connections that were written once, so many ms ago, and are not acknowledged; the last one
 * carries the packet's first copy, for 62 ms. */
struct Session : PolicyView {
    explicit Session(std::vector<livetcp_usec> ages)
    {
        ages.push_back(62);
        view.now_us = 1000 * ms;
        for (livetcp_usec age : ages) {
            livetcp_path &path =
                add_path(LIVETCP_PATH_RTT | LIVETCP_PATH_OLDEST_WRITE | LIVETCP_PATH_QUEUED);
            path.rtt_us = 60 * ms;
            path.queued_bytes = 1400;
            path.last_write_us = path.oldest_write_us = path.oldest_unacked_us =
                view.now_us - age * ms;
        }
        view.burst_us = 20 * ms;
        packet.size = 1400;
        packet.copies = 1;
        packet.carried_by = lt_bit(view.path_count - 1);
        packet.first_sent_us = packet.last_sent_us = view.now_us - 62 * ms;
    }

    livetcp_usec wait(unsigned i) const
    {
        return lt_burst_wait(&view, &paths[i], &packet);
    }
};

} // namespace

TEST_CASE("a further copy avoids what the burst that took the first may have taken")
{
    Session s({54, 40, 22, 2});
    CHECK(s.wait(0) > s.wait(1));
    CHECK(s.wait(1) > s.wait(2));
    CHECK(s.wait(2) > s.wait(3));
    CHECK(s.wait(0) < 60 * ms);
    CHECK(lt_pick_earliest(&s.view, &s.packet, 1) == 1U << 3);

    s.packet.copies = 2; /* the second one left 22 ms ago: what lies before both is safer */
    s.packet.last_sent_us = s.view.now_us - 22 * ms;
    CHECK(s.wait(2) > s.wait(3));
    CHECK(s.wait(3) > s.wait(1) / 2);
}

TEST_CASE("losses on other connections belong to a burst, too")
{
    Session s({54, 22});
    livetcp_usec alone = s.wait(1);
    s.paths[0].oldest_write_us = s.view.now_us - 100 * ms;
    CHECK(s.wait(1) == alone); /* lost 78 ms before: the packet's own loss is nearer */
    s.paths[0].oldest_write_us = s.view.now_us - 24 * ms;
    s.paths[0].tcp_state = LIVETCP_TCP_RECOVERY;
    CHECK(s.wait(1) > 2 * alone);
}

TEST_CASE("what is lost on one link says nothing about another")
{
    Session s({54, 22});
    s.paths[0].link = 1;
    CHECK(s.wait(0) == 0);
    CHECK(s.wait(1) > 0);
}

TEST_CASE("first copies, empty connections, and losses that come one by one know no bursts")
{
    Session s({54, 22});
    s.paths[1].known &= ~static_cast<uint32_t>(LIVETCP_PATH_OLDEST_WRITE);
    CHECK(s.wait(1) == 0);
    CHECK(s.wait(0) > 0);
    s.packet.copies = 0;
    CHECK(s.wait(0) == 0);
    s.packet.copies = 1;
    s.view.burst_us = 0;
    CHECK(s.wait(0) == 0);
    CHECK(lt_pick_earliest(&s.view, &s.packet, 1) == 1); /* written least recently */
}
