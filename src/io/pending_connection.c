/* SPDX-License-Identifier: MIT */
#include "io/pending_connection.h"

#include "base/error.h"
#include "io/admission.h"
#include "io/clock.h"
#include "io/error_text.h"
#include "io/fallback.h"
#include "io/held.h"
#include "io/lingering_close.h"
#include "io/process.h"
#include "io/reply.h"
#include "io/socket.h"
#include "io/undecided.h"
#include "io/wrong_end.h"
#include "proxy/forwarded.h"
#include "proxy/proxy_protocol.h"
#include "settings/settings.h"
#include "wire/client_hello.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One read before the key agreement: all that a handshake may be. */
#define READ_SIZE 4096

_Static_assert(LT_CLIENT_HELLO_MAX + READ_SIZE <= LT_IO_READ_SIZE, "saved bytes, and a read");

/* Key agreements in one go, so that a flood of them does not stop the media. */
#define TURNS_PER_WAKEUP 16

typedef enum stage {
    STAGE_PROXY_HEADER, /* the PROXY header of a proxy in front comes first */
    STAGE_FIRST_BYTES,  /* its protocol is not known: of the socket, or of what a filter gives */
    STAGE_TLS_TURN,     /* a ClientHello for us came: waits for its turn */
    STAGE_TLS,          /* TLS agrees on keys; all that follows is plaintext */
    STAGE_UPGRADE,      /* the head of an HTTP request comes, which asks for a WebSocket */
    STAGE_HANDSHAKE,    /* RFC 4571 with control messages: CREATE, JOIN or the PROOF of a JOIN */
    STAGE_TURN,         /* CREATE, or JOIN of a blamed address, came: waits for its turn */
    STAGE_UNPROVED,     /* ACCEPT is sent; media is held until PROOF */
    STAGE_PARKED        /* JOIN of a session that waits for its PROOF on another connection */
} stage;

typedef struct pending_connection {
    lt_io_pool_member member;
    livetcp_listener *listener; /* referenced until this is freed */
    uv_os_sock_t socket;        /* LT_NO_SOCKET once a session has it, or it lingers */
    lt_io_lazy_watch watch;
    livetcp_pending *state;
    stage stage;
    bool plain;           /* RFC 4571 and nothing else */
    bool costly;          /* a key was agreed, or a challenge written, and nothing is proved */
    lt_io_filter *filter; /* TLS, a WebSocket, or both; NULL without, and once a session has it */
    lt_io_held saved; /* input that waits, decrypted: the first bytes, or what followed CREATE */
    lt_list in_unproved;
    lt_list joins;    /* STAGE_UNPROVED: connections that wait for this one, in STAGE_PARKED */
    lt_list in_joins; /* of another, or `resumed` of the listener */
    lt_ip ip;         /* the peer's: what a proxy in front says, or the socket's; */
    uint8_t address[LT_ADDRESS_KEY]; /*   the same */
    lt_address peer;                 /*   and as others show it */
    char remote[LT_ADDRESS_TEXT];    /* text of that, once somebody asks */
} pending_connection;

static void arm_timer(livetcp_listener *listener);
static bool needs_websocket(const pending_connection *pending);

static pending_connection *pending_of(lt_io_pool_member *member)
{
    return member ? LT_LIST_ELEMENT(member, pending_connection, member) : NULL;
}

static pending_connection *first_pending(const livetcp_listener *listener)
{
    return pending_of(lt_io_pool_oldest(&listener->pool));
}

/* Few of a flood are worth their text. */
static const char *remote_of(pending_connection *pending)
{
    if (!pending->remote[0])
        lt_address_text(&pending->peer, pending->remote);
    return pending->remote;
}

/* ---- leaving ---- */

/* The watch's on_ended. */
static void free_pending(lt_io_lazy_watch *watch)
{
    pending_connection *pending = LT_LIST_ELEMENT(watch, pending_connection, watch);
    livetcp_listener *listener = pending->listener;

    livetcp_pending_destroy(&pending->state);
    lt_io_filter_destroy(&pending->filter);
    lt_io_held_clear(&pending->saved);
    free(pending);
    lt_io_listener_release(listener);
}

/* Leaves the listener; the socket is the caller's. The struct lives until the loop turns, or
 * nobody is at work. */
static uv_os_sock_t leave(pending_connection *pending)
{
    livetcp_listener *listener = pending->listener;
    uv_os_sock_t fd = pending->socket;

    lt_io_pool_remove(&listener->pool, &pending->member, pending->costly, lt_io_now());
    lt_list_remove(&pending->in_unproved);
    lt_list_remove(&pending->in_joins);
    /* Those that wait for this one go on without it, once nobody calls back. */
    lt_list_append(&listener->resumed, &pending->joins);
    pending->socket = LT_NO_SOCKET;
    lt_io_lazy_watch_end(&pending->watch);
    return fd;
}

/* Closes without a word. */
static void drop(pending_connection *pending)
{
    lt_socket_close(leave(pending));
}

/* Sends the last words, if possible, and closes. Nothing watches `fd` any more. */
static void write_last(pending_connection *pending, uv_os_sock_t fd, const livetcp_reply *reply,
                       livetcp_result reason)
{
    lt_io_reply_write(fd, pending->filter, reply);
    if (pending->filter) {
        lt_io_filter_end(pending->filter, reason);
        lt_io_reply_flush(fd, pending->filter);
    }
    lt_io_close_lingering(pending->listener->context, fd);
}

/* Sends the reason to the peer, and tells the application. */
static void send_off(pending_connection *pending, uv_os_sock_t fd, const livetcp_error *error,
                     const livetcp_reply *reply)
{
    write_last(pending, fd, reply, error->code);
    lt_io_admission_rejected(pending->listener, remote_of(pending), error);
}

