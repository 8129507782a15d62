/* SPDX-License-Identifier: MIT */
#include "lab/bench/scheme.h"

#include "base/error.h"
#include "lab/bench/red.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The bench decides these itself. */
static const char *const reserved[] = {"host", "port", "mode", "localaddress", "wire", "policy"};

static void append(lt_scheme *scheme, const char *format, const char *a, const char *b)
{
    size_t used = strlen(scheme->label);
    snprintf(scheme->label + used, sizeof scheme->label - used, format, a, b);
}

/* "single, round-robin, shortest-queue", cut to `size`. */
static void list_policies(char *text, size_t size)
{
    const livetcp_policy *policy;
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; (policy = livetcp_policy_at(i)) && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", policy->name);
}

static livetcp_result apply_name(lt_scheme *scheme, const char *name,
                                 const lt_scheme_defaults *defaults, livetcp_error *error)
{
    char known[160];
    const livetcp_policy *policy;
    scheme->config.connections = 1;
    snprintf(scheme->config.policy, sizeof scheme->config.policy, "single");
    if (!strcmp(name, "socket")) {
        scheme->kind = LT_TRANSPORT_SOCKET;
        scheme->nagle = defaults->nagle;
        return LIVETCP_OK;
    }
    scheme->config.split = defaults->split;
    if (!strcmp(name, "plain")) {
        scheme->config.wire = LIVETCP_WIRE_PLAIN;
        return LIVETCP_OK;
    }
    policy = livetcp_policy_find(name);
    if (!policy) {
        list_policies(known, sizeof known);
        return lt_fail(
            error, LIVETCP_ERR_UNKNOWN_POLICY,
            "no policy is called '%.40s'; there are %s; and the transports plain, socket", name,
            known);
    }
    snprintf(scheme->config.policy, sizeof scheme->config.policy, "%s", policy->name);
    scheme->config.connections = defaults->connections;
    if (policy->max_connections && policy->max_connections < defaults->connections)
        scheme->config.connections = policy->max_connections;
    return LIVETCP_OK;
}

static livetcp_result apply_socket_setting(lt_scheme *scheme, const char *key, const char *value,
                                           livetcp_error *error)
{
    if (!strcmp(key, "congestion-control"))
        return livetcp_config_set(&scheme->config, key, value, error);
    if (strcmp(key, "nagle"))
        return lt_fail(error, LIVETCP_ERR_UNKNOWN_SETTING,
                       "'%.40s' is not a setting of socket; it has nagle (0 or 1), "
                       "redundancy and congestion-control",
                       key);
    if (strcmp(value, "0") && strcmp(value, "1"))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "nagle=%.40s: it is 0 or 1", value);
    scheme->nagle = value[0] == '1';
    return LIVETCP_OK;
}

static livetcp_result apply_redundancy(lt_scheme *scheme, const char *value, livetcp_error *error)
{
    if (value[0] < '0' || value[0] > '0' + LIVETCP_REDUNDANCY_MAX_DEPTH || value[1])
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "redundancy=%.40s: a packet repeats 0 to %d before it", value,
                       LIVETCP_REDUNDANCY_MAX_DEPTH);
    scheme->redundancy = (unsigned)(value[0] - '0');
    return LIVETCP_OK;
}

static livetcp_result apply_setting(lt_scheme *scheme, char *setting, livetcp_error *error)
{
    char *value = strchr(setting, '=');
    livetcp_result result;
    if (!value)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "'%.40s' in '%.80s' is not KEY=VALUE, for example connections=5", setting,
                       scheme->spec);
    *value++ = '\0';
    if (!strcmp(setting, "redundancy"))
        result = apply_redundancy(scheme, value, error);
    else if (scheme->kind == LT_TRANSPORT_SOCKET)
        result = apply_socket_setting(scheme, setting, value, error);
    else {
        for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
            if (!strcmp(setting, reserved[i]))
                return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                               "'%s' cannot be set here: the bench sets it itself", setting);
        result = livetcp_config_set(&scheme->config, setting, value, error);
    }
    if (result == LIVETCP_OK && !strcmp(setting, "congestion-control"))
        append(scheme, " %s%s", value, "");
    else if (result == LIVETCP_OK && strcmp(setting, "connections") && strcmp(setting, "split") &&
             strcmp(setting, "nagle"))
        append(scheme, " %s=%s", setting, value);
    return result;
}

/* "shortest-queue x5 split 2", before what apply_setting() appended. */
static void finish_label(lt_scheme *scheme, const char *name)
{
    char extra[sizeof scheme->label], number[16];
    memcpy(extra, scheme->label, sizeof extra);
    scheme->label[0] = '\0';
    append(scheme, "%s%s", name, "");
    snprintf(number, sizeof number, "%u", scheme->config.connections);
    if (scheme->config.connections > 1)
        append(scheme, " x%s%s", number, "");
    snprintf(number, sizeof number, "%u", scheme->config.split);
    if (scheme->config.split > 1)
        append(scheme, " split %s%s", number, "");
    if (scheme->nagle)
        append(scheme, " %s%s", "nagle", "");
    append(scheme, "%s%s", extra, "");
}

/* Settings that contradict each other; the address is not known yet, which only a caller needs. */
static livetcp_result check_config(const lt_scheme *scheme, livetcp_error *error)
{
    livetcp_config config = scheme->config;
    config.mode = LIVETCP_MODE_LISTENER;
    return livetcp_config_check(&config, error);
}

/* Packets of so many bytes must pass, and half of one must have room for the probe. */
static livetcp_result take_size(lt_scheme *scheme, size_t size, livetcp_error *error)
{
    const size_t least = LT_BENCH_RTP + 2 * LT_BENCH_PROBE;
    if (scheme->redundancy && size && size < least)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "redundancy=%u: packets take at least %zu bytes (--size)",
                       scheme->redundancy, least + LT_BENCH_FRAMING);
    if (size)
        size = lt_red_size(size, scheme->redundancy);
    if (scheme->config.max_packet < size)
        scheme->config.max_packet = size;
    return LIVETCP_OK;
}

livetcp_result lt_scheme_parse(lt_scheme *scheme, const char *spec,
                               const lt_scheme_defaults *defaults, livetcp_error *error)
{
    char text[sizeof scheme->spec];
    char *rest = text;
    const char *name, *setting;
    livetcp_result result;

    memset(scheme, 0, sizeof *scheme);
    livetcp_config_init(&scheme->config);
    if (strlen(spec) >= sizeof text)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "'%.60s...' is too long for a scheme; at most %zu characters", spec,
                       sizeof text - 1);
    strcpy(text, spec);
    strcpy(scheme->spec, spec);
    name = strsep(&rest, ":");
    result = apply_name(scheme, name, defaults, error);
    if (result == LIVETCP_OK && defaults->congestion_control && *defaults->congestion_control)
        result = livetcp_config_set(&scheme->config, "congestion-control",
                                    defaults->congestion_control, error);
    while (result == LIVETCP_OK && (setting = strsep(&rest, ":")))
        result = apply_setting(scheme, (char *)setting, error);
    if (result != LIVETCP_OK)
        return result;
    result = take_size(scheme, defaults->max_packet, error);
    if (result != LIVETCP_OK)
        return result;
    finish_label(scheme, name);
    return check_config(scheme, error);
}

const char *lt_scheme_transport(const lt_scheme *scheme)
{
    if (scheme->kind == LT_TRANSPORT_SOCKET)
        return "socket";
    return scheme->config.wire == LIVETCP_WIRE_PLAIN ? "plain" : "session";
}
