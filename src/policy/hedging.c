/* SPDX-License-Identifier: MIT */
/* Reinjection over another connection, shared by several policies. */
#include "policy/builtin.h"

#include "policy/coalescing.h"
#include "policy/forecast.h"

/* Delay of a copy after the acknowledgement was due: bounds, and the fraction of the round trip. It
 * is small, since every copy that is needed is late by it. */
#define HEDGE_DELAY_MIN_US LT_ACK_SEEN_US
#define HEDGE_DELAY_MAX_US (4 * (livetcp_usec)LIVETCP_USEC_MSEC)
#define HEDGE_DELAY_PART   16

#define SEGMENT 1500 /* bytes */

/* A second copy at once requires a budget for this many more. */
#define COPIES_IN_RESERVE 8

/* In per cent of a round trip: copies that are this far apart are spread as far as is useful. */
#define FAR_PERCENT 40

/* If a second copy is lost more often than this after the first was, it is not waited for. An
 * unnecessary third copy takes the budget of a copy of a new packet. */
#define JOINT 0.1

/* Minimum time to the next review, and the time to it if no copy could be sent. */
#define REVIEW_PART     8 /* of a round trip */
#define REVIEW_RETRY_US (5 * (livetcp_usec)LIVETCP_USEC_MSEC)

/* A packet may have to wait for another one on a slow link: a segment, unless all of the session's
 * are small, as speech. */
static size_t size_of_another(const livetcp_policy_view *view)
{
    return lt_coalescing_suits(view) ? view->largest_packet + LT_HEADERS : SEGMENT;
}

static livetcp_usec hedge_delay(const livetcp_policy_view *view, const livetcp_path *path,
                                livetcp_usec configured)
{
    livetcp_usec packet_us = lt_packet_time(path, size_of_another(view));
    livetcp_usec delay = 2 * path->rtt_variation_us + packet_us;
    livetcp_usec most = path->rtt_us / HEDGE_DELAY_PART + packet_us;

    if (configured)
        return configured;
    if (most < HEDGE_DELAY_MAX_US)
        most = HEDGE_DELAY_MAX_US;
    if (delay < HEDGE_DELAY_MIN_US)
        return HEDGE_DELAY_MIN_US;
    return delay < most ? delay : most;
}

static livetcp_usec rtt_of(const livetcp_path *path)
{
    return path->rtt_us ? path->rtt_us : LT_TYPICAL_RTT_US;
}

/* Time at which the packet is doubtful on all connections that carry it: it, or a packet ahead of
 * it, should have been acknowledged by then, since TCP delivers in order; at the latest when its
 * own acknowledgement is overdue on the quickest one. A connection that repairs a loss is doubtful
 * at once. */
static livetcp_usec all_doubtful_at(const livetcp_policy_view *view, uint32_t carriers,
                                    livetcp_usec sent_us, livetcp_usec delay_us)
{
    livetcp_usec last = view->now_us, own = LIVETCP_NEVER;

    for (uint32_t left = lt_there(view, carriers); left; left &= left - 1) {
        const livetcp_path *path = livetcp_view_path(view, lt_first(left));
        livetcp_usec wait = rtt_of(path) + hedge_delay(view, path, delay_us);
        livetcp_usec ahead = path->oldest_unacked_us < sent_us ? path->oldest_unacked_us : sent_us;
        livetcp_usec doubt = path->tcp_state >= LIVETCP_TCP_RECOVERY ? view->now_us : ahead + wait;
        last = doubt > last ? doubt : last;
        own = sent_us + wait < own ? sent_us + wait : own;
    }
    return last < own ? last : own;
}

/* Limits the frequency of reviews; otherwise every acknowledgement would cause one for each packet
 * in flight. */
static livetcp_usec not_before(const livetcp_policy_view *view, uint32_t carriers,
                               livetcp_usec when)
{
    livetcp_usec least = view->now_us + lt_typical_rtt(view, carriers) / REVIEW_PART;

    return when > least ? when : least;
}

static livetcp_usec hedge_due(const livetcp_policy_view *view, uint32_t placed,
                              livetcp_usec delay_us)
{
    if (!placed)
        return LIVETCP_NEVER;
    return not_before(view, placed, all_doubtful_at(view, placed, view->now_us, delay_us));
}

void lt_hedge_placed(const livetcp_policy_view *view, uint32_t placed, livetcp_usec delay_us,
                     livetcp_decision *decision)
{
    decision->connections = placed;
    decision->review_us = hedge_due(view, placed, delay_us);
}

void lt_hedge_place(const livetcp_policy_view *view, const livetcp_packet_view *packet,
                    unsigned copies, livetcp_usec delay_us, livetcp_decision *decision)
{
    lt_hedge_placed(view, lt_pick_earliest(view, packet, copies), delay_us, decision);
}

/* Copies placed together become doubtful together, counted from the last one. If they were spread
 * this far, and a burst that hit the first may last longer, the second is doubtful as soon as the
 * first is. */
static livetcp_usec doubted_since(const livetcp_policy_view *view,
                                  const livetcp_packet_view *packet)
{
    livetcp_usec spread = packet->last_sent_us - packet->first_sent_us, rtt;

    if (packet->copies != 2 || view->joint_loss <= JOINT)
        return packet->last_sent_us;
    rtt = lt_typical_rtt(view, packet->carried_by);
    bool far = spread < rtt && spread >= rtt * FAR_PERCENT / 100;
    return far ? packet->first_sent_us : packet->last_sent_us;
}

void lt_hedge_review(const livetcp_policy_view *view, const livetcp_packet_view *packet,
                     livetcp_usec delay_us, livetcp_decision *decision)
{
    livetcp_usec doubt =
        all_doubtful_at(view, packet->carried_by, doubted_since(view, packet), delay_us);

    if (doubt > view->now_us) {
        decision->review_us = not_before(view, packet->carried_by, doubt);
        return;
    }
    if (view->budget_bytes >= packet->size) {
        bool rich = view->budget_bytes / COPIES_IN_RESERVE >= packet->size;
        bool overdue =
            view->now_us - packet->first_sent_us >= lt_typical_rtt(view, packet->carried_by);
        decision->connections = lt_pick_earliest(view, packet, overdue && rich ? 2 : 1);
    }
    decision->review_us = decision->connections ? hedge_due(view, decision->connections, delay_us)
                                                : view->now_us + REVIEW_RETRY_US;
}

static bool is_audio(const livetcp_packet_view *packet)
{
    return packet->importance == LIVETCP_IMPORTANCE_AUDIO;
}

void lt_rescue_reviewed(lt_rescue *rescue, const livetcp_policy_view *view,
                        const livetcp_packet_view *packet)
{
    livetcp_usec rtt;

    if (view->budget_bytes >= packet->size)
        return;
    rtt = lt_typical_rtt(view, packet->carried_by);
    if (view->now_us - packet->first_sent_us >= rtt && view->now_us - packet->last_sent_us >= rtt)
        rescue->unpaid_us[is_audio(packet)] = view->now_us;
}

/* Its review is repeated until the budget suffices. */
bool lt_rescue_waits(const lt_rescue *rescue, const livetcp_policy_view *view,
                     const livetcp_packet_view *packet)
{
    livetcp_usec unpaid_us = rescue->unpaid_us[is_audio(packet)];

    return unpaid_us && view->now_us - unpaid_us <= 2 * REVIEW_RETRY_US;
}
