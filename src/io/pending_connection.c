/* SPDX-License-Identifier: MIT */
#include "io/pending_connection.h"

#include "base/error.h"
#include "io/clock.h"
#include "io/fallback.h"
#include "io/joining.h"
#include "io/opening.h"
#include "io/process.h"
#include "io/released.h"
#include "io/reply.h"
#include "io/socket.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes per read before the key agreement: no handshake message is longer. */
#define READ_SIZE 4096

_Static_assert(LT_IO_OPENING_HELD_MAX + READ_SIZE <= LT_IO_READ_SIZE, "held bytes, and a read");

/* Key agreements per wake-up: bounds the time away from media. */
#define TURNS_PER_WAKEUP 16

typedef struct pending_connection {
    lt_io_pool_member member;
    livetcp_listener *listener; /* referenced until this is freed */
    uv_os_sock_t socket;        /* LT_NO_SOCKET once released */
    lt_io_lazy_watch watch;
    lt_io_opening opening;   /* its protocol, and the layers below it */
    bool opened;             /* the opening is complete: session mode */
    lt_io_joining joining;   /* then: the handshake with a session */
    bool prepared;           /* the socket options are set */
    bool costly;             /* a key agreement or CHALLENGE was spent, and no PROOF has come */
    lt_io_released released; /* peer's address; after release(): socket, filter and state */
} pending_connection;

static void arm_timer(livetcp_listener *listener);

static pending_connection *pending_of(lt_io_pool_member *member)
{
    return member ? LT_LIST_ELEMENT(member, pending_connection, member) : NULL;
}

static pending_connection *first_pending(const livetcp_listener *listener)
{
    return pending_of(lt_io_pool_oldest(&listener->pool));
}

static lt_io_filter *filter_of(const pending_connection *pending)
{
    return lt_io_opening_filter(&pending->opening);
}

static livetcp_pending *state_of(const pending_connection *pending)
{
    return lt_io_joining_state(&pending->joining);
}

/* True while neither socket nor filter is read. */
static bool is_waiting(const pending_connection *pending)
{
    return lt_io_opening_waits(&pending->opening) || lt_io_joining_waits(&pending->joining);
}

static bool is_reading(const pending_connection *pending)
{
    return pending->socket != LT_NO_SOCKET && !is_waiting(pending);
}

/* ---- leaving ---- */

/* The watch's on_ended. */
static void free_pending(lt_io_lazy_watch *watch)
{
    pending_connection *pending = LT_LIST_ELEMENT(watch, pending_connection, watch);
    livetcp_listener *listener = pending->listener;

    lt_io_joining_clear(&pending->joining);
    lt_io_opening_clear(&pending->opening);
    lt_io_released_clear(&pending->released);
    free(pending);
    lt_io_listener_release(listener);
}

/* Removes it from the pool and hands over socket, filter and state. The struct is freed on the
 * loop's next turn, or by lt_io_lazy_watches_free_ended(). */
static lt_io_released *release(pending_connection *pending)
{
    livetcp_listener *listener = pending->listener;

    lt_io_pool_remove(&listener->pool, &pending->member, pending->costly, lt_io_now());
    lt_io_joining_leave(&pending->joining);
    lt_io_lazy_watch_end(&pending->watch);
    pending->released.socket = pending->socket;
    pending->released.filter = lt_io_opening_take_filter(&pending->opening);
    pending->released.state = lt_io_joining_take_state(&pending->joining);
    pending->socket = LT_NO_SOCKET;
    return &pending->released;
}

/* As release(), of a connection that is authenticated or on a plain wire. */
static lt_io_released *release_proved(pending_connection *pending)
{
    pending->costly = false;
    return release(pending);
}

/* Closes without a message. */
static void drop(pending_connection *pending)
{
    lt_socket_close(release(pending)->socket);
}

static void reject(pending_connection *pending, livetcp_result reason)
{
    lt_io_released_reject(release(pending), reason);
}

static void lose(pending_connection *pending, int system_errno)
{
    lt_io_released_lose(release(pending), system_errno);
}

