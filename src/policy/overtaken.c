/* SPDX-License-Identifier: MIT */
#include "policy/overtaken.h"

#include "policy/builtin.h"

/* One packet in fifty may be delayed: with the lost ones that leaves p95 as it is. */
#define DELAYED 0.02
#define SAVED   3 /* packets, at most */

/* A link of hardly more than the media catches up after so many packets. */
#define LEAST_SPARE 0.02

/* Later, the packet waits for more than one repair, as after an outage: a copy would not help. */
#define ROUND_TRIPS 2
#define LATEST_US   (50 * (livetcp_usec)LIVETCP_USEC_MSEC)

#define AGAIN_US (5 * (livetcp_usec)LIVETCP_USEC_MSEC)

void lt_overtaken_placed(lt_overtaken *overtaken)
{
    overtaken->allowed += DELAYED;
    if (overtaken->allowed > SAVED)
        overtaken->allowed = SAVED;
}

static const livetcp_path *carrier(const livetcp_policy_view *view,
                                   const livetcp_packet_view *packet)
{
    uint32_t carriers = lt_there(view, packet->carried_by);

    return carriers ? livetcp_view_path(view, lt_first(carriers)) : NULL;
}

static bool is_too_late(const livetcp_policy_view *view, const livetcp_packet_view *packet)
{
    livetcp_usec rtt = lt_shortest_rtt(view, packet->carried_by);

    return rtt == LIVETCP_NEVER ||
           view->now_us - packet->first_sent_us > ROUND_TRIPS * rtt + LATEST_US;
}

/* Packets that wait for a copy, each for less than the one before. */
static double delayed_by_copy(double times)
{
    double spare = times - 1;

    return 1 / (spare > LEAST_SPARE ? spare : LEAST_SPARE);
}

void lt_overtaken_review(lt_overtaken *overtaken, const livetcp_policy_view *view,
                         const livetcp_packet_view *packet, double times,
                         livetcp_decision *decision)
{
    const livetcp_path *own = carrier(view, packet);

    /* In a burst of losses a copy is lost, too. */
    if (!own || packet->copies != 1 || packet->parity || view->burst_us ||
        is_too_late(view, packet))
        return;
    decision->review_us = view->now_us + AGAIN_US;
    if (overtaken->allowed < 0 || !packet->overtaken)
        return;
    if (own->known & LIVETCP_PATH_LINK_FREE && own->link_free_us > view->now_us) {
        decision->review_us = own->link_free_us;
        return;
    }
    decision->connections = lt_pick_earliest(view, packet, 1);
    if (!decision->connections)
        return;
    decision->without_room = true;
    decision->review_us = LIVETCP_NEVER;
    overtaken->allowed -= delayed_by_copy(times);
}
