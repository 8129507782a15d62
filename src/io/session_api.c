/* SPDX-License-Identifier: MIT */
/* The public functions of a session. */
#include "base/error.h"
#include "base/sized.h"
#include "base/utf8.h"
#include "io/clock.h"
#include "io/secret.h"
#include "io/session.h"
#include "io/socket.h"
#include "rtp/importance/importance.h"
#include "settings/settings.h"
#include "websocket/upgrade.h"
#include "wire/authenticator.h"

#include <livetcp/policy.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- made and freed ---- */

static livetcp_result check_caller(const livetcp_config *config, livetcp_error *error)
{
    livetcp_result result;

    if (config->mode != LIVETCP_MODE_CALLER)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "mode=listener: use livetcp_listener_create(), or set mode=caller");
    result = livetcp_config_check(config, error);
    if (result != LIVETCP_OK)
        return result;
    result = lt_io_links_check(config, error);
    if (result != LIVETCP_OK)
        return result;
    return lt_io_socket_check(config, error);
}

/* Replaces "file:NAME" and "env:NAME" by the token itself. The caller wipes it. */
static livetcp_result read_token(livetcp_config *config, livetcp_error *error)
{
    char given[sizeof config->token];
    livetcp_result result;

    if (!config->token[0])
        return LIVETCP_OK;
    memcpy(given, config->token, sizeof given);
    result = lt_io_secret_read("token", given, config->token, sizeof config->token, error);
    if (result == LIVETCP_OK &&
        (!config->token[0] || !lt_utf8_is_text(config->token, strlen(config->token))))
        result = lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                         "token: %.120s holds no token, which is UTF-8 without control characters",
                         lt_setting_is_reference(given) ? given : "the setting");
    lt_wipe(given, sizeof given);
    return result;
}

/* Reads the header fields for WebSocket requests, which the caller wipes and frees; NULL = none. */
static livetcp_result read_headers(livetcp_config *config, char **headers, livetcp_error *error)
{
    char lines[LT_WS_FIELDS_MAX + 1], why[128];
    livetcp_result result;

    *headers = NULL;
    if (!config->websocket_headers[0])
        return LIVETCP_OK;
    result = lt_io_secret_read_lines("websocket-headers", config->websocket_headers, lines,
                                     sizeof lines, error);
    lt_wipe(config->websocket_headers, sizeof config->websocket_headers);
    if (result == LIVETCP_OK && lt_ws_fields_check(lines, why, sizeof why))
        result = lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "websocket-headers: %s", why);
    if (result == LIVETCP_OK && !(*headers = strdup(lines)))
        result = lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for a session");
    lt_wipe(lines, sizeof lines);
    return result;
}

typedef struct connect_call {
    livetcp_context *context;
    const livetcp_config *config;
    const livetcp_session_callbacks *callbacks;
    void *user;
    livetcp_session **session;
    lt_io_tls *tls;
    lt_io_proxy *proxy;
    char *headers;
    livetcp_error *error;
    livetcp_result result;
} connect_call;

static livetcp_result check_callbacks(const livetcp_session_callbacks *callbacks,
                                      livetcp_error *error)
{
    return callbacks ? LT_CHECK_SIZED(callbacks, livetcp_session_callbacks, error) : LIVETCP_OK;
}

static void set_callbacks(livetcp_session *session, const livetcp_session_callbacks *callbacks,
                          void *user)
{
    memset(&session->callbacks, 0, sizeof session->callbacks);
    if (callbacks)
        lt_sized_read(&session->callbacks, sizeof session->callbacks, callbacks);
    session->user = user;
}

static void run_connect(void *argument)
{
    connect_call *call = argument;
    livetcp_session *session;

    call->result =
        lt_io_session_create(call->context, call->config, true, NULL, &session, call->error);
    *call->session = session;
    if (call->result != LIVETCP_OK) {
        lt_io_tls_destroy(&call->tls);
        lt_io_proxy_destroy(&call->proxy);
        lt_io_forget_headers(&call->headers);
        return;
    }
    session->websocket_headers = call->headers;
    lt_io_session_use_tls(session, call->tls);
    lt_io_session_use_proxy(session, call->proxy);
    set_callbacks(session, call->callbacks, call->user);
    /* Not within this call: a callback may use data that the caller stores after it returns. */
    lt_io_context_schedule(call->context, &session->work);
}