static void push_out(pending_connection *pending)
{
    lt_io_released_push_out(release(pending), 0);
}

bool lt_io_pending_drop_surplus(livetcp_listener *listener, int shortage)
{
    pending_connection *pending = pending_of(lt_io_pool_surplus(&listener->pool));

    if (!pending)
        return false;
    lt_io_released_push_out(release(pending), shortage);
    return true;
}

/* ---- waiting ---- */

/* Makes the loop watch the socket; rejects the connection if that fails. */
static void watch_for(pending_connection *pending, int events)
{
    if (!lt_io_lazy_watch_start(&pending->watch, pending->socket, events))
        reject(pending, LIVETCP_ERR_SYSTEM);
}

/* Input stays in the kernel, and TCP's flow control limits what the peer can send. The peer's close
 * is noticed by the loop or, before the socket is watched, when its turn comes. */
static void wait_for_other(pending_connection *pending)
{
    lt_io_lazy_watch_wait(&pending->watch, lt_io_now());
}

static void wait_for_turn(pending_connection *pending)
{
    wait_for_other(pending);
    lt_io_pool_want_turn(&pending->listener->pool, &pending->member, lt_io_now());
}

/* Ends the wait. False if the connection was turned away. */
static bool go_on(pending_connection *pending)
{
    watch_for(pending, UV_READABLE);
    return pending->socket != LT_NO_SOCKET;
}

/* ---- messages ---- */

static void turn_away(pending_connection *pending, const lt_io_joining_answer *answer)
{
    if (answer->expected)
        lt_io_released_dismiss(release(pending), answer->reason, &answer->reply);
    else
        lt_io_released_turn_away(release(pending), answer->reason, &answer->reply);
}

static void join_session(pending_connection *pending, const livetcp_reply *joined,
                         const uint8_t *data, size_t size)
{
    livetcp_session *session = lt_io_joining_session(&pending->joining);

    lt_io_released_join_session(release_proved(pending), session, joined, data, size);
}

/* False if the connection was turned away. */
static bool write_answer(pending_connection *pending, const lt_io_joining_answer *answer)
{
    if (!lt_io_reply_write(pending->socket, filter_of(pending), &answer->reply)) {
        reject(pending, LIVETCP_ERR_CONNECTION_LOST);
        return false;
    }
    pending->costly = true;
    return true;
}

/* Carries out a step; `data` is the input after it. True if receive() must be called again at
 * once. */
static bool follow_joining(pending_connection *pending, lt_io_joining_step step,
                           const lt_io_joining_answer *answer, const uint8_t *data, size_t size)
{
    pending->costly = pending->costly || answer->costly;
    switch (step) {
    case LT_IO_JOINING_MORE:
        break;
    case LT_IO_JOINING_TURN:
        wait_for_turn(pending);
        break;
    case LT_IO_JOINING_PARKED:
        wait_for_other(pending);
        break;
    case LT_IO_JOINING_REPLY:
        return write_answer(pending, answer);
    case LT_IO_JOINING_CREATED:
        lt_io_released_create_session(release_proved(pending), &answer->reply, data, size,
                                      arm_timer);
        break;
    case LT_IO_JOINING_JOINED:
        join_session(pending, &answer->reply, data, size);
        break;
    case LT_IO_JOINING_REFUSED:
        turn_away(pending, answer);
        break;
    }
    return false;
}

static void take_messages(pending_connection *pending, const uint8_t *data, size_t size)
{
    lt_io_joining_answer answer;
    lt_io_joining_step step;

    do {
        bool blamed = lt_io_pool_is_blamed(&pending->member, lt_io_now());
        step = lt_io_joining_receive(&pending->joining, pending->released.address, blamed, &data,
                                     &size, &answer);
    } while (follow_joining(pending, step, &answer, data, size));
}

/* ---- first bytes ---- */

static void serve_filter(pending_connection *pending);

/* Accounts the connection to the stated peer, whose limits apply from now on. False if it was
 * turned away. */
