/* SPDX-License-Identifier: MIT */
/*
 * Replaces connections on a longer route. A load balancer chooses the route by the ports, so that a
 * new connection in the same slot may get the shorter one: with fewer connections there, each
 * carries more packets, and one loss holds up more of them.
 */
#include "engine/links/links_private.h"

#include "base/usec.h"
#include "engine/links/path_info.h"

#define NEEDED_INFO (LIVETCP_PATH_GROUP | LIVETCP_PATH_RTT | LIVETCP_PATH_MIN_RTT)

#define REVIEW_US (LIVETCP_USEC_SEC / 2)
#define SEEN      2 /* reviews in a row that find the route longer */

/* A route is longer by more than its round trips vary. In the vicinity none is worth a connection:
 * there a busy computer makes round trips longer. */
#define LONGER_US   2000
#define LONGER_PART 32
#define VICINITY_US 4000

/* A connection that carries this part of what those on the shorter route do is needed. */
#define NEEDED 0.5
#define DECAY  0.7 /* of the bytes carried, at each review */

/* One in PART of a link's connections stays on a longer route, for the time when the shortest one
 * fails; and as many leave at once. The time between two attempts of a slot doubles. */
#define PART     4
#define AGAIN_US LIVETCP_USEC_SEC
#define DOUBLED  9

/* Data in flight is waited for, but not longer. */
#define LEAVE_US LIVETCP_USEC_SEC

static bool may_replace(const lt_links *links)
{
    return lt_links_may_connect(links) && !links->plain && links->reconnect &&
           !links->fixed_ports && !links->ending && !links->refused;
}

/* All slots are open, so that what is measured tells routes apart. */
static bool all_open(const lt_links *links)
{
    for (unsigned i = 0; i < links->base; i++)
        if (links->slots[i].state != LIVETCP_CONNECTION_OPEN || links->slots[i].closing ||
            (links->paths[i].known & NEEDED_INFO) != NEEDED_INFO)
            return false;
    return true;
}

/* The route of a link with the shortest round trip. */
typedef struct shortest_route {
    livetcp_usec rtt_us;     /* in the last seconds, */
    livetcp_usec min_rtt_us; /*   and by the minima of TCP, */
    livetcp_usec jitter_us;  /*   and how much it varies at least */
    double carried;          /* by a connection, on average */
    bool queue;              /* one stands */
} shortest_route;

static shortest_route find_shortest(const lt_links *links, unsigned link)
{
    shortest_route found = {
        .rtt_us = LIVETCP_NEVER, .min_rtt_us = LIVETCP_NEVER, .jitter_us = LIVETCP_NEVER};
    unsigned count = 0;

    for (unsigned i = 0; i < links->base; i++)
        if (links->paths[i].link == link)
            found.rtt_us = lt_usec_min(found.rtt_us, links->paths[i].group_rtt_us);
    for (unsigned i = 0; i < links->base; i++) {
        const livetcp_path *path = &links->paths[i];
        if (path->link != link || path->group_rtt_us != found.rtt_us)
            continue;
        found.min_rtt_us = lt_usec_min(found.min_rtt_us, path->min_rtt_us);
        found.jitter_us = lt_usec_min(found.jitter_us, path->rtt_variation_us);
        found.queue = found.queue || path->group_queue_us > 0;
        found.carried += links->slots[i].carried;
        count++;
    }
    if (count)
        found.carried /= count;
    return found;
}

/* A connection that carries little has few samples, in which the queue of the others or jitter may
 * look like a longer route. TCP's minimum does not know queues, and that of the last seconds does
 * not know routes that have changed. */
static bool is_longer(const livetcp_path *path, const shortest_route *shortest)
{
    livetcp_usec longer_us =
        lt_usec_max(LONGER_US, shortest->rtt_us / LONGER_PART + 2 * shortest->jitter_us);

    return shortest->rtt_us > VICINITY_US && path->group_rtt_us - shortest->rtt_us > longer_us &&
           path->min_rtt_us - shortest->min_rtt_us > longer_us;
}

/* Where a queue stands the source may need all routes. */
static bool is_of_use(const lt_slot *s, const livetcp_path *path, const shortest_route *shortest)
{
    return shortest->queue || path->group_queue_us > 0 || s->carried >= NEEDED * shortest->carried;
}

static void review(lt_slot *s, const livetcp_path *path, const shortest_route *shortest)
{
    s->longer = is_longer(path, shortest) ? s->longer + 1 : 0;
    s->useless = is_of_use(s, path, shortest) ? 0 : s->useless + 1;
}

static void leave(lt_links *links, unsigned slot, livetcp_usec now)
{
    lt_slot *s = &links->slots[slot];

    s->leave_at_us = now + (AGAIN_US << (s->left < DOUBLED ? s->left : DOUBLED));
    s->left++;
    s->leaving_since_us = now;
    links->paths[slot].usable = false;
}

/* The connections that are leaving end once nothing is in flight on them. *due: some do now. */
static unsigned end_left(lt_links *links, livetcp_usec now, bool *due)
{
    unsigned leaving = 0;

    *due = false;
    for (unsigned i = 0; i < links->base; i++) {
        lt_slot *s = &links->slots[i];
        if (s->leaving_since_us == LIVETCP_NEVER || s->closing)
            continue;
        leaving++;
        s->withdrawn =
            !lt_path_undelivered(&links->paths[i]) || now - s->leaving_since_us > LEAVE_US;
        *due = *due || s->withdrawn;
    }
    return leaving;
}

static bool should_leave(const lt_slot *s, livetcp_usec now)
{
    return s->longer >= SEEN && s->useless >= SEEN && now >= s->leave_at_us;
}

/* Of a link's connections, those on longer routes beyond the reserve. */
static void leave_beyond_reserve(lt_links *links, unsigned link, unsigned leaving, livetcp_usec now)
{
    shortest_route shortest = find_shortest(links, link);
    unsigned count = 0, longer = 0, part;

    for (unsigned i = 0; i < links->base; i++) {
        if (links->paths[i].link != link)
            continue;
        review(&links->slots[i], &links->paths[i], &shortest);
        longer += links->slots[i].longer > 0;
        count++;
    }
    part = count / PART ? count / PART : 1;
    for (unsigned i = 0; i < links->base && longer > part && leaving < part; i++) {
        if (links->paths[i].link != link || !should_leave(&links->slots[i], now))
            continue;
        leave(links, i, now);
        leaving++;
        longer--;
    }
}

bool lt_links_leave_longer_routes(lt_links *links, livetcp_usec now)
{
    unsigned leaving;
    bool due;

    if (!may_replace(links))
        return false;
    leaving = end_left(links, now, &due);
    if (now < links->review_us)
        return due;
    links->review_us = now + REVIEW_US;
    for (unsigned link = 0; link < LIVETCP_MAX_LINKS && all_open(links); link++)
        leave_beyond_reserve(links, link, leaving, now);
    for (unsigned i = 0; i < links->base; i++)
        links->slots[i].carried *= DECAY;
    return due;
}
