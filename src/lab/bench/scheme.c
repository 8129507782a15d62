/* SPDX-License-Identifier: MIT */
#include "lab/bench/scheme.h"

#include "base/error.h"
#include "lab/bench/red.h"
#include "lab/emulate/path.h"
#include "lab/options.h"
#include "lab/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Settings that the bench controls. */
static const char *const reserved[] = {"host", "port", "mode", "localaddress", "wire", "policy"};

static void append(lt_scheme *scheme, const char *format, const char *a, const char *b)
{
    size_t used = strlen(scheme->label);
    snprintf(scheme->label + used, sizeof scheme->label - used, format, a, b);
}

/* Lists "single, round-robin, shortest-queue", truncated to `size`. */
static void list_policies(char *text, size_t size)
{
    const livetcp_policy *policy;
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; (policy = livetcp_policy_at(i)) && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", policy->name);
}

static bool name_is_free(const char *name)
{
    return strcmp(name, "socket") && strcmp(name, "plain") && !livetcp_policy_find(name);
}

livetcp_result lt_bench_program_parse(lt_bench_program *program, const char *text,
                                      livetcp_error *error)
{
    const char *command = strchr(text, '=');
    const size_t length = command ? (size_t)(command - text) : 0;
    if (!length || !command[1] || length >= sizeof program->name || strcspn(text, ":,") < length)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "--program %.60s: expected NAME=COMMAND, the name of up to %zu characters "
                       "without ':' and ','",
                       text, sizeof program->name - 1);
    if (strlen(command + 1) >= sizeof program->command)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "--program %.60s...: a command of up to %zu characters is possible", text,
                       sizeof program->command - 1);
    snprintf(program->name, sizeof program->name, "%.*s", (int)length, text);
    snprintf(program->command, sizeof program->command, "%s", command + 1);
    if (!name_is_free(program->name))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "--program %s=...: this is the name of a policy or transport; take another",
                       program->name);
    return LIVETCP_OK;
}

static const lt_bench_program *find_program(const lt_scheme_defaults *defaults, const char *name)
{
    for (unsigned i = 0; i < defaults->program_count; i++)
        if (!strcmp(defaults->programs[i].name, name))
            return &defaults->programs[i];
    return NULL;
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
    scheme->program = find_program(defaults, name);
    if (scheme->program) {
        scheme->kind = LT_TRANSPORT_PROGRAM;
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

static livetcp_result apply_start_rate(lt_scheme *scheme, const char *value, livetcp_error *error)
{
    uint64_t rate;
    if (!lt_parse_rate(value, &rate) || rate < 10000 || rate > 1000000000)
        return lt_option_refuse("start-rate=", value, error,
                                "a rate of 10kbit to 1gbit, such as 930kbit");
    scheme->start_rate = (double)rate;
    return LIVETCP_OK;
}

/* Selects one of the path's links, or all, which become the session's interfaces. */
static livetcp_result apply_link(lt_scheme *scheme, const char *value, unsigned links,
                                 livetcp_error *error)
{
    char interfaces[16 * LT_PATH_MAX_LINKS] = "";
    if (!strcmp(value, "all") && scheme->kind == LT_TRANSPORT_LIVETCP) {
        for (unsigned i = 0; i < links; i++) {
            const size_t used = strlen(interfaces);
            snprintf(interfaces + used, sizeof interfaces - used, "%slivetcp%u", i ? "," : "", i);
        }
        scheme->link = 0;
        return livetcp_config_set(&scheme->config, "interface", interfaces, error);
    }
    if (value[0] < '1' || value[0] > '9' || value[1] || (unsigned)(value[0] - '0') > links)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "link=%.40s: the path has %u link%s; it is a number from 1, or all for a "
                       "LiveTCP session",
                       value, links, links == 1 ? "" : "s");
    scheme->link = (unsigned)(value[0] - '0');
    return LIVETCP_OK;
}

/* True for settings that livetcp_config does not give back. */
static bool is_secret(const char *setting)
{
    livetcp_config config;
    char text[64];

    livetcp_config_init(&config);
    return livetcp_config_set(&config, setting, "xxxxxx@xxxxxx", NULL) == LIVETCP_OK &&
           livetcp_config_get(&config, setting, text, sizeof text, NULL) == LIVETCP_OK && !text[0];
}

/* The spec appears in tables, files and errors. */
static void hide_secrets(char *spec)
{
    char key[sizeof((lt_scheme *)0)->spec];

    for (size_t length; *spec; spec += length + (spec[length] != 0)) {
        length = strcspn(spec, ":");
        const size_t name = strcspn(spec, "=");
        if (name >= length)
            continue;
        snprintf(key, sizeof key, "%.*s", (int)name, spec);
        if (is_secret(key))
            memset(spec + name + 1, '*', length - name - 1);
    }
}

static livetcp_result apply_setting(lt_scheme *scheme, char *setting, unsigned links,
                                    livetcp_error *error)
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
    else if (!strcmp(setting, "link"))
        result = apply_link(scheme, value, links, error);
    else if (!strcmp(setting, "start-rate"))
        result = apply_start_rate(scheme, value, error);
    else if (scheme->kind == LT_TRANSPORT_PROGRAM)
        result = lt_fail(error, LIVETCP_ERR_UNKNOWN_SETTING,
                         "'%.40s' is not a setting of %s: a program has start-rate; all else is in "
                         "its command",
                         setting, scheme->program->name);
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
        append(scheme, is_secret(setting) ? " %s%.0s" : " %s=%s", setting, value);
    return result;
}

