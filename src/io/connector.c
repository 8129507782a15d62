/* SPDX-License-Identifier: MIT */
/* One attempt to connect. connect-timeout is divided over the addresses of the host, so that an
 * unresponsive address leaves time for the next one. */
#include "io/connector.h"

#include "base/error.h"
#include "io/clock.h"
#include "io/resolve.h"
#include "io/socket.h"
#include "io/tunnel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Connections to a proxy that demands authentication: unauthenticated, with credentials, and once
 * more after a stale digest nonce. */
#define ROUNDS_MAX 3

/* Poll interval, in ms, while another connection tests the credentials. */
#define TEST_MS 10

/* A socket that is being connected. Allocated on its own, since each attempt needs a fresh poll
 * handle. */
typedef struct attempt {
    uv_poll_t poll;
    livetcp_context *context; /* referenced until the handle has closed */
} attempt;

struct lt_io_connector {
    livetcp_context *context;
    const livetcp_config *config;
    const lt_io_link *link;
    lt_io_proxy *proxy;   /* NULL without one */
    lt_io_tunnel *tunnel; /* on a connected socket; NULL = no tunnel yet */
    bool testing;         /* this connection tests the credentials for all */
    unsigned rounds;      /* connections to the proxy so far */
    const char *host;     /* host whose addresses are tried, */
    uint16_t port;        /* and port: of the proxy or the link */
    const lt_io_connector_owner *functions;
    void *owner; /* held until the timer has closed */
    unsigned index;
    livetcp_usec stop_us;
    lt_io_resolution *resolution;
    lt_addresses addresses;
    unsigned next;       /* index of the next address */
    uv_os_sock_t socket; /* LT_NO_SOCKET while none is being connected */
    attempt *attempt;    /* poll handle of `socket` */
    uv_timer_t timer;
    livetcp_error error; /* of the last address that failed */
};

static const lt_address *current_address(const lt_io_connector *connector)
{
    return &connector->addresses.items[connector->next - 1];
}

/* ---- the end of it ---- */

static void on_attempt_closed(uv_handle_t *handle)
{
    attempt *closed = handle->data;
    livetcp_context *context = closed->context;

    free(closed);
    lt_io_context_release(context);
}

static void on_timer_closed(uv_handle_t *handle)
{
    lt_io_connector *connector = handle->data;
    const lt_io_connector_owner *functions = connector->functions;
    void *owner = connector->owner;

    free(connector);
    functions->release(owner);
}

/* Stops watching the socket and hands it to the caller. */
static uv_os_sock_t take_socket(lt_io_connector *connector)
{
    uv_os_sock_t socket = connector->socket;

    connector->socket = LT_NO_SOCKET;
    if (connector->attempt) {
        connector->attempt->poll.data = connector->attempt;
        uv_close((uv_handle_t *)&connector->attempt->poll, on_attempt_closed);
    }
    connector->attempt = NULL;
    uv_timer_stop(&connector->timer);
    return socket;
}

static void close_socket(lt_io_connector *connector)
{
    uv_os_sock_t socket = take_socket(connector);

    if (socket != LT_NO_SOCKET)
        lt_socket_close(socket);
}

void lt_io_connector_cancel(lt_io_connector **owner)
{
    lt_io_connector *connector = *owner;

    if (!connector)
        return;
    *owner = NULL;
    lt_io_resolve_cancel(&connector->resolution);
    lt_io_tunnel_cancel(&connector->tunnel);
    if (connector->testing)
        lt_io_proxy_end_test(connector->proxy);
    close_socket(connector);
    uv_close((uv_handle_t *)&connector->timer, on_timer_closed);
}

/* Errors so far name an address only: adds that it is the proxy's. */
static void name_proxy(const lt_io_connector *connector, livetcp_error *error)
{
    livetcp_error why = *error;
    char name[LT_PROXY_TEXT];

    if (!connector->proxy || !strncmp(why.message, "proxy ", 6))
        return;
    lt_proxy_text(lt_io_proxy_address(connector->proxy), name);
    lt_fail(error, why.code, "proxy %.100s: %s", name, why.message);
    error->system_errno = why.system_errno;
}

/* The timer still holds the owner; it closes after this. */
static void fail(lt_io_connector *connector)
{
    const lt_io_connector_owner *functions = connector->functions;
    void *owner = connector->owner;
    unsigned index = connector->index;
    livetcp_error error = connector->error;

    name_proxy(connector, &error);
    lt_io_connector_cancel(&connector);
    functions->on_failed(owner, index, &error);
}

static void hand_over(lt_io_connector *connector, uv_os_sock_t socket, lt_tls_filter *filter)
{
    const lt_io_connector_owner *functions = connector->functions;
    void *owner = connector->owner;
    unsigned index = connector->index;
    lt_address peer = *current_address(connector);

    lt_io_connector_cancel(&connector);
    functions->on_connected(owner, index, socket, filter, &peer);
}

/* ---- through a proxy ---- */

static void begin(lt_io_connector *connector);