static void compose(pending_connection *pending, livetcp_result reason, livetcp_error *error)
{
    lt_fail(error, reason, "connection from %s: %s%s", remote_of(pending),
            livetcp_result_text(reason), lt_io_advice(reason));
}

static void turn_away(pending_connection *pending, livetcp_result reason,
                      const livetcp_reply *reply)
{
    livetcp_error error;
    compose(pending, reason, &error);
    send_off(pending, leave(pending), &error, reply);
}

/* `refusal`: words of the application, or NULL. */
static void reject_socket(pending_connection *pending, uv_os_sock_t fd, livetcp_result reason,
                          const lt_io_refusal *refusal)
{
    livetcp_reply reply = {.size = 0};
    livetcp_error error;

    if (!pending->plain)
        livetcp_pending_reject_with(pending->state, reason, refusal ? refusal->code : 0,
                                    refusal ? refusal->text : "", &reply);
    compose(pending, reason, &error);
    if (refusal && *refusal->text)
        lt_fail(&error, reason, "connection from %s: turned away by the application: %s",
                remote_of(pending), refusal->text);
    send_off(pending, fd, &error, &reply);
}

static void reject(pending_connection *pending, livetcp_result reason)
{
    reject_socket(pending, leave(pending), reason, NULL);
}

static void lose(pending_connection *pending, int system_errno)
{
    livetcp_listener *listener = pending->listener;
    livetcp_error error;

    if (system_errno)
        lt_fail(&error, lt_io_socket_result(system_errno, true), "connection from %s: %s",
                remote_of(pending), strerror(system_errno));
    else
        lt_fail(&error, LIVETCP_ERR_CONNECTION_LOST,
                "connection from %s: closed before it said what it wanted", remote_of(pending));
    lt_socket_close(leave(pending));
    lt_io_admission_rejected(listener, remote_of(pending), &error);
}

/* It made room for others; that it had to is worth a line, its REJECT is not worth a write. A reset
 * costs half of an orderly end, and leaves nothing in the kernel that waits for the peer's. */
static void push_out(pending_connection *pending)
{
    livetcp_listener *listener = pending->listener;
    livetcp_error error;

    lt_socket_reset(leave(pending));
    if (!lt_io_admission_may_tell(listener))
        return;
    lt_fail(&error, LIVETCP_ERR_HANDSHAKE_TIMEOUT,
            "connection from %s: closed to make room for others, before it had joined; if it was "
            "no stranger, raise max-joining or max-joining-address",
            remote_of(pending));
    lt_io_admission_tell(listener, remote_of(pending), &error);
}

bool lt_io_pending_drop_surplus(livetcp_listener *listener)
{
    pending_connection *pending = pending_of(lt_io_pool_surplus(&listener->pool));

    if (!pending)
        return false;
    push_out(pending);
    return true;
}

/* ---- waiting ---- */

/* Has the loop watch it; turned away where the loop cannot. */
static void watch_for(pending_connection *pending, int events)
{
    if (!lt_io_lazy_watch_start(&pending->watch, pending->socket, events))
        reject(pending, LIVETCP_ERR_SYSTEM);
}

/* Its input stays in the kernel, and TCP keeps the peer from sending much; its end is noticed, by
 * the loop or, before it has waited for long, at its turn. */
static void wait_in(pending_connection *pending, stage waits)
{
    pending->stage = waits;
    lt_io_lazy_watch_wait(&pending->watch, lt_io_now());
}

/* False if it was turned away. */
static bool go_on(pending_connection *pending, stage now)
{
    pending->stage = now;
    watch_for(pending, UV_READABLE);
    return pending->socket != LT_NO_SOCKET;
}

/* ---- into a session ---- */

/* The pending may be gone after this. */
static void hand_over(pending_connection *pending, livetcp_session *session, unsigned index,
                      uv_os_sock_t fd, const livetcp_reply *reply, const uint8_t *data, size_t size)
{
    lt_io_first_connection first = {.index = index,
                                    .socket = fd,
                                    .filter = pending->filter,
                                    .state = pending->plain ? NULL : pending->state,
                                    .reply = reply,
                                    .data = data,
                                    .size = size};
    livetcp_result result = lt_io_admission_attach(pending->listener, session, &first);

    if (result != LIVETCP_OK) {
        reject_socket(pending, fd, result, NULL);
        return;
    }
    pending->filter = NULL;
    lt_io_admission_feed(session, &first);
}

static void arm_timer(livetcp_listener *listener);

/* The application answers later: the connection waits for that elsewhere. */
static void wait_for_answer(pending_connection *pending, livetcp_session *session, uv_os_sock_t fd,
                            const livetcp_reply *reply, const uint8_t *data, size_t size)
{
    lt_io_undecided_parts parts = {.socket = fd,
                                   .filter = pending->filter,
                                   .state = pending->state,
                                   .joined = *reply,
                                   .rest = data,
                                   .rest_size = size,
                                   .on_decided = arm_timer};
    livetcp_result result = lt_io_undecided_start(pending->listener, session, &parts);

    if (result != LIVETCP_OK) {
        reject_socket(pending, fd, result, NULL);
        livetcp_session_close(session, 0);
        return;
    }
    pending->filter = NULL;
    pending->state = NULL;
}

/* PROOF has come: `reply` is JOINED. The application is asked with the socket in our hands, since
 * it may end the listener. */
static void create_session(pending_connection *pending, const livetcp_reply *reply,
                           const uint8_t *data, size_t size)
{
    livetcp_listener *listener = pending->listener;
    unsigned index = livetcp_pending_index(pending->state);
    livetcp_session *session = NULL;
    lt_io_refusal refusal;
    uv_os_sock_t fd;

    pending->costly = false;
    fd = leave(pending);
    livetcp_result result =
        lt_io_admission_offer(listener, remote_of(pending), pending->address, pending->filter,
                              pending->state, &session, &refusal);
    if (result != LIVETCP_OK) {
        lt_io_admission_note_refused(listener, livetcp_pending_session_id(pending->state));
        reject_socket(pending, fd, result, &refusal);
    } else if (session->decision == LT_IO_LATER) {
        wait_for_answer(pending, session, fd, reply, data, size);
    } else {
        hand_over(pending, session, index, fd, reply, data, size);
    }
}

