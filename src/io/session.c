/* SPDX-License-Identifier: MIT */
/* A session between its engine and the loop: made, served, ended. */
#include "io/session.h"

#include "base/error.h"
#include "engine/pending.h"
#include "io/clock.h"
#include "io/error_text.h"
#include "io/process.h"
#include "io/session_stats.h"
#include "io/socket.h"
#include "io/stats_socket.h"
#include "io/wrong_end.h"
#include "wire/authenticator.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void lt_io_session_wake_if_needed(livetcp_session *session)
{
    if (!session->has_event)
        session->has_event = livetcp_engine_next_event(session->engine, &session->event);
    if (session->has_event || session->channels_changed ||
        livetcp_engine_deadline(session->engine) < session->armed_us)
        lt_io_context_schedule(session->context, &session->work);
}

/* ---- life ---- */

void lt_io_session_reference(livetcp_session *session)
{
    session->references++;
}

void lt_io_forget_headers(char **headers)
{
    if (*headers)
        lt_wipe(*headers, strlen(*headers));
    free(*headers);
    *headers = NULL;
}

void lt_io_session_release(livetcp_session *session)
{
    livetcp_context *context = session->context;

    if (--session->references > 0)
        return;
    lt_io_arrivals_free(&session->arrivals);
    lt_io_tls_destroy(&session->tls);
    lt_io_proxy_destroy(&session->proxy);
    lt_wipe(session->introduced.token, sizeof session->introduced.token);
    lt_io_forget_headers(&session->websocket_headers);
    livetcp_engine_destroy(&session->engine);
    uv_mutex_destroy(&session->lock);
    free(session->links);
    free(session);
    lt_io_context_release(context);
}

static void on_timer_closed(uv_handle_t *handle)
{
    lt_io_session_release(handle->data);
}

static void on_timer(uv_timer_t *timer)
{
    livetcp_session *session = timer->data;

    if (lt_io_put_off(&session->put_off_us, session->armed_us)) {
        uv_timer_start(timer, on_timer, LT_IO_AFTER_INPUT_MS, 0);
        return;
    }
    lt_io_session_reference(session);
    uv_mutex_lock(&session->lock);
    livetcp_engine_set_wall_clock(session->engine, lt_io_wall_clock_ahead());
    livetcp_engine_expire(session->engine, lt_io_now());
    uv_mutex_unlock(&session->lock);
    lt_io_session_service(session);
    lt_io_session_release(session);
}

static void run_work(lt_io_work *work)
{
    lt_io_session_service(LT_LIST_ELEMENT(work, livetcp_session, work));
}

/* A burst that did not go on. */
static void end_burst(lt_io_work *work)
{
    lt_io_session_service(LT_LIST_ELEMENT(work, livetcp_session, burst_end));
}

static void end_member(lt_io_member *member)
{
    lt_io_session_end(LT_LIST_ELEMENT(member, livetcp_session, member));
}

static livetcp_result create_engine(livetcp_session *session, bool caller,
                                    const livetcp_pending *pending, livetcp_error *error)
{
    livetcp_engine_setup setup = {.struct_size = sizeof setup,
                                  .config = &session->config,
                                  .caller = caller,
                                  .pending = pending,
                                  .random = lt_io_random,
                                  .on_packet = lt_io_arrivals_collect,
                                  .user = &session->arrivals,
                                  .cname = lt_io_cname()};
    livetcp_result result = livetcp_engine_create(&setup, &session->engine, error);

    if (result == LIVETCP_OK) {
        livetcp_engine_set_wall_clock(session->engine, lt_io_wall_clock_ahead());
        lt_engine_share_memory(session->engine, &session->context->memory);
    }
    return result;
}

static unsigned link_number(const livetcp_session *session, unsigned index)
{
    return index == session->spare ? session->spare_link : lt_io_links_of(session->links, index);
}

static const lt_io_link *link_of(const livetcp_session *session, unsigned index)
{
    return &session->links->items[link_number(session, index)];
}

