/* SPDX-License-Identifier: MIT */
/*
 * Does anything get through on a link? A link is silent when bytes are in flight on it and its
 * peer's TCP acknowledges nothing on any of its connections for longer than a round trip explains.
 * While another link is not, a silent one is stalled: no packet is to wait for it.
 */
#ifndef LT_ENGINE_LINKS_LINK_HEALTH_H
#define LT_ENGINE_LINKS_LINK_HEALTH_H

#include "engine/links/links.h"

typedef struct lt_link_health {
    uint64_t delivered[LIVETCP_MAX_CONNECTIONS]; /* bytes of the slot's connection */
    livetcp_usec since_us[LIVETCP_MAX_LINKS];    /* bytes wait for an acknowledgement since then */
    uint32_t waits;                              /* bit i: some do on link i, */
    uint32_t silent;                             /*   and for too long; */
    uint32_t stalled;                            /*   while another link is not silent; */
    uint64_t stalls[LIVETCP_MAX_LINKS];          /*   times that it became so */
} lt_link_health;

/* The slot's connection is new, or gone: a new one shows that its link works. */
void lt_link_health_connected(lt_link_health *health, unsigned slot, unsigned link,
                              livetcp_usec now);
void lt_link_health_lost(lt_link_health *health, unsigned slot);

/* Bytes are written to that link, or were acknowledged on the slot. */
void lt_link_health_wrote(lt_link_health *health, unsigned link, livetcp_usec now);
void lt_link_health_on_path_info(lt_link_health *health, const lt_links *links, unsigned slot,
                                 livetcp_usec now);

/* Links (bit i = link i) that have become stalled. Marks their paths, and no others. Path
 * information should be fresh. */
uint32_t lt_link_health_update(lt_link_health *health, const lt_links *links, livetcp_usec now);

/* Nothing gets through anywhere, since then; LIVETCP_NEVER = something does. */
livetcp_usec lt_link_health_outage_since(const lt_link_health *health, const lt_links *links);

#endif
