/* SPDX-License-Identifier: MIT */
/* The policies by name. Every invariant test walks this list, so a policy is tested from the
 * moment it stands here. */
#include "policy/builtin.h"

#include <string.h>

static const livetcp_policy *const policies[] = {
    &lt_policy_single,         &lt_policy_round_robin,
    &lt_policy_shortest_queue, &lt_policy_earliest_delivery,
    &lt_policy_duplicate,      &lt_policy_hedge,
    &lt_policy_parity,
};

const livetcp_policy *livetcp_policy_at(size_t position)
{
    return position < sizeof policies / sizeof *policies ? policies[position] : NULL;
}

const livetcp_policy *livetcp_policy_find(const char *name)
{
    const livetcp_policy *policy;
    for (size_t i = 0; (policy = livetcp_policy_at(i)) != NULL; i++)
        if (!strcmp(policy->name, name))
            return policy;
    return NULL;
}
