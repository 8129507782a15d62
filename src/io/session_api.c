/* SPDX-License-Identifier: MIT */
/* The public functions of a session. */
#include "base/error.h"
#include "base/sized.h"
#include "io/clock.h"
#include "io/session_io.h"
#include "io/socket.h"
#include "settings/settings.h"

#include <string.h>

/* ---- made and freed ---- */

static livetcp_result check_caller(const livetcp_config *config, livetcp_error *error)
{
    lt_addresses local;
    livetcp_result result;

    if (config->mode != LIVETCP_MODE_CALLER)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "mode=listener: use livetcp_listener_create(), or set mode=caller");
    result = livetcp_config_check(config, error);
    if (result != LIVETCP_OK)
        return result;
    if (config->local_address[0] &&
        lt_lookup_addresses(&local, LT_LOOKUP_NUMERIC, config->local_address, 0, NULL) !=
            LIVETCP_OK)
        return lt_fail(error, LIVETCP_ERR_ADDRESS_INVALID,
                       "localaddress=%s is not an IPv4 or IPv6 address", config->local_address);
    return lt_socket_check(config, error);
}

typedef struct connect_call {
    livetcp_context *context;
    const livetcp_config *config;
    const livetcp_session_callbacks *callbacks;
    void *user;
    livetcp_session **session;
    livetcp_error *error;
    livetcp_result result;
} connect_call;

static livetcp_result check_callbacks(const livetcp_session_callbacks *callbacks,
                                      livetcp_error *error)
{
    if (callbacks && !lt_sized_valid(callbacks, 0))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "the livetcp_session_callbacks has struct_size %zu: set it to "
                       "sizeof(livetcp_session_callbacks)",
                       callbacks->struct_size);
    return LIVETCP_OK;
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
        lt_session_io_create(call->context, call->config, true, NULL, &session, call->error);
    *call->session = session;
    if (call->result != LIVETCP_OK)
        return;
    set_callbacks(session, call->callbacks, call->user);
    /* Not within this call: callbacks may expect what the caller stores after it. */
    lt_context_attend(call->context, session);
}

livetcp_result livetcp_session_connect(livetcp_context *context, const livetcp_config *config,
                                       const livetcp_session_callbacks *callbacks, void *user,
                                       livetcp_session **session, livetcp_error *error)
{
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
    if (result != LIVETCP_OK)
        return result;
    connect_call call = {.context = context,
                         .config = &copy,
                         .callbacks = callbacks,
                         .user = user,
                         .session = session,
                         .error = error};
    lt_context_run(context, run_connect, &call);
    return call.result;
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
    livetcp_result result = check_callbacks(callbacks, NULL);

    if (result == LIVETCP_OK)
        lt_context_run(session->context, run_set_callbacks, &call);
    return result;
}

static void run_end(void *argument)
{
    lt_session_io_end(argument);
}

void livetcp_session_destroy(livetcp_session **owner)
{
    livetcp_session *session = *owner;

    if (!session)
        return;
    *owner = NULL;
    lt_context_run(session->context, run_end, session);
}

/* ---- used, from any thread ---- */

livetcp_result livetcp_session_send(livetcp_session *session, const void *packet, size_t size)
{
    return livetcp_session_send_with(session, packet, size, NULL);
}

livetcp_result livetcp_session_send_with(livetcp_session *session, const void *packet, size_t size,
                                         const livetcp_packet_info *info)
{
    livetcp_result result;

    uv_mutex_lock(&session->lock);
    result = livetcp_engine_send(session->engine, packet, size, info, lt_now());
    if (result == LIVETCP_OK)
        lt_session_io_flush(session);
    lt_session_io_wake_if_needed(session);
    uv_mutex_unlock(&session->lock);
    return result;
}

livetcp_result livetcp_session_set_clock_rate(livetcp_session *session, int payload_type,
                                              uint32_t hz)
{
    livetcp_result result;

    if (!session)
        return LIVETCP_ERR_INVALID_ARGUMENT;
    uv_mutex_lock(&session->lock);
    result = livetcp_engine_set_clock_rate(session->engine, payload_type, hz);
    uv_mutex_unlock(&session->lock);
    return result;
}

livetcp_result livetcp_session_report_playout(livetcp_session *session,
                                              const livetcp_playout_report *report)
{
    livetcp_result result;

    if (!session)
        return LIVETCP_ERR_INVALID_ARGUMENT;
    uv_mutex_lock(&session->lock);
    result = livetcp_engine_report_playout(session->engine, report);
    uv_mutex_unlock(&session->lock);
    return result;
}

livetcp_session_state livetcp_session_get_state(livetcp_session *session)
{
    uv_mutex_lock(&session->lock);
    livetcp_session_state state = livetcp_engine_state(session->engine);
    uv_mutex_unlock(&session->lock);
    return state;
}

void livetcp_session_close(livetcp_session *session, livetcp_usec drain_us)
{
    uv_mutex_lock(&session->lock);
    livetcp_engine_close(session->engine, LIVETCP_ERR_CANCELLED, drain_us < 0 ? 0 : drain_us,
                         lt_now());
    lt_session_io_flush(session);
    uv_mutex_unlock(&session->lock);
    lt_context_attend(session->context, session);
}
