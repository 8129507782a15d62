/* SPDX-License-Identifier: MIT */
/* One attempt to connect a slot. The time that connect-timeout gives is shared out over the
 * addresses of the host, so that one which does not answer leaves some for the next. */
#include "io/connector.h"

#include "base/error.h"
#include "io/channel.h"
#include "io/clock.h"
#include "io/socket.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

struct lt_connector {
    livetcp_session *session; /* holds a reference until both handles have closed */
    unsigned index;
    livetcp_usec give_up_us;
    lt_resolution *resolution;
    lt_addresses addresses;
    unsigned next; /* address to try */
    lt_address local;
    bool has_local;
    int socket;      /* -1 while none is being connected */
    uv_poll_t *poll; /* its own allocation: each socket needs a fresh handle */
    uv_timer_t timer;
    livetcp_error error; /* why the last address failed */
};

static void try_next(lt_connector *connector);

static void on_poll_closed(uv_handle_t *handle)
{
    free(handle);
}

static void on_timer_closed(uv_handle_t *handle)
{
    lt_connector *connector = handle->data;
    livetcp_session *session = connector->session;

    free(connector);
    lt_session_io_release(session);
}

static void stop_watching(lt_connector *connector)
{
    if (connector->poll)
        uv_close((uv_handle_t *)connector->poll, on_poll_closed);
    connector->poll = NULL;
    uv_timer_stop(&connector->timer);
}

void lt_connector_cancel(lt_connector **owner)
{
    lt_connector *connector = *owner;

    if (!connector)
        return;
    *owner = NULL;
    lt_resolve_cancel(&connector->resolution);
    stop_watching(connector);
    if (connector->socket >= 0)
        close(connector->socket);
    uv_close((uv_handle_t *)&connector->timer, on_timer_closed);
}

/* ---- outcomes ---- */

static void fail(lt_connector *connector)
{
    livetcp_session *session = connector->session;
    unsigned index = connector->index;
    livetcp_error error = connector->error;

    lt_connector_cancel(&session->slots[index].connector);
    lt_session_io_lost(session, index, &error);
    lt_session_io_service(session);
}

static void succeed(lt_connector *connector)
{
    livetcp_session *session = connector->session;
    unsigned index = connector->index;
    int fd = connector->socket;
    livetcp_error error;

    stop_watching(connector);
    connector->socket = -1;
    session->peer = connector->addresses.items[connector->next - 1];
    session->has_peer = true;
    lt_connector_cancel(&session->slots[index].connector);
    livetcp_result result = lt_socket_prepare(fd, &session->config);
    if (result == LIVETCP_OK)
        result = lt_session_io_attach(session, index, fd, true, NULL);
    if (result != LIVETCP_OK) {
        close(fd);
        lt_fail(&error, result, "connection %u: %s", index, livetcp_result_text(result));
        lt_session_io_lost(session, index, &error);
    }
    lt_session_io_service(session);
}

static void give_up_address(lt_connector *connector, int system_errno)
{
    lt_connect_error(&connector->error, &connector->addresses.items[connector->next - 1],
                     system_errno);
    stop_watching(connector);
    close(connector->socket);
    connector->socket = -1;
    try_next(connector);
}

static void on_writable(uv_poll_t *poll, int status, int events)
{
    lt_connector *connector = poll->data;
    int cause = lt_socket_error(connector->socket);

    (void)events;
    if (cause == 0 && status < 0)
        cause = -status;
    if (cause == 0)
        succeed(connector);
    else
        give_up_address(connector, cause);
}

static void on_address_timeout(uv_timer_t *timer)
{
    give_up_address(timer->data, ETIMEDOUT);
}

/* ---- trying ---- */

static bool watch(lt_connector *connector)
{
    uv_loop_t *loop = connector->session->context->loop;

    connector->poll = calloc(1, sizeof *connector->poll);
    if (!connector->poll)
        return false;
    if (uv_poll_init_socket(loop, connector->poll, connector->socket) != 0) {
        free(connector->poll);
        connector->poll = NULL;
        return false;
    }
    connector->poll->data = connector;
    return uv_poll_start(connector->poll, UV_WRITABLE, on_writable) == 0;
}

