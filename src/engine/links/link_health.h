/* SPDX-License-Identifier: MIT */
/*
 * Detects links on which nothing gets through. A link is silent when bytes are in flight on it and
 * the peer's TCP has acknowledged nothing, on any of its connections, for longer than the longest
 * of their round trips explains. It is quiet when several wait for longer than the shortest
 * explains: they have hardly all lost something. A silent or quiet link is stalled while another
 * link is neither: no packet may wait for it.
 */
#ifndef LT_ENGINE_LINKS_LINK_HEALTH_H
#define LT_ENGINE_LINKS_LINK_HEALTH_H

#include "engine/links/links.h"

typedef struct lt_link_health {
    livetcp_usec since_us[LIVETCP_MAX_LINKS]; /* start of the wait for an acknowledgement */
    uint32_t waits;                           /* bit i: bytes are unacknowledged on link i, */
    uint32_t quiet;   /*   for longer than the shortest of several round trips explains, */
    uint32_t silent;  /*   or than the longest, */
    uint32_t stalled; /* while another link is neither */
    uint64_t stalls[LIVETCP_MAX_LINKS]; /* number of times that the link became stalled */
} lt_link_health;

/* A connection was established, which shows that its link works. */
void lt_link_health_connected(lt_link_health *health, unsigned link, livetcp_usec now);

/* Bytes were written to the link; path info of the slot may acknowledge some. */
void lt_link_health_wrote(lt_link_health *health, unsigned link, livetcp_usec now);
void lt_link_health_on_path_info(lt_link_health *health, const lt_links *links, unsigned slot,
                                 livetcp_usec now);

/* Returns the links (bit i = link i) that have just become stalled, and updates link_stalled in all
 * paths. Call it with current path info. */
uint32_t lt_link_health_update(lt_link_health *health, const lt_links *links, livetcp_usec now);

/* Start of the silence if every link in use is silent; LIVETCP_NEVER = at least one is not. */
livetcp_usec lt_link_health_outage_since(const lt_link_health *health, const lt_links *links);

#endif
