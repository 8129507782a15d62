/* SPDX-License-Identifier: MIT */
#include "engine/links/links_private.h"

#include "engine/links/path_info.h"

/* Time between a listener's PINGs, in keepalives. A caller's are a keepalive apart, so that its
 * PING, which the listener answers, comes before the listener would ask, too. */
#define LISTENER (9 / 8.0)

void lt_slot_reset(lt_links *links, unsigned slot)
{
    lt_slot *s = &links->slots[slot];

    *s = (lt_slot){.state = s->state,
                   .info_us = INT64_MIN,
                   .join_by_us = LIVETCP_NEVER,
                   .ping_at_us = LIVETCP_NEVER,
                   .silent_from_us = LIVETCP_NEVER,
                   .progress_us = INT64_MIN,
                   .open_since_us = LIVETCP_NEVER,
                   .connect_at_us = LIVETCP_NEVER,
                   .leaving_since_us = LIVETCP_NEVER,
                   .backoff_us = s->backoff_us,
                   .last_error = s->last_error,
                   .opened = s->opened,
                   .left = s->left,
                   .leave_at_us = s->leave_at_us};
    links->closing &= ~(UINT32_C(1) << slot);
    lt_path_reset(&links->paths[slot], slot);
    lt_path_groups_reset_slot(&links->groups, slot);
}

void lt_links_set_link(lt_links *links, unsigned slot, unsigned number, unsigned weight)
{
    links->paths[slot].link = (uint8_t)number;
    links->paths[slot].link_weight = (uint8_t)weight;
    lt_path_groups_set_link(&links->groups, slot, number);
}

/* A TCP connection exists or is being established. */
static bool is_up(livetcp_connection_state state)
{
    return state != LIVETCP_CONNECTION_IDLE && state != LIVETCP_CONNECTION_CLOSED;
}

void lt_slot_set_state(lt_links *links, unsigned slot, livetcp_connection_state state,
                       livetcp_result reason)
{
    if (links->slots[slot].state == state)
        return;
    links->slots[slot].state = state;
    if (slot == links->base)
        links->count = links->base + is_up(state);
    lt_events_add(links->events, &(livetcp_engine_event){.type = LIVETCP_ENGINE_CONNECTION_STATE,
                                                         .connection = slot,
                                                         .state.connection = state,
                                                         .reason = reason});
}

/* The listener accepts this caller again: the slots that waited connect at once. */
static void end_refusal(lt_links *links)
{
    links->refused = false;
    for (unsigned i = 0; i < links->count; i++)
        if (links->slots[i].state == LIVETCP_CONNECTION_IDLE)
            links->slots[i].connect_at_us = INT64_MIN;
}

void lt_slot_put_off_ping(lt_links *links, unsigned slot, livetcp_usec now)
{
    double keepalives = links->caller ? 1 : LISTENER;
    livetcp_usec interval = lt_keepalive_interval(&links->keepalive, links->count);

    links->slots[slot].ping_at_us = now + (livetcp_usec)(keepalives * (double)interval);
}

void lt_slot_open(lt_links *links, unsigned slot, livetcp_usec now)
{
    lt_slot *s = &links->slots[slot];

    links->paths[slot].usable = true;
    s->join_by_us = LIVETCP_NEVER;
    if (!links->plain) {
        lt_slot_put_off_ping(links, slot, now);
        s->backoff_us = links->reconnect_min_us; /* the peer is authenticated, and agrees */
    }
    if (s->state != LIVETCP_CONNECTION_OPEN) {
        s->opened++;
        s->open_since_us = now;
    }
    lt_slot_set_state(links, slot, LIVETCP_CONNECTION_OPEN, LIVETCP_OK);
    if (links->refused)
        end_refusal(links);
}

/* ---- questions ---- */

unsigned lt_links_count(const lt_links *links)
{
    return links->count;
}

livetcp_path *lt_links_paths(const lt_links *links)
{
    return (livetcp_path *)links->paths;
}

uint64_t lt_links_stream_bytes(const lt_links *links, unsigned slot)
{
    return links->slots[slot].stream_bytes;
}

livetcp_usec lt_links_progress(const lt_links *links, unsigned slot)
{
    return links->slots[slot].progress_us;
}

livetcp_connection_state lt_links_state(const lt_links *links, unsigned slot)
{
    return links->slots[slot].state;
}

unsigned lt_links_open_count(const lt_links *links)
{
    unsigned open = 0;

    for (unsigned i = 0; i < links->count; i++)
        open += links->slots[i].state == LIVETCP_CONNECTION_OPEN;
    return open;
}

uint32_t lt_links_open(const lt_links *links)
{
    uint32_t open = 0;

    for (unsigned i = 0; i < links->count; i++)
        if (links->slots[i].state == LIVETCP_CONNECTION_OPEN && !links->slots[i].closing)
            open |= UINT32_C(1) << i;
    return open;
}

bool lt_links_has_socket(const lt_links *links, unsigned slot)
{
    livetcp_connection_state state = links->slots[slot].state;

    return state == LIVETCP_CONNECTION_JOINING || state == LIVETCP_CONNECTION_OPEN;
}

bool lt_links_can_write(const lt_links *links, unsigned slot)
{
    return lt_links_has_socket(links, slot) && !links->paths[slot].blocked;
}

bool lt_links_any_blocked(const lt_links *links)
{
    for (unsigned i = 0; i < links->count; i++)
        if (links->slots[i].state == LIVETCP_CONNECTION_OPEN && links->paths[i].blocked)
            return true;
    return false;
}

bool lt_links_has_future(const lt_links *links)
{
    for (unsigned i = 0; i < links->count; i++) {
        livetcp_connection_state state = links->slots[i].state;
        if (state == LIVETCP_CONNECTION_CONNECTING || state == LIVETCP_CONNECTION_JOINING ||
            (state == LIVETCP_CONNECTION_IDLE && links->caller))
            return true;
    }
    return false;
}

livetcp_result lt_links_last_loss(const lt_links *links)
{
    return links->last_loss;
}
