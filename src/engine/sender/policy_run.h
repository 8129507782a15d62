/* SPDX-License-Identifier: MIT */
/*
 * A policy at work in a session: its table and its state. A policy compiled with other headers is
 * given paths of the size that it knows.
 */
#ifndef LT_ENGINE_SENDER_POLICY_RUN_H
#define LT_ENGINE_SENDER_POLICY_RUN_H

#include <livetcp/policy.h>

typedef struct lt_policy_run {
    const livetcp_policy *policy;
    void *state;
    size_t path_size;    /* of the paths that the policy indexes; 0 = as the library's */
    livetcp_path *paths; /* converted paths */
} lt_policy_run;

/* False without memory. On success, lt_policy_run_clear() frees the state. */
bool lt_policy_run_init(lt_policy_run *run, const livetcp_policy *policy,
                        const livetcp_config *config);
void lt_policy_run_clear(lt_policy_run *run);

/* As the functions of livetcp_policy, with the library's paths in the view; `decision` is zeroed
 * first. lt_policy_run_review() requires a policy that has review(). */
void lt_policy_run_place(lt_policy_run *run, const livetcp_policy_view *view,
                         const livetcp_packet_view *packet, livetcp_decision *decision);
void lt_policy_run_review(lt_policy_run *run, const livetcp_policy_view *view,
                          const livetcp_packet_view *packet, livetcp_decision *decision);

#endif
