/* SPDX-License-Identifier: MIT */
#include "io/session_connect.h"

#include "base/error.h"
#include "io/clock.h"
#include "io/session.h"
#include "io/session_slots.h"
#include "io/socket.h"

#include <string.h>

/* ---- links ---- */

static unsigned link_number(const livetcp_session *session, unsigned index)
{
    return index == session->spare ? session->spare_link : lt_io_links_of(session->links, index);
}

static const lt_io_link *link_of(const livetcp_session *session, unsigned index)
{
    return &session->links->items[link_number(session, index)];
}

livetcp_result lt_io_session_create_links(livetcp_session *session, livetcp_error *error)
{
    livetcp_result result = LIVETCP_OK;

    session->links = lt_io_links_create(&session->config);
    if (!session->links)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for a session");
    for (unsigned i = 0; result == LIVETCP_OK && i < livetcp_engine_connections(session->engine);
         i++)
        result = livetcp_engine_set_link(session->engine, i, lt_io_links_of(session->links, i),
                                         link_of(session, i)->planned.weight);
    return result == LIVETCP_OK ? result : lt_fail(error, result, "no memory for a session");
}

/* ---- handshakes ---- */

static void on_open(void *owner, unsigned index, uv_os_sock_t socket, lt_io_filter *filter)
{
    livetcp_session *session = owner;
    uint8_t binding[LT_TLS_BINDING_SIZE];
    bool bound = lt_io_filter_is_bound(filter);
    livetcp_result result = LIVETCP_ERR_SYSTEM;
    livetcp_error error;

    session->slots[index].handshake = NULL;
    lt_io_session_note_tls(session, filter);
    if (!bound || lt_io_filter_binding(filter, binding)) {
        uv_mutex_lock(&session->lock);
        if (bound)
            livetcp_engine_bind(session->engine, index, binding);
        uv_mutex_unlock(&session->lock);
        result = lt_io_session_attach(session, index, socket, filter, true, NULL, NULL);
    }
    if (result != LIVETCP_OK) {
        lt_io_filter_destroy(&filter);
        lt_socket_close(socket);
        lt_fail(&error, result, "connection %u: %s", index, livetcp_result_text(result));
        lt_io_session_lose(session, index, &error, false);
    }
    session->service(session);
    lt_io_session_drain(session, index);
}

static void on_not_open(void *owner, unsigned index, const livetcp_error *error)
{
    livetcp_session *session = owner;

    session->slots[index].handshake = NULL;
    lt_io_session_lose(session, index, error, false);
    session->service(session);
}

static const lt_io_handshake_owner handshake_functions = {.on_open = on_open,
                                                          .on_failed = on_not_open,
                                                          .hold = lt_io_session_hold_owner,
                                                          .release = lt_io_session_release_owner};

static bool has_handshake(const livetcp_session *session)
{
    return session->tls || session->config.websocket != LIVETCP_WEBSOCKET_OFF;
}

/* Starts handshakes in parallel if a full TLS handshake costs little. Otherwise the first one runs
 * alone, and the other connections resume its TLS session. */
static void begin_handshakes(livetcp_session *session)
{
    bool alone = true;

    if (!has_handshake(session))
        return;
    for (unsigned i = 0; i < LIVETCP_MAX_CONNECTIONS; i++) {
        const lt_io_slot *slot = &session->slots[i];
        if (slot->channel || (slot->handshake && lt_io_handshake_has_begun(slot->handshake)))
            alone = false;
    }
    for (unsigned i = 0; i < LIVETCP_MAX_CONNECTIONS; i++) {
        lt_io_slot *slot = &session->slots[i];
        if (!slot->handshake || lt_io_handshake_has_begun(slot->handshake))
            continue;
        if (!alone && session->tls && !lt_io_tls_is_cheap(session->tls) &&
            livetcp_engine_state(session->engine) != LIVETCP_SESSION_OPEN)
            return;
        lt_io_handshake_begin(slot->handshake);
        alone = false;
    }
}

/* ---- connectors ---- */

static livetcp_result attach_without_handshake(livetcp_session *session, unsigned index,
                                               uv_os_sock_t socket, lt_tls_filter *proxy)
{
    lt_io_filter *filter = proxy ? lt_io_filter_create(proxy, false) : NULL;
    livetcp_result result = proxy && !filter ? LIVETCP_ERR_NO_MEMORY : LIVETCP_OK;

    if (result != LIVETCP_OK)
        lt_tls_filter_destroy(&proxy);
    else
        result = lt_io_session_attach(session, index, socket, filter, true, NULL, NULL);
    if (result != LIVETCP_OK)
        lt_io_filter_destroy(&filter);
    return result;
}