static livetcp_session *find_session(const pending_connection *pending)
{
    return lt_io_admission_find(pending->listener, livetcp_pending_session_id(pending->state));
}

/* The connection whose CREATE asked for that session, and which has not proved itself. */
static pending_connection *find_unproved(const livetcp_listener *listener, const uint8_t *id)
{
    for (lt_list *link = lt_list_first(&listener->unproved); link;
         link = lt_list_next(&listener->unproved, link)) {
        pending_connection *other = LT_LIST_ELEMENT(link, pending_connection, in_unproved);
        if (memcmp(livetcp_pending_session_id(other->state), id, LIVETCP_SESSION_ID_SIZE) == 0)
            return other;
    }
    return NULL;
}

/* Its session was not made, of which its first connection was told, and the application. */
static void refuse_join(pending_connection *pending)
{
    livetcp_reply reply = {.size = 0};
    uv_os_sock_t fd;

    livetcp_pending_reject(pending->state, LIVETCP_ERR_UNKNOWN_SESSION, &reply);
    fd = leave(pending);
    write_last(pending, fd, &reply, LIVETCP_ERR_UNKNOWN_SESSION);
}

/* The answer to JOIN; false if the connection was turned away. */
static bool challenge(pending_connection *pending)
{
    livetcp_session *session = find_session(pending);
    livetcp_reply reply = {.size = 0};
    livetcp_result result = LIVETCP_ERR_UNKNOWN_SESSION;

    if (!session && lt_io_admission_was_refused(pending->listener,
                                                livetcp_pending_session_id(pending->state))) {
        refuse_join(pending);
        return false;
    }
    if (session) {
        uv_mutex_lock(&session->lock);
        result =
            livetcp_pending_challenge(pending->state, session->engine, lt_io_random, NULL, &reply);
        uv_mutex_unlock(&session->lock);
    }
    if (result == LIVETCP_OK && !lt_io_reply_write(pending->socket, pending->filter, &reply))
        result = LIVETCP_ERR_CONNECTION_LOST;
    if (result != LIVETCP_OK)
        reject(pending, result);
    else
        pending->costly = true;
    return result == LIVETCP_OK;
}

static void join_session(pending_connection *pending, const livetcp_reply *reply,
                         const uint8_t *data, size_t size)
{
    livetcp_session *session = find_session(pending);
    unsigned index = livetcp_pending_index(pending->state);

    pending->costly = false;
    if (!session) {
        reject(pending, LIVETCP_ERR_UNKNOWN_SESSION);
        return;
    }
    lt_io_session_note_tls(session, pending->filter);
    hand_over(pending, session, index, leave(pending), reply, data, size);
}

/* ---- messages ---- */

/* Waits for its turn with this input. */
static void want_turn(pending_connection *pending, stage waits, const uint8_t *data, size_t size)
{
    livetcp_listener *listener = pending->listener;

    if (!lt_io_held_set(&pending->saved, data, size)) {
        reject(pending, LIVETCP_ERR_NO_MEMORY);
        return;
    }
    wait_in(pending, waits);
    lt_io_pool_want_turn(&listener->pool, &pending->member, lt_io_now());
}

/* Refuses what needs no key to be refused. */
static void on_create(pending_connection *pending, const uint8_t *data, size_t size)
{
    livetcp_listener *listener = pending->listener;

    if (!lt_io_admission_has_room(listener, pending->address, false))
        reject(pending, LIVETCP_ERR_TOO_MANY_SESSIONS);
    else
        want_turn(pending, STAGE_TURN, data, size);
}

/* The JOINs with which this one waits: its session waits for its PROOF on another connection, or
 * for the application's answer. NULL if it need not wait. */
static lt_list *find_waiting(const pending_connection *pending)
{
    const livetcp_session *session = find_session(pending);
    pending_connection *creator;

    if (session)
        return lt_io_undecided_joins(session);
    creator = find_unproved(pending->listener, livetcp_pending_session_id(pending->state));
    return creator ? &creator->joins : NULL;
}

/* True if the handshake goes on at once. */
static bool on_join(pending_connection *pending, const uint8_t *data, size_t size)
{
    lt_list *others;

    if (pending->stage == STAGE_HANDSHAKE && lt_io_pool_is_blamed(&pending->member, lt_io_now())) {
        want_turn(pending, STAGE_TURN, data, size);
        return false;
    }
    others = find_waiting(pending);
    if (!others)
        return challenge(pending);
    if (!lt_io_held_set(&pending->saved, data, size)) {
        reject(pending, LIVETCP_ERR_NO_MEMORY);
        return false;
    }
    wait_in(pending, STAGE_PARKED);
    lt_list_insert_last(others, &pending->in_joins);
    return false;
}

static void take_input(pending_connection *pending, const uint8_t *data, size_t size)
{
    bool creating = pending->stage == STAGE_UNPROVED;

    for (;;) {
        livetcp_reply reply = {.size = 0};
        livetcp_result error = LIVETCP_OK;
        switch (livetcp_pending_receive(pending->state, &data, &size, &reply, &error)) {
        case LIVETCP_PENDING_MORE:
            return;
        case LIVETCP_PENDING_CREATE:
            on_create(pending, data, size);
            return;
        case LIVETCP_PENDING_JOIN:
            if (!on_join(pending, data, size))
                return;
            break;
        case LIVETCP_PENDING_PROVED:
            if (creating)
                create_session(pending, &reply, data, size);
            else
                join_session(pending, &reply, data, size);
            return;
        case LIVETCP_PENDING_FAILED:
            turn_away(pending, error, &reply);
            return;
        }
    }
}

