/* SPDX-License-Identifier: MIT */
/* Choosing connections, and when to send again: what several policies do alike. */
#include "policy/builtin.h"

/* A copy goes out this long after the acknowledgement was due, at least: acknowledgements are
 * seen within a millisecond or two of their arrival. And at most a small part of the round trip,
 * since every copy that is needed is late by that. */
#define HEDGE_DELAY_MIN_US (2 * (livetcp_usec)LIVETCP_USEC_MSEC)
#define HEDGE_DELAY_MAX_US (4 * (livetcp_usec)LIVETCP_USEC_MSEC)
#define HEDGE_DELAY_PART   16

/* A second copy at once is for those who could pay for this many more. */
#define COPIES_IN_RESERVE 8

/* Round trip where none is known yet, and how soon to look again when no copy could be sent. */
#define TYPICAL_RTT_US  (100 * (livetcp_usec)LIVETCP_USEC_MSEC)
#define REVIEW_RETRY_US (5 * (livetcp_usec)LIVETCP_USEC_MSEC)

uint32_t lt_pick_earliest(const livetcp_policy_view *view, size_t size, unsigned count,
                          uint32_t except)
{
    uint32_t picked = 0;

    while (count--) {
        const livetcp_path *best = NULL;
        livetcp_usec best_forecast = 0;
        for (unsigned i = 0; i < view->path_count; i++) {
            const livetcp_path *path = &view->paths[i];
            if (!path->ready || (picked | except) & lt_bit(i))
                continue;
            livetcp_usec forecast = livetcp_path_forecast(path, size, view->now_us);
            if (!best || forecast < best_forecast ||
                (forecast == best_forecast && path->last_write_us < best->last_write_us)) {
                best = path;
                best_forecast = forecast;
            }
        }
        if (!best)
            break;
        picked |= lt_bit(best->connection);
    }
    return picked;
}

static livetcp_usec hedge_delay(const livetcp_path *path, livetcp_usec configured)
{
    livetcp_usec delay = 2 * path->rtt_variation_us;
    livetcp_usec most = path->rtt_us / HEDGE_DELAY_PART;

    if (configured)
        return configured;
    if (most < HEDGE_DELAY_MAX_US)
        most = HEDGE_DELAY_MAX_US;
    if (delay < HEDGE_DELAY_MIN_US)
        return HEDGE_DELAY_MIN_US;
    return delay < most ? delay : most;
}

livetcp_usec lt_hedge_due(const livetcp_policy_view *view, uint32_t placed, livetcp_usec delay_us)
{
    livetcp_usec soonest = LIVETCP_NEVER;

    for (unsigned i = 0; i < view->path_count; i++) {
        const livetcp_path *path = &view->paths[i];
        if (!(placed & lt_bit(i)))
            continue;
        livetcp_usec wait =
            (path->rtt_us ? path->rtt_us : TYPICAL_RTT_US) + hedge_delay(path, delay_us);
        if (view->now_us + wait < soonest)
            soonest = view->now_us + wait;
    }
    return soonest;
}

static livetcp_usec shortest_rtt(const livetcp_policy_view *view, uint32_t among)
{
    livetcp_usec shortest = LIVETCP_NEVER;

    for (unsigned i = 0; i < view->path_count; i++)
        if (among & lt_bit(i) && view->paths[i].rtt_us && view->paths[i].rtt_us < shortest)
            shortest = view->paths[i].rtt_us;
    return shortest == LIVETCP_NEVER ? TYPICAL_RTT_US : shortest;
}

void lt_hedge_review(const livetcp_policy_view *view, const livetcp_packet_view *packet,
                     livetcp_usec delay_us, livetcp_decision *decision)
{
    bool rich = view->budget_bytes / COPIES_IN_RESERVE >= packet->size;
    bool overdue = view->now_us - packet->first_sent_us >= shortest_rtt(view, packet->carried_by);
    unsigned count = overdue && rich ? 2 : 1;

    decision->connections = view->budget_bytes >= packet->size
                                ? lt_pick_earliest(view, packet->size, count, packet->carried_by)
                                : 0;
    if (decision->connections)
        decision->review_us = lt_hedge_due(view, decision->connections, delay_us);
    else if (packet->carried_by & (packet->carried_by - 1))
        decision->review_us = lt_hedge_due(view, packet->carried_by, delay_us); /* it has copies */
    else
        decision->review_us = view->now_us + REVIEW_RETRY_US;
}
