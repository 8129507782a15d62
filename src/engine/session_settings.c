/* SPDX-License-Identifier: MIT */
/* Settings of a running session. */
#include "base/error.h"
#include "engine/session.h"
#include "settings/settings.h"

#include <stdio.h>

/* Applies settings if they are consistent. */
static livetcp_result configure(livetcp_engine *engine, const livetcp_config *config,
                                const livetcp_policy *policy, livetcp_error *error)
{
    livetcp_result result;

    if (lt_life_is_closed(&engine->life))
        return lt_fail(error, LIVETCP_ERR_CLOSED, "the session is closed: nothing can be set");
    result = lt_config_check_session(config, policy, error);
    if (result != LIVETCP_OK)
        return result;
    result = lt_sender_configure(engine->sender, config, policy);
    if (result != LIVETCP_OK)
        return lt_fail(error, result, "no memory for policy '%s'", policy->name);
    lt_repair_configure(engine->repair, config, policy, lt_sender_uses_path_info(engine->sender));
    engine->config = *config;
    engine->policy = policy;
    return LIVETCP_OK;
}

livetcp_result livetcp_engine_set_policy(livetcp_engine *engine, const livetcp_policy *policy,
                                         livetcp_error *error)
{
    livetcp_config config = engine->config;

    if (!policy)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "policy is NULL");
    snprintf(config.policy, sizeof config.policy, "%s", policy->name);
    config.connections = lt_links_count(engine->links); /* their number is fixed */
    return configure(engine, &config, policy, error);
}

livetcp_result livetcp_engine_set_redundancy_budget(livetcp_engine *engine, double budget,
                                                    livetcp_error *error)
{
    livetcp_config config = engine->config;

    config.redundancy_budget = budget;
    return configure(engine, &config, engine->policy, error);
}

livetcp_result livetcp_engine_set_max_send_delay(livetcp_engine *engine, livetcp_usec delay_us,
                                                 livetcp_error *error)
{
    livetcp_config config = engine->config;

    config.max_send_delay_us = delay_us;
    return configure(engine, &config, engine->policy, error);
}

livetcp_result livetcp_engine_set_bitrate_bounds(livetcp_engine *engine, uint32_t min, uint32_t max,
                                                 livetcp_error *error)
{
    livetcp_config config = engine->config;
    livetcp_result result;

    config.min_bitrate = min;
    config.max_bitrate = max;
    result = configure(engine, &config, engine->policy, error);
    if (result == LIVETCP_OK && lt_link_rates_set_bounds(&engine->rates, min, max))
        lt_events_add(&engine->events,
                      &(livetcp_engine_event){.type = LIVETCP_ENGINE_BITRATE,
                                              .bitrate = lt_link_rates_get(&engine->rates)});
    return result;
}

livetcp_result livetcp_engine_set_order(livetcp_engine *engine, livetcp_order order,
                                        livetcp_error *error)
{
    livetcp_config config = engine->config;
    livetcp_result result;

    config.order = order;
    result = configure(engine, &config, engine->policy, error);
    if (result == LIVETCP_OK)
        lt_receiver_set_order(engine->receiver, order);
    return result;
}