/* ---- input ---- */

/* RFC 4571 and nothing else: the connection is the session. */
static void accept_plain(pending_connection *pending, const uint8_t *data, size_t size)
{
    livetcp_listener *listener = pending->listener;
    livetcp_session *session = NULL;
    lt_io_refusal refusal;
    uv_os_sock_t fd;

    pending->costly = false;
    fd = leave(pending);
    pending->plain = true;
    livetcp_result result = lt_io_admission_offer(listener, remote_of(pending), pending->address,
                                                  pending->filter, NULL, &session, &refusal);
    if (result != LIVETCP_OK)
        reject_socket(pending, fd, result, &refusal);
    else
        hand_over(pending, session, 0, fd, NULL, data, size);
}

static bool has_tls(const pending_connection *pending)
{
    return pending->filter && lt_io_filter_tls(pending->filter);
}

/* Its protocol is not for this port. A peer that sends RTP can read a REJECT, or ignores it; a
 * LiveTCP caller at a plain port is told by one, too. */
static void turn_away_wrong_end(pending_connection *pending, lt_peer_kind kind)
{
    const livetcp_config *config = &pending->listener->config;
    bool without_tls = !has_tls(pending) && lt_config_needs_tls(config);
    livetcp_reply reply = {.size = 0};
    livetcp_error error;
    char who[LT_ADDRESS_TEXT + 24];

    snprintf(who, sizeof who, "connection from %s", remote_of(pending));
    if (without_tls && kind != LT_PEER_PROXY_HEADER)
        lt_io_no_tls_error(&error, who, kind);
    else if (needs_websocket(pending) && kind != LT_PEER_PROXY_HEADER)
        lt_io_no_websocket_error(&error, who, kind);
    else
        lt_io_wrong_end_error(&error, who, config, kind);
    if (kind == LT_PEER_PLAIN ||
        (kind == LT_PEER_SESSION && (without_tls || needs_websocket(pending))))
        livetcp_pending_reject(pending->state, error.code, &reply);
    else if (kind == LT_PEER_SESSION)
        livetcp_pending_reject(pending->state, LIVETCP_ERR_NOT_SUPPORTED, &reply);
    send_off(pending, leave(pending), &error, &reply);
}

/* True if its protocol is for the server that shares the port: the pending is gone then. */
static bool pass_on(pending_connection *pending, lt_peer_kind kind, const uint8_t *data,
                    size_t size)
{
    livetcp_listener *listener = pending->listener;
    const livetcp_config *config = &listener->config;
    uv_os_sock_t fd;

    if (kind == LT_PEER_PROXY_HEADER && config->proxy_protocol)
        return false; /* nobody that may say whose the connection is */
    if (!config->fallback[0] || pending->filter ||
        (!lt_peer_kind_name(kind) && kind != LT_PEER_OTHER))
        return false;
    fd = leave(pending);
    if (!lt_io_fallback_start(listener->context, fd, config->fallback, data, size))
        lt_socket_close(fd);
    return true;
}

/* A WebSocket may come, or has to; there is none within one. */
static bool expects_websocket(const pending_connection *pending)
{
    return pending->listener->config.websocket != LIVETCP_WEBSOCKET_OFF &&
           !(pending->filter && lt_io_filter_websocket(pending->filter));
}

static bool needs_websocket(const pending_connection *pending)
{
    return pending->listener->config.websocket == LIVETCP_WEBSOCKET_ON &&
           expects_websocket(pending);
}

/* Authenticators are of this TLS connection alone, if the caller knows that it ends here. */
static bool bind_to_tls(pending_connection *pending)
{
    uint8_t binding[LT_TLS_BINDING_SIZE];

    if (!pending->filter || !lt_io_filter_is_bound(pending->filter))
        return true;
    if (!lt_io_filter_binding(pending->filter, binding))
        return false;
    livetcp_pending_bind(pending->state, binding);
    return true;
}

static void begin_websocket(pending_connection *pending, const uint8_t *data, size_t size);

/* Detects the peer's protocol before its input is used. */
static void take_first_input(pending_connection *pending, const uint8_t *data, size_t size)
{
    livetcp_wire wire = pending->listener->config.wire;
    lt_peer_kind kind = lt_first_bytes_classify(data, size);
    size_t skipped = lt_first_bytes_skip(data, size);

    if (kind == LT_PEER_UNDECIDED) {
        if (!lt_io_held_set(&pending->saved, data + skipped, size - skipped))
            reject(pending, LIVETCP_ERR_NO_MEMORY);
        return;
    }
    if (kind == LT_PEER_HTTP && expects_websocket(pending)) {
        begin_websocket(pending, data, size);
        return;
    }
    if (pass_on(pending, kind, data, size))
        return;
    if (lt_io_wrong_end(wire, kind) || needs_websocket(pending)) {
        turn_away_wrong_end(pending, kind);
        return;
    }
    if (kind == LT_PEER_PLAIN) {
        accept_plain(pending, data, size);
        return;
    }
    if (!bind_to_tls(pending)) {
        reject(pending, LIVETCP_ERR_SYSTEM);
        return;
    }
    pending->stage = STAGE_HANDSHAKE;
    take_input(pending, data, size);
}

/* ---- WebSockets ---- */

static void serve_filter(pending_connection *pending);

