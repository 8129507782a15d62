/* SPDX-License-Identifier: MIT */
/*
 * auto: for every packet the strongest of the other policies that `redundancy-budget` pays for and
 * the path can carry.
 *
 * Source: our own. The rule, with the measurements behind it, is in docs/guide/tuning.md:
 *
 *   a queue stands on every route        earliest-delivery: copies would lengthen the queue, and
 *                                        delay other packets in it
 *   others overrun that queue            the same and hedge: losses do not come from our copies
 *   the link is busy with the media      as in a queue: extra packets would delay the media; but a
 *                                        copy of a packet that is lost
 *   it is full, of small packets         as in a queue, and two or more of them in a segment
 *   no room for hedges, and TCP          a copy of it, unless all packets of the session are
 *   repeats a packet in vain             small
 *   a queue, and a self-clocked source   one connection per link, unless in timeout: more would
 *                                        take more shares of the path from other flows, and make
 *                                        no packet earlier
 *   else, the budget pays for `copies`   duplicate, and hedge for packets that are late anyway
 *   else, it pays for parity and more,
 *   which is faster than a hedge         parity, and hedge with the rest
 *   else                                 hedge
 *
 * Copies and parity take routes without a queue. The budget in force
 * (livetcp_policy_view.budget_ratio) is the configured one, or with "auto" one that depends on the
 * stream's rate.
 */
#include "policy/builtin.h"
#include "policy/coalescing.h"
#include "policy/overtaken.h"
#include "policy/self_clocked.h"
#include "policy/standing_queue.h"
#include "policy/timed_out.h"

#include <math.h>

/* Copies per packet reserved for packets whose copies are all late: the one packet a second that
 * every budget has beyond its ratio. */
#define RESERVE 1

/* Budget ratio that must remain for hedging beside parity. */
#define HEDGE_SHARE 0.04

/* A copy that parity may make unnecessary requires a budget for this many. */
#define PARITY_FIRST    3
#define REVIEW_AGAIN_US (5 * (livetcp_usec)LIVETCP_USEC_MSEC)

/* A link with less than about two and a half times the media's rate is busy with a packet, or with
 * one of ours, until the next one: extra packets delay the media. */
#define THIN 2.5

/* A link of less has hardly room for the headers of small packets. */
#define FULL 1.3

#define SIZE_GAIN 16 /* of the average size of packets */

typedef struct automatic {
    lt_standing_queue queue;
    lt_self_clocked source;
    bool alone;    /* the source is self-clocked, and a queue stood since it is */
    uint32_t only; /* bit i: connection i, one per link, carries such a source */
    lt_coalescing coalescing;
    lt_overtaken overtaken;
    lt_rescue rescue;
    double size; /* of the media's packets, average; 0 = none yet */
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
           !lt_rescue_waits(&own->rescue, view, packet) &&
           view->budget_bytes / (own->copies - 1 + RESERVE) >= packet->size;
}

/* Parity arrives with the last packet of the group, a hedge a round trip after the packet: if that
 * is sooner, parity is not worth its bytes. */
static bool wants_parity(const automatic *own, const livetcp_policy_view *view, size_t size)
{
    bool paid = view->budget_ratio >= 1.0 / own->group + HEDGE_SHARE;
    livetcp_usec rtt;
    uint64_t group_us;

    if (!paid || view->budget_ratio >= own->copies - 1)
        return false;
    rtt = lt_shortest_rtt(view, UINT32_MAX);
    group_us =
        view->media_rate ? own->group * size * LIVETCP_USEC_SEC / view->media_rate : UINT64_MAX;
    return rtt != LIVETCP_NEVER && (uint64_t)rtt > group_us * 3 / 4;
}

static bool may_stay(const livetcp_path *path)
{
    return path->usable && !path->link_stalled && path->tcp_state != LIVETCP_TCP_TIMEOUT;
}

/* The connection of the link that carries a self-clocked source, while it may; otherwise the one
 * with the earliest forecast. */