static bool has_named_link(const livetcp_session *session)
{
    for (unsigned i = 0; session->links && i < session->links->count; i++)
        if (session->links->items[i].named)
            return true;
    return false;
}

static const lt_io_link_watch_owner link_watch_functions;
static const lt_io_outage_owner outage_functions;

static livetcp_result create_links(livetcp_session *session, livetcp_error *error)
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

livetcp_result lt_io_session_create(livetcp_context *context, const livetcp_config *config,
                                    bool caller, const livetcp_pending *pending,
                                    livetcp_session **out, livetcp_error *error)
{
    livetcp_session *session = calloc(1, sizeof *session);
    livetcp_result result;

    *out = NULL;
    if (!session || uv_mutex_init(&session->lock) != 0) {
        free(session);
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "no memory for a session");
    }
    session->context = context;
    session->number = ++context->sessions_made;
    session->caller = caller;
    session->created_us = lt_io_now();
    session->config = *config;
    snprintf(session->policy, sizeof session->policy, "%s", config->policy);
    session->work.run = run_work;
    session->burst_end.run = end_burst;
    session->member.end = end_member;
    session->member.describe = lt_io_session_describe;
    session->introduced.struct_size = sizeof session->introduced;
    result = create_engine(session, caller, pending, error);
    lt_wipe(session->config.token, sizeof session->config.token); /* the engine has it */
    if (result == LIVETCP_OK && caller)
        result = create_links(session, error);
    if (result != LIVETCP_OK) {
        livetcp_engine_destroy(&session->engine);
        uv_mutex_destroy(&session->lock);
        free(session->links);
        free(session);
        return result;
    }
    uv_timer_init(context->loop, &session->timer);
    session->timer.data = session;
    session->armed_us = LIVETCP_NEVER;
    session->spare = LIVETCP_MAX_CONNECTIONS;
    lt_io_outage_init(&session->outage, &outage_functions, session);
    session->references = 2; /* the owner and the timer */
    lt_io_context_reference(context);
    lt_list_insert_first(&context->members, &session->member.in_context);
    if (has_named_link(session))
        session->link_watch = lt_io_link_watch_start(context, &link_watch_functions, session);
    lt_io_stats_open(context);
    *out = session;
    return LIVETCP_OK;
}

void lt_io_session_use_tls(livetcp_session *session, lt_io_tls *tls)
{
    session->tls = tls;
}

void lt_io_session_use_proxy(livetcp_session *session, lt_io_proxy *proxy)
{
    session->proxy = proxy;
}

void lt_io_session_note_tls(livetcp_session *session, const lt_io_filter *filter)
{
    const lt_tls_filter *tls = filter ? lt_io_filter_tls(filter) : NULL;
    livetcp_tls_info *noted = &session->tls_info;
    lt_tls_info info;

    if (!tls)
        return;
    lt_tls_filter_info(tls, &info);
    uv_mutex_lock(&session->lock);
    snprintf(noted->version, sizeof noted->version, "%s", info.version);
    snprintf(noted->cipher, sizeof noted->cipher, "%s", info.cipher);
    snprintf(noted->subject, sizeof noted->subject, "%s", info.subject);
    snprintf(noted->fingerprint, sizeof noted->fingerprint, "%s", info.fingerprint);
    noted->shared_key = info.shared_key;
    noted->handshakes++;
    noted->resumptions += info.resumed;
    uv_mutex_unlock(&session->lock);
}

static void close_channels(livetcp_session *session)
{
    for (unsigned i = 0; i < LIVETCP_MAX_CONNECTIONS; i++) {
        lt_io_connector_cancel(&session->slots[i].connector);
        lt_io_handshake_cancel(&session->slots[i].handshake);
        if (session->slots[i].channel)
            lt_io_channel_close(session->slots[i].channel, true, LIVETCP_OK);
        session->slots[i].channel = NULL;
    }
}