static bool wrong_family(lt_connector *connector, const lt_address *address)
{
    if (!connector->has_local || connector->local.storage.ss_family == address->storage.ss_family)
        return false;
    lt_fail(&connector->error, LIVETCP_ERR_ADDRESS_INVALID,
            "localaddress=%s and %.120s are not both IPv4 or both IPv6",
            connector->session->config.local_address, connector->session->config.host);
    return true;
}

/* Starts the next address that can be started at all. */
static void try_next(lt_connector *connector)
{
    const livetcp_config *config = &connector->session->config;
    uv_loop_t *loop = connector->session->context->loop;
    livetcp_usec now = lt_now();

    while (connector->next < connector->addresses.count) {
        unsigned left = connector->addresses.count - connector->next;
        const lt_address *address = &connector->addresses.items[connector->next++];
        if (wrong_family(connector, address) ||
            lt_socket_connect(&connector->socket, address,
                              connector->has_local ? &connector->local : NULL, config,
                              &connector->error) != LIVETCP_OK)
            continue;
        if (watch(connector)) {
            uv_timer_start(&connector->timer, on_address_timeout,
                           lt_timeout_ms(loop, now + (connector->give_up_us - now) / left), 0);
            return;
        }
        lt_fail(&connector->error, LIVETCP_ERR_NO_MEMORY, "connection %u: out of memory",
                connector->index);
        stop_watching(connector);
        close(connector->socket);
        connector->socket = -1;
    }
    fail(connector);
}

static void on_resolved(void *user, const lt_addresses *addresses, const livetcp_error *error)
{
    lt_connector *connector = user;

    connector->resolution = NULL;
    uv_timer_stop(&connector->timer);
    if (connector->session->has_peer) {
        connector->addresses.items[0] = connector->session->peer;
        connector->addresses.count = 1;
    } else if (addresses) {
        connector->addresses = *addresses;
    } else {
        connector->error = *error;
    }
    try_next(connector);
}

static void on_resolve_timeout(uv_timer_t *timer)
{
    lt_connector *connector = timer->data;
    const livetcp_config *config = &connector->session->config;

    lt_fail(&connector->error, LIVETCP_ERR_RESOLVE,
            "cannot resolve %.120s: no answer within connect-timeout; check this host's DNS",
            config->host);
    fail(connector);
}

/* An address, or a peer that was found before, needs no lookup. */
static bool find_addresses(lt_connector *connector)
{
    const livetcp_session *session = connector->session;

    if (session->has_peer) {
        connector->addresses.items[0] = session->peer;
        connector->addresses.count = 1;
        return true;
    }
    return lt_lookup_addresses(&connector->addresses, LT_LOOKUP_NUMERIC, session->config.host,
                               session->config.port, NULL) == LIVETCP_OK;
}

static void on_start(uv_timer_t *timer)
{
    lt_connector *connector = timer->data;
    const livetcp_session *session = connector->session;

    if (find_addresses(connector)) {
        try_next(connector);
        return;
    }
    livetcp_result result =
        lt_resolve_start(session->context, session->config.host, session->config.port, on_resolved,
                         connector, &connector->resolution, &connector->error);
    if (result != LIVETCP_OK)
        fail(connector);
    else
        uv_timer_start(timer, on_resolve_timeout, lt_timeout_ms(timer->loop, connector->give_up_us),
                       0);
}

lt_connector *lt_connector_start(livetcp_session *session, unsigned index)
{
    lt_connector *connector = calloc(1, sizeof *connector);
    lt_addresses local;

    if (!connector)
        return NULL;
    connector->session = session;
    connector->index = index;
    connector->socket = -1;
    connector->give_up_us = lt_now() + session->config.connect_timeout_us;
    /* Checked when the session was made. */
    if (session->config.local_address[0] &&
        lt_lookup_addresses(&local, LT_LOOKUP_NUMERIC, session->config.local_address, 0, NULL) ==
            LIVETCP_OK) {
        connector->local = local.items[0];
        connector->has_local = true;
    }
    uv_timer_init(session->context->loop, &connector->timer);
    connector->timer.data = connector;
    lt_session_io_reference(session);
    /* From the loop, so that an attempt that fails at once does not fail within this call. */
    uv_timer_start(&connector->timer, on_start, 0, 0);
    return connector;
}