/* An HTTP request has begun, which may ask for one. */
static void begin_websocket(pending_connection *pending, const uint8_t *data, size_t size)
{
    const livetcp_config *config = &pending->listener->config;
    livetcp_result result = LIVETCP_OK;

    if (!pending->filter) {
        /* Before our answer: the second write would wait for an acknowledgment. */
        result = lt_io_socket_prepare(pending->socket, config);
        if (result == LIVETCP_OK)
            pending->filter = lt_io_filter_create(NULL, false);
        if (result == LIVETCP_OK && !pending->filter)
            result = LIVETCP_ERR_NO_MEMORY;
    }
    if (result == LIVETCP_OK) {
        pending->stage = STAGE_UPGRADE;
        result = lt_io_filter_add_websocket(pending->filter, config, "", NULL, data, size);
    }
    if (result != LIVETCP_OK || !lt_io_held_set(&pending->saved, NULL, 0))
        reject(pending, result != LIVETCP_OK ? result : LIVETCP_ERR_NO_MEMORY);
    else
        serve_filter(pending);
}

/* True if the request was no WebSocket for us, and went to the server that shares the port. */
static bool pass_on_request(pending_connection *pending)
{
    livetcp_listener *listener = pending->listener;
    const char *fallback = listener->config.fallback;
    const uint8_t *head;
    size_t size;
    uv_os_sock_t fd;

    if (pending->stage != STAGE_UPGRADE || !fallback[0] || lt_io_filter_tls(pending->filter) ||
        !lt_ws_is_foreign(lt_io_filter_websocket(pending->filter), &head, &size))
        return false;
    fd = leave(pending);
    if (!lt_io_fallback_start(listener->context, fd, fallback, head, size))
        lt_socket_close(fd);
    return true;
}

/* ---- TLS ---- */

/* Nothing is read, from the socket or out of TLS. */
static bool is_waiting(const pending_connection *pending)
{
    return pending->stage == STAGE_TLS_TURN || pending->stage == STAGE_TURN ||
           pending->stage == STAGE_PARKED;
}

static void fail_filter(pending_connection *pending)
{
    const livetcp_error *why = lt_io_filter_error(pending->filter);
    livetcp_error error;

    lt_fail(&error, why->code, "connection from %s: %s", remote_of(pending), why->message);
    if (pass_on_request(pending))
        return;
    lt_io_reply_flush(pending->socket,
                      pending->filter); /* an alert, a closing frame, an HTTP error */
    send_off(pending, leave(pending), &error, &(livetcp_reply){.size = 0});
}

/* What the filter gives, until the connection waits, has left or there is no more. */
static void take_plaintext(pending_connection *pending)
{
    uint8_t *buffer = pending->listener->context->read_buffer;

    while (pending->socket != LT_NO_SOCKET && !is_waiting(pending)) {
        bool first = pending->stage == STAGE_FIRST_BYTES;
        size_t held = first ? pending->saved.size : 0;
        if (held)
            memcpy(buffer, pending->saved.data, held);
        size_t size = lt_io_filter_read(pending->filter, buffer + held, LT_IO_READ_SIZE - held);
        if (size && first)
            take_first_input(pending, buffer, held + size);
        else if (size)
            take_input(pending, buffer, size);
        else
            break;
    }
    if (pending->socket == LT_NO_SOCKET || is_waiting(pending))
        return;
    if (lt_io_filter_state_of(pending->filter) == LT_IO_FILTER_FAILED)
        fail_filter(pending);
    else if (lt_io_filter_state_of(pending->filter) == LT_IO_FILTER_ENDED)
        lose(pending, 0);
}

/* ---- a server in front ---- */

/* From here on the connection is the peer's, and so are its limits. False if it was turned away. */
static bool take_address(pending_connection *pending, const lt_ip *ip, uint16_t port)
{
    livetcp_listener *listener = pending->listener;
    lt_address address = lt_address_from_ip(ip, port);
    lt_io_pool_member *leaves = NULL;

    if (!lt_io_pool_move(&listener->pool, &pending->member, &address, lt_io_now(), &leaves)) {
        reject(pending, LIVETCP_ERR_NO_MEMORY);
        return false;
    }
    pending->peer = address;
    pending->remote[0] = '\0';
    lt_address_key(&address, pending->address);
    pending->ip = *ip;
    if (leaves)
        push_out(pending_of(leaves)); /* which calls back: the listener may end */
    return pending->socket != LT_NO_SOCKET;
}

/* A WebSocket's request may say whose it is, if a server in front that is known has passed it on.
 * False if the connection was turned away. */
static bool take_forwarded(pending_connection *pending)
{
    const char *trusted = pending->listener->config.websocket_forwarded_from;
    const lt_ws *websocket = lt_io_filter_websocket(pending->filter);
    lt_ip ip;
    uint16_t port;

    if (!websocket || !lt_network_list_has(trusted, &pending->ip) ||
        !lt_forwarded_read(lt_ws_forwarded(websocket), trusted, &ip, &port))
        return true;
    return take_address(pending, &ip, port);
}

/* TLS has keys, or the WebSocket is open: plain RTP may begin from here. */
static void open_filter(pending_connection *pending)
{
    const livetcp_config *config = &pending->listener->config;

    pending->stage = STAGE_FIRST_BYTES;
    if (!take_forwarded(pending))
        return;
    if (config->wire == LIVETCP_WIRE_PLAIN && !config->peer_sends && !expects_websocket(pending))
        accept_plain(pending, NULL, 0);
}

/* After the filter got input: its answers, and what it gives. */
static void serve_filter(pending_connection *pending)
{
    bool opening = pending->stage == STAGE_TLS || pending->stage == STAGE_UPGRADE;
    lt_io_filter_state state = lt_io_filter_state_of(pending->filter);

    if (state == LT_IO_FILTER_FAILED) {
        fail_filter(pending);
        return;
    }
    if (!lt_io_reply_flush(pending->socket, pending->filter)) {
        lose(pending, EPIPE);
        return;
    }
    if (opening && state == LT_IO_FILTER_OPEN)
        open_filter(pending);
    if (pending->socket != LT_NO_SOCKET)
        take_plaintext(pending);
}

