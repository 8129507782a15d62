/* SPDX-License-Identifier: MIT */
#include "policy/timed_out.h"

#include "policy/builtin.h"

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
    return (TIMER_US + lt_typical_rtt(view, carriers)) << (copies - 1);
}

static bool have_timed_out(const livetcp_policy_view *view, uint32_t carriers)
{
    for (uint32_t left = carriers; left; left &= left - 1)
        if (livetcp_view_path(view, lt_first(left))->tcp_state != LIVETCP_TCP_TIMEOUT)
            return false;
    return true;
}

/* When a copy may leave: once little enough of the session waits at the bottleneck of each carrier.
 */
static livetcp_usec copy_due(const livetcp_policy_view *view, const livetcp_packet_view *packet,
                             uint32_t carriers)
{
    double age_us = (double)(view->now_us - packet->first_sent_us);
    livetcp_usec free_us = view->now_us;

    for (uint32_t left = carriers; left; left &= left - 1) {
        const livetcp_path *path = livetcp_view_path(view, lt_first(left));
        if (path->known & LIVETCP_PATH_LINK_FREE && path->link_free_us > free_us)
            free_us = path->link_free_us;
    }
    return free_us - (livetcp_usec)(OTHERS_WAIT * age_us);
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
    livetcp_usec due;

    if (!carriers || packet->parity || packet->rtcp || packet->copies >= MOST_COPIES)
        return;
    due = packet->last_sent_us + patience(view, carriers, packet->copies);
    if (due <= view->now_us) {
        bool lost = packet->overtaken && have_timed_out(view, carriers);
        due = lost ? copy_due(view, packet, carriers) : view->now_us + MAYBE_AGAIN_US;
    }
    if (due > view->now_us) {
        decision->review_us = due;
        return;
    }
    decision->connections = lt_pick_earliest(view, packet, 1);
    decision->without_room = decision->connections;
    decision->review_us =
        view->now_us +
        (decision->connections ? patience(view, carriers, packet->copies + 1) : LOST_AGAIN_US);
}