void lt_io_session_end(livetcp_session *session)
{
    if (session->ended)
        return;
    session->ended = true;
    lt_io_taps_end(&session->taps);
    uv_mutex_lock(&session->lock);
    session->closed_here = true;
    livetcp_engine_close(session->engine, LIVETCP_ERR_CANCELLED, 0, lt_io_now());
    lt_io_session_flush(session);
    close_channels(session);
    uv_mutex_unlock(&session->lock);
    lt_io_outage_keep(&session->outage, 0);
    lt_io_link_watch_stop(&session->link_watch);
    if (session->on_answer)
        session->on_answer(session);
    if (session->on_ended)
        session->on_ended(session);
    lt_io_context_unschedule(session->context, &session->work);
    lt_io_context_unschedule(session->context, &session->burst_end);
    lt_list_remove(&session->member.in_context);
    uv_close((uv_handle_t *)&session->timer, on_timer_closed);
    lt_io_session_release(session);
}

/* ---- sockets come and go ---- */

static void write_reply(livetcp_session *session, lt_io_channel *channel,
                        const livetcp_reply *reply)
{
    size_t wire_size;
    const lt_io_write bytes = {.data = reply->frame, .size = reply->size};
    long n = lt_io_channel_write(channel, &bytes, &wire_size);

    /* A fresh connection has space for 160 bytes; one without is broken. */
    if (n != (long)reply->size) {
        channel->write_errno = n < 0 ? (int)-n : EPIPE;
        channel->want_writable = true;
        livetcp_engine_blocked(session->engine, channel->index);
    }
}

static void start_timestamps(livetcp_session *session, lt_io_channel *channel)
{
    if (session->config.timestamps != LIVETCP_TIMESTAMPS_OFF &&
        lt_io_channel_start_timestamps(channel))
        livetcp_engine_has_timestamps(session->engine, channel->index);
}

/* The protocol of a connection that has joined is known. */
static lt_peer_kind known_kind(const livetcp_session *session, bool caller)
{
    return !caller && session->config.wire == LIVETCP_WIRE_SESSION ? LT_PEER_SESSION
                                                                   : LT_PEER_UNDECIDED;
}

static const lt_io_channel_owner channel_functions;

/* Of one end: without the port. */
static bool same_host(const char *text, const char *other)
{
    size_t size = (size_t)(strrchr(text, ':') ? strrchr(text, ':') - text : 0);
    size_t other_size = (size_t)(strrchr(other, ':') ? strrchr(other, ':') - other : 0);

    return size == other_size && !memcmp(text, other, size);
}

/* A caller's networks are seen by their addresses: connections between the same two are on one
 * link. */
static unsigned link_of_addresses(const livetcp_session *session, const lt_io_channel *channel)
{
    uint32_t used = 0;

    for (unsigned i = 0; i < LIVETCP_MAX_CONNECTIONS; i++) {
        const lt_io_channel *other = session->slots[i].channel;
        livetcp_connection_stats stats = {.struct_size = sizeof stats};
        if (!other || livetcp_engine_get_connection_stats(session->engine, i, lt_io_now(),
                                                          &stats) != LIVETCP_OK)
            continue;
        if (same_host(other->remote, channel->remote) && same_host(other->local, channel->local))
            return stats.path.link;
        used |= UINT32_C(1) << stats.path.link;
    }
    for (unsigned i = 0; i < LIVETCP_MAX_LINKS; i++)
        if (!(used >> i & 1))
            return i;
    return 0;
}

/* Undelivered data of a broken connection is sent again; so probe once more for the delivered part.
 */
static void ask_what_arrived(livetcp_session *session, const lt_io_channel *channel)
{
    livetcp_path info = {.known = 0};

    lt_io_channel_probe(channel, true, &info);
    livetcp_engine_path_info(session->engine, channel->index, &info, lt_io_now());
}

/* The caller has left the slot's connection for the one that is about to have the slot. */
static void close_replaced(livetcp_session *session, unsigned index)
{
    lt_io_slot *slot = &session->slots[index];

    if (slot->channel) {
        ask_what_arrived(session, slot->channel);
        lt_io_channel_close(slot->channel, true, LIVETCP_OK);
    }
    slot->channel = NULL;
    livetcp_engine_lost(session->engine, index, LIVETCP_OK, lt_io_now());
}