/* The socket of a slot is connected: starts the handshake of TLS and WebSocket, or attaches it to
 * the engine. On failure the socket stays the caller's. Takes over `filter`, the proxy's TLS or
 * NULL, in any case. */
static livetcp_result take_socket(livetcp_session *session, unsigned index, uv_os_sock_t socket,
                                  lt_tls_filter *filter)
{
    lt_io_handshake_kind kind = {.config = &session->config,
                                 .tls = session->tls,
                                 .host = link_of(session, index)->planned.host,
                                 .headers = session->websocket_headers};

    if (!has_handshake(session))
        return attach_without_handshake(session, index, socket, filter);
    session->slots[index].handshake = lt_io_handshake_create(
        session->context, index, socket, filter, &kind, &handshake_functions, session);
    if (!session->slots[index].handshake)
        lt_tls_filter_destroy(&filter);
    return session->slots[index].handshake ? LIVETCP_OK : LIVETCP_ERR_NO_MEMORY;
}

static void on_connected(void *owner, unsigned index, uv_os_sock_t socket, lt_tls_filter *filter,
                         const lt_address *peer)
{
    livetcp_session *session = owner;
    bool proxied = filter != NULL;
    livetcp_error error;

    session->slots[index].connector = NULL;
    session->slots[index].peer = *peer;
    livetcp_result result = lt_io_socket_prepare(socket, &session->config);
    if (result == LIVETCP_OK)
        result = take_socket(session, index, socket, filter);
    else
        lt_tls_filter_destroy(&filter);
    if (result != LIVETCP_OK) {
        lt_socket_close(socket);
        lt_fail(&error, result, "connection %u: %s", index, livetcp_result_text(result));
        lt_io_session_lose(session, index, &error, false);
    }
    session->service(session);
    if (proxied)
        lt_io_session_drain(session, index);
}

static void on_failed(void *owner, unsigned index, const livetcp_error *error)
{
    livetcp_session *session = owner;

    session->slots[index].connector = NULL;
    lt_io_session_lose(session, index, error, false);
    session->service(session);
}

/* The remote address of an existing connection to the link's host. A name may resolve to several
 * machines; all connections of a session must reach the same one. */
static const lt_address *known_peer_over(const livetcp_session *session, const lt_io_link *link)
{
    for (unsigned i = 0; i < LIVETCP_MAX_CONNECTIONS; i++) {
        const lt_io_slot *slot = &session->slots[i];
        bool same_family =
            !link->has_local || link->local.storage.ss_family == slot->peer.storage.ss_family;
        if ((slot->channel || slot->handshake) && same_family &&
            !strcmp(link_of(session, i)->planned.host, link->planned.host))
            return &slot->peer;
    }
    return NULL;
}

static const lt_address *known_peer(const void *owner, unsigned index)
{
    return known_peer_over(owner, link_of(owner, index));
}

static const lt_io_connector_owner connector_functions = {.on_connected = on_connected,
                                                          .on_failed = on_failed,
                                                          .known_peer = known_peer,
                                                          .hold = lt_io_session_hold_owner,
                                                          .release = lt_io_session_release_owner};

static void start_connecting(livetcp_session *session)
{
    unsigned index;

    while (livetcp_engine_next_connect(session->engine, lt_io_now(), &index)) {
        lt_io_slot *slot = &session->slots[index];
        slot->connector =
            lt_io_connector_start(session->context, &session->config, link_of(session, index),
                                  session->proxy, index, &connector_functions, session);
        if (!slot->connector)
            livetcp_engine_lost(session->engine, index, LIVETCP_ERR_NO_MEMORY, lt_io_now());
    }
}

/* ---- outages ---- */

/* An outage probe is connected. Its connection is an additional one until the others have
 * recovered. */
static void on_answered(void *owner, unsigned number, unsigned link, uv_os_sock_t socket,
                        lt_tls_filter *filter, const lt_address *peer)
{
    livetcp_session *session = owner;
    unsigned index;
    bool wanted;

    uv_mutex_lock(&session->lock);
    wanted = livetcp_engine_outage_probe_connected(session->engine, number, &index, lt_io_now());
    if (wanted)
        (void)livetcp_engine_set_link(session->engine, index, link,
                                      session->links->items[link].planned.weight);
    uv_mutex_unlock(&session->lock);
    if (!wanted) {
        lt_tls_filter_destroy(&filter);
        lt_socket_close(socket);
        return;
    }
    LT_IO_LOG(&session->context->log, LIVETCP_LOG_INFO, "session",
              "the path to the peer is back: connection %u carries the media until the others "
              "have recovered",
              index);
    session->spare = index;
    session->spare_link = link;
    on_connected(session, index, socket, filter, peer);
}

