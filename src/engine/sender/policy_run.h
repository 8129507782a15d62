/* SPDX-License-Identifier: MIT */
/*
 * A policy at work in a session: its table and its state. Policies of programs that were compiled
 * with other headers are handed paths of the size that they know.
 */
#ifndef LT_ENGINE_SENDER_POLICY_RUN_H
#define LT_ENGINE_SENDER_POLICY_RUN_H

#include <livetcp/policy.h>

typedef struct lt_policy_run {
    const livetcp_policy *policy;
    void *state;
    size_t path_size;    /* of the paths that the policy takes by index; 0 = the library's */
    livetcp_path *paths; /* room for them */
} lt_policy_run;

/* False if there is no memory. Unless it fails, lt_policy_run_clear() frees what it holds. */
bool lt_policy_run_init(lt_policy_run *run, const livetcp_policy *policy,
                        const livetcp_config *config);
void lt_policy_run_clear(lt_policy_run *run);

/* As the functions of livetcp_policy; `decision` is zeroed first. The view's paths are the
 * library's. lt_policy_run_review() asks only a policy that has review(). */
void lt_policy_run_place(lt_policy_run *run, const livetcp_policy_view *view,
                         const livetcp_packet_view *packet, livetcp_decision *decision);
void lt_policy_run_review(lt_policy_run *run, const livetcp_policy_view *view,
                          const livetcp_packet_view *packet, livetcp_decision *decision);

#endif
