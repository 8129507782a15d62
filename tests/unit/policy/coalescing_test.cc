/* SPDX-License-Identifier: MIT */
/* When a small packet waits for the next one, and what shares its segment. */
#include "catch.h"
#include "policy_view.h"

extern "C" {
#include "policy/builtin.h"
#include "policy/coalescing.h"
}

namespace
{

constexpr livetcp_usec ms = 1000;
constexpr livetcp_usec interval = 20 * ms;

/* Connections with a round trip of 60 ms without a queue, and a packet handed over now. */
struct Session : PolicyView {
    explicit Session(const std::vector<livetcp_usec> &queues)
    {
        for (livetcp_usec queue : queues) {
            livetcp_path &path = add_path(LIVETCP_PATH_RTT | LIVETCP_PATH_GROUP);
            path.group_rtt_us = 60 * ms;
            path.rtt_us = 60 * ms + queue * ms;
        }
        view.now_us = 1000 * ms;
        view.queue_packets = 1;
        packet.size = 174;
        packet.enqueued_us = view.now_us;
    }

    livetcp_usec wait()
    {
        return lt_coalescing_wait(&coalescing, &view, &packet, interval);
    }

    lt_coalescing coalescing = {};
};

} // namespace

TEST_CASE("a small packet waits for the next one while most connections meet a queue")
{
    CHECK(Session({50, 50, 0, 0}).wait() == 1025 * ms);
    CHECK(Session({50, 0, 0, 0}).wait() == 0);
    CHECK(Session({25, 25, 25, 25}).wait() == 0); /* hardly more than the packet before it */
    CHECK(Session({}).wait() == 0);

    Session s({50, 50});
    s.view.queue_packets = 2;
    CHECK(s.wait() == 0); /* the next one is there */
    s.view.queue_packets = 1;
    s.view.now_us += 25 * ms;
    CHECK(s.wait() == 0); /* and does not come */
    s.packet.enqueued_us = s.view.now_us;
    CHECK(s.wait() > 0);
    s.packet.size = 1000;
    CHECK(s.wait() == 0); /* two fit in no segment */
    s.packet.size = 174;
    s.packet.rtcp = true;
    CHECK(s.wait() == 0);
}

/* Behind a policer nothing waits. */
TEST_CASE("a small packet waits where much is lost although nothing extra is sent")
{
    Session s({0, 0, 0, 0});
    for (unsigned i = 0; i < 2; i++)
        s.paths[i].group_loss = 0.1;
    CHECK_FALSE(lt_coalescing_loses(&s.coalescing,
                                    &s.view)); /* extra bytes may be why, and are the remedy */
    CHECK(s.wait() == 0);
    for (livetcp_path &path : s.paths)
        path.link_room = false;
    CHECK_FALSE(lt_coalescing_loses(&s.coalescing, &s.view)); /* not now */
    s.view.now_us += 3000 * ms;
    s.packet.enqueued_us = s.view.now_us;
    s.paths[1].retransmitted_segments++;
    CHECK(lt_coalescing_loses(&s.coalescing, &s.view));
    CHECK(s.wait() > 0);
    s.view.now_us += 3000 * ms;
    CHECK_FALSE(lt_coalescing_loses(&s.coalescing, &s.view)); /* and no more */
    s.paths[2].retransmitted_segments++;
    CHECK(lt_coalescing_loses(&s.coalescing, &s.view));
    s.paths[1].group_loss = 0.03;
    CHECK_FALSE(lt_coalescing_loses(&s.coalescing, &s.view));
}

TEST_CASE("two of the largest packets are to fit in a segment")
{
    livetcp_policy_view view = {};
    CHECK_FALSE(lt_coalescing_suits(&view)); /* not known yet */
    view.largest_packet = 174;
    CHECK(lt_coalescing_suits(&view));
    view.largest_packet = 1000;
    CHECK_FALSE(lt_coalescing_suits(&view));
}

TEST_CASE("what follows at once joins a packet's segment, until that is full")
{
    Session s({50, 50});
    CHECK(lt_coalescing_joins(&s.coalescing, &s.view, &s.packet) == 0);
    lt_coalescing_placed(&s.coalescing, &s.packet, 2, s.view.now_us);
    for (unsigned i = 1; i < 7; i++)
        CHECK(lt_coalescing_joins(&s.coalescing, &s.view, &s.packet) == 2);
    CHECK(lt_coalescing_joins(&s.coalescing, &s.view, &s.packet) == 0);

    lt_coalescing_placed(&s.coalescing, &s.packet, 2, s.view.now_us);
    s.paths[1].ready = false;
    CHECK(lt_coalescing_joins(&s.coalescing, &s.view, &s.packet) == 0);
    s.paths[1].ready = true;
    lt_coalescing_placed(&s.coalescing, &s.packet, 2, s.view.now_us);
    s.view.now_us += 5 * ms;
    CHECK(lt_coalescing_joins(&s.coalescing, &s.view, &s.packet) == 0);
    lt_coalescing_placed(&s.coalescing, &s.packet, 0, s.view.now_us); /* it waits */
    CHECK(lt_coalescing_joins(&s.coalescing, &s.view, &s.packet) == 0);
}
