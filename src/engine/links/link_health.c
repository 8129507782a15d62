/* SPDX-License-Identifier: MIT */
#include "engine/links/link_health.h"

#include "base/usec.h"
#include "engine/links/path_info.h"
#include "policy/forecast.h"

/* Added to what the round trip and its variation explain, for delayed acknowledgements and for the
 * interval of polling. */
#define ALLOWED_US (60 * (livetcp_usec)LIVETCP_USEC_MSEC)

static uint32_t bit(unsigned number)
{
    return UINT32_C(1) << number;
}

static void progress(lt_link_health *health, unsigned link, livetcp_usec now)
{
    health->since_us[link] = now;
    health->silent &= ~bit(link);
    health->quiet &= ~bit(link);
}

void lt_link_health_connected(lt_link_health *health, unsigned link, livetcp_usec now)
{
    progress(health, link, now);
}

void lt_link_health_wrote(lt_link_health *health, unsigned link, livetcp_usec now)
{
    if (health->waits & bit(link))
        return;
    health->waits |= bit(link);
    health->since_us[link] = now;
}

void lt_link_health_on_path_info(lt_link_health *health, const lt_links *links, unsigned slot,
                                 livetcp_usec now)
{
    if (lt_links_progress(links, slot) == now)
        progress(health, lt_links_paths(links)[slot].link, now);
}

static livetcp_usec ack_timeout(const livetcp_path *path)
{
    if (!(path->known & LIVETCP_PATH_RTT))
        return LIVETCP_USEC_SEC;
    return lt_path_timeout(path) + ALLOWED_US;
}

/* Of the connections of a link that wait for an acknowledgement. */
typedef struct waiting {
    unsigned count;
    livetcp_usec least_us, most_us; /* how long that may take, by their round trips */
} waiting;

/* Returns the links that carry media. Sets which of them wait for an acknowledgement, and for how
 * long each may. */
static uint32_t find_waiting(lt_link_health *health, const lt_links *links, waiting *limits)
{
    uint32_t carrying = 0;

    health->waits = 0;
    for (unsigned i = 0; i < LIVETCP_MAX_LINKS; i++)
        limits[i] = (waiting){.least_us = LIVETCP_NEVER};
    for (unsigned i = 0; i < lt_links_count(links); i++) {
        const livetcp_path *path = &lt_links_paths(links)[i];
        waiting *limit = &limits[path->link];
        livetcp_usec timeout = ack_timeout(path);
        if (!path->usable)
            continue;
        carrying |= bit(path->link);
        if (!lt_path_undelivered(path))
            continue;
        health->waits |= bit(path->link);
        limit->count++;
        limit->least_us = lt_usec_min(limit->least_us, timeout);
        limit->most_us = lt_usec_max(limit->most_us, timeout);
    }
    return carrying;
}

static void mark(const lt_link_health *health, const lt_links *links)
{
    for (unsigned i = 0; i < lt_links_count(links); i++) {
        livetcp_path *path = &lt_links_paths(links)[i];
        path->link_stalled = health->stalled >> path->link & 1;
    }
}

uint32_t lt_link_health_update(lt_link_health *health, const lt_links *links, livetcp_usec now)
{
    waiting limits[LIVETCP_MAX_LINKS];
    uint32_t carrying = find_waiting(health, links, limits), before = health->stalled;

    for (unsigned i = 0; i < LIVETCP_MAX_LINKS; i++) {
        livetcp_usec time = now - health->since_us[i];
        if (!(health->waits & bit(i)))
            progress(health, i, now);
        else if (time > limits[i].most_us)
            health->silent |= bit(i);
        else if (time > limits[i].least_us && limits[i].count > 1)
            health->quiet |= bit(i);
    }
    uint32_t waits = (health->silent | health->quiet) & carrying;
    health->stalled = carrying & ~waits ? waits : 0;
    if (health->stalled != before)
        mark(health, links);
    for (unsigned i = 0; i < LIVETCP_MAX_LINKS; i++)
        health->stalls[i] += (health->stalled & ~before) >> i & 1;
    return health->stalled & ~before;
}

livetcp_usec lt_link_health_outage_since(const lt_link_health *health, const lt_links *links)
{
    livetcp_usec since = INT64_MIN;

    for (unsigned i = 0; i < lt_links_count(links); i++) {
        const livetcp_path *path = &lt_links_paths(links)[i];
        if (!path->usable)
            continue;
        if (!(health->silent & bit(path->link)))
            return LIVETCP_NEVER;
        if (health->since_us[path->link] > since)
            since = health->since_us[path->link];
    }
    return since == INT64_MIN ? LIVETCP_NEVER : since;
}