/* Errors: as livetcp_engine_adopt(). */
static livetcp_result adopt(livetcp_session *session, unsigned index, const lt_io_channel *channel,
                            const livetcp_pending *pending)
{
    if (pending && lt_engine_is_replaced_by(session->engine, pending))
        close_replaced(session, index);
    if (!session->slots[index].channel)
        (void)livetcp_engine_set_link(session->engine, index, link_of_addresses(session, channel),
                                      1);
    return pending ? livetcp_engine_adopt_pending(session->engine, pending, lt_io_now())
                   : livetcp_engine_adopt(session->engine, index, lt_io_now());
}

livetcp_result lt_io_session_attach(livetcp_session *session, unsigned index, uv_os_sock_t socket,
                                    lt_io_filter *filter, bool caller,
                                    const livetcp_pending *pending, const livetcp_reply *reply)
{
    livetcp_result result = LIVETCP_OK;
    int status;
    lt_io_channel *channel;

    if (index >= LIVETCP_MAX_CONNECTIONS)
        return LIVETCP_ERR_INDEX_RANGE;
    channel = lt_io_channel_create(session->context, index, socket, &channel_functions, session,
                                   &session->lock, &status);
    if (!channel)
        return status == UV_ENOMEM ? LIVETCP_ERR_NO_MEMORY : LIVETCP_ERR_SYSTEM;
    uv_mutex_lock(&session->lock);
    if (caller) {
        livetcp_engine_connected(session->engine, index, lt_io_now());
    } else {
        result = adopt(session, index, channel, pending);
    }
    if (result == LIVETCP_OK) {
        lt_io_channel_use_filter(channel, filter);
        session->slots[index].channel = channel;
        session->slots[index].first = (lt_first_bytes){.kind = known_kind(session, caller)};
        if (reply && reply->size)
            write_reply(session, channel, reply);
        start_timestamps(session, channel);
    }
    uv_mutex_unlock(&session->lock);
    if (result != LIVETCP_OK)
        lt_io_channel_abandon(channel);
    return result;
}

/* The slot's socket, or the attempt to get one, failed; `orderly`: the peer should still read the
 * written data. lt_io_session_service() follows. */
static void lose(livetcp_session *session, unsigned index, const livetcp_error *error, bool orderly)
{
    lt_io_slot *slot = &session->slots[index];

    uv_mutex_lock(&session->lock);
    if (slot->channel) {
        ask_what_arrived(session, slot->channel);
        lt_io_channel_close(slot->channel, orderly, error->code);
    }
    slot->channel = NULL;
    slot->error = *error;
    session->error = *error;
    livetcp_engine_lost(session->engine, index, error->code, lt_io_now());
    uv_mutex_unlock(&session->lock);
}

/* Rejects a caller that wants a session, since there are none here, unless the REJECT would be read
 * as the middle of a packet. */
static void reject_caller(livetcp_session *session, lt_io_channel *channel)
{
    lt_control message = {.type = LT_CONTROL_REJECT, .reason = LT_REASON_NOT_SUPPORTED};
    uint8_t frame[LT_CONTROL_MAX];

    uv_mutex_lock(&session->lock);
    const lt_io_write bytes = {.data = frame, .size = lt_control_encode(&message, frame)};
    size_t wire_size;
    if (!channel->want_writable)
        (void)lt_io_channel_write(channel, &bytes, &wire_size);
    uv_mutex_unlock(&session->lock);
}

/* False if the peer's protocol cannot be served here: the slot is lost then. */
static bool is_right_end(livetcp_session *session, unsigned index, const uint8_t *data, size_t size)
{
    lt_io_slot *slot = &session->slots[index];
    livetcp_wire wire = session->config.wire;
    lt_peer_kind kind = slot->first.kind;
    livetcp_error error;
    char who[LT_ADDRESS_TEXT + 32];

    if (kind != LT_PEER_UNDECIDED || !slot->channel)
        return true;
    kind = lt_first_bytes_add(&slot->first, data, size);
    if (!lt_io_wrong_end(wire, kind))
        return true;
    snprintf(who, sizeof who, "connection %u to %s", index, slot->channel->remote);
    lt_io_wrong_end_error(&error, who, &session->config, kind);
    if (kind == LT_PEER_SESSION && session->config.mode == LIVETCP_MODE_LISTENER)
        reject_caller(session, slot->channel);
    lose(session, index, &error, true);
    lt_io_session_service(session);
    return false;
}