static void on_not_answered(void *owner, unsigned number, const livetcp_error *error)
{
    livetcp_session *session = owner;

    (void)error; /* logged by the connector */
    uv_mutex_lock(&session->lock);
    livetcp_engine_outage_probe_lost(session->engine, number);
    uv_mutex_unlock(&session->lock);
}

static const lt_address *known_peer_of_link(const void *owner, unsigned link)
{
    const livetcp_session *session = owner;

    return known_peer_over(session, &session->links->items[link]);
}

static const lt_io_outage_owner outage_functions = {.on_answered = on_answered,
                                                    .on_failed = on_not_answered,
                                                    .known_peer = known_peer_of_link,
                                                    .hold = lt_io_session_hold_owner,
                                                    .release = lt_io_session_release_owner};

static void start_probing(livetcp_session *session)
{
    lt_io_outage_way way = {.context = session->context,
                            .config = &session->config,
                            .links = session->links,
                            .proxy = session->proxy,
                            .index = session->spare < LIVETCP_MAX_CONNECTIONS
                                         ? session->spare
                                         : livetcp_engine_connections(session->engine)};
    unsigned number, link;

    while (livetcp_engine_next_outage_probe(session->engine, lt_io_now(), &number, &link)) {
        if (!lt_io_outage_begin(&session->outage, &way, number, link))
            livetcp_engine_outage_probe_lost(session->engine, number);
        lt_io_session_flush_and_close(session); /* frees the slot for the probe's connection */
    }
    lt_io_outage_keep(&session->outage, livetcp_engine_outage_probes(session->engine));
}

/* ---- links come and go ---- */

static bool has_named_link(const livetcp_session *session)
{
    for (unsigned i = 0; session->links && i < session->links->count; i++)
        if (session->links->items[i].named)
            return true;
    return false;
}

/* The link's network has gone: its connections are lost at once, and their packets are sent
 * elsewhere. */
static void lose_link(livetcp_session *session, unsigned number)
{
    lt_io_link *link = &session->links->items[number];
    char network[128];
    livetcp_error error;

    lt_io_link_network(link, network, sizeof network);
    for (unsigned i = 0; i < livetcp_engine_connections(session->engine); i++) {
        if (link_number(session, i) != number ||
            (!session->slots[i].channel && !session->slots[i].connector))
            continue;
        lt_io_connector_cancel(&session->slots[i].connector);
        lt_fail(&error, LIVETCP_ERR_CONNECTION_LOST,
                "connection %u: %s has gone; it is tried again when it comes back", i, network);
        lt_io_session_lose(session, i, &error, false);
    }
}

static void retry_link(livetcp_session *session, unsigned number)
{
    uint32_t slots = 0;

    for (unsigned i = 0; i < livetcp_engine_connections(session->engine); i++)
        slots |= link_number(session, i) == number ? UINT32_C(1) << i : 0;
    uv_mutex_lock(&session->lock);
    livetcp_engine_retry(session->engine, slots, lt_io_now());
    uv_mutex_unlock(&session->lock);
}

static void on_networks_changed(void *owner)
{
    livetcp_session *session = owner;
    bool changed = false;

    for (unsigned i = 0; i < session->links->count; i++) {
        lt_io_link *link = &session->links->items[i];
        bool present = lt_io_link_is_present(link);
        if (present == link->present)
            continue;
        link->present = present;
        changed = true;
        if (present)
            retry_link(session, i);
        else
            lose_link(session, i);
    }
    if (changed)
        session->service(session);
}

static const lt_io_link_watch_owner link_watch_functions = {.on_change = on_networks_changed,
                                                            .hold = lt_io_session_hold_owner,
                                                            .release = lt_io_session_release_owner};

/* ---- the session's requests ---- */

void lt_io_session_init_connecting(livetcp_session *session)
{
    session->spare = LIVETCP_MAX_CONNECTIONS;
    lt_io_outage_init(&session->outage, &outage_functions, session);
    if (has_named_link(session))
        session->link_watch =
            lt_io_link_watch_start(session->context, &link_watch_functions, session);
}

void lt_io_session_connect(livetcp_session *session)
{
    start_connecting(session);
    start_probing(session);
    begin_handshakes(session);
}

void lt_io_session_stop_connecting(livetcp_session *session)
{
    lt_io_outage_keep(&session->outage, 0);
    lt_io_link_watch_stop(&session->link_watch);
}