static void take_records(pending_connection *pending, const uint8_t *data, size_t size)
{
    lt_io_filter_receive(pending->filter, data, size);
    serve_filter(pending);
}

/* TLS, for us or for the server that shares the port. */
static void choose_protocol(pending_connection *pending, const uint8_t *data, size_t size)
{
    lt_client_hello hello = LT_CLIENT_HELLO_OFFERED;

    if (pending->listener->config.fallback[0])
        hello = lt_client_hello_classify(data, size, LT_TLS_ALPN);
    if (hello == LT_CLIENT_HELLO_OTHER)
        pass_on(pending, LT_PEER_TLS, data, size);
    else if (hello != LT_CLIENT_HELLO_MORE)
        want_turn(pending, STAGE_TLS_TURN, data, size);
    else if (!lt_io_held_set(&pending->saved, data, size))
        reject(pending, LIVETCP_ERR_NO_MEMORY);
}

/* The first bytes where TLS is expected, or may be. */
static void choose_tls(pending_connection *pending, const uint8_t *data, size_t size)
{
    lt_peer_kind kind = lt_first_bytes_classify(data, size);

    if (kind == LT_PEER_TLS)
        choose_protocol(pending, data, size);
    else if (kind == LT_PEER_UNDECIDED || !lt_config_needs_tls(&pending->listener->config))
        take_first_input(pending, data, size);
    else if (!pass_on(pending, kind, data, size))
        turn_away_wrong_end(pending, kind);
}

/* Its turn has come. */
static void begin_tls(pending_connection *pending)
{
    livetcp_listener *listener = pending->listener;
    lt_io_held hello = lt_io_held_take(&pending->saved);
    lt_tls_filter *tls = NULL;
    livetcp_result result;

    pending->costly = true;
    listener->agreements++;
    /* Before our first record: the second would wait for an acknowledgment. */
    result = lt_io_socket_prepare(pending->socket, &listener->config);
    if (result == LIVETCP_OK)
        result = lt_io_tls_filter(listener->tls, &listener->context->log, &tls);
    if (result == LIVETCP_OK) {
        pending->filter = lt_io_filter_create(tls, true);
        result = pending->filter ? LIVETCP_OK : LIVETCP_ERR_NO_MEMORY;
    }
    if (!pending->filter)
        lt_tls_filter_destroy(&tls);
    if (result != LIVETCP_OK)
        reject(pending, result);
    else if (go_on(pending, STAGE_TLS))
        take_records(pending, hello.data, hello.size);
    lt_io_held_clear(&hello);
}

/* ---- a proxy in front ---- */

/* On a plain wire neither side has to send first, unless peers are to send, or TLS. */
static bool is_taken_at_once(const livetcp_listener *listener)
{
    return listener->config.wire == LIVETCP_WIRE_PLAIN && !listener->config.peer_sends &&
           !listener->tls && listener->config.websocket == LIVETCP_WEBSOCKET_OFF;
}

static void take_socket_input(pending_connection *pending, const uint8_t *data, size_t size)
{
    if (pending->listener->tls)
        choose_tls(pending, data, size);
    else
        take_first_input(pending, data, size);
}

static void turn_away_header(pending_connection *pending, const char *why)
{
    livetcp_error error;

    lt_fail(&error, LIVETCP_ERR_PROTOCOL, "connection from %s: %s", remote_of(pending), why);
    send_off(pending, leave(pending), &error, &(livetcp_reply){.size = 0});
}

/* The first bytes of a trusted proxy's connection. */
static void take_proxy_header(pending_connection *pending, const uint8_t *data, size_t size)
{
    lt_proxy_header header;

    switch (lt_proxy_header_read(data, size, &header)) {
    case LT_PROXY_HEADER_MORE:
        if (!lt_io_held_set(&pending->saved, data, size))
            reject(pending, LIVETCP_ERR_NO_MEMORY);
        return;
    case LT_PROXY_HEADER_NONE:
        turn_away_header(
            pending, "it sent no PROXY header, and proxy-protocol-from has its address; let the "
                     "proxy send one (HAProxy: send-proxy-v2), or take the address out");
        return;
    case LT_PROXY_HEADER_MALFORMED:
        turn_away_header(pending, "its PROXY header is malformed, or longer than 2 KiB");
        return;
    case LT_PROXY_HEADER_READ:
        break;
    }
    pending->stage = STAGE_FIRST_BYTES;
    if (!lt_io_held_set(&pending->saved, NULL, 0) ||
        (header.known && !take_address(pending, &header.address, header.port)))
        return;
    data += header.size;
    size -= header.size;
    if (is_taken_at_once(pending->listener))
        accept_plain(pending, data, size);
    else if (size)
        take_socket_input(pending, data, size);
}

/* True if all that it sends is to be preceded by a PROXY header. */
static bool is_trusted_proxy(const livetcp_listener *listener, const lt_address *address)
{
    lt_ip ip = lt_address_ip(address);

    return listener->config.proxy_protocol &&
           lt_network_list_has(listener->config.proxy_protocol_from, &ip);
}

/* ---- turns ---- */

/* After a wait: the saved input, which belongs to the pending, and what TLS holds. The pending may
 * be gone after this. */
static void take_saved(pending_connection *pending)
{
    lt_io_held saved = lt_io_held_take(&pending->saved);

    if (saved.size)
        take_input(pending, saved.data, saved.size);
    lt_io_held_clear(&saved);
    if (pending->filter)
        take_plaintext(pending);
}