void lt_io_session_receive(livetcp_session *session, unsigned index, const uint8_t *data,
                           size_t size, const livetcp_rx_timestamp *timestamp)
{
    if (!is_right_end(session, index, data, size))
        return;
    session->heard_us = lt_io_now();
    uv_mutex_lock(&session->lock);
    session->arrivals.input = data;
    session->arrivals.input_size = size;
    livetcp_engine_receive(session->engine, index, data, size, timestamp, lt_io_now());
    session->arrivals.input = NULL;
    session->arrivals.input_size = 0;
    uv_mutex_unlock(&session->lock);
    lt_io_session_service(session);
}

void lt_io_session_drain(livetcp_session *session, unsigned index)
{
    if (!session->ended && session->slots[index].channel)
        lt_io_channel_drain(session->slots[index].channel);
}

/* ---- called by the channels ---- */

static void on_bytes(void *owner, unsigned index, const uint8_t *data, size_t size,
                     const livetcp_rx_timestamp *timestamp)
{
    lt_io_session_receive(owner, index, data, size, timestamp);
}

static void log_write_failure(livetcp_session *session, unsigned index)
{
    uv_mutex_lock(&session->lock);
    int cause = session->slots[index].channel->write_errno;
    uv_mutex_unlock(&session->lock);
    if (cause)
        LT_IO_LOG(&session->context->log, LIVETCP_LOG_DEBUG, "connection",
                  "connection %u: writing failed: %s", index, strerror(cause));
}

static void on_lost(void *owner, unsigned index, int system_errno)
{
    livetcp_session *session = owner;
    const char *remote = session->slots[index].channel->remote;
    livetcp_error error;

    log_write_failure(session, index);
    lt_io_socket_error_text(session, index, remote, system_errno, &error);
    lose(session, index, &error, false);
    lt_io_session_service(session);
}

static void on_filter_failed(void *owner, unsigned index, const livetcp_error *why)
{
    livetcp_session *session = owner;
    livetcp_error error;

    lt_fail(&error, why->code, "connection %u to %s: %s", index,
            session->slots[index].channel->remote, why->message);
    lose(session, index, &error, true);
    lt_io_session_service(session);
}

static void on_writable(void *owner, unsigned index)
{
    livetcp_session *session = owner;
    livetcp_engine_writable(session->engine, index);
}

static void on_drained(void *owner)
{
    lt_io_session_service(owner);
}

static void on_timestamp(void *owner, unsigned index, const livetcp_tx_timestamp *timestamp)
{
    livetcp_session *session = owner;
    livetcp_engine_tx_timestamp(session->engine, index, timestamp, lt_io_now());
}

static void hold(void *owner)
{
    lt_io_session_reference(owner);
}

static void release(void *owner)
{
    lt_io_session_release(owner);
}

static const lt_io_channel_owner channel_functions = {.on_bytes = on_bytes,
                                                      .on_lost = on_lost,
                                                      .on_failed = on_filter_failed,
                                                      .on_writable = on_writable,
                                                      .on_drained = on_drained,
                                                      .on_timestamp = on_timestamp,
                                                      .hold = hold,
                                                      .release = release};

/* ---- called by handshakes ---- */

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
        lose(session, index, &error, false);
    }
    lt_io_session_service(session);
    lt_io_session_drain(session, index);
}

static void on_not_open(void *owner, unsigned index, const livetcp_error *error)
{
    livetcp_session *session = owner;

    session->slots[index].handshake = NULL;
    lose(session, index, error, false);
    lt_io_session_service(session);
}

static const lt_io_handshake_owner handshake_functions = {
    .on_open = on_open, .on_failed = on_not_open, .hold = hold, .release = release};