livetcp_result livetcp_session_connect(livetcp_context *context, const livetcp_config *config,
                                       const livetcp_session_callbacks *callbacks, void *user,
                                       livetcp_session **session, livetcp_error *error)
{
    livetcp_error failure;
    livetcp_config copy;
    livetcp_result result;

    if (!session)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "session is NULL");
    *session = NULL;
    if (!context || !config)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "context or config is NULL");
    result = lt_config_read(&copy, config, error);
    if (result == LIVETCP_OK)
        result = check_callbacks(callbacks, error);
    if (result == LIVETCP_OK)
        result = check_caller(&copy, error);
    lt_io_tls *tls = NULL;
    lt_io_proxy *proxy = NULL;
    char *headers = NULL;
    if (result == LIVETCP_OK)
        result = lt_io_proxy_create(&copy, &proxy, error);
    lt_wipe(copy.proxy, sizeof copy.proxy); /* it may contain the password */
    if (result == LIVETCP_OK)
        result = read_token(&copy, error);
    if (result == LIVETCP_OK)
        result = read_headers(&copy, &headers, error);
    if (result == LIVETCP_OK)
        result = lt_io_tls_create(&copy, &tls, error);
    lt_io_tls_forget_passphrase(&copy);
    if (result != LIVETCP_OK) {
        lt_io_proxy_destroy(&proxy);
        lt_io_forget_headers(&headers);
        lt_wipe(copy.token, sizeof copy.token);
        return result;
    }
    connect_call call = {.tls = tls,
                         .proxy = proxy,
                         .headers = headers,
                         .context = context,
                         .config = &copy,
                         .callbacks = callbacks,
                         .user = user,
                         .session = session,
                         .error = &failure};
    lt_io_context_run(context, run_connect, &call);
    lt_wipe(copy.token, sizeof copy.token);
    return call.result == LIVETCP_OK ? LIVETCP_OK : lt_fail_again(error, &failure);
}

typedef struct callbacks_call {
    livetcp_session *session;
    const livetcp_session_callbacks *callbacks;
    void *user;
} callbacks_call;

static void run_set_callbacks(void *argument)
{
    callbacks_call *call = argument;
    set_callbacks(call->session, call->callbacks, call->user);
}

livetcp_result livetcp_session_set_callbacks(livetcp_session *session,
                                             const livetcp_session_callbacks *callbacks, void *user)
{
    callbacks_call call = {.session = session, .callbacks = callbacks, .user = user};
    livetcp_result result = lt_io_session_check(session);

    if (result == LIVETCP_OK)
        result = check_callbacks(callbacks, NULL);
    if (result == LIVETCP_OK)
        lt_io_context_run(session->context, run_set_callbacks, &call);
    return result;
}

static void run_end(void *argument)
{
    lt_io_session_end(argument);
}

void livetcp_session_destroy(livetcp_session **owner)
{
    livetcp_session *session = *owner;

    if (!session)
        return;
    *owner = NULL;
    lt_io_context_run(session->context, run_end, session);
}

/* ---- used, from any thread ---- */

livetcp_result livetcp_session_send(livetcp_session *session, const void *packet, size_t size)
{
    return livetcp_session_send_with(session, packet, size, NULL);
}

/* True if the packet may wait for the rest of its burst. If the rest does not come, the loop sends
 * it. */
static bool may_wait(livetcp_session *session, const livetcp_packet_info *info, size_t size)
{
    if (!LT_INFO_HAS(info, more) || !info->more || session->burst + size >= LT_IO_BURST)
        return false;
    if (session->burst == 0)
        lt_io_context_schedule(session->context, &session->burst_end);
    session->burst += size;
    return true;
}

static void write_now(livetcp_session *session)
{
    if (session->burst > 0)
        lt_io_context_unschedule(session->context, &session->burst_end);
    lt_io_session_flush(session);
    lt_io_session_wake_if_needed(session);
}

livetcp_result livetcp_session_send_with(livetcp_session *session, const void *packet, size_t size,
                                         const livetcp_packet_info *info)
{
    livetcp_result result = lt_io_session_check(session);

    if (result != LIVETCP_OK)
        return result;
    uv_mutex_lock(&session->lock);
    result = livetcp_engine_send(session->engine, packet, size, info, lt_io_now());
    if (result != LIVETCP_OK)
        lt_io_session_wake_if_needed(session);
    else if (!may_wait(session, info, size))
        write_now(session);
    uv_mutex_unlock(&session->lock);
    return result;
}

livetcp_result livetcp_session_set_clock_rate(livetcp_session *session, int payload_type,
                                              uint32_t hz)
{
    livetcp_result result = lt_io_session_check(session);

    if (result != LIVETCP_OK)
        return result;
    uv_mutex_lock(&session->lock);
    result = livetcp_engine_set_clock_rate(session->engine, payload_type, hz);
    uv_mutex_unlock(&session->lock);
    return result;
}

livetcp_result livetcp_session_report_playout(livetcp_session *session,
                                              const livetcp_playout_report *report)
{
    livetcp_result result = lt_io_session_check(session);

    if (result != LIVETCP_OK)
        return result;
    uv_mutex_lock(&session->lock);
    result = livetcp_engine_report_playout(session->engine, report);
    uv_mutex_unlock(&session->lock);
    return result;
}

