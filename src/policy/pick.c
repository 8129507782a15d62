/* SPDX-License-Identifier: MIT */
/* Choosing connections, and when to send again: what several policies do alike. */
#include "policy/builtin.h"

/* Forecasts that differ by less are the same: round trips of connections side by side differ by
 * microseconds, and one of them must not get everything for it. */
#define SAME_PART 8
#define SAME_US   LIVETCP_USEC_MSEC

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

static bool may_take(const livetcp_path *path, uint32_t except)
{
    return path->ready && !(except & lt_bit(path->connection));
}

static livetcp_usec earliest_forecast(const livetcp_policy_view *view, size_t size, uint32_t except)
{
    livetcp_usec earliest = LIVETCP_NEVER;

    for (unsigned i = 0; i < view->path_count; i++) {
        if (!may_take(&view->paths[i], except))
            continue;
        livetcp_usec forecast = livetcp_path_forecast(&view->paths[i], size, view->now_us);
        if (forecast < earliest)
            earliest = forecast;
    }
    return earliest;
}

/* Every packet under way is one more that may be lost, and that ours would wait behind. */
static bool is_freer(const livetcp_path *path, const livetcp_path *than)
{
    if (path->queued_bytes != than->queued_bytes)
        return path->queued_bytes < than->queued_bytes;
    return path->last_write_us < than->last_write_us;
}

static const livetcp_path *pick_one(const livetcp_policy_view *view, size_t size, uint32_t except)
{
    livetcp_usec limit = earliest_forecast(view, size, except);
    const livetcp_path *best = NULL;

    if (limit == LIVETCP_NEVER)
        return NULL;
    limit += limit / SAME_PART + SAME_US;
    for (unsigned i = 0; i < view->path_count; i++) {
        const livetcp_path *path = &view->paths[i];
        if (may_take(path, except) && livetcp_path_forecast(path, size, view->now_us) <= limit &&
            (!best || is_freer(path, best)))
            best = path;
    }
    return best;
}

uint32_t lt_pick_earliest(const livetcp_policy_view *view, size_t size, unsigned count,
                          uint32_t except)
{
    uint32_t picked = 0;

    while (count--) {
        const livetcp_path *best = pick_one(view, size, picked | except);
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
