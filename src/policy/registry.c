/* SPDX-License-Identifier: MIT */
/*
 * The policies by name. Every invariant test iterates over this list, so a policy is tested from
 * the moment it is listed.
 *
 * Those of the application fill an array from its start and are never removed: readers need no
 * lock, and two writers of one entry compete by an atomic exchange.
 */
#include "policy/builtin.h"

#include "base/error.h"

#include <stdatomic.h>
#include <string.h>

/* Maximum number of policies that an application may add; a search by name compares that many
 * strings. */
#define OWN_MAX 64

static const livetcp_policy *const builtin[] = {
    &lt_policy_single,         &lt_policy_round_robin,
    &lt_policy_shortest_queue, &lt_policy_earliest_delivery,
    &lt_policy_duplicate,      &lt_policy_hedge,
    &lt_policy_parity,         &lt_policy_auto,
};

#define BUILTIN_COUNT (sizeof builtin / sizeof *builtin)

static _Atomic(const livetcp_policy *) own[OWN_MAX];

const livetcp_policy *livetcp_policy_at(size_t position)
{
    if (position < BUILTIN_COUNT)
        return builtin[position];
    position -= BUILTIN_COUNT;
    return position < OWN_MAX ? atomic_load(&own[position]) : NULL;
}

const livetcp_policy *livetcp_policy_find(const char *name)
{
    const livetcp_policy *policy;
    for (size_t i = 0; (policy = livetcp_policy_at(i)) != NULL; i++)
        if (!strcmp(policy->name, name))
            return policy;
    return NULL;
}

livetcp_result livetcp_policy_register(const livetcp_policy *policy, livetcp_error *error)
{
    livetcp_result result = lt_policy_check_table(policy, error);
    size_t place = 0;

    if (result != LIVETCP_OK)
        return result;
    do {
        /* Repeated after each exchange that another thread won: it may have used the same name. */
        if (livetcp_policy_find(policy->name))
            return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                           "there is a policy '%s' already: take another name", policy->name);
        while (place < OWN_MAX && atomic_load(&own[place]))
            place++;
        if (place == OWN_MAX)
            return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                           "policy '%s' is one too many: %d of the application's own are "
                           "registered already",
                           policy->name, OWN_MAX);
        const livetcp_policy *expected = NULL;
        if (atomic_compare_exchange_strong(&own[place], &expected, policy))
            return LIVETCP_OK;
    } while (true);
}