/* A request that waited may be for a session that exists by now. */
static void accept_create(pending_connection *pending)
{
    livetcp_listener *listener = pending->listener;
    livetcp_reply reply = {.size = 0};
    livetcp_result result;

    if (find_session(pending) ||
        find_unproved(listener, livetcp_pending_session_id(pending->state))) {
        reject(pending, LIVETCP_ERR_SESSION_EXISTS);
        return;
    }
    listener->agreements++;
    pending->costly = true;
    result = livetcp_pending_accept(pending->state, lt_io_random, NULL, &reply);
    if (result == LIVETCP_OK && !lt_io_reply_write(pending->socket, pending->filter, &reply))
        result = LIVETCP_ERR_CONNECTION_LOST;
    if (result != LIVETCP_OK) {
        reject(pending, result);
        return;
    }
    if (!go_on(pending, STAGE_UNPROVED))
        return;
    lt_list_insert_first(&listener->unproved, &pending->in_unproved);
    take_saved(pending);
}

static void take_turn(pending_connection *pending)
{
    if (!lt_io_lazy_watch_is_watched(&pending->watch) && lt_socket_has_ended(pending->socket)) {
        lose(pending, 0);
        return;
    }
    if (pending->stage == STAGE_TLS_TURN) {
        begin_tls(pending);
        return;
    }
    if (livetcp_pending_is_create(pending->state)) {
        accept_create(pending);
        return;
    }
    pending->stage = STAGE_TURN;
    lt_io_held saved = lt_io_held_take(&pending->saved);
    if (on_join(pending, saved.data, saved.size) && go_on(pending, STAGE_HANDSHAKE)) {
        if (saved.size)
            take_input(pending, saved.data, saved.size);
        if (pending->filter)
            take_plaintext(pending);
    }
    lt_io_held_clear(&saved);
}

static void serve_turns(livetcp_listener *listener)
{
    for (int i = 0; i < TURNS_PER_WAKEUP && !listener->ended; i++) {
        pending_connection *pending =
            pending_of(lt_io_pool_next_turn(&listener->pool, lt_io_now()));
        if (!pending)
            return;
        take_turn(pending);
    }
}

/* JOINs whose session is there now, or will never be. */
static void serve_resumed(livetcp_listener *listener)
{
    lt_list *link;

    while (!listener->ended && (link = lt_list_first(&listener->resumed))) {
        pending_connection *pending = LT_LIST_ELEMENT(link, pending_connection, in_joins);
        lt_list_remove(link);
        lt_list *others = find_waiting(pending);
        if (others)
            lt_list_insert_last(others, link);
        if (others || !challenge(pending))
            continue;
        if (go_on(pending, STAGE_HANDSHAKE))
            take_saved(pending);
    }
}

/* Those that wait for long. */
static void watch_late(livetcp_listener *listener)
{
    livetcp_usec now = lt_io_now();
    lt_io_lazy_watch *late;

    while (!listener->ended && (late = lt_io_lazy_watches_next_late(&listener->watches, now)))
        watch_for(LT_LIST_ELEMENT(late, pending_connection, watch), UV_DISCONNECT);
}

/* After anything that may have made someone ready, and with nobody at work. */
void lt_io_pending_serve(livetcp_listener *listener)
{
    serve_turns(listener);
    serve_resumed(listener);
    watch_late(listener);
    arm_timer(listener);
    lt_io_lazy_watches_free_ended(&listener->watches);
}

/* ---- events ---- */

static void read_input(pending_connection *pending, int status)
{
    livetcp_listener *listener = pending->listener;
    bool header = pending->stage == STAGE_PROXY_HEADER;
    bool first = header || (pending->stage == STAGE_FIRST_BYTES && !pending->filter);
    uint8_t *buffer = listener->context->read_buffer;
    size_t held = first ? pending->saved.size : 0;
    size_t limit = pending->stage == STAGE_UNPROVED ? LT_IO_READ_SIZE : READ_SIZE;

    if (held)
        memcpy(buffer, pending->saved.data, held);
    long n = lt_socket_read(pending->socket, buffer + held, limit);
    if (n > 0 && pending->filter)
        take_records(pending, buffer, (size_t)n);
    else if (n > 0 && header)
        take_proxy_header(pending, buffer, held + (size_t)n);
    else if (n > 0 && first)
        take_socket_input(pending, buffer, held + (size_t)n);
    else if (n > 0)
        take_input(pending, buffer, (size_t)n);
    else if (n != -EAGAIN || status < 0)
        lose(pending, n == -EAGAIN ? ECONNRESET : (int)-n);
}

/* The watch's on_ready. */
static void on_ready(lt_io_lazy_watch *watch, int status, int events)
{
    pending_connection *pending = LT_LIST_ELEMENT(watch, pending_connection, watch);
    livetcp_listener *listener = pending->listener;

    if (pending->socket == LT_NO_SOCKET)
        return;
    lt_io_listener_reference(listener);
    if (is_waiting(pending)) {
        if (status < 0 || events & UV_DISCONNECT)
            lose(pending, status < 0 ? ECONNRESET : 0);
    } else {
        read_input(pending, status);
    }
    lt_io_pending_serve(listener);
    lt_io_listener_release(listener);
}

/* ---- time ---- */

static livetcp_usec deadline_of(const livetcp_listener *listener)
{
    const pending_connection *first = first_pending(listener);

    return first ? livetcp_pending_deadline(first->state) : LIVETCP_NEVER;
}

static void time_out_request(pending_connection *pending)
{
    lt_io_filter_time_out(pending->filter);
    fail_filter(pending);
}

/* A caller sends first. A silent peer waits for media, unless peers are to send some. */
static void expire(pending_connection *pending)
{
    const livetcp_config *config = &pending->listener->config;
    bool silent = pending->stage == STAGE_FIRST_BYTES && !pending->saved.size;
    bool open = (pending->filter || !lt_config_needs_tls(config)) && !needs_websocket(pending);

    if (pending->stage == STAGE_PARKED)
        drop(pending); /* its caller knows what it waits for */
    else if (pending->stage == STAGE_UPGRADE)
        time_out_request(pending);
    else if (silent && open && config->wire == LIVETCP_WIRE_AUTO && !config->peer_sends)
        accept_plain(pending, NULL, 0);
    else
        reject(pending, LIVETCP_ERR_HANDSHAKE_TIMEOUT);
}

