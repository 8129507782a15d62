/* SPDX-License-Identifier: MIT */
/*
 * auto: at every packet the strongest of the other policies that `redundancy-budget` pays for and
 * the path can bear.
 *
 * Source: our own. The rule, with the measurements behind it, is in docs/guide/tuning.md:
 *
 *   a standing queue                     earliest-delivery: copies would lengthen the queue, and
 *                                        take their place in it from others
 *   the same, and the source takes all   one connection, while it is not in timeout: more would
 *   it gets                              take as many shares of the path from others, and none of
 *                                        them makes a packet earlier
 *   else, the budget pays for `copies`   duplicate, and hedge for what is late all the same
 *   else, it pays for parity and more,
 *   which comes sooner than a hedge      parity, and hedge with what is left
 *   else                                 hedge
 *
 * The budget in force (livetcp_policy_view.budget_ratio) is the configured one, or with "auto" what
 * a stream of this rate is worth.
 */
#include "policy/builtin.h"
#include "policy/self_clocked.h"
#include "policy/standing_queue.h"

/* Kept back from duplicating, for packets whose copies are all late: the one packet a second that
 * every budget has beyond its ratio. */
#define RESERVE 1

/* Beside parity the budget must leave something for hedging. */
#define HEDGE_SHARE 0.04

/* A copy that parity may make unnecessary is for those who can pay for this many. */
#define PARITY_FIRST    3
#define REVIEW_AGAIN_US (5 * (livetcp_usec)LIVETCP_USEC_MSEC)

typedef struct automatic {
    lt_standing_queue queue;
    lt_self_clocked source;
    bool alone;    /* the source takes all it gets, and a queue stood since it does */
    unsigned only; /* its connection */
    unsigned copies;
    unsigned group;
    livetcp_usec delay_us;
} automatic;

static void init(void *state, const livetcp_config *config)
{
    automatic *own = state;

    own->copies = config->copies;
    own->group = config->parity_group;
    own->delay_us = config->hedge_delay_us;
}

static bool may_duplicate(const automatic *own, const livetcp_policy_view *view,
                          const livetcp_packet_view *packet)
{
    return view->budget_ratio >= own->copies - 1 && !packet->rtcp && !packet->parity &&
           view->budget_bytes / (own->copies - 1 + RESERVE) >= packet->size;
}

/* Parity is there when the last packet of the group is, a hedge a round trip after the packet: when
 * that is sooner, parity is not worth its bytes. */
static bool wants_parity(const automatic *own, const livetcp_policy_view *view, size_t size)
{
    livetcp_usec rtt = lt_shortest_rtt(view, UINT32_MAX);
    uint64_t group_us =
        view->media_rate ? own->group * size * LIVETCP_USEC_SEC / view->media_rate : UINT64_MAX;

    return view->budget_ratio < own->copies - 1 &&
           view->budget_ratio >= 1.0 / own->group + HEDGE_SHARE && rtt != LIVETCP_NEVER &&
           (uint64_t)rtt > group_us * 3 / 4;
}

static uint32_t pick_only(automatic *own, const livetcp_policy_view *view,
                          const livetcp_packet_view *packet)
{
    const livetcp_path *only = livetcp_view_path(view, own->only);

    if (only->usable && only->tcp_state != LIVETCP_TCP_TIMEOUT)
        return only->ready ? lt_bit(own->only) : 0;
    uint32_t picked = lt_pick_earliest(view, packet, 1);
    for (unsigned i = 0; i < view->path_count; i++)
        if (picked & lt_bit(i))
            own->only = i;
    return picked;
}

/* Such a source brings the queue back as soon as it is gone, so that counts until it changes. */
static bool queue_stands(automatic *own, const livetcp_policy_view *view)
{
    bool stands = lt_standing_queue_update(&own->queue, view);

    own->alone = (stands || own->alone) && lt_self_clocked_is(&own->source);
    return stands || own->alone;
}

static void place_in_queue(automatic *own, const livetcp_policy_view *view,
                           const livetcp_packet_view *packet, livetcp_decision *decision)
{
    decision->connections =
        own->alone ? pick_only(own, view, packet) : lt_pick_earliest(view, packet, 1);
}

static void place_protected(automatic *own, const livetcp_policy_view *view,
                            const livetcp_packet_view *packet, livetcp_decision *decision)
{
    unsigned copies = may_duplicate(own, view, packet) ? own->copies : 1;

    lt_hedge_place(view, packet, copies, own->delay_us, decision);
    decision->protect = wants_parity(own, view, packet->size);
}

static void place(void *state, const livetcp_policy_view *view, const livetcp_packet_view *packet,
                  livetcp_decision *decision)
{
    automatic *own = state;

    if (queue_stands(own, view))
        place_in_queue(own, view, packet, decision);
    else
        place_protected(own, view, packet, decision);
    if (decision->connections)
        lt_self_clocked_placed(&own->source, packet, view->now_us);
}

static void review(void *state, const livetcp_policy_view *view, const livetcp_packet_view *packet,
                   livetcp_decision *decision)
{
    automatic *own = state;

    if (queue_stands(own, view))
        return;
    /* The next parity packet is worth more than this copy. */
    if (wants_parity(own, view, packet->size) && view->budget_bytes / PARITY_FIRST < packet->size)
        decision->review_us = view->now_us + REVIEW_AGAIN_US;
    else
        lt_hedge_review(view, packet, own->delay_us, decision);
}

const livetcp_policy lt_policy_auto = {
    .struct_size = sizeof(livetcp_policy),
    .name = "auto",
    .summary = "the strongest of the others that budget and path allow, packet by packet",
    .wants = LIVETCP_WANTS_PATHS | LIVETCP_WANTS_CHASERS | LIVETCP_WANTS_PARITY,
    .state_size = sizeof(automatic),
    .init = init,
    .place = place,
    .review = review,
};