static uint32_t only_on_link(uint32_t only, const livetcp_policy_view *view,
                             const livetcp_packet_view *packet, unsigned link)
{
    livetcp_packet_view elsewhere = *packet;

    for (unsigned i = 0; i < view->path_count; i++) {
        const livetcp_path *path = livetcp_view_path(view, i);
        if (path->link != link)
            elsewhere.carried_by |= lt_bit(i);
        else if (only & lt_bit(i) && may_stay(path))
            return lt_bit(i);
    }
    return lt_pick_earliest(view, &elsewhere, 1);
}

static uint32_t pick_only(automatic *own, const livetcp_policy_view *view,
                          const livetcp_packet_view *packet)
{
    livetcp_packet_view among = *packet;
    uint32_t only = 0;

    for (unsigned link = 0; link < LIVETCP_MAX_LINKS; link++)
        only |= only_on_link(own->only, view, packet, link);
    own->only = only;
    among.carried_by |= ~only;
    return lt_pick_earliest(view, &among, 1);
}

static void measure_size(automatic *own, const livetcp_packet_view *packet)
{
    double size = (double)packet->size;

    if (packet->rtcp || packet->parity)
        return;
    own->size = own->size > 0 ? own->size + (size - own->size) / SIZE_GAIN : size;
}

/* Of the packets that fill the link: beside audio, these may be larger ones. */
static double filling_size(const automatic *own, const livetcp_packet_view *packet)
{
    return packet->importance == LIVETCP_IMPORTANCE_AUDIO && own->size > 0 ? own->size
                                                                           : (double)packet->size;
}

/* The rate of the fastest route, as a multiple of the media's with headers, whose packets have this
 * size; HUGE_VAL if a route may have any rate. */
static double times_of_media(const livetcp_policy_view *view, double size)
{
    double needed = (double)view->media_rate * (size + LT_HEADERS) / (size + 1);
    double fastest = 0;

    for (unsigned i = 0; i < view->path_count; i++) {
        const livetcp_path *path = livetcp_view_path(view, i);
        if (!path->usable)
            continue;
        if (!(path->known & LIVETCP_PATH_GROUP) || !path->group_rate)
            return HUGE_VAL;
        fastest = fmax(fastest, (double)path->group_rate);
    }
    return fastest > 0 && needed > 0 ? fastest / needed : HUGE_VAL;
}

/* A self-clocked source fills the queue again as soon as it is empty, so that a queue counts as
 * standing until the source changes. */
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

static void place_in_full_link(automatic *own, const livetcp_policy_view *view,
                               const livetcp_packet_view *packet, livetcp_decision *decision)
{
    livetcp_usec interval = (livetcp_usec)(own->size * LIVETCP_USEC_SEC / (double)view->media_rate);
    livetcp_usec wait;

    decision->connections = lt_coalescing_joins(&own->coalescing, view, packet);
    if (decision->connections)
        return;
    wait = lt_coalescing_wait(&own->coalescing, view, packet, interval);
    if (wait)
        decision->review_us = wait;
    else
        place_in_queue(own, view, packet, decision);
    lt_coalescing_placed(&own->coalescing, packet, decision->connections, view->now_us);
}

static void place_protected(const automatic *own, const livetcp_policy_view *view,
                            const livetcp_packet_view *packet, livetcp_decision *decision)
{
    uint32_t placed = packet->parity ? lt_pick_copies(view, packet, packet->avoid, 1) : 0;

    if (!placed)
        placed = lt_pick_earliest(view, packet, 1);
    if (placed && may_duplicate(own, view, packet))
        placed |= lt_pick_copies(view, packet, placed, own->copies - 1);
    lt_hedge_placed(view, placed, own->delay_us, decision);
    decision->protect = wants_parity(own, view, packet->size);
}

/* Others make the link lose many packets, whatever this session sends: copies lengthen no queue of
 * ours. */