void livetcp_session_close(livetcp_session *session, livetcp_usec drain_us)
{
    uv_mutex_lock(&session->lock);
    session->closed_here = true;
    livetcp_engine_close(session->engine, LIVETCP_ERR_CANCELLED, drain_us < 0 ? 0 : drain_us,
                         lt_io_now());
    lt_io_session_flush(session);
    uv_mutex_unlock(&session->lock);
    lt_io_context_schedule(session->context, &session->work);
}

void livetcp_session_notify_when_sent(livetcp_session *session)
{
    uv_mutex_lock(&session->lock);
    livetcp_engine_notify_when_sent(session->engine);
    lt_io_session_wake_if_needed(session);
    uv_mutex_unlock(&session->lock);
}

/* ---- settings while it runs, from any thread ---- */

/* Notes a change of settings for the log. Under the lock. */
static void note_change(livetcp_session *session, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void note_change(livetcp_session *session, const char *format, ...)
{
    size_t used = strlen(session->changes);
    va_list args;

    if (used && used + 2 < sizeof session->changes)
        used += (size_t)snprintf(session->changes + used, sizeof session->changes - used, "; ");
    va_start(args, format);
    vsnprintf(session->changes + used, sizeof session->changes - used, format, args);
    va_end(args);
}

static void apply(livetcp_session *session)
{
    lt_io_session_flush(session);
    lt_io_context_schedule(session->context, &session->work);
}

livetcp_result livetcp_session_set_policy(livetcp_session *session, const char *name,
                                          livetcp_error *error)
{
    const livetcp_policy *policy;
    livetcp_result result;

    if (!session || !name)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "session or policy is NULL");
    policy = livetcp_policy_find(name);
    if (!policy)
        return lt_fail(error, LIVETCP_ERR_UNKNOWN_POLICY, "there is no policy '%.31s'", name);
    uv_mutex_lock(&session->lock);
    result = livetcp_engine_set_policy(session->engine, policy, error);
    if (result == LIVETCP_OK) {
        snprintf(session->policy, sizeof session->policy, "%s", policy->name);
        note_change(session, "policy=%s", policy->name);
        apply(session);
    }
    uv_mutex_unlock(&session->lock);
    return result;
}

livetcp_result livetcp_session_set_redundancy_budget(livetcp_session *session, double budget,
                                                     livetcp_error *error)
{
    livetcp_result result;

    if (!session)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "session is NULL");
    uv_mutex_lock(&session->lock);
    result = livetcp_engine_set_redundancy_budget(session->engine, budget, error);
    if (result == LIVETCP_OK) {
        note_change(session, "redundancy-budget=%g", budget);
        apply(session);
    }
    uv_mutex_unlock(&session->lock);
    return result;
}

livetcp_result livetcp_session_set_bitrate_bounds(livetcp_session *session, uint32_t min,
                                                  uint32_t max, livetcp_error *error)
{
    livetcp_result result;

    if (!session)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "session is NULL");
    uv_mutex_lock(&session->lock);
    result = livetcp_engine_set_bitrate_bounds(session->engine, min, max, error);
    if (result == LIVETCP_OK) {
        note_change(session, "min-bitrate=%u, max-bitrate=%u", (unsigned)min, (unsigned)max);
        apply(session);
    }
    uv_mutex_unlock(&session->lock);
    return result;
}

livetcp_result livetcp_session_set_max_send_delay(livetcp_session *session, livetcp_usec delay_us,
                                                  livetcp_error *error)
{
    livetcp_result result;

    if (!session)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "session is NULL");
    uv_mutex_lock(&session->lock);
    result = livetcp_engine_set_max_send_delay(session->engine, delay_us, error);
    if (result == LIVETCP_OK) {
        note_change(session, "max-send-delay=%g", (double)delay_us / LIVETCP_USEC_MSEC);
        apply(session);
    }
    uv_mutex_unlock(&session->lock);
    return result;
}

livetcp_result livetcp_session_set_order(livetcp_session *session, livetcp_order order,
                                         livetcp_error *error)
{
    livetcp_result result;

    if (!session)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "session is NULL");
    uv_mutex_lock(&session->lock);
    result = livetcp_engine_set_order(session->engine, order, error);
    if (result == LIVETCP_OK) {
        note_change(session, "order=%s", order == LIVETCP_ORDER_SEQUENCE ? "sequence" : "arrival");
        apply(session);
    }
    uv_mutex_unlock(&session->lock);
    return result;
}

/* ---- state, from any thread ---- */

livetcp_session_state livetcp_session_get_state(const livetcp_session *session)
{
    uv_mutex_lock(lt_io_session_lock_of(session));
    livetcp_session_state state = livetcp_engine_state(session->engine);
    uv_mutex_unlock(lt_io_session_lock_of(session));
    return state;
}