static void on_tunnel_open(void *owner, uv_os_sock_t socket, lt_tls_filter *filter)
{
    lt_io_connector *connector = owner;

    connector->tunnel = NULL;
    lt_io_proxy_accepted(connector->proxy);
    hand_over(connector, socket, filter);
}

static void on_tunnel_failed(void *owner, const livetcp_error *error)
{
    lt_io_connector *connector = owner;

    connector->tunnel = NULL;
    connector->error = *error;
    fail(connector);
}

/* Connects to the same address of the proxy once more. */
static void on_tunnel_again(void *owner)
{
    lt_io_connector *connector = owner;

    connector->tunnel = NULL;
    if (++connector->rounds < ROUNDS_MAX) {
        connector->next--;
        begin(connector);
        return;
    }
    lt_fail(&connector->error, LIVETCP_ERR_PROXY,
            "it repeats its challenge, and calls each answer stale");
    fail(connector);
}

static const lt_io_tunnel_owner tunnel_functions = {
    .on_open = on_tunnel_open, .on_again = on_tunnel_again, .on_failed = on_tunnel_failed};

/* The tunnel may take the rest of connect-timeout. */
static void begin_tunnel(lt_io_connector *connector)
{
    uv_os_sock_t socket = take_socket(connector);

    /* Before the first bytes: with Nagle's algorithm a second write would wait for an
     * acknowledgment. */
    livetcp_result result = lt_io_socket_prepare(socket, connector->config);
    if (result == LIVETCP_OK) {
        connector->tunnel = lt_io_tunnel_start(
            connector->context, socket, connector->proxy, connector->link->planned.host,
            connector->config->port, connector->stop_us, &tunnel_functions, connector);
        result = LIVETCP_ERR_NO_MEMORY;
    }
    if (connector->tunnel)
        return;
    lt_socket_close(socket);
    lt_fail(&connector->error, result, "connection %u: %s", connector->index,
            livetcp_result_text(result));
    fail(connector);
}

/* ---- one address after the other ---- */

static void try_next(lt_io_connector *connector);

static void succeed(lt_io_connector *connector)
{
    if (connector->proxy)
        begin_tunnel(connector);
    else
        hand_over(connector, take_socket(connector), NULL);
}

/* Composes, for example, "connect to ADDRESS: Connection refused; is a listener running there?" */
static void set_connect_error(lt_io_connector *connector, int system_errno)
{
    char address[LT_ADDRESS_TEXT], name[LT_PROXY_TEXT];

    if (!connector->proxy) {
        lt_io_connect_error(&connector->error, current_address(connector), system_errno);
        return;
    }
    lt_address_text(current_address(connector), address);
    lt_proxy_text(lt_io_proxy_address(connector->proxy), name);
    lt_fail(&connector->error, lt_io_socket_result(system_errno, false),
            "proxy %s: connect to %s: %s; is the proxy running, and are its host and port right?",
            name, address, strerror(system_errno));
    connector->error.system_errno = system_errno;
}

static void fail_address(lt_io_connector *connector, int system_errno)
{
    set_connect_error(connector, system_errno);
    LT_IO_LOG(&connector->context->log, LIVETCP_LOG_DEBUG, "connection", "connection %u: %s",
              connector->index, connector->error.message);
    close_socket(connector);
    try_next(connector);
}

static void on_writable(uv_poll_t *poll, int status, int events)
{
    lt_io_connector *connector = poll->data;
    int cause = lt_socket_error(connector->socket);

    (void)events;
    if (cause == 0 && status < 0)
        cause = -status;
    if (cause == 0)
        succeed(connector);
    else
        fail_address(connector, cause);
}

static void on_address_timeout(uv_timer_t *timer)
{
    fail_address(timer->data, ETIMEDOUT);
}

static bool watch(lt_io_connector *connector)
{
    attempt *made = calloc(1, sizeof *made);

    if (!made)
        return false;
    if (uv_poll_init_socket(connector->context->loop, &made->poll, connector->socket) != 0) {
        free(made);
        return false;
    }
    made->context = connector->context;
    lt_io_context_reference(made->context);
    made->poll.data = connector;
    connector->attempt = made;
    return uv_poll_start(&made->poll, UV_WRITABLE, on_writable) == 0;
}

static bool wrong_family(lt_io_connector *connector, const lt_address *address)
{
    const lt_io_link *link = connector->link;

    if (!link->has_local || link->local.storage.ss_family == address->storage.ss_family)
        return false;
    lt_fail(&connector->error, LIVETCP_ERR_ADDRESS_INVALID,
            "localaddress=%s and %.120s are not both IPv4 or both IPv6",
            link->planned.local_address, connector->host);
    return true;
}

/* The local address to bind before connecting; false = chosen by the system. */
static bool bound_address(const lt_io_connector *connector, int family, lt_address *local)
{
    unsigned port = connector->config->local_port;

    if (!connector->link->has_local && !port)
        return false;
    *local = connector->link->has_local ? connector->link->local : lt_address_any(family);
    if (port)
        lt_address_set_port(local, (uint16_t)(port + connector->index));
    return true;
}

