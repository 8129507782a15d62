/* SPDX-License-Identifier: MIT */
/* Contradictions within a config as a whole. */
#include "base/error.h"
#include "settings/settings.h"

#include <livetcp/policy.h>

#include <inttypes.h>
#include <stdio.h>

static livetcp_result check_endpoint(const livetcp_config *config, livetcp_error *error)
{
    if (config->mode != LIVETCP_MODE_CALLER)
        return LIVETCP_OK;
    if (!config->host[0])
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "a caller needs a host to call: set 'host', or mode=listener to wait for "
                       "callers");
    if (!config->port)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "a caller needs a port to call: set 'port' to 1..65535");
    return LIVETCP_OK;
}

static livetcp_result check_policy_name(const livetcp_config *config, livetcp_error *error)
{
    const livetcp_policy *policy;
    char names[160] = "";
    size_t used = 0;

    if (livetcp_policy_find(config->policy))
        return LIVETCP_OK;
    for (size_t i = 0; (policy = livetcp_policy_at(i)) && used < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "",
                                 policy->name);
    return lt_fail(error, LIVETCP_ERR_UNKNOWN_POLICY, "there is no policy '%s'; there are: %s",
                   config->policy, names);
}

/* Intervals that contradict each other. */
static livetcp_result check_times(const livetcp_config *config, livetcp_error *error)
{
    if (config->reconnect_min_us > config->reconnect_max_us)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "reconnect-min (%" PRId64 " ms) must not exceed reconnect-max (%" PRId64
                       " ms)",
                       config->reconnect_min_us / LIVETCP_USEC_MSEC,
                       config->reconnect_max_us / LIVETCP_USEC_MSEC);
    if (config->wire == LIVETCP_WIRE_SESSION &&
        config->keepalive_interval_us >= config->peer_timeout_us)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "keepalive (%" PRId64 " ms) must be shorter than peer-timeout (%" PRId64
                       " ms), or a silent peer is given up before it can answer",
                       config->keepalive_interval_us / LIVETCP_USEC_MSEC,
                       config->peer_timeout_us / LIVETCP_USEC_MSEC);
    return LIVETCP_OK;
}

/* Policies that need more connections than there are, or more than the budget pays for. */
static livetcp_result check_redundancy(const livetcp_config *config, const livetcp_policy *policy,
                                       livetcp_error *error)
{
    unsigned connections = config->wire == LIVETCP_WIRE_PLAIN ? 1 : config->connections;
    double cost = policy->cost ? policy->cost(config) : 0;

    if (policy->min_connections > connections)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "policy '%s' needs at least %u connections, and there %s %u%s", policy->name,
                       policy->min_connections, connections == 1 ? "is" : "are", connections,
                       config->wire == LIVETCP_WIRE_PLAIN ? " with wire=plain"
                                                          : ": set 'connections'");
    if (config->redundancy_budget >= 0 && config->redundancy_budget < cost)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "policy '%s' as set here sends %.2f bytes beyond each byte of media, and "
                       "redundancy-budget allows %.3f: raise it, or set it to 'auto'",
                       policy->name, cost, config->redundancy_budget);
    return policy->check ? policy->check(config, error) : LIVETCP_OK;
}

static livetcp_result check_bitrates(const livetcp_config *config, livetcp_error *error)
{
    if (config->min_bitrate && config->max_bitrate && config->min_bitrate > config->max_bitrate)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "min-bitrate (%" PRIu32 ") must not exceed max-bitrate (%" PRIu32 ")",
                       config->min_bitrate, config->max_bitrate);
    return LIVETCP_OK;
}

livetcp_result lt_config_check_session(const livetcp_config *config, const livetcp_policy *policy,
                                       livetcp_error *error)
{
    livetcp_result result = lt_settings_check(config, error);

    if (result == LIVETCP_OK && !policy)
        result = check_policy_name(config, error);
    if (result == LIVETCP_OK)
        result =
            check_redundancy(config, policy ? policy : livetcp_policy_find(config->policy), error);
    if (result == LIVETCP_OK)
        result = check_bitrates(config, error);
    if (result == LIVETCP_OK)
        result = check_times(config, error);
    return result;
}

livetcp_result livetcp_config_check(const livetcp_config *config, livetcp_error *error)
{
    livetcp_config whole;
    livetcp_result result = lt_config_read(&whole, config, error);

    if (result == LIVETCP_OK)
        result = lt_settings_check(&whole, error);
    if (result == LIVETCP_OK)
        result = check_endpoint(&whole, error);
    return result == LIVETCP_OK ? lt_config_check_session(&whole, NULL, error) : result;
}
