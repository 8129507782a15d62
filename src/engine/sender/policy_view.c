/* SPDX-License-Identifier: MIT */
/* The view of session and packet that a policy is given, and the budget in it. */
#include "engine/sender/sender_private.h"

#include <math.h>

size_t lt_sender_extra_on(lt_sender *sender, const livetcp_path *path, livetcp_usec now)
{
    const lt_link_limit *limit = &sender->limits[path->link];
    lt_budget *link_budget = &sender->link_budgets[path->link];
    size_t left = lt_budget_left(&sender->budget, now), link_left;

    if (!lt_sender_takes_extra(sender, path))
        return 0;
    if (!(sender->policy.policy->wants & LIVETCP_WANTS_HEADROOM) || limit->headroom == HUGE_VAL ||
        limit->overrun)
        return left;
    link_budget->ratio = limit->headroom;
    link_left = lt_budget_left(link_budget, now);
    return left < link_left ? left : link_left;
}

size_t lt_sender_extra_left(lt_sender *sender, const lt_links *links, livetcp_usec now)
{
    unsigned count = lt_links_count(links);
    const livetcp_path *paths = lt_links_paths(links);
    uint32_t seen = 0;
    size_t max = 0;

    for (unsigned i = 0; i < count; i++) {
        if (seen >> paths[i].link & 1 || !(paths[i].usable || count == 1))
            continue;
        seen |= UINT32_C(1) << paths[i].link;
        size_t left = lt_sender_extra_on(sender, &paths[i], now);
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

static livetcp_policy_view make_view(lt_sender *sender, const lt_links *links, livetcp_usec now)
{
    uint64_t rate = lt_budget_media_rate(&sender->budget, now);

    lt_sender_refresh_paths(sender, links);
    sender->budget.ratio = lt_budget_ratio(sender->config.redundancy_budget, sender->cost, rate,
                                           is_filled(sender, links));
    return (livetcp_policy_view){.now_us = now,
                                 .paths = lt_links_paths(links),
                                 .path_size = sizeof(livetcp_path),
                                 .joint_loss = sender->joint_loss,
                                 .burst_us = sender->burst_us,
                                 .path_count = lt_links_count(links),
                                 .queue_packets = lt_send_queue_packets(sender->queue.packets),
                                 .queue_bytes = lt_send_queue_bytes(sender->queue.packets),
                                 .budget_bytes = lt_sender_extra_left(sender, links, now),
                                 .budget_ratio = sender->budget.ratio,
                                 .media_rate = rate};
}

/* The view is cached: within a round, only placing a packet changes it, and most packets that are
 * reviewed in a round need no copy. */
const livetcp_policy_view *lt_sender_view(lt_sender *sender, const lt_links *links,
                                          livetcp_usec now)
{
    if (!sender->view_holds)
        sender->view = make_view(sender, links, now);
    sender->view_holds = true;
    return &sender->view;
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
                                 .last_sent_us = packet->last_sent_us};
}