static bool is_overrun(const livetcp_policy_view *view)
{
    for (unsigned i = 0; i < view->path_count; i++) {
        const livetcp_path *path = livetcp_view_path(view, i);
        if (path->usable && path->known & LIVETCP_PATH_OVERRUN && path->link_overrun)
            return true;
    }
    return false;
}

/* Room for extra packets. */
typedef enum room { ROOM_FULL, ROOM_NONE, ROOM_FOR_LOST, ROOM_FOR_HEDGES, ROOM_FOR_ALL } extra_room;

static extra_room room_for(automatic *own, const livetcp_policy_view *view,
                           const livetcp_packet_view *packet)
{
    bool stands = queue_stands(own, view);

    if (own->size > 0 && view->media_rate > 0 && lt_coalescing_suits(view) &&
        (times_of_media(view, own->size) < FULL || lt_coalescing_loses(&own->coalescing, view)))
        return ROOM_FULL;
    if (times_of_media(view, filling_size(own, packet)) < THIN)
        return ROOM_FOR_LOST;
    if (is_overrun(view))
        return ROOM_FOR_HEDGES;
    return stands ? ROOM_NONE : ROOM_FOR_ALL;
}

/* On a link that is full of speech any further packet keeps an overload going. */
static bool copies_timed_out(const livetcp_policy_view *view)
{
    return !lt_coalescing_suits(view);
}

static void place(void *state, const livetcp_policy_view *view, const livetcp_packet_view *packet,
                  livetcp_decision *decision)
{
    automatic *own = state;
    extra_room room = room_for(own, view, packet);

    if (room == ROOM_FOR_ALL)
        place_protected(own, view, packet, decision);
    else if (room == ROOM_FULL)
        place_in_full_link(own, view, packet, decision);
    else
        place_in_queue(own, view, packet, decision);
    if (room == ROOM_FOR_HEDGES || (room == ROOM_FOR_LOST && !packet->parity))
        lt_hedge_placed(view, decision->connections, own->delay_us, decision);
    if (!decision->connections)
        return;
    if (copies_timed_out(view))
        lt_timed_out_placed(view, decision);
    lt_self_clocked_placed(&own->source, packet, view->now_us);
    lt_overtaken_placed(&own->overtaken);
    lt_standing_queue_placed(&own->queue, packet->size, view->now_us);
    measure_size(own, packet);
}

static void review_without_room(automatic *own, const livetcp_policy_view *view,
                                const livetcp_packet_view *packet, extra_room room,
                                livetcp_decision *decision)
{
    if (room == ROOM_FOR_LOST)
        lt_overtaken_review(&own->overtaken, view, packet, times_of_media(view, own->size),
                            decision);
    if (decision->connections || decision->review_us != LIVETCP_NEVER)
        return;
    if (copies_timed_out(view))
        lt_timed_out_review(view, packet, decision);
}

static void review(void *state, const livetcp_policy_view *view, const livetcp_packet_view *packet,
                   livetcp_decision *decision)
{
    automatic *own = state;

    extra_room room = room_for(own, view, packet);

    if (room < ROOM_FOR_HEDGES) {
        review_without_room(own, view, packet, room, decision);
        return;
    }
    /* the next parity packet is worth more than this copy */
    if (room == ROOM_FOR_ALL && view->budget_bytes / PARITY_FIRST < packet->size &&
        wants_parity(own, view, packet->size))
        decision->review_us = view->now_us + REVIEW_AGAIN_US;
    else
        lt_hedge_review(view, packet, own->delay_us, decision);
    lt_rescue_reviewed(&own->rescue, view, packet);
}

const livetcp_policy lt_policy_auto = {
    .struct_size = sizeof(livetcp_policy),
    .name = "auto",
    .summary = "the strongest of the others that budget and path allow, packet by packet",
    .wants = LIVETCP_WANTS_PATHS | LIVETCP_WANTS_TAIL_PROBES | LIVETCP_WANTS_PARITY |
             LIVETCP_WANTS_HEADROOM,
    .state_size = sizeof(automatic),
    .init = init,
    .place = place,
    .review = review,
};