/* Decides about peers silent for too long. Calls back. */
static void expire_all(livetcp_listener *listener, livetcp_usec now)
{
    while (!listener->ended && deadline_of(listener) <= now)
        expire(first_pending(listener));
}

static void on_timer(uv_timer_t *timer)
{
    livetcp_listener *listener = timer->data;
    livetcp_usec due = deadline_of(listener);

    if (due <= lt_io_now() && lt_io_put_off(&listener->put_off_us, due)) {
        uv_timer_start(timer, on_timer, LT_IO_AFTER_INPUT_MS, 0);
        return;
    }
    lt_io_listener_reference(listener);
    expire_all(listener, lt_io_now());
    lt_io_pending_serve(listener);
    lt_io_listener_release(listener);
}

/* For the first deadline, the next turn, or the end of the first wait that is not watched. */
static void arm_timer(livetcp_listener *listener)
{
    livetcp_usec deadline = deadline_of(listener);
    livetcp_usec turn = lt_io_pool_turn_at(&listener->pool);
    livetcp_usec late = lt_io_lazy_watches_deadline(&listener->watches);

    if (listener->ended)
        return;
    if (turn < deadline)
        deadline = turn;
    if (late < deadline)
        deadline = late;
    if (!lt_list_is_empty(&listener->resumed))
        deadline = 0;
    if (deadline == LIVETCP_NEVER)
        uv_timer_stop(&listener->timer);
    else
        uv_timer_start(&listener->timer, on_timer,
                       lt_io_timeout_ms(listener->context->loop, deadline), 0);
}

/* ---- taken ---- */

/* `leaves` is set on success. */
static livetcp_result begin(livetcp_listener *listener, pending_connection *pending,
                            const lt_address *peer, lt_io_pool_member **leaves)
{
    pending->peer = *peer;
    lt_address_key(peer, pending->address);
    pending->ip = lt_address_ip(peer);
    pending->state = livetcp_pending_create(lt_io_now(), listener->config.handshake_timeout_us);
    if (!pending->state)
        return LIVETCP_ERR_NO_MEMORY;
    if (!lt_io_pool_add(&listener->pool, &pending->member, peer, leaves)) {
        livetcp_pending_destroy(&pending->state);
        return LIVETCP_ERR_NO_MEMORY;
    }
    pending->stage = is_trusted_proxy(listener, peer) ? STAGE_PROXY_HEADER : STAGE_FIRST_BYTES;
    lt_list_init(&pending->in_unproved);
    lt_list_init(&pending->joins);
    lt_list_init(&pending->in_joins);
    lt_io_lazy_watch_init(&listener->watches, &pending->watch);
    pending->listener = listener;
    lt_io_listener_reference(listener);
    return LIVETCP_OK;
}

/* What has come already is read without the loop, which in a flood is all of a connection. */
static void take_first(pending_connection *pending)
{
    livetcp_listener *listener = pending->listener;

    if (is_taken_at_once(listener) && pending->stage != STAGE_PROXY_HEADER)
        accept_plain(pending, NULL, 0);
    else
        read_input(pending, 0);
    if (pending->socket != LT_NO_SOCKET && !lt_io_lazy_watch_is_watched(&pending->watch) &&
        !is_waiting(pending))
        watch_for(pending, UV_READABLE);
}

void lt_io_pending_accept(livetcp_listener *listener, uv_os_sock_t fd, const lt_address *peer)
{
    pending_connection *pending = calloc(1, sizeof *pending);
    livetcp_result result = LIVETCP_ERR_NO_MEMORY;
    lt_io_pool_member *leaves = NULL;

    if (pending) {
        pending->socket = fd;
        result = begin(listener, pending, peer, &leaves);
    }
    if (result != LIVETCP_OK) {
        livetcp_error error;
        lt_fail(&error, result, "cannot take a connection: %s", livetcp_result_text(result));
        lt_io_admission_rejected(listener, "", &error);
        free(pending);
        lt_socket_close(fd);
        return;
    }
    if (leaves)
        push_out(pending_of(leaves));
    if (!listener->ended) /* or `pending` has left with it */
        take_first(pending);
}

/* ---- life ---- */

static void on_timer_closed(uv_handle_t *handle)
{
    livetcp_listener *listener = handle->data;

    lt_io_lazy_watches_free_ended(&listener->watches);
    lt_io_listener_release(listener);
}

livetcp_result lt_io_pending_init(livetcp_listener *listener)
{
    lt_io_pool_limits limits = {.total = listener->config.max_joining,
                                .per_address = listener->config.max_joining_address,
                                .agreements = listener->config.joins_per_second};
    uint64_t seed = 0;
    livetcp_result result = lt_io_random(NULL, (uint8_t *)&seed, sizeof seed);

    lt_io_pool_init(&listener->pool, &limits, seed);
    lt_list_init(&listener->unproved);
    lt_list_init(&listener->resumed);
    lt_io_lazy_watches_init(&listener->watches, listener->context->loop);
    listener->watches.on_ready = on_ready;
    listener->watches.on_ended = free_pending;
    uv_timer_init(listener->context->loop, &listener->timer);
    listener->timer.data = listener;
    return result;
}

void lt_io_pending_end(livetcp_listener *listener)
{
    pending_connection *pending;

    while ((pending = first_pending(listener)) != NULL)
        drop(pending);
    lt_io_pool_clear(&listener->pool);
    uv_close((uv_handle_t *)&listener->timer, on_timer_closed);
}
