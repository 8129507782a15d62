/* SPDX-License-Identifier: MIT */
/* The policy's decisions about packets: where the oldest one goes, and which ones are sent again.
 */
#include "engine/sender/sender_private.h"

#include "base/usec.h"

/* The slots, among those that the policy chose, that can take a packet. An application's policy
 * must not be able to break a connection: a decision that names an unusable slot is counted,
 * reported once, and replaced by the first usable slot, as policy `single` would decide. */
static uint32_t validate(lt_sender *sender, const lt_links *links, uint32_t chosen)
{
    unsigned count = lt_links_count(links);
    const livetcp_path *paths = lt_links_paths(links);
    uint32_t usable = 0, ready = lt_sender_ready_paths(links);

    for (unsigned i = 0; i < count; i++)
        usable |= paths[i].usable ? UINT32_C(1) << i : 0;
    if (!(chosen & ~usable))
        return chosen & ready;
    if (!sender->policy_errors++)
        lt_events_add(sender->events, &(livetcp_engine_event){.type = LIVETCP_ENGINE_WARNING,
                                                              .reason = LIVETCP_ERR_BAD_DECISION});
    return usable & -usable & ready;
}

/* Schedules the next question to the policy: at `asked`, or after lt_sender_retry_after() if that
 * is sooner. */
static void wait_until_writable(lt_sender *sender, const lt_links *links, livetcp_usec asked,
                                livetcp_usec now)
{
    livetcp_usec retry = now + lt_sender_retry_after(links);

    sender->backlogged = true;
    if (asked > now && asked < retry)
        retry = lt_usec_max(asked, now + LT_RETRY_MIN_US);
    sender->retry_us = retry;
}

static uint32_t ask_policy(lt_sender *sender, const lt_links *links,
                           const livetcp_policy_view *view, const lt_packet *packet,
                           livetcp_decision *decision)
{
    livetcp_packet_view about = lt_sender_describe(packet);

    lt_policy_run_place(&sender->policy, view, &about, decision);
    uint32_t chosen = validate(sender, links, decision->connections);
    /* One copy: receivers cannot detect duplicates of RTCP, and copies of parity are useless. */
    return packet->rtcp || packet->parity ? chosen & -chosen : chosen;
}

/* Hides from the policy the slots that carry frames which this packet repeats (RFC 2198), if
 * another slot could take it. False if none is hidden. */
static bool hide_carriers(lt_sender *sender, const lt_links *links, const lt_packet *packet)
{
    unsigned count = lt_links_count(links);
    uint32_t ready = lt_sender_ready_paths(links), carriers;
    livetcp_path *paths = lt_links_paths(links);

    if (!packet->repeats)
        return false;
    carriers = lt_repeats_carriers(&sender->repeats, packet);
    if (!(ready & carriers) || !(ready & ~carriers))
        return false;
    for (unsigned i = 0; i < count; i++)
        if (carriers & UINT32_C(1) << i)
            paths[i].ready = false;
    return true;
}

static uint32_t ask_where(lt_sender *sender, const lt_links *links, const lt_packet *packet,
                          livetcp_decision *decision, livetcp_usec now)
{
    const livetcp_policy_view *view = lt_sender_view(sender, links, lt_paid_kind_of(packet), now);
    bool hidden = hide_carriers(sender, links, packet);
    uint32_t chosen = ask_policy(sender, links, view, packet, decision);

    if (hidden)
        lt_sender_refresh_paths(sender, links);
    if (hidden && !chosen) /* better behind the frames that it repeats than later */
        chosen = ask_policy(sender, links, view, packet, decision);
    return chosen;
}

lt_parity_placed lt_sender_place_parity(lt_sender *sender, const lt_links *links, lt_packet *parity,
                                        uint32_t known, livetcp_usec now)
{
    livetcp_decision decision;
    uint32_t chosen = ask_where(sender, links, parity, &decision, now);

    if (chosen & ~known)
        return LT_PARITY_DROPPED;
    if (!chosen) {
        wait_until_writable(sender, links, decision.review_us, now);
        return LT_PARITY_WAITS;
    }
    return lt_sender_put_copies(sender, links, parity, chosen, false, now) > 0 ? LT_PARITY_PLACED
                                                                               : LT_PARITY_DROPPED;
}

bool lt_sender_place(lt_sender *sender, const lt_links *links, livetcp_usec now, lt_placed *placed)
{
    lt_packet *packet = lt_send_queue_front(sender->queue.packets);
    livetcp_decision decision;

    if (!packet)
        return false;
    uint32_t chosen = ask_where(sender, links, packet, &decision, now);
    if (!chosen) {
        wait_until_writable(sender, links, decision.review_us, now);
        return false;
    }
    sender->max_queue_delay_us = lt_usec_max(sender->max_queue_delay_us, now - packet->enqueued_us);
    bool reviewed = sender->policy.policy->review && !packet->rtcp;
    packet->review_us = reviewed ? decision.review_us : LIVETCP_NEVER;
    *placed =
        (lt_placed){.packet = packet,
                    .copies = lt_sender_spread_copies(sender, links, packet, chosen, true, now),
                    .protect = decision.protect};
    lt_repeats_placed(&sender->repeats, packet, chosen);
    lt_send_queue_pop(sender->queue.packets);
    return true;
}

/* Older than max-send-delay: a copy would be too late. */
static bool is_too_late(const lt_sender *sender, const lt_links *links, const lt_packet *packet,
                        livetcp_usec now)
{
    livetcp_usec limit = lt_live_queue_limit(&sender->queue, links);

    return limit && now - packet->enqueued_us > limit;
}

bool lt_sender_review(lt_sender *sender, const lt_links *links, lt_packet *packet, livetcp_usec now)
{
    livetcp_decision decision;
    const livetcp_policy_view *view = lt_sender_view(sender, links, lt_paid_kind_of(packet), now);
    livetcp_packet_view about = lt_sender_describe(packet);
    livetcp_usec soonest = now + LT_RETRY_MIN_US;

    lt_policy_run_review(&sender->policy, view, &about, &decision);
    packet->review_us = lt_usec_max(decision.review_us, soonest);
    if (!decision.connections || is_too_late(sender, links, packet, now))
        return false;
    uint32_t chosen = validate(sender, links, decision.connections) & ~packet->carried;
    if (!decision.without_room)
        return lt_sender_spread_copies(sender, links, packet, chosen, false, now) > 0;
    return chosen &&
           lt_sender_put_without_room(sender, links, packet, (unsigned)__builtin_ctz(chosen), now);
}