static bool has_handshake(const livetcp_session *session)
{
    return session->tls || session->config.websocket != LIVETCP_WEBSOCKET_OFF;
}

/* A connection is secured by itself if that costs little; else one of them is, and the others
 * resume what it has agreed with the peer. */
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

/* ---- called by the connectors ---- */

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

/* The socket of a slot is connected: to TLS and a WebSocket, or to the engine. On failure it is the
 * caller's. Takes over the filter, a proxy's TLS or NULL, in any case. */
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
        lose(session, index, &error, false);
    }
    lt_io_session_service(session);
    if (proxied)
        lt_io_session_drain(session, index);
}

static void on_failed(void *owner, unsigned index, const livetcp_error *error)
{
    livetcp_session *session = owner;

    session->slots[index].connector = NULL;
    lose(session, index, error, false);
    lt_io_session_service(session);
}

/* Where the present connections to that host go: a name that means several machines must not spread
 * one session over them. */
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
                                                          .hold = hold,
                                                          .release = release};

/* ---- outages ---- */

/* The path is back. The connection is one more, until the others have recovered. */
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

    (void)error; /* the connector has logged it */
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
                                                    .hold = hold,
                                                    .release = release};

/* ---- links come and go ---- */

/* The link's network has gone: its connections are lost at once, and their packets go elsewhere. */
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
        lose(session, i, &error, false);
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
        lt_io_session_service(session);
}

static const lt_io_link_watch_owner link_watch_functions = {
    .on_change = on_networks_changed, .hold = hold, .release = release};

/* ---- service ---- */

static void close_slot(livetcp_session *session, unsigned index, livetcp_result reason)
{
    lt_io_slot *slot = &session->slots[index];

    lt_io_connector_cancel(&slot->connector);
    lt_io_handshake_cancel(&slot->handshake);
    if (slot->channel) {
        if (reason != LIVETCP_OK) {
            lt_io_close_error_text(session, index, slot->channel->remote, reason, &slot->error);
            session->error = slot->error;
        }
        /* What the application here has ended is in order. */
        lt_io_channel_close(slot->channel, true,
                            reason == LIVETCP_ERR_CANCELLED ? LIVETCP_OK : reason);
        slot->channel = NULL;
    }
}

static void flush_and_close(livetcp_session *session)
{
    unsigned index;
    livetcp_result reason;

    lt_io_session_flush(session);
    while (livetcp_engine_next_close(session->engine, &index, &reason)) {
        close_slot(session, index, reason);
        lt_io_session_flush(session); /* others may join now, or take over its packets */
    }
}

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
        flush_and_close(session); /* the slot that the answer is to have */
    }
    lt_io_outage_keep(&session->outage, livetcp_engine_outage_probes(session->engine));
}

static void arm_timer(livetcp_session *session)
{
    livetcp_usec deadline = livetcp_engine_deadline(session->engine);
    bool armed = uv_is_active((uv_handle_t *)&session->timer);

    if (deadline == session->armed_us && (armed || deadline == LIVETCP_NEVER))
        return;
    session->armed_us = deadline;
    if (deadline == LIVETCP_NEVER)
        uv_timer_stop(&session->timer);
    else
        uv_timer_start(&session->timer, on_timer,
                       lt_io_timeout_ms(session->context->loop, deadline), 0);
}

static void watch_channels(livetcp_session *session)
{
    session->channels_changed = false;
    for (unsigned i = 0; i < LIVETCP_MAX_CONNECTIONS; i++)
        if (session->slots[i].channel)
            lt_io_channel_watch(session->slots[i].channel);
}

void lt_io_session_service(livetcp_session *session)
{
    if (session->ended)
        return;
    lt_io_session_reference(session);
    uv_mutex_lock(&session->lock);
    flush_and_close(session);
    start_connecting(session);
    start_probing(session);
    begin_handshakes(session);
    watch_channels(session);
    arm_timer(session);
    bool changes = session->changes[0] != '\0';
    uv_mutex_unlock(&session->lock);
    if (changes)
        lt_io_log_changes(session);
    lt_io_notify(session);
    lt_io_session_release(session);
}
