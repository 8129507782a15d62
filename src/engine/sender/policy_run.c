/* SPDX-License-Identifier: MIT */
#include "engine/sender/policy_run.h"

#include "base/sized.h"
#include "policy/builtin.h"

#include <stdlib.h>

static size_t indexed_path_size(const livetcp_policy *policy)
{
    size_t size = policy->struct_size < LT_SIZE_THROUGH(livetcp_policy, path_size)
                      ? LT_PATH_SIZE_0_1
                      : policy->path_size;

    return size == sizeof(livetcp_path) ? 0 : size;
}

bool lt_policy_run_init(lt_policy_run *run, const livetcp_policy *policy,
                        const livetcp_config *config)
{
    *run = (lt_policy_run){.policy = policy, .path_size = indexed_path_size(policy)};
    run->state = calloc(1, policy->state_size ? policy->state_size : 1);
    if (run->path_size)
        run->paths = calloc(LIVETCP_MAX_CONNECTIONS, run->path_size);
    if (!run->state || (run->path_size && !run->paths)) {
        lt_policy_run_clear(run);
        return false;
    }
    if (policy->init)
        policy->init(run->state, config);
    return true;
}

void lt_policy_run_clear(lt_policy_run *run)
{
    free(run->state);
    free(run->paths);
    *run = (lt_policy_run){0};
}

/* The view with paths of the size that the policy was compiled with; *own holds it if that size
 * differs from the library's. Fields that the library does not have are zero. */
static const livetcp_policy_view *
convert_view(const lt_policy_run *run, const livetcp_policy_view *view, livetcp_policy_view *own)
{
    if (!run->path_size)
        return view;
    for (unsigned i = 0; i < view->path_count; i++)
        lt_copy_sized((char *)run->paths + i * run->path_size, run->path_size,
                      livetcp_view_path(view, i), sizeof(livetcp_path));
    *own = *view;
    own->paths = run->paths;
    own->path_size = run->path_size;
    return own;
}

void lt_policy_run_place(lt_policy_run *run, const livetcp_policy_view *view,
                         const livetcp_packet_view *packet, livetcp_decision *decision)
{
    livetcp_policy_view own;

    *decision = (livetcp_decision){.review_us = LIVETCP_NEVER};
    run->policy->place(run->state, convert_view(run, view, &own), packet, decision);
}

void lt_policy_run_review(lt_policy_run *run, const livetcp_policy_view *view,
                          const livetcp_packet_view *packet, livetcp_decision *decision)
{
    livetcp_policy_view own;

    *decision = (livetcp_decision){.review_us = LIVETCP_NEVER};
    run->policy->review(run->state, convert_view(run, view, &own), packet, decision);
}
