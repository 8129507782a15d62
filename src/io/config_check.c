/* SPDX-License-Identifier: MIT */
/* What is wrong with a config as a whole. Here and not beside the settings, since it asks the
 * registry of policies, which the engine does not know. */
#include "base/error.h"
#include "core/settings.h"

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

static livetcp_result check_policy(const livetcp_config *config, livetcp_error *error)
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

livetcp_result livetcp_config_check(const livetcp_config *config, livetcp_error *error)
{
    livetcp_result result = lt_config_check_size(config, error);

    if (result == LIVETCP_OK)
        result = lt_settings_check(config, error);
    if (result == LIVETCP_OK)
        result = check_endpoint(config, error);
    if (result == LIVETCP_OK)
        result = check_policy(config, error);
    if (result == LIVETCP_OK)
        result = check_times(config, error);
    return result;
}
