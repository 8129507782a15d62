/* SPDX-License-Identifier: MIT */
/* Choice of connections, shared by several policies. */
#include "policy/builtin.h"

#include "policy/forecast.h"

/* Forecasts that differ by less count as equal: round trips of parallel connections differ by
 * microseconds, and the shortest must not get all packets for that. */
#define SAME_PART 8
#define SAME_US   LIVETCP_USEC_MSEC

/* Each unit of link-weight beyond the first counts as this delay. */
#define WEIGHT_US (10 * (livetcp_usec)LIVETCP_USEC_MSEC)

static bool may_take(const livetcp_path *path, uint32_t except)
{
    return path->ready && !(except & lt_bit(path->connection));
}

static bool has_links(const livetcp_policy_view *view)
{
    for (unsigned i = 1; i < view->path_count; i++)
        if (livetcp_view_path(view, i)->link != livetcp_view_path(view, 0)->link)
            return true;
    return false;
}

/* Links (bit i = link i) of these connections. */
static uint32_t links_of(const livetcp_policy_view *view, uint32_t connections)
{
    uint32_t links = 0;

    for (unsigned i = 0; i < view->path_count; i++)
        if (connections & lt_bit(i))
            links |= lt_bit(livetcp_view_path(view, i)->link);
    return links;
}

static bool has_group(const livetcp_path *path)
{
    return path->known & LIVETCP_PATH_GROUP && path->group_rtt_us > 0;
}

/* Round trip without queues. While the session's own packets form a standing queue, the group's
 * minimum includes it. */
static livetcp_usec empty_rtt(const livetcp_path *path)
{
    bool has_min = path->known & LIVETCP_PATH_MIN_RTT && path->min_rtt_us > 0;

    return has_min && path->min_rtt_us < path->group_rtt_us ? path->min_rtt_us : path->group_rtt_us;
}

/* A forecast covers the packets ahead on the same connection. Packets of the session's other
 * connections also wait in the link's queue, and on a slow link the packet itself takes time. The
 * average round trip includes that on average, and the forecast half of it. */
static livetcp_usec link_time(const livetcp_policy_view *view, const livetcp_path *path,
                              size_t size)
{
    if (!has_group(path) || !(path->known & LIVETCP_PATH_LINK_FREE) || !path->group_rate)
        return 0;
    livetcp_usec wait = path->link_free_us > view->now_us ? path->link_free_us - view->now_us : 0;
    livetcp_usec own = lt_packet_time(path, size);
    livetcp_usec average = path->rtt_us > empty_rtt(path) ? path->rtt_us - empty_rtt(path) : 0;

    return wait + own > average / 2 ? wait + own - average / 2 : 0;
}

/* Input of a choice. */
typedef struct choice {
    const livetcp_packet_view *packet;
    uint32_t except;      /* connections that must not be chosen */
    uint32_t taken_links; /* links that carry the packet, or a part of its protection; 0 = a single
                             link */
    bool at_once;         /* they carry it from now on; otherwise since about a round trip */
} choice;

/* A copy on the link that carries the packet already may be lost with it, in a burst or an outage,
 * which costs a round trip. Another link may be later by half of that; by all of it if bursts hit
 * copies that are sent together. */
static livetcp_usec lost_together(const livetcp_policy_view *view, const livetcp_path *path,
                                  bool at_once)
{
    bool burst = at_once && view->joint_loss > 0;

    return has_group(path) && !burst ? path->rtt_us - empty_rtt(path) / 2 : path->rtt_us;
}

/* Delivery time of a packet for the purpose of the choice: an expensive link must be sooner by the
 * cost. `link_weight` is 0 if it was never set. */
static livetcp_usec rating(const livetcp_policy_view *view, const livetcp_path *path,
                           const choice *c)
{
    livetcp_usec forecast = lt_path_forecast(path, c->packet->size, view->now_us) +
                            lt_burst_wait(view, path, c->packet);

    if (has_links(view))
        forecast += link_time(view, path, c->packet->size);
    if (c->taken_links & lt_bit(path->link))
        forecast += lost_together(view, path, c->at_once);
    return path->link_weight > 1 ? forecast + (path->link_weight - 1) * WEIGHT_US : forecast;
}

/* NULL if none may take it. */
static const livetcp_path *best_rated(const livetcp_policy_view *view, const choice *c,
                                      livetcp_usec *rated)
{
    const livetcp_path *best = NULL;

    for (unsigned i = 0; i < view->path_count; i++) {
        const livetcp_path *path = livetcp_view_path(view, i);
        if (!may_take(path, c->except))
            continue;
        livetcp_usec its = rating(view, path, c);
        if (!best || its < *rated) {
            best = path;
            *rated = its;
        }
    }
    return best;
}

