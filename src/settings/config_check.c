/* SPDX-License-Identifier: MIT */
/* Checks a config as a whole for contradictions. */
#include "base/error.h"
#include "base/ip.h"
#include "base/text_list.h"
#include "base/utf8.h"
#include "settings/link_plan.h"
#include "settings/settings.h"

#include <livetcp/policy.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static livetcp_result check_endpoint(const livetcp_config *config, livetcp_error *error)
{
    if (config->mode != LIVETCP_MODE_CALLER)
        return LIVETCP_OK;
    if (config->wire == LIVETCP_WIRE_AUTO)
        return lt_fail(
            error, LIVETCP_ERR_INVALID_ARGUMENT,
            "wire=auto is for a listener, which takes either: a caller speaks first, set "
            "wire=session or wire=plain");
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

/* Checks intervals that depend on each other. */
static livetcp_result check_times(const livetcp_config *config, livetcp_error *error)
{
    if (config->reconnect_min_us > config->reconnect_max_us)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "reconnect-min (%" PRId64 " ms) must not exceed reconnect-max (%" PRId64
                       " ms)",
                       config->reconnect_min_us / LIVETCP_USEC_MSEC,
                       config->reconnect_max_us / LIVETCP_USEC_MSEC);
    if (config->wire != LIVETCP_WIRE_PLAIN &&
        config->keepalive_interval_us >= config->peer_timeout_us)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "keepalive (%" PRId64 " ms) must be shorter than peer-timeout (%" PRId64
                       " ms), or a silent peer is given up before it can answer",
                       config->keepalive_interval_us / LIVETCP_USEC_MSEC,
                       config->peer_timeout_us / LIVETCP_USEC_MSEC);
    return LIVETCP_OK;
}

/* Policies that need more connections than configured, or a larger budget. */
static livetcp_result check_redundancy(const livetcp_config *config, const livetcp_policy *policy,
                                       livetcp_error *error)
{
    static const char *const wires[] = {[LIVETCP_WIRE_SESSION] = ": set 'connections'",
                                        [LIVETCP_WIRE_PLAIN] = " with wire=plain",
                                        [LIVETCP_WIRE_AUTO] =
                                            " with a plain peer, which wire=auto takes"};
    bool one = config->wire != LIVETCP_WIRE_SESSION;
    unsigned connections = one ? 1 : config->connections;
    double cost = policy->cost ? policy->cost(config) : 0;

    if (policy->min_connections > connections)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "policy '%s' needs at least %u connections, and there %s %u%s", policy->name,
                       policy->min_connections, connections == 1 ? "is" : "are", connections,
                       wires[config->wire]);
    if (config->redundancy_budget >= 0 && config->redundancy_budget < cost)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "policy '%s' as set here sends %.2f bytes beyond each byte of media, and "
                       "redundancy-budget allows %.3f: raise it, or set it to 'auto'",
                       policy->name, cost, config->redundancy_budget);
    return policy->check ? policy->check(config, error) : LIVETCP_OK;
}

/* Connection i binds localport + i. */
static livetcp_result check_local_port(const livetcp_config *config, livetcp_error *error)
{
    unsigned connections = config->wire == LIVETCP_WIRE_PLAIN ? 1 : config->connections;

    if (config->local_port == 0)
        return LIVETCP_OK;
    if (config->mode == LIVETCP_MODE_LISTENER)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "localport (%u) is a caller's: a listener listens on 'port'",
                       config->local_port);
    if (config->local_port + connections - 1 > UINT16_MAX)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "localport (%u) leaves no port for some of the %u connections, which bind "
                       "those that follow: choose %u or less",
                       config->local_port, connections, UINT16_MAX - connections + 1);
    return LIVETCP_OK;
}

static livetcp_result check_bitrates(const livetcp_config *config, livetcp_error *error)
{
    if (config->min_bitrate && config->max_bitrate && config->min_bitrate > config->max_bitrate)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "min-bitrate (%" PRIu32 ") must not exceed max-bitrate (%" PRIu32 ")",
                       config->min_bitrate, config->max_bitrate);
    return LIVETCP_OK;
}

/* Settings of links are for callers, and each link needs a connection. */
static livetcp_result check_links(const livetcp_config *config, const livetcp_policy *policy,
                                  livetcp_error *error)
{
    unsigned connections = config->wire == LIVETCP_WIRE_PLAIN ? 1 : config->connections;
    lt_link_plan plan;
    livetcp_result result;

    if (config->mode == LIVETCP_MODE_LISTENER) {
        if (config->interfaces[0] || config->link_weights[0])
            return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                           "%s is a caller's: a listener binds the address in 'host'",
                           config->interfaces[0] ? "interface" : "link-weight");
        if (lt_text_list_count(config->host) > 1)
            return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                           "host=%.120s: a listener binds one address, or every one if 'host' is "
                           "empty",
                           config->host);
        return LIVETCP_OK;
    }
    result = lt_link_plan_read(&plan, config, error);
    if (result != LIVETCP_OK || plan.count == 1)
        return result;
    if (policy->max_connections && policy->max_connections < connections)
        connections = policy->max_connections;
    if (plan.count > connections)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "there are %u links (networks and hosts) and only %u connection%s%s: %s",
                       plan.count, connections, connections == 1 ? "" : "s",
                       config->wire == LIVETCP_WIRE_PLAIN  ? " with wire=plain"
                       : connections < config->connections ? " with this policy"
                                                           : "",
                       connections < config->connections ? "give one link, or choose otherwise"
                                                         : "raise 'connections'");
    return LIVETCP_OK;
}