static bool take_address(pending_connection *pending)
{
    livetcp_listener *listener = pending->listener;
    uint16_t port;
    const lt_ip *ip = lt_io_opening_peer(&pending->opening, &port);
    lt_address address = lt_address_from_ip(ip, port);
    lt_io_pool_member *leaves = NULL;

    if (!lt_io_pool_move(&listener->pool, &pending->member, &address, lt_io_now(), &leaves)) {
        reject(pending, LIVETCP_ERR_NO_MEMORY);
        return false;
    }
    lt_io_released_name(&pending->released, &address);
    if (leaves)
        push_out(pending_of(leaves)); /* calls back: the listener may end */
    return pending->socket != LT_NO_SOCKET;
}

/* Passes the connection on to the server that shares the port. */
static void pass_on(pending_connection *pending, const uint8_t *data, size_t size)
{
    livetcp_listener *listener = pending->listener;
    uv_os_sock_t fd = release(pending)->socket;

    if (!lt_io_fallback_start(listener->context, fd, listener->config.fallback, data, size))
        lt_socket_close(fd);
}

static void refuse_opening(pending_connection *pending)
{
    livetcp_reply reply = {.size = 0};
    livetcp_error error;
    char who[LT_ADDRESS_TEXT + 24];

    snprintf(who, sizeof who, "connection from %s", lt_io_released_remote(&pending->released));
    livetcp_result reason = lt_io_opening_explain(&pending->opening, who, &error);
    if (reason != LIVETCP_OK)
        livetcp_pending_reject(state_of(pending), reason, &reply);
    if (filter_of(pending)) /* a TLS alert, a WebSocket close frame, an HTTP error */
        lt_io_reply_flush(pending->socket, filter_of(pending));
    lt_io_released_send_off(release(pending), &error, &reply);
}

/* Sets the socket options, before the first record: with Nagle's algorithm the second would wait
 * for an acknowledgment. */
static livetcp_result prepare(pending_connection *pending)
{
    if (pending->prepared)
        return LIVETCP_OK;
    pending->prepared = true;
    return lt_io_socket_prepare(pending->socket, &pending->listener->config);
}

static void begin_filter(pending_connection *pending)
{
    livetcp_result result = prepare(pending);

    if (result != LIVETCP_OK)
        reject(pending, result);
    else
        serve_filter(pending);
}

/* Binds authenticators to this TLS connection, if both ends know that TLS connects them
 * directly. */
static bool bind_to_tls(pending_connection *pending)
{
    uint8_t binding[LT_TLS_BINDING_SIZE];
    lt_io_filter *filter = filter_of(pending);

    if (!filter || !lt_io_filter_is_bound(filter))
        return true;
    if (!lt_io_filter_binding(filter, binding))
        return false;
    livetcp_pending_bind(state_of(pending), binding);
    return true;
}

static void begin_handshake(pending_connection *pending, const uint8_t *data, size_t size)
{
    if (!bind_to_tls(pending)) {
        reject(pending, LIVETCP_ERR_SYSTEM);
        return;
    }
    pending->opened = true;
    take_messages(pending, data, size);
}

/* Carries out a step; `data` is its input and what follows. True if receive() must be called again
 * at once. */
static bool follow_opening(pending_connection *pending, lt_io_opening_step step,
                           const uint8_t *data, size_t size)
{
    switch (step) {
    case LT_IO_OPENING_MORE:
        break;
    case LT_IO_OPENING_PEER:
        return take_address(pending);
    case LT_IO_OPENING_TURN:
        wait_for_turn(pending);
        break;
    case LT_IO_OPENING_FILTER:
        begin_filter(pending);
        break;
    case LT_IO_OPENING_PLAIN:
        lt_io_released_take_plain(release_proved(pending), data, size);
        break;
    case LT_IO_OPENING_SESSION:
        begin_handshake(pending, data, size);
        break;
    case LT_IO_OPENING_FOREIGN:
        pass_on(pending, data, size);
        break;
    case LT_IO_OPENING_REFUSED:
        refuse_opening(pending);
        break;
    case LT_IO_OPENING_FAILED:
        reject(pending, lt_io_opening_reason(&pending->opening));
        break;
    }
    return false;
}

