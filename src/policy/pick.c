/* SPDX-License-Identifier: MIT */
/* Choosing connections: what several policies do alike. */
#include "policy/builtin.h"

/* Forecasts that differ by less are the same: round trips of connections side by side differ by
 * microseconds, and one of them must not get everything for it. */
#define SAME_PART 8
#define SAME_US   LIVETCP_USEC_MSEC

static bool may_take(const livetcp_path *path, uint32_t except)
{
    return path->ready && !(except & lt_bit(path->connection));
}

static livetcp_usec earliest_forecast(const livetcp_policy_view *view, size_t size, uint32_t except)
{
    livetcp_usec earliest = LIVETCP_NEVER;

    for (unsigned i = 0; i < view->path_count; i++) {
        if (!may_take(livetcp_view_path(view, i), except))
            continue;
        livetcp_usec forecast =
            livetcp_path_forecast(livetcp_view_path(view, i), size, view->now_us);
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
        const livetcp_path *path = livetcp_view_path(view, i);
        if (may_take(path, except) && livetcp_path_forecast(path, size, view->now_us) <= limit &&
            (!best || is_freer(path, best)))
            best = path;
    }
    return best;
}

static uint32_t pick_outside(const livetcp_policy_view *view, size_t size, unsigned count,
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

uint32_t lt_pick_earliest(const livetcp_policy_view *view, const livetcp_packet_view *packet,
                          unsigned count)
{
    uint32_t picked = pick_outside(view, packet->size, count, packet->carried_by | packet->avoid);

    return picked || !packet->avoid ? picked
                                    : pick_outside(view, packet->size, count, packet->carried_by);
}

livetcp_usec lt_shortest_rtt(const livetcp_policy_view *view, uint32_t among)
{
    livetcp_usec shortest = LIVETCP_NEVER;

    for (unsigned i = 0; i < view->path_count; i++)
        if (among & lt_bit(i) && livetcp_view_path(view, i)->rtt_us &&
            livetcp_view_path(view, i)->rtt_us < shortest)
            shortest = livetcp_view_path(view, i)->rtt_us;
    return shortest;
}
