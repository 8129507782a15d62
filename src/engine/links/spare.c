/* SPDX-License-Identifier: MIT */
/* The spare slot: for a connection that is made during an outage of all others. */
#include "engine/links/links_private.h"

#include "engine/links/path_info.h"

bool lt_links_has_spare(const lt_links *links)
{
    return lt_links_may_connect(links) && !links->ending && lt_links_shares_spare(links);
}

bool lt_links_spare_is_up(const lt_links *links, unsigned *slot)
{
    *slot = links->base;
    return links->count > links->base;
}

unsigned lt_links_take_spare(lt_links *links, livetcp_usec now)
{
    links->spare_us = now;
    lt_slot_set_state(links, links->base, LIVETCP_CONNECTION_CONNECTING, LIVETCP_OK);
    return links->base;
}

bool lt_links_replaces_spare(const lt_links *links, unsigned slot, uint32_t ticket)
{
    return !links->caller && !links->ending && !links->ended && slot == links->base &&
           links->count > links->base && ticket > links->ticket;
}

/* Since `then_us` input has come on the connection, and nothing written before is unacknowledged.
 */
static bool works_since(const lt_links *links, unsigned slot, livetcp_usec then_us)
{
    const livetcp_path *path = &links->paths[slot];

    return links->slots[slot].state == LIVETCP_CONNECTION_OPEN && path->usable &&
           links->slots[slot].silent_from_us > then_us &&
           (!lt_path_undelivered(path) || path->oldest_unacked_us > then_us);
}

bool lt_links_spare_is_done(const lt_links *links, unsigned *slot)
{
    const lt_slot *spare = &links->slots[links->base];

    *slot = links->base;
    if (!links->caller || links->count == links->base || spare->closing ||
        spare->state != LIVETCP_CONNECTION_OPEN)
        return false;
    for (unsigned i = 0; i < links->base; i++)
        if (!works_since(links, i, spare->open_since_us))
            return false;
    return true;
}