/* Starts an attempt with the next address; skips addresses for which it fails at once. */
static void try_next(lt_io_connector *connector)
{
    livetcp_usec now = lt_io_now();

    while (connector->next < connector->addresses.count) {
        unsigned left = connector->addresses.count - connector->next;
        const lt_address *address = &connector->addresses.items[connector->next++];
        lt_address local;
        bool bound = bound_address(connector, address->storage.ss_family, &local);
        if (wrong_family(connector, address) ||
            lt_io_socket_connect(&connector->socket, address, bound ? &local : NULL,
                                 connector->link->planned.interface, connector->config,
                                 &connector->error) != LIVETCP_OK)
            continue;
        if (watch(connector)) {
            uv_timer_start(
                &connector->timer, on_address_timeout,
                lt_io_timeout_ms(connector->context->loop, now + (connector->stop_us - now) / left),
                0);
            return;
        }
        lt_fail(&connector->error, LIVETCP_ERR_NO_MEMORY, "connection %u: out of memory",
                connector->index);
        close_socket(connector);
    }
    fail(connector);
}

/* ---- finding the addresses ---- */

/* True if another connection of the session already reached the host: uses only that address. */
static bool use_known_peer(lt_io_connector *connector)
{
    const lt_address *peer = connector->functions->known_peer(connector->owner, connector->index);

    if (!peer)
        return false;
    connector->addresses.items[0] = *peer;
    connector->addresses.count = 1;
    return true;
}

static void on_resolved(void *user, const lt_addresses *addresses, const livetcp_error *error)
{
    lt_io_connector *connector = user;

    connector->resolution = NULL;
    uv_timer_stop(&connector->timer);
    if (!use_known_peer(connector)) {
        if (addresses)
            connector->addresses = *addresses;
        else
            connector->error = *error;
    }
    try_next(connector);
}

static void on_resolve_timeout(uv_timer_t *timer)
{
    lt_io_connector *connector = timer->data;

    lt_fail(&connector->error, LIVETCP_ERR_RESOLVE,
            "cannot resolve %.120s: no answer within connect-timeout; check this host's DNS",
            connector->host);
    fail(connector);
}

static void resolve(lt_io_connector *connector)
{
    const char *host = connector->host;
    uint16_t port = connector->port;

    /* A numeric address needs no lookup. */
    if (use_known_peer(connector) || lt_lookup_addresses(&connector->addresses, LT_LOOKUP_NUMERIC,
                                                         host, port, NULL) == LIVETCP_OK) {
        try_next(connector);
        return;
    }
    livetcp_result result =
        lt_io_resolve_start(connector->context, host, port, on_resolved, connector,
                            &connector->resolution, &connector->error);
    if (result != LIVETCP_OK)
        fail(connector);
    else
        uv_timer_start(&connector->timer, on_resolve_timeout,
                       lt_io_timeout_ms(connector->context->loop, connector->stop_us), 0);
}

static void on_start(uv_timer_t *timer)
{
    begin(timer->data);
}

/* Starts, once the proxy (if any) may be used: its credentials are tested, or this connection tests
 * them. */
static void begin(lt_io_connector *connector)
{
    lt_io_proxy *proxy = connector->proxy;

    if (proxy && lt_io_proxy_is_refusing(proxy, &connector->error)) {
        fail(connector);
    } else if (proxy && !lt_io_proxy_begin_test(proxy, &connector->testing)) {
        if (lt_io_now() < connector->stop_us) {
            uv_timer_start(&connector->timer, on_start, TEST_MS, 0);
            return;
        }
        lt_fail(
            &connector->error, LIVETCP_ERR_HANDSHAKE_TIMEOUT,
            "another connection's test of user and password did not end within connect-timeout");
        fail(connector);
    } else if (connector->addresses.count) {
        try_next(connector);
    } else {
        resolve(connector);
    }
}

/* Sets host and port: those of the proxy, or of the link. */
static void choose_host(lt_io_connector *connector, lt_io_proxy *proxy)
{
    connector->host = connector->link->planned.host;
    connector->port = connector->config->port;
    if (!proxy || !lt_io_proxy_serves(proxy, connector->host, connector->port))
        return;
    connector->proxy = proxy;
    connector->host = lt_io_proxy_address(proxy)->host;
    connector->port = lt_io_proxy_address(proxy)->port;
}

lt_io_connector *lt_io_connector_start(livetcp_context *context, const livetcp_config *config,
                                       const lt_io_link *link, lt_io_proxy *proxy, unsigned index,
                                       const lt_io_connector_owner *functions, void *owner)
{
    lt_io_connector *connector = calloc(1, sizeof *connector);

    if (!connector)
        return NULL;
    connector->context = context;
    connector->config = config;
    connector->link = link;
    choose_host(connector, proxy);
    connector->functions = functions;
    connector->owner = owner;
    connector->index = index;
    connector->socket = LT_NO_SOCKET;
    connector->stop_us = lt_io_now() + config->connect_timeout_us;
    uv_timer_init(context->loop, &connector->timer);
    connector->timer.data = connector;
    functions->hold(owner);
    /* From the loop, so that an immediate failure does not call back within this call. */
    uv_timer_start(&connector->timer, on_start, 0, 0);
    return connector;
}
