/* SPDX-License-Identifier: MIT */
/*
 * Finds connections that an outage has left stuck, for the session to give up. TCP's timeouts have
 * doubled meanwhile (RFC 6298, section 5.5). Once the path is back each connection repeats its data
 * at its own time, whatever the link carries: in a small buffer much of that is lost again, and the
 * next attempt comes 5 or 10 s later, while everything else flows. A connection that is reset
 * forgets its data. The session sends it again, in order and as fast as its window allows, and the
 * caller connects again.
 */
#include "engine/links/links_private.h"

#include "base/usec.h"
#include "engine/links/path_info.h"

/* So long after the spare connection, which ends an outage, others may be stuck because of it. At
 * other times, behind a policer for example, connections that try rarely are a relief, and what
 * replaces them is none. */
#define AFTER_US (10 * (livetcp_usec)LIVETCP_USEC_SEC)

/* A connection without progress for this time, and for so many timeouts, is stuck, */
#define STUCK_US LIVETCP_USEC_SEC
#define TIMEOUTS 3

/* if others on its link have had some within a round trip and this. */
#define RECENT_US (100 * (livetcp_usec)LIVETCP_USEC_MSEC)

#define TIMEOUT_MIN_US (200 * (livetcp_usec)LIVETCP_USEC_MSEC)

/* Of open connections: the acknowledgement of the first bytes on the spare one comes before the
 * peer has taken it in, and those that are stuck are all that the session has until then. */
static livetcp_usec last_progress(const lt_links *links, unsigned link)
{
    livetcp_usec last = INT64_MIN;

    for (unsigned i = 0; i < links->count; i++)
        if (links->paths[i].link == link && links->slots[i].state == LIVETCP_CONNECTION_OPEN)
            last = lt_usec_max(last, links->slots[i].progress_us);
    return last;
}

/* A peer without receipts would lose what it has acknowledged and not read. */
static bool may_give_up(const lt_links *links, unsigned slot)
{
    const lt_slot *s = &links->slots[slot];
    const livetcp_path *path = &links->paths[slot];

    return s->state == LIVETCP_CONNECTION_OPEN && !s->closing && lt_links_number(links, slot) &&
           path->oldest_unacked_us != LIVETCP_NEVER && lt_path_undelivered(path) &&
           path->known & LIVETCP_PATH_RTT;
}

static bool is_stuck(const lt_links *links, unsigned slot, livetcp_usec now)
{
    const livetcp_path *path = &links->paths[slot];
    livetcp_usec since = lt_usec_max(path->oldest_unacked_us, links->slots[slot].progress_us);
    livetcp_usec timeout = lt_usec_max(TIMEOUT_MIN_US, lt_path_timeout(path));
    livetcp_usec other = last_progress(links, path->link);

    return now - since > lt_usec_max(STUCK_US, TIMEOUTS * timeout) && other > since + timeout &&
           now - other < path->rtt_us + RECENT_US;
}

uint32_t lt_links_stuck(const lt_links *links, livetcp_usec now)
{
    uint32_t stuck = 0;

    if (!links->reconnect || links->ending || links->refused || links->spare_us == INT64_MIN ||
        now - links->spare_us > AFTER_US)
        return 0;
    for (unsigned i = 0; i < links->base; i++)
        if (may_give_up(links, i) && is_stuck(links, i, now))
            stuck |= UINT32_C(1) << i;
    return stuck;
}