static void take_first_bytes(pending_connection *pending, const uint8_t *data, size_t size)
{
    lt_io_opening_step step;

    do
        step = lt_io_opening_receive(&pending->opening, &data, &size);
    while (follow_opening(pending, step, data, size));
}

/* ---- input ---- */

static void take_input(pending_connection *pending, const uint8_t *data, size_t size)
{
    if (pending->opened)
        take_messages(pending, data, size);
    else
        take_first_bytes(pending, data, size);
}

static void fail_filter(pending_connection *pending)
{
    const uint8_t *data = NULL;
    size_t size = 0;
    lt_io_opening_step step = lt_io_opening_broken(&pending->opening, &data, &size);

    follow_opening(pending, step, data, size);
}

/* Processes plaintext of the filter until the connection waits, has left, or there is no more. */
static void take_plaintext(pending_connection *pending)
{
    uint8_t *buffer = pending->listener->context->read_buffer;

    while (is_reading(pending)) {
        size_t held = lt_io_opening_held(&pending->opening, buffer);
        size_t size = lt_io_filter_read(filter_of(pending), buffer + held, LT_IO_READ_SIZE - held);
        if (!size)
            break;
        take_input(pending, buffer, held + size);
    }
    if (!is_reading(pending))
        return;
    if (lt_io_filter_state_of(filter_of(pending)) == LT_IO_FILTER_FAILED)
        fail_filter(pending);
    else if (!lt_io_reply_flush(pending->socket, filter_of(pending))) /* the answer to a ping */
        lose(pending, EPIPE);
    else if (lt_io_filter_state_of(filter_of(pending)) == LT_IO_FILTER_ENDED)
        lose(pending, 0);
}

/* After the filter got input: writes its output, processes its plaintext. */
static void serve_filter(pending_connection *pending)
{
    if (lt_io_filter_state_of(filter_of(pending)) == LT_IO_FILTER_FAILED) {
        fail_filter(pending);
        return;
    }
    if (!lt_io_reply_flush(pending->socket, filter_of(pending))) {
        lose(pending, EPIPE);
        return;
    }
    if (lt_io_opening_opened(&pending->opening))
        take_first_bytes(pending, NULL, 0);
    if (pending->socket != LT_NO_SOCKET)
        take_plaintext(pending);
}

static void read_input(pending_connection *pending, int status)
{
    uint8_t *buffer = pending->listener->context->read_buffer;
    lt_io_filter *filter = filter_of(pending);
    size_t held = filter ? 0 : lt_io_opening_held(&pending->opening, buffer);
    size_t limit = lt_io_joining_is_unproved(&pending->joining) ? LT_IO_READ_SIZE : READ_SIZE;
    long n = lt_socket_read(pending->socket, buffer + held, limit);

    if (n > 0 && filter) {
        lt_io_filter_receive(filter, buffer, (size_t)n);
        serve_filter(pending);
    } else if (n > 0) {
        take_input(pending, buffer, held + (size_t)n);
    } else if (n != -EAGAIN || status < 0) {
        lose(pending, n == -EAGAIN ? ECONNRESET : (int)-n);
    }
}

/* ---- turns ---- */

static void begin_tls(pending_connection *pending)
{
    livetcp_listener *listener = pending->listener;
    livetcp_result result;

    pending->costly = true;
    listener->agreements++;
    result = prepare(pending);
    if (result != LIVETCP_OK) {
        reject(pending, result);
        return;
    }
    if (!go_on(pending))
        return;
    lt_io_opening_step step = lt_io_opening_agree(&pending->opening, &listener->context->log);
    follow_opening(pending, step, NULL, 0);
}

/* Continues after a wait for a turn or for another connection: first with input that was held, then
 * with plaintext in the filter. The pending connection may be freed after this. */
