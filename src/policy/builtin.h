/* SPDX-License-Identifier: MIT */
/* The policies that come with LiveTCP, one file each; registry.c lists them by name. */
#ifndef LT_POLICY_BUILTIN_H
#define LT_POLICY_BUILTIN_H

#include <livetcp/policy.h>

extern const livetcp_policy lt_policy_single;
extern const livetcp_policy lt_policy_round_robin;
extern const livetcp_policy lt_policy_shortest_queue;

/* Whether a write on this connection can be tried now. */
static inline bool lt_path_ready(const livetcp_path *path)
{
    return path->usable && !path->blocked;
}

#endif
