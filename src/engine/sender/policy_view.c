/* SPDX-License-Identifier: MIT */
/* The view of session and packet that a policy is given, and the budget in it. */
#include "engine/sender/sender_private.h"

#include <math.h>

/* Bytes that the link takes beside the media. The rest of audio's budget is kept for it. */
static size_t room_on_link(lt_sender *sender, unsigned link, lt_paid_kind kind, livetcp_usec now)
{
    lt_budget *budget = &sender->link_budgets[link];
    size_t kept = kind == LT_PAID_AUDIO ? 0 : lt_budget_left(&sender->budgets[LT_PAID_AUDIO], now);

    budget->ratio = sender->limits[link].headroom;
    size_t left = lt_budget_left(budget, now);
    return left > kept ? left - kept : 0;
}

size_t lt_sender_extra_on(lt_sender *sender, const livetcp_path *path, lt_paid_kind kind,
                          livetcp_usec now)
{
    const lt_link_limit *limit = &sender->limits[path->link];
    size_t left = lt_budget_left(&sender->budgets[kind], now), room;

    if (!lt_sender_takes_extra(sender, path))
        return 0;
    if (!lt_sender_heeds_headroom(sender, path) || limit->headroom == HUGE_VAL)
        return left;
    room = room_on_link(sender, path->link, kind, now);
    return left < room ? left : room;
}

size_t lt_sender_extra_left(lt_sender *sender, const lt_links *links, lt_paid_kind kind,
                            livetcp_usec now)
{
    unsigned count = lt_links_count(links);
    const livetcp_path *paths = lt_links_paths(links);
    uint32_t seen = 0;
    size_t max = 0;

    for (unsigned i = 0; i < count; i++) {
        if (seen >> paths[i].link & 1 || !(paths[i].usable || count == 1))
            continue;
        seen |= UINT32_C(1) << paths[i].link;
        size_t left = lt_sender_extra_on(sender, &paths[i], kind, now);
        max = left > max ? left : max;
    }
    return max;
}

/* Extra bytes on any link would take the place of media. */
static bool is_filled(const lt_sender *sender, const lt_links *links)
{
    const livetcp_path *paths = lt_links_paths(links);
    bool filled = true;

    for (unsigned i = 0; i < lt_links_count(links); i++)
        filled = filled && (!paths[i].usable || sender->limits[paths[i].link].filled);
    return filled;
}

/* Returns the media's rate, which they depend on, in bytes per second. */
static uint64_t update_ratios(lt_sender *sender, const lt_links *links, livetcp_usec now)
{
    bool filled = is_filled(sender, links);
    uint64_t rates[LT_PAID_KINDS], all = 0;

    for (unsigned i = 0; i < LT_PAID_KINDS; i++) {
        rates[i] = lt_budget_media_rate(&sender->budgets[i], now);
        all += rates[i];
    }
    for (unsigned i = 0; i < LT_PAID_KINDS; i++)
        sender->budgets[i].ratio =
            lt_budget_ratio(sender->config.redundancy_budget, sender->cost, rates[i], all, filled);
    return all;
}

static livetcp_policy_view make_view(lt_sender *sender, const lt_links *links, lt_paid_kind kind,
                                     livetcp_usec now)
{
    uint64_t rate = update_ratios(sender, links, now);

    lt_sender_refresh_paths(sender, links);
    return (livetcp_policy_view){.now_us = now,
                                 .paths = lt_links_paths(links),
                                 .path_size = sizeof(livetcp_path),
                                 .joint_loss = sender->joint_loss,
                                 .burst_us = sender->burst_us,
                                 .path_count = lt_links_count(links),
                                 .queue_packets = lt_send_queue_packets(sender->queue.packets),
                                 .queue_bytes = lt_send_queue_bytes(sender->queue.packets),
                                 .budget_bytes = lt_sender_extra_left(sender, links, kind, now),
                                 .budget_ratio = sender->budgets[kind].ratio,
                                 .media_rate = rate,
                                 .largest_packet = (size_t)sender->largest};
}

/* The view is cached: within a round, only placing a packet changes it, and most packets that are
 * reviewed in a round need no copy. */
const livetcp_policy_view *lt_sender_view(lt_sender *sender, const lt_links *links,
                                          lt_paid_kind kind, livetcp_usec now)
{
    if (!sender->view_holds[kind])
        sender->views[kind] = make_view(sender, links, kind, now);
    sender->view_holds[kind] = true;
    return &sender->views[kind];
}

livetcp_packet_view lt_sender_describe(const lt_packet *packet)
{
    return (livetcp_packet_view){.size = lt_packet_size(packet),
                                 .enqueued_us = packet->enqueued_us,
                                 .ssrc = packet->ssrc,
                                 .sequence = packet->sequence,
                                 .rtcp = packet->rtcp,
                                 .parity = packet->parity,
                                 .importance = packet->importance,
                                 .carried_by = packet->carried,
                                 .avoid = packet->avoid,
                                 .copies = packet->copies,
                                 .first_sent_us = packet->first_sent_us,
                                 .last_sent_us = packet->last_sent_us,
                                 .overtaken = packet->overtaken};
}
