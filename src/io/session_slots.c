/* SPDX-License-Identifier: MIT */
#include "io/session_slots.h"

#include "base/error.h"
#include "engine/pending.h"
#include "io/clock.h"
#include "io/error_text.h"
#include "io/session.h"
#include "io/socket.h"
#include "io/wrong_end.h"
#include "wire/control.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- attached ---- */

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

static void write_reply(livetcp_session *session, lt_io_channel *channel,
                        const livetcp_reply *reply)
{
    size_t wire_size;
    const lt_io_write bytes = {.data = reply->frame, .size = reply->size};
    long n = lt_io_channel_write(channel, &bytes, &wire_size);

    /* A new socket has space for 160 bytes; one without has failed. */
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

/* A connection that a handshake has attached speaks session mode; any other one is classified by
 * its first bytes. */
static lt_peer_kind known_kind(const livetcp_session *session, bool caller)
{
    return !caller && session->config.wire == LIVETCP_WIRE_SESSION ? LT_PEER_SESSION
                                                                   : LT_PEER_UNDECIDED;
}

static const lt_io_channel_owner channel_functions;

/* Compares the host parts of two "host:port" texts. */
static bool same_host(const char *text, const char *other)
{
    size_t size = (size_t)(strrchr(text, ':') ? strrchr(text, ':') - text : 0);
    size_t other_size = (size_t)(strrchr(other, ':') ? strrchr(other, ':') - other : 0);

    return size == other_size && !memcmp(text, other, size);
}

/* On a listener, links are told apart by addresses: connections between the same two hosts share a
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

/* Undelivered data of a broken connection is sent again: probes once more for the acknowledged
 * part. */
static void ask_what_arrived(livetcp_session *session, const lt_io_channel *channel)
{
    livetcp_path info = {.known = 0};

    lt_io_channel_probe(channel, true, &info);
    livetcp_engine_path_info(session->engine, channel->index, &info, lt_io_now());
}

/* The caller has abandoned the slot's connection, and its new connection takes the slot. */
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

/* ---- lost and closed ---- */

void lt_io_session_lose(livetcp_session *session, unsigned index, const livetcp_error *error,
                        bool orderly)
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
        /* LIVETCP_ERR_CANCELLED: closed by the application here, which is no error for the peer. */
        lt_io_channel_close(slot->channel, reason != LIVETCP_ERR_CONNECTION_LOST,
                            reason == LIVETCP_ERR_CANCELLED ? LIVETCP_OK : reason);
        slot->channel = NULL;
    }
}

void lt_io_session_flush_and_close(livetcp_session *session)
{
    unsigned index;
    livetcp_result reason;

    lt_io_session_flush(session);
    while (livetcp_engine_next_close(session->engine, &index, &reason)) {
        close_slot(session, index, reason);
        lt_io_session_flush(session); /* other connections may join now, or take over its packets */
    }
}

void lt_io_session_close_slots(livetcp_session *session)
{
    for (unsigned i = 0; i < LIVETCP_MAX_CONNECTIONS; i++) {
        lt_io_connector_cancel(&session->slots[i].connector);
        lt_io_handshake_cancel(&session->slots[i].handshake);
        if (session->slots[i].channel)
            lt_io_channel_close(session->slots[i].channel, true, LIVETCP_OK);
        session->slots[i].channel = NULL;
    }
}

/* ---- input ---- */

/* Rejects a caller that wants a session at a listener in plain mode, unless the REJECT would fall
 * within a partly written packet. */
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

/* False if the peer's protocol cannot be served here; the connection is lost then. */
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
    lt_io_session_lose(session, index, &error, true);
    session->service(session);
    return false;
}

void lt_io_session_receive(livetcp_session *session, unsigned index, const uint8_t *data,
                           size_t size, const livetcp_rx_timestamp *timestamp)
{
    if (!is_right_end(session, index, data, size))
        return;
    session->last_input_us = lt_io_now();
    uv_mutex_lock(&session->lock);
    session->arrivals.input = data;
    session->arrivals.input_size = size;
    livetcp_engine_receive(session->engine, index, data, size, timestamp, lt_io_now());
    session->arrivals.input = NULL;
    session->arrivals.input_size = 0;
    uv_mutex_unlock(&session->lock);
    session->service(session);
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
    lt_io_session_lose(session, index, &error, false);
    session->service(session);
}

static void on_filter_failed(void *owner, unsigned index, const livetcp_error *why)
{
    livetcp_session *session = owner;
    livetcp_error error;

    lt_fail(&error, why->code, "connection %u to %s: %s", index,
            session->slots[index].channel->remote, why->message);
    lt_io_session_lose(session, index, &error, true);
    session->service(session);
}

static void on_writable(void *owner, unsigned index)
{
    livetcp_session *session = owner;
    livetcp_engine_writable(session->engine, index);
}

static void on_drained(void *owner)
{
    livetcp_session *session = owner;
    session->service(session);
}

static void on_timestamp(void *owner, unsigned index, const livetcp_tx_timestamp *timestamp)
{
    livetcp_session *session = owner;
    livetcp_engine_tx_timestamp(session->engine, index, timestamp, lt_io_now());
}

static const lt_io_channel_owner channel_functions = {.on_bytes = on_bytes,
                                                      .on_lost = on_lost,
                                                      .on_failed = on_filter_failed,
                                                      .on_writable = on_writable,
                                                      .on_drained = on_drained,
                                                      .on_timestamp = on_timestamp,
                                                      .hold = lt_io_session_hold_owner,
                                                      .release = lt_io_session_release_owner};