static void go_on_joining(pending_connection *pending)
{
    lt_io_joining_answer answer;
    lt_io_joining_step step = lt_io_joining_go_on(&pending->joining, &answer);

    if (!follow_joining(pending, step, &answer, NULL, 0) || !go_on(pending))
        return;
    lt_io_held rest = lt_io_joining_take_rest(&pending->joining);
    if (rest.size)
        take_messages(pending, rest.data, rest.size);
    lt_io_held_clear(&rest);
    if (filter_of(pending))
        take_plaintext(pending);
}

static void take_turn(pending_connection *pending)
{
    if (!lt_io_lazy_watch_is_watched(&pending->watch) && lt_socket_has_ended(pending->socket))
        lose(pending, 0);
    else if (lt_io_opening_waits(&pending->opening))
        begin_tls(pending);
    else
        go_on_joining(pending);
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

/* Continues JOINs whose session exists now, or will never exist. */
static void serve_resumed(livetcp_listener *listener)
{
    lt_io_joining *joining;

    while (!listener->ended && (joining = lt_io_joining_next_resumed(listener)))
        go_on_joining(LT_LIST_ELEMENT(joining, pending_connection, joining));
}

/* Watches the sockets of connections that have waited for a while. */
static void watch_late(livetcp_listener *listener)
{
    livetcp_usec now = lt_io_now();
    lt_io_lazy_watch *late;

    while (!listener->ended && (late = lt_io_lazy_watches_next_late(&listener->watches, now)))
        watch_for(LT_LIST_ELEMENT(late, pending_connection, watch), UV_DISCONNECT);
}

/* Call after anything that may have ended a wait, while no function works on a pending
 * connection. */
void lt_io_pending_serve(livetcp_listener *listener)
{
    serve_turns(listener);
    serve_resumed(listener);
    watch_late(listener);
    arm_timer(listener);
    lt_io_lazy_watches_free_ended(&listener->watches);
}

/* ---- events ---- */

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

    return first ? livetcp_pending_deadline(state_of(first)) : LIVETCP_NEVER;
}

static void expire(pending_connection *pending)
{
    const uint8_t *data = NULL;
    size_t size = 0;

    if (lt_io_joining_is_parked(&pending->joining)) {
        drop(pending); /* its caller has been answered: no reject */
    } else if (pending->opened) {
        reject(pending, LIVETCP_ERR_HANDSHAKE_TIMEOUT);
    } else {
        lt_io_opening_step step = lt_io_opening_expire(&pending->opening, &data, &size);
        follow_opening(pending, step, data, size);
    }
}

/* Handles handshake timeouts. Calls back. */
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

/* Arms the timer for the first handshake timeout, the next turn, or the next unwatched wait. */
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
    lt_ip ip = lt_address_ip(peer);

    lt_io_released_name(&pending->released, peer);
    if (lt_io_joining_init(&pending->joining, listener, lt_io_now()) != LIVETCP_OK)
        return LIVETCP_ERR_NO_MEMORY;
    if (!lt_io_pool_add(&listener->pool, &pending->member, peer, leaves)) {
        lt_io_joining_clear(&pending->joining);
        return LIVETCP_ERR_NO_MEMORY;
    }
    lt_io_opening_init(&pending->opening, &listener->config, listener->tls, &ip);
    lt_io_lazy_watch_init(&listener->watches, &pending->watch);
    pending->listener = pending->released.listener = listener;
    lt_io_listener_reference(listener);
    return LIVETCP_OK;
}

/* Reads input that has already arrived without asking the loop; in a flood that is often the whole
 * life of a connection. */
static void take_first(pending_connection *pending)
{
    take_first_bytes(pending, NULL, 0); /* a silent plain peer is attached at once */
    if (pending->socket != LT_NO_SOCKET)
        read_input(pending, 0);
    if (is_reading(pending) && !lt_io_lazy_watch_is_watched(&pending->watch))
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
    if (!listener->ended) /* if the listener has ended, `pending` is freed */
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