/* ---- TLS ---- */

/* Fails because a setting contradicts another. */
static livetcp_result contradict(livetcp_error *error, const char *text)
{
    return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "%s", text);
}

static bool has_certificates(const livetcp_config *config)
{
    return config->tls_ca[0] || config->tls_cert[0] || config->tls_key[0] ||
           config->tls_fingerprint[0] || config->tls_name[0] || config->tls_insecure;
}

static livetcp_result check_passphrase(const livetcp_config *config, livetcp_error *error)
{
    size_t length = strlen(config->passphrase);

    if (!length)
        return LIVETCP_OK;
    if (has_certificates(config))
        return contradict(error, "passphrase takes the place of certificates: leave out tls-ca, "
                                 "tls-cert, tls-key, tls-fingerprint, tls-name and tls-insecure, "
                                 "or the passphrase");
    if (length < LT_PASSPHRASE_MIN && !lt_setting_is_reference(config->passphrase))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "passphrase has %zu characters and needs at least %d", length,
                       LT_PASSPHRASE_MIN);
    return LIVETCP_OK;
}

static livetcp_result check_certificates(const livetcp_config *config, livetcp_error *error)
{
    bool listener = config->mode == LIVETCP_MODE_LISTENER;

    if (config->tls_key[0] && !config->tls_cert[0])
        return contradict(error, "tls-key needs the certificate that it belongs to: set tls-cert");
    if (listener && !config->tls_cert[0])
        return contradict(error, "a listener with TLS needs a certificate or a passphrase: set "
                                 "tls-cert and tls-key, or passphrase");
    if (listener && (config->tls_insecure || config->tls_name[0]))
        return contradict(error, "tls-insecure and tls-name are a caller's: a listener that has "
                                 "neither tls-ca nor tls-fingerprint asks for no certificate");
    if (!listener && lt_text_list_count(config->host) > 1 && !config->tls_name[0] &&
        !config->tls_fingerprint[0] && !config->tls_insecure)
        return contradict(error, "several hosts of one peer have one certificate: set tls-name to "
                                 "the name that it is for");
    if (config->tls_insecure && (config->tls_ca[0] || config->tls_fingerprint[0]))
        return contradict(error, "tls-insecure takes every certificate: leave it out, or tls-ca "
                                 "and tls-fingerprint");
    return LIVETCP_OK;
}

static livetcp_result check_fallback(const livetcp_config *config, livetcp_error *error)
{
    const char *colon = strrchr(config->fallback, ':');

    if (!config->fallback[0])
        return LIVETCP_OK;
    if (config->mode != LIVETCP_MODE_LISTENER || config->wire == LIVETCP_WIRE_PLAIN)
        return contradict(error, "fallback is for a listener with wire=session or wire=auto, which "
                                 "can tell media from other protocols");
    if (!colon || colon == config->fallback || !colon[1] ||
        strspn(colon + 1, "0123456789") != strlen(colon + 1))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "fallback '%.80s' is not HOST:PORT, like localhost:8080", config->fallback);
    return LIVETCP_OK;
}

/* ---- proxies ---- */

static livetcp_result check_senders(const char *setting, const char *list, livetcp_error *error)
{
    for (unsigned i = 0; i < lt_text_list_count(list); i++) {
        char item[64];
        lt_network network;
        if (!lt_text_list_item(list, i, item, sizeof item) ||
            !lt_network_parse(item, strlen(item), &network))
            return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                           "%s: '%.50s' is no address or network, like 192.0.2.1 or 10.0.0.0/8",
                           setting, item);
    }
    return LIVETCP_OK;
}

static livetcp_result check_proxies(const livetcp_config *config, livetcp_error *error)
{
    bool listener = config->mode == LIVETCP_MODE_LISTENER;

    if (listener && (config->proxy[0] || config->proxy_ca[0]))
        return contradict(error, "proxy is a caller's; a listener behind a proxy that sends PROXY "
                                 "headers sets proxy-protocol=true and proxy-protocol-from");
    if (!listener && (config->proxy_protocol || config->proxy_protocol_from[0]))
        return contradict(error, "proxy-protocol is a listener's; a caller sets proxy");
    if (config->proxy_ca[0] && !config->proxy[0])
        return contradict(error, "proxy-ca has no effect without proxy=https://HOST:PORT");
    if (config->proxy_protocol && !config->proxy_protocol_from[0])
        return contradict(error, "proxy-protocol needs the addresses or networks of the proxies "
                                 "that may say whose a connection is: set proxy-protocol-from");
    if (!config->proxy_protocol && config->proxy_protocol_from[0])
        return contradict(error, "proxy-protocol-from has no effect without proxy-protocol=true");
    return check_senders("proxy-protocol-from", config->proxy_protocol_from, error);
}

