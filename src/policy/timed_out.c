/* SPDX-License-Identifier: MIT */
#include "policy/timed_out.h"

#include "policy/builtin.h"
#include "policy/forecast.h"

/* The retransmission timer's least value in Linux, beyond the round trip. */
#define TIMER_US (200 * (livetcp_usec)LIVETCP_USEC_MSEC)

#define MOST_COPIES 4

/* The later a packet is, the longer may others wait for its copy: this part of its age. Else a link
 * that is never quite free would keep it waiting. */
#define OTHERS_WAIT 0.01

/* Time to the next review while the packet may still be on its way, and while it is lost. */
#define MAYBE_AGAIN_US (50 * (livetcp_usec)LIVETCP_USEC_MSEC)
#define LOST_AGAIN_US  (5 * (livetcp_usec)LIVETCP_USEC_MSEC)

/* The time that the last of `copies` has. */
static livetcp_usec patience(const livetcp_policy_view *view, uint32_t carriers, unsigned copies)
{
    livetcp_usec rtt = lt_shortest_rtt(view, carriers);

    return (TIMER_US + (rtt == LIVETCP_NEVER ? LT_TYPICAL_RTT_US : rtt)) << (copies - 1);
}

static bool have_timed_out(const livetcp_policy_view *view, uint32_t carriers)
{
    for (uint32_t left = carriers; left; left &= left - 1)
        if (livetcp_view_path(view, lt_first(left))->tcp_state != LIVETCP_TCP_TIMEOUT)
            return false;
    return true;
}

/* When nothing of the session waits at the bottleneck of any carrier. */
static livetcp_usec free_at(const livetcp_policy_view *view, uint32_t carriers)
{
    livetcp_usec at = view->now_us;

    for (uint32_t left = carriers; left; left &= left - 1) {
        const livetcp_path *path = livetcp_view_path(view, lt_first(left));
        if (path->known & LIVETCP_PATH_LINK_FREE && path->link_free_us > at)
            at = path->link_free_us;
    }
    return at;
}

void lt_timed_out_placed(const livetcp_policy_view *view, livetcp_decision *decision)
{
    if (decision->connections && decision->review_us == LIVETCP_NEVER)
        decision->review_us = view->now_us + patience(view, decision->connections, 1);
}

void lt_timed_out_review(const livetcp_policy_view *view, const livetcp_packet_view *packet,
                         livetcp_decision *decision)
{
    uint32_t carriers = lt_there(view, packet->carried_by);
    livetcp_usec due, free_us;

    if (!carriers || packet->parity || packet->rtcp || packet->copies >= MOST_COPIES)
        return;
    due = packet->last_sent_us + patience(view, carriers, packet->copies);
    free_us = free_at(view, carriers) -
              (livetcp_usec)(OTHERS_WAIT * (double)(view->now_us - packet->first_sent_us));
    if (view->now_us < due) {
        decision->review_us = due;
    } else if (!packet->overtaken || !have_timed_out(view, carriers)) {
        decision->review_us = view->now_us + MAYBE_AGAIN_US;
    } else if (free_us > view->now_us) {
        decision->review_us = free_us;
    } else {
        decision->connections = lt_pick_earliest(view, packet, 1);
        decision->without_room = decision->connections;
        decision->review_us =
            view->now_us +
            (decision->connections ? patience(view, carriers, packet->copies + 1) : LOST_AGAIN_US);
    }
}