static livetcp_usec shortest_group(const livetcp_policy_view *view, uint32_t except, unsigned link)
{
    livetcp_usec shortest = LIVETCP_NEVER;

    for (unsigned i = 0; i < view->path_count; i++) {
        const livetcp_path *path = livetcp_view_path(view, i);
        if (may_take(path, except) && path->link == link && has_group(path) &&
            path->group_rtt_us < shortest)
            shortest = path->group_rtt_us;
    }
    return shortest;
}

/* How much later than `best`, which has this rating, counts as equal. A longer route of the same
 * link is later for every packet; another link takes packets only if it is the best. */
static livetcp_usec slack(const livetcp_path *path, const livetcp_path *best, livetcp_usec rated,
                          livetcp_usec shortest)
{
    bool known = has_group(path) && shortest != LIVETCP_NEVER;
    livetcp_usec longer = known ? path->group_rtt_us - shortest : 0;

    if (longer > 2 * SAME_US || (path->link != best->link && longer < -2 * SAME_US))
        return 0;
    return rated / SAME_PART + SAME_US;
}

/* Every packet in flight may be lost, and this packet would then wait behind it; first of all what
 * a burst may have taken with the packet's other copies. */
static bool is_freer(const livetcp_policy_view *view, const choice *c, const livetcp_path *path,
                     const livetcp_path *than)
{
    livetcp_usec wait = lt_burst_wait(view, path, c->packet);
    livetcp_usec other = lt_burst_wait(view, than, c->packet);

    if (wait != other)
        return wait < other;
    if (path->queued_bytes != than->queued_bytes)
        return path->queued_bytes < than->queued_bytes;
    return path->last_write_us < than->last_write_us;
}

static const livetcp_path *pick_one(const livetcp_policy_view *view, const choice *c)
{
    livetcp_usec limit = 0;
    const livetcp_path *soonest = best_rated(view, c, &limit), *best = NULL;

    if (!soonest)
        return NULL;
    livetcp_usec shortest = shortest_group(view, c->except, soonest->link);
    for (unsigned i = 0; i < view->path_count; i++) {
        const livetcp_path *path = livetcp_view_path(view, i);
        if (may_take(path, c->except) &&
            rating(view, path, c) <= limit + slack(path, soonest, limit, shortest) &&
            (!best || is_freer(view, c, path, best)))
            best = path;
    }
    return best;
}

/* `taken`: connections that carry the packet, or a part of its protection. */
static uint32_t pick_outside(const livetcp_policy_view *view, const livetcp_packet_view *packet,
                             unsigned count, uint32_t except, uint32_t taken)
{
    uint32_t picked = 0;

    while (count--) {
        const uint32_t now_taken = picked | taken;
        const livetcp_path *best =
            pick_one(view, &(choice){.packet = packet,
                                     .except = picked | except,
                                     .taken_links = has_links(view) ? links_of(view, now_taken) : 0,
                                     .at_once = now_taken & ~packet->carried_by});
        if (!best)
            break;
        picked |= lt_bit(best->connection);
    }
    return picked;
}

uint32_t lt_pick_earliest(const livetcp_policy_view *view, const livetcp_packet_view *packet,
                          unsigned count)
{
    uint32_t taken = packet->carried_by | packet->avoid;
    uint32_t picked = pick_outside(view, packet, count, taken, taken);

    return picked || !packet->avoid ? picked
                                    : pick_outside(view, packet, count, packet->carried_by, taken);
}

/* Copies delay other packets where a queue stands. */
uint32_t lt_pick_copies(const livetcp_policy_view *view, const livetcp_packet_view *packet,
                        uint32_t placed, unsigned count)
{
    const uint32_t taken = placed | packet->carried_by;
    uint32_t full = 0;

    for (unsigned i = 0; i < view->path_count; i++)
        full |= livetcp_view_path(view, i)->group_queue_us > 0 ? lt_bit(i) : 0;
    return pick_outside(view, packet, count, taken | full, taken);
}

livetcp_usec lt_shortest_rtt(const livetcp_policy_view *view, uint32_t among)
{
    livetcp_usec shortest = LIVETCP_NEVER;

    for (uint32_t left = lt_there(view, among); left; left &= left - 1) {
        livetcp_usec rtt = livetcp_view_path(view, lt_first(left))->rtt_us;
        if (rtt && rtt < shortest)
            shortest = rtt;
    }
    return shortest;
}

livetcp_usec lt_typical_rtt(const livetcp_policy_view *view, uint32_t among)
{
    livetcp_usec shortest = lt_shortest_rtt(view, among);

    return shortest == LIVETCP_NEVER ? LT_TYPICAL_RTT_US : shortest;
}