static livetcp_result check_tls(const livetcp_config *config, livetcp_error *error)
{
    bool on = lt_config_has_tls(config);
    livetcp_result result = check_fallback(config, error);

    if (result == LIVETCP_OK)
        result = check_passphrase(config, error);
    if (result != LIVETCP_OK)
        return result;
    if (config->tls == LIVETCP_TLS_AUTO && config->mode == LIVETCP_MODE_CALLER)
        return contradict(error, "tls=auto is for a listener, which takes either: set tls=on or "
                                 "tls=off");
    if (config->tls == LIVETCP_TLS_AUTO && config->wire == LIVETCP_WIRE_PLAIN)
        return contradict(error, "tls=auto needs callers that speak first, and with wire=plain "
                                 "they need not: set tls=on or tls=off");
    if (!on && has_certificates(config))
        return contradict(error, "tls-ca, tls-cert, tls-key, tls-fingerprint, tls-name and "
                                 "tls-insecure have no effect without tls=on");
    return on && !config->passphrase[0] ? check_certificates(config, error) : LIVETCP_OK;
}

/* ---- WebSockets ---- */

/* As in a request: visible ASCII, from the first slash on. */
static bool is_path(const char *path)
{
    if (*path != '/')
        return false;
    for (; *path; path++)
        if (*path <= ' ' || *path > '~' || *path == '#')
            return false;
    return true;
}

static livetcp_result check_websocket(const livetcp_config *config, livetcp_error *error)
{
    bool listener = config->mode == LIVETCP_MODE_LISTENER;

    if (config->websocket == LIVETCP_WEBSOCKET_OFF &&
        (config->websocket_path[0] || config->websocket_origin[0] ||
         config->websocket_forwarded_from[0] || config->websocket_headers[0]))
        return contradict(error, "websocket-path, websocket-origin, websocket-forwarded-from and "
                                 "websocket-headers have no effect without websocket=on, "
                                 "livetcp+ws:// or livetcp+wss://");
    if (config->websocket == LIVETCP_WEBSOCKET_AUTO && !listener)
        return contradict(error, "websocket=auto is for a listener, which takes either: set "
                                 "websocket=on or websocket=off");
    if (config->websocket == LIVETCP_WEBSOCKET_AUTO && config->wire == LIVETCP_WIRE_PLAIN)
        return contradict(error, "websocket=auto needs callers that speak first, and with "
                                 "wire=plain they need not: set websocket=on or websocket=off");
    if (config->websocket_origin[0] && !listener)
        return contradict(error, "websocket-origin is a listener's: whose web pages may connect");
    if (config->websocket_forwarded_from[0] && !listener)
        return contradict(error, "websocket-forwarded-from is a listener's: whose X-Forwarded-For "
                                 "it believes");
    if (config->websocket_headers[0] && listener)
        return contradict(error, "websocket-headers is a caller's: fields of its requests");
    if (config->websocket_headers[0] && !lt_config_has_tls(config))
        return contradict(error, "websocket-headers are sent under TLS only, since who reads them "
                                 "has them: call livetcp+wss://");
    if (config->websocket_path[0] && !is_path(config->websocket_path))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "websocket-path '%.80s' is not a path like /live: it begins with a slash, "
                       "and other characters than visible ASCII are percent-encoded",
                       config->websocket_path);
    return check_senders("websocket-forwarded-from", config->websocket_forwarded_from, error);
}

/* ---- introductions ---- */

static livetcp_result check_introduction(const livetcp_config *config, livetcp_error *error)
{
    bool listener = config->mode == LIVETCP_MODE_LISTENER;

    if (listener && (config->stream_id[0] || config->token[0] || config->role))
        return contradict(error, "stream-id (the path of the URI), token and role are a caller's: "
                                 "a listener is told those of its callers");
    if (config->wire == LIVETCP_WIRE_PLAIN && (config->stream_id[0] || config->token[0]))
        return contradict(error, "stream-id and token need wire=session: plain RFC 4571 has no "
                                 "place for them");
    if (config->token[0] && !lt_config_has_tls(config))
        return contradict(error, "a token is sent under TLS or a passphrase only, since who reads "
                                 "it has it: set tls=on, livetcps:// or passphrase");
    if (!lt_utf8_is_text(config->token, strlen(config->token)))
        return contradict(error, "token takes UTF-8 without control characters");
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
    if (result == LIVETCP_OK)
        result = check_local_port(config, error);
    if (result == LIVETCP_OK)
        result = check_links(config, policy ? policy : livetcp_policy_find(config->policy), error);
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
    if (result == LIVETCP_OK)
        result = check_tls(&whole, error);
    if (result == LIVETCP_OK)
        result = check_proxies(&whole, error);
    if (result == LIVETCP_OK)
        result = check_websocket(&whole, error);
    if (result == LIVETCP_OK)
        result = check_introduction(&whole, error);
    return result == LIVETCP_OK ? lt_config_check_session(&whole, NULL, error) : result;
}
