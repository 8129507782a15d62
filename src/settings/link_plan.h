/* SPDX-License-Identifier: MIT */
/*
 * Links described by a caller's config: each of its networks (interfaces, local addresses) with
 * each host of the peer of the same address family. Connection i takes link i modulo their number.
 */
#ifndef LT_SETTINGS_LINK_PLAN_H
#define LT_SETTINGS_LINK_PLAN_H

#include <livetcp/config.h>

typedef struct lt_planned_link {
    char interface[16];     /* "" = any */
    char local_address[64]; /* "" = the system's choice */
    char host[256];
    unsigned weight;
} lt_planned_link;

typedef struct lt_link_plan {
    unsigned count; /* at least 1 */
    lt_planned_link links[LIVETCP_MAX_LINKS];
} lt_link_plan;

/* Errors: LIVETCP_ERR_INVALID_ARGUMENT and LIVETCP_ERR_ADDRESS_INVALID; the message names the item.
 */
livetcp_result lt_link_plan_read(lt_link_plan *plan, const livetcp_config *config,
                                 livetcp_error *error);

#endif