/* Puts "shortest-queue x5 split 2" before the text of apply_setting(). */
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

/* Checks the config for contradictions, as a listener's: only a caller needs the address, which is
 * not known yet. */
static livetcp_result check_config(const lt_scheme *scheme, livetcp_error *error)
{
    livetcp_config config = scheme->config;
    config.mode = LIVETCP_MODE_LISTENER;
    config.interfaces[0] = '\0'; /* used by the caller only */
    return livetcp_config_check(&config, error);
}

/* Checks that packets of this size pass, and that half of one has space for the probe. */
static livetcp_result take_size(lt_scheme *scheme, size_t size, livetcp_error *error)
{
    const size_t min_size = LT_BENCH_RTP + 2 * LT_BENCH_PROBE;
    if (scheme->redundancy && size && size < min_size)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "redundancy=%u: packets take at least %zu bytes (--size)",
                       scheme->redundancy, min_size + LT_BENCH_FRAMING);
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
    scheme->link = 1;
    livetcp_config_init(&scheme->config);
    if (strlen(spec) >= sizeof text)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "'%.60s...' is too long for a scheme; at most %zu characters", spec,
                       sizeof text - 1);
    strcpy(text, spec);
    strcpy(scheme->spec, spec);
    hide_secrets(scheme->spec);
    name = strsep(&rest, ":");
    result = apply_name(scheme, name, defaults, error);
    if (result == LIVETCP_OK && scheme->kind != LT_TRANSPORT_PROGRAM &&
        defaults->congestion_control && *defaults->congestion_control)
        result = livetcp_config_set(&scheme->config, "congestion-control",
                                    defaults->congestion_control, error);
    while (result == LIVETCP_OK && (setting = strsep(&rest, ":")))
        result = apply_setting(scheme, (char *)setting, defaults->links, error);
    if (result != LIVETCP_OK)
        return result;
    result = take_size(scheme, defaults->max_packet, error);
    if (result != LIVETCP_OK)
        return result;
    finish_label(scheme, name);
    return check_config(scheme, error);
}

bool lt_scheme_estimates(const lt_scheme *scheme)
{
    if (scheme->kind == LT_TRANSPORT_PROGRAM)
        return true;
    return scheme->kind == LT_TRANSPORT_LIVETCP && scheme->config.wire != LIVETCP_WIRE_PLAIN;
}

const char *lt_scheme_transport(const lt_scheme *scheme)
{
    if (scheme->kind == LT_TRANSPORT_SOCKET)
        return "socket";
    if (scheme->kind == LT_TRANSPORT_PROGRAM)
        return "program";
    return scheme->config.wire == LIVETCP_WIRE_PLAIN ? "plain" : "session";
}
