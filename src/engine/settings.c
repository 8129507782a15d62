/* SPDX-License-Identifier: MIT */
/* Settings of a session that runs: each is checked together with the others, then takes effect for
 * the next decision. */
#include "settings/settings.h"
#include "base/error.h"
#include "engine/session_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static livetcp_result check(const livetcp_engine *session, const livetcp_config *config,
                            const livetcp_policy *policy, livetcp_error *error)
{
    if (session->state == LIVETCP_SESSION_CLOSED)
        return lt_fail(error, LIVETCP_ERR_CLOSED, "the session is closed: nothing can be set");
    return lt_config_check_session(config, policy, error);
}

livetcp_result livetcp_engine_set_policy(livetcp_engine *session, const livetcp_policy *policy,
                                         livetcp_error *error)
{
    livetcp_config config = session->config; /* as it would be */
    livetcp_result result;
    void *state;

    if (!policy)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "policy is NULL");
    snprintf(config.policy, sizeof config.policy, "%s", policy->name);
    config.connections = session->count; /* there will not be more */
    result = check(session, &config, policy, error);
    if (result != LIVETCP_OK)
        return result;
    state = calloc(1, policy->state_size ? policy->state_size : 1);
    if (!state)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for policy '%s'", policy->name);
    snprintf(session->config.policy, sizeof session->config.policy, "%s", policy->name);
    if (policy->init)
        policy->init(state, &session->config);
    lt_session_end_review(session); /* the answers would be the former one's */
    free(session->policy_state);
    session->policy_state = state;
    session->policy = policy;
    session->retry_policy_us = LIVETCP_NEVER; /* next_write() asks it */
    session->review_us = policy->review ? INT64_MIN : LIVETCP_NEVER;
    return LIVETCP_OK;
}

livetcp_result livetcp_engine_set_redundancy_budget(livetcp_engine *session, double budget,
                                                    livetcp_error *error)
{
    livetcp_config config = session->config; /* as it would be */
    livetcp_result result;

    config.redundancy_budget = budget;
    result = check(session, &config, session->policy, error);
    if (result == LIVETCP_OK)
        session->config.redundancy_budget = budget;
    return result;
}

/* An estimate that is not known yet begins as the upper bound. */
static void bound_estimate(lt_bitrate *bitrate)
{
    if (bitrate->estimate == 0 && bitrate->max < HUGE_VAL)
        bitrate->estimate = bitrate->max;
    else if (bitrate->estimate > bitrate->max)
        bitrate->estimate = bitrate->max;
    else if (bitrate->estimate > 0 && bitrate->estimate < bitrate->min)
        bitrate->estimate = bitrate->min;
}

livetcp_result livetcp_engine_set_bitrate_bounds(livetcp_engine *session, uint32_t min,
                                                 uint32_t max, livetcp_error *error)
{
    livetcp_config config = session->config; /* as it would be */
    lt_bitrate *bitrate = &session->bitrate;
    livetcp_result result;

    config.min_bitrate = min;
    config.max_bitrate = max;
    result = check(session, &config, session->policy, error);
    if (result != LIVETCP_OK)
        return result;
    session->config.min_bitrate = min;
    session->config.max_bitrate = max;
    bitrate->min = min;
    bitrate->max = max ? max : HUGE_VAL;
    bound_estimate(bitrate);
    if (bitrate->told != 0 && bitrate->told != bitrate->estimate) {
        bitrate->told = bitrate->estimate;
        lt_session_emit(session,
                        (livetcp_engine_event){.type = LIVETCP_ENGINE_BITRATE,
                                               .bitrate = lt_bitrate_get(&session->bitrate)});
    }
    return LIVETCP_OK;
}

livetcp_result livetcp_engine_set_max_send_delay(livetcp_engine *session, livetcp_usec delay_us,
                                                 livetcp_error *error)
{
    livetcp_config config = session->config; /* as it would be */
    livetcp_result result;

    config.max_send_delay_us = delay_us;
    result = check(session, &config, session->policy, error);
    if (result != LIVETCP_OK)
        return result;
    session->config.max_send_delay_us = delay_us;
    session->limit_told = false;
    session->late_check_us = INT64_MIN; /* some packets may be late by the new one */
    session->late_scan_from_us = INT64_MIN;
    return LIVETCP_OK;
}

void livetcp_engine_notify_when_sent(livetcp_engine *session)
{
    session->sent_wanted = true;
    lt_session_tell_sent(session);
}
