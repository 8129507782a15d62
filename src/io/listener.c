/* SPDX-License-Identifier: MIT */
/* A port that accepts connections, and their way into sessions. */
#include "io/listener.h"

#include "base/error.h"
#include "base/sized.h"
#include "io/clock.h"
#include "io/error_text.h"
#include "io/lingering_close.h"
#include "io/process.h"
#include "io/session.h"
#include "io/socket.h"
#include "settings/settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Connections taken per wake-up, so that a flood of them does not stop the media. */
#define ACCEPTS_PER_WAKEUP 32

/* Without a descriptor for it, a waiting connection keeps the socket readable: look away. */
#define PAUSE_US (200 * LIVETCP_USEC_MSEC)

/* One read of a pending connection: all that a handshake may be. */
#define PENDING_READ 4096

/* The port that the first address got may be taken on the second: ask for another. */
#define ANY_PORT_ATTEMPTS 16

/* A connection that was accepted and belongs to no session yet. */
typedef struct pending_connection {
    lt_list in_listener;
    livetcp_listener *listener; /* referenced until the handle has closed */
    uv_os_sock_t socket;        /* LT_NO_SOCKET once a session has it, or it lingers */
    uv_poll_t poll;
    livetcp_pending *state;
    char remote[LT_ADDRESS_TEXT];
} pending_connection;

static void arm_timer(livetcp_listener *listener);

/* ---- references ---- */

static void reference(livetcp_listener *listener)
{
    listener->references++;
}

static void release(livetcp_listener *listener)
{
    livetcp_context *context = listener->context;

    if (--listener->references > 0)
        return;
    free(listener);
    lt_io_context_release(context);
}

/* Logs that a connection was turned away, and tells the application. */
static void notify_rejected(livetcp_listener *listener, const char *remote,
                            const livetcp_error *error)
{
    LT_IO_LOG(&listener->context->log, LIVETCP_LOG_WARNING, "listener", "port %u: %s",
              listener->port, error->message);
    if (!listener->ended && listener->callbacks.on_rejected)
        listener->callbacks.on_rejected(listener, remote, error, listener->user);
}

/* ---- the sessions that it serves ----
 * There are few of them and they are looked up only when a connection comes in, so a list will do.
 */

static livetcp_session *session_at(lt_list *link)
{
    return link ? LT_LIST_ELEMENT(link, livetcp_session, in_listener) : NULL;
}

/* The session's on_ended. */
static void forget_session(livetcp_session *session)
{
    lt_list_remove(&session->in_listener);
    session->listener->session_count--;
    session->listener = NULL;
    session->on_ended = NULL;
}

static void remember_session(livetcp_listener *listener, livetcp_session *session)
{
    session->listener = listener;
    session->on_ended = forget_session;
    lt_list_insert_first(&listener->sessions, &session->in_listener);
    listener->session_count++;
}

/* The session with that id that can still be joined, or NULL. */
static livetcp_session *find_session_by_id(const livetcp_listener *listener, const uint8_t *id)
{
    for (lt_list *link = lt_list_first(&listener->sessions); link;
         link = lt_list_next(&listener->sessions, link))
        if (memcmp(session_at(link)->id, id, LIVETCP_SESSION_ID_SIZE) == 0)
            return session_at(link);
    return NULL;
}

/* New sessions are put first, so the last one found has waited longest. */
static livetcp_session *find_unconnected(const livetcp_listener *listener)
{
    livetcp_session *found = NULL;

    for (lt_list *link = lt_list_first(&listener->sessions); link;
         link = lt_list_next(&listener->sessions, link))
        if (livetcp_session_get_state(session_at(link)) == LIVETCP_SESSION_CONNECTING)
            found = session_at(link);
    return found;
}

/* Makes room for one more session, if need be by ending one that has no connection open. */
static bool make_room(livetcp_listener *listener)
{
    livetcp_session *evicted;

    if (listener->session_count < listener->config.max_sessions)
        return true;
    evicted = find_unconnected(listener);
    if (!evicted)
        return false;
    forget_session(evicted);
    uv_mutex_lock(&evicted->lock);
    livetcp_engine_close(evicted->engine, LIVETCP_ERR_TOO_MANY_SESSIONS, 0, lt_io_now());
    uv_mutex_unlock(&evicted->lock);
    lt_io_context_schedule(evicted->context, &evicted->work);
    return true;
}

static bool ask_application(livetcp_listener *listener, livetcp_session *session,
                            const char *remote)
{
    return listener->callbacks.on_session &&
           listener->callbacks.on_session(listener, session, remote, listener->user);
}

/* Makes a session and asks the application whether it wants it. On LIVETCP_OK *session is alive
 * and wanted. The listener may have ended meanwhile; the caller holds a reference. */
static livetcp_result offer_session(livetcp_listener *listener, const char *remote,
                                    const livetcp_pending *pending, livetcp_session **out)
{
    livetcp_session *session;
    livetcp_result result = LIVETCP_ERR_TOO_MANY_SESSIONS;

    *out = NULL;
    if (make_room(listener))
        result = lt_io_session_create(listener->context, &listener->config, false, pending,
                                      &session, NULL);
    if (result != LIVETCP_OK)
        return result;
    if (pending)
        memcpy(session->id, livetcp_pending_session_id(pending), sizeof session->id);
    snprintf(session->remote, sizeof session->remote, "%s", remote);
    remember_session(listener, session);
    lt_io_session_reference(session);
    bool wanted = ask_application(listener, session, remote);
    if (!wanted)
        lt_io_session_end(session);
    if (session->ended)
        result = LIVETCP_ERR_CANCELLED;
    else
        *out = session;
    lt_io_session_release(session);
    return result;
}

/* ---- pending connections ---- */

static void on_pending_closed(uv_handle_t *handle)
{
    pending_connection *pending = handle->data;
    livetcp_listener *listener = pending->listener;

    livetcp_pending_destroy(&pending->state);
    free(pending);
    release(listener);
}

static pending_connection *first_pending(const livetcp_listener *listener)
{
    lt_list *first = lt_list_first(&listener->pending);
    return first ? LT_LIST_ELEMENT(first, pending_connection, in_listener) : NULL;
}

/* Leaves the listener; the socket is the caller's. The struct lives until the loop turns. */
static uv_os_sock_t leave(pending_connection *pending)
{
    livetcp_listener *listener = pending->listener;
    uv_os_sock_t fd = pending->socket;

    lt_list_remove(&pending->in_listener);
    listener->pending_count--;
    pending->socket = LT_NO_SOCKET;
    uv_close((uv_handle_t *)&pending->poll, on_pending_closed);
    return fd;
}

/* Closes without a word. */
static void drop(pending_connection *pending)
{
    lt_socket_close(leave(pending));
}

static bool write_reply(uv_os_sock_t fd, const livetcp_reply *reply)
{
    return reply->size == 0 || lt_socket_write(fd, reply->frame, reply->size) == (long)reply->size;
}

/* Tells the peer why, if it can, and closes. Nothing watches `fd` any more. */
static void send_off(pending_connection *pending, uv_os_sock_t fd, const livetcp_error *error,
                     const livetcp_reply *reply)
{
    livetcp_listener *listener = pending->listener;

    write_reply(fd, reply);
    lt_io_close_lingering(listener->context, fd);
    notify_rejected(listener, pending->remote, error);
}

static void compose(const pending_connection *pending, livetcp_result reason, livetcp_error *error)
{
    lt_fail(error, reason, "connection from %s: %s%s", pending->remote, livetcp_result_text(reason),
            lt_io_advice(reason));
}

static void turn_away(pending_connection *pending, livetcp_result reason,
                      const livetcp_reply *reply)
{
    livetcp_error error;
    compose(pending, reason, &error);
    send_off(pending, leave(pending), &error, reply);
}

static void reject_socket(pending_connection *pending, uv_os_sock_t fd, livetcp_result reason)
{
    livetcp_reply reply = {.size = 0};
    livetcp_error error;

    if (pending->listener->config.wire == LIVETCP_WIRE_SESSION)
        livetcp_pending_reject(pending->state, reason, &reply);
    compose(pending, reason, &error);
    send_off(pending, fd, &error, &reply);
}

static void reject(pending_connection *pending, livetcp_result reason)
{
    reject_socket(pending, leave(pending), reason);
}

static void lose(pending_connection *pending, int system_errno)
{
    livetcp_error error;

    if (system_errno)
        lt_fail(&error, lt_io_socket_result(system_errno, true), "connection from %s: %s",
                pending->remote, strerror(system_errno));
    else
        lt_fail(&error, LIVETCP_ERR_CONNECTION_LOST,
                "connection from %s: closed before it said what it wanted", pending->remote);
    lt_socket_close(leave(pending));
    notify_rejected(pending->listener, pending->remote, &error);
}

/* ---- into a session ---- */

/* The rest of the input is the session's. It may be gone after this. */
static void hand_over(pending_connection *pending, livetcp_session *session, unsigned index,
                      uv_os_sock_t fd, const livetcp_reply *reply, const uint8_t *data, size_t size)
{
    livetcp_result result = lt_io_session_attach(session, index, fd, false, reply);

    if (result != LIVETCP_OK) {
        reject_socket(pending, fd, result);
        return;
    }
    if (size)
        lt_io_session_receive(session, index, data, size, NULL);
    else
        lt_io_session_service(session);
}

static void create_session(pending_connection *pending, const uint8_t *data, size_t size)
{
    livetcp_listener *listener = pending->listener;
    unsigned index = livetcp_pending_index(pending->state);
    livetcp_session *session = NULL;
    livetcp_reply reply = {.size = 0};
    livetcp_result result = LIVETCP_ERR_SESSION_EXISTS;

    if (!find_session_by_id(listener, livetcp_pending_session_id(pending->state)))
        result = livetcp_pending_accept(pending->state, lt_io_random, NULL, &reply);
    if (result != LIVETCP_OK) {
        reject(pending, result);
        return;
    }
    /* The application is asked with the socket in our hands: it may end the listener. */
    uv_os_sock_t fd = leave(pending);
    result = offer_session(listener, pending->remote, pending->state, &session);
    if (result != LIVETCP_OK)
        reject_socket(pending, fd, result);
    else
        hand_over(pending, session, index, fd, &reply, data, size);
}

static livetcp_session *find_session(const pending_connection *pending)
{
    return find_session_by_id(pending->listener, livetcp_pending_session_id(pending->state));
}

/* The answer to JOIN; false if the connection was turned away. */
static bool challenge(pending_connection *pending)
{
    livetcp_session *session = find_session(pending);
    livetcp_reply reply = {.size = 0};
    livetcp_result result = LIVETCP_ERR_UNKNOWN_SESSION;

    if (session) {
        uv_mutex_lock(&session->lock);
        result =
            livetcp_pending_challenge(pending->state, session->engine, lt_io_random, NULL, &reply);
        uv_mutex_unlock(&session->lock);
    }
    if (result == LIVETCP_OK && !write_reply(pending->socket, &reply))
        result = LIVETCP_ERR_CONNECTION_LOST;
    if (result != LIVETCP_OK)
        reject(pending, result);
    return result == LIVETCP_OK;
}

static void join_session(pending_connection *pending, const livetcp_reply *reply,
                         const uint8_t *data, size_t size)
{
    livetcp_session *session = find_session(pending);
    unsigned index = livetcp_pending_index(pending->state);

    if (!session)
        reject(pending, LIVETCP_ERR_UNKNOWN_SESSION);
    else
        hand_over(pending, session, index, leave(pending), reply, data, size);
}

/* ---- input ---- */

static void take_input(pending_connection *pending, const uint8_t *data, size_t size)
{
    for (;;) {
        livetcp_reply reply = {.size = 0};
        livetcp_result error = LIVETCP_OK;
        switch (livetcp_pending_receive(pending->state, &data, &size, &reply, &error)) {
        case LIVETCP_PENDING_MORE:
            return;
        case LIVETCP_PENDING_CREATE:
            create_session(pending, data, size);
            return;
        case LIVETCP_PENDING_JOIN:
            if (!challenge(pending))
                return;
            break;
        case LIVETCP_PENDING_PROVED:
            join_session(pending, &reply, data, size);
            return;
        case LIVETCP_PENDING_FAILED:
            turn_away(pending, error, &reply);
            return;
        }
    }
}

static void on_pending_ready(uv_poll_t *poll, int status, int events)
{
    pending_connection *pending = poll->data;
    livetcp_listener *listener = pending->listener;
    uint8_t *buffer = listener->context->read_buffer;

    (void)events;
    if (pending->socket == LT_NO_SOCKET)
        return;
    reference(listener);
    long n = lt_socket_read(pending->socket, buffer, PENDING_READ);
    if (n > 0)
        take_input(pending, buffer, (size_t)n);
    else if (n != -EAGAIN || status < 0)
        lose(pending, n == -EAGAIN ? ECONNRESET : (int)-n);
    arm_timer(listener);
    release(listener);
}

/* ---- taken ---- */

static livetcp_result watch(livetcp_listener *listener, pending_connection *pending)
{
    pending->state = livetcp_pending_create(lt_io_now(), listener->config.handshake_timeout_us);
    if (!pending->state)
        return LIVETCP_ERR_NO_MEMORY;
    if (uv_poll_init_socket(listener->context->loop, &pending->poll, pending->socket) != 0) {
        livetcp_pending_destroy(&pending->state);
        return LIVETCP_ERR_SYSTEM;
    }
    pending->poll.data = pending;
    pending->listener = listener;
    reference(listener);
    lt_list_insert_last(&listener->pending, &pending->in_listener);
    listener->pending_count++;
    return LIVETCP_OK;
}

/* RFC 4571 and nothing else: nobody says anything first, the connection is the session. */
static void accept_plain(pending_connection *pending)
{
    livetcp_listener *listener = pending->listener;
    livetcp_session *session = NULL;
    uv_os_sock_t fd = leave(pending);
    livetcp_result result = offer_session(listener, pending->remote, NULL, &session);

    if (result != LIVETCP_OK)
        reject_socket(pending, fd, result);
    else
        hand_over(pending, session, 0, fd, NULL, NULL, 0);
}

/* Takes over an accepted socket. Calls back when something is wrong with it, and on plain wire. */
static void take_connection(livetcp_listener *listener, uv_os_sock_t fd)
{
    pending_connection *pending = calloc(1, sizeof *pending);
    livetcp_result result = LIVETCP_ERR_NO_MEMORY;

    if (pending) {
        pending->socket = fd;
        lt_socket_text(fd, true, pending->remote);
        result = lt_io_socket_prepare(fd, &listener->config);
        if (result == LIVETCP_OK)
            result = watch(listener, pending);
    }
    if (result != LIVETCP_OK) {
        livetcp_error error;
        lt_fail(&error, result, "cannot take a connection: %s", livetcp_result_text(result));
        notify_rejected(listener, pending ? pending->remote : "", &error);
        free(pending);
        lt_socket_close(fd);
    } else if (listener->config.wire == LIVETCP_WIRE_PLAIN) {
        accept_plain(pending);
    } else {
        uv_poll_start(&pending->poll, UV_READABLE, on_pending_ready);
        if (listener->pending_count > LT_IO_LISTENER_PENDING)
            turn_away(first_pending(listener), LIVETCP_ERR_HANDSHAKE_TIMEOUT,
                      &(livetcp_reply){.size = 0});
    }
}

/* The deadline of the connection that has waited longest, LIVETCP_NEVER if there is none. */
static livetcp_usec pending_deadline(const livetcp_listener *listener)
{
    const pending_connection *first = first_pending(listener);
    return first ? livetcp_pending_deadline(first->state) : LIVETCP_NEVER;
}

/* Turns away who was silent for too long. Calls back. */
static void expire_pending(livetcp_listener *listener, livetcp_usec now)
{
    while (!listener->ended && pending_deadline(listener) <= now)
        reject(first_pending(listener), LIVETCP_ERR_HANDSHAKE_TIMEOUT);
}

/* ---- life ---- */

static void on_socket_closed(uv_handle_t *handle)
{
    lt_io_listener_socket *socket = handle->data;
    release(socket->listener);
}

static void on_timer_closed(uv_handle_t *handle)
{
    release(handle->data);
}

/* Ends it and gives up the owner's reference. */
static void end_listener(livetcp_listener *listener)
{
    if (listener->ended)
        return;
    listener->ended = true;
    for (unsigned i = 0; i < listener->socket_count; i++) {
        uv_close((uv_handle_t *)&listener->sockets[i].poll, on_socket_closed);
        lt_socket_close(listener->sockets[i].socket);
    }
    pending_connection *pending;
    while ((pending = first_pending(listener)) != NULL)
        drop(pending);
    livetcp_session *session;
    while ((session = session_at(lt_list_first(&listener->sessions))) != NULL)
        forget_session(session);
    uv_close((uv_handle_t *)&listener->timer, on_timer_closed);
    lt_list_remove(&listener->member.in_context);
    release(listener);
}

static void end_member(lt_io_member *member)
{
    end_listener(LT_LIST_ELEMENT(member, livetcp_listener, member));
}

/* ---- accepting ---- */

static void on_timer(uv_timer_t *timer);
static void on_ready(uv_poll_t *poll, int status, int events);

/* For the first deadline. */
static void arm_timer(livetcp_listener *listener)
{
    livetcp_usec deadline = pending_deadline(listener);

    if (listener->ended)
        return;
    if (listener->paused_until_us && listener->paused_until_us < deadline)
        deadline = listener->paused_until_us;
    if (deadline == LIVETCP_NEVER)
        uv_timer_stop(&listener->timer);
    else
        uv_timer_start(&listener->timer, on_timer,
                       lt_io_timeout_ms(listener->context->loop, deadline), 0);
}

static void watch_sockets(livetcp_listener *listener, bool watch)
{
    for (unsigned i = 0; i < listener->socket_count; i++) {
        if (watch)
            uv_poll_start(&listener->sockets[i].poll, UV_READABLE, on_ready);
        else
            uv_poll_stop(&listener->sockets[i].poll);
    }
}

static void pause_accepting(livetcp_listener *listener, int system_errno)
{
    livetcp_error error;

    watch_sockets(listener, false);
    listener->paused_until_us = lt_io_now() + PAUSE_US;
    lt_fail_errno(&error, lt_io_socket_result(system_errno, false), system_errno,
                  "port %u cannot accept connections for now; %s", listener->port,
                  system_errno == EMFILE ? "raise the limit of open files (ulimit -n)"
                                         : "the system is short of resources");
    notify_rejected(listener, "", &error);
}

static void on_timer(uv_timer_t *timer)
{
    livetcp_listener *listener = timer->data;

    if (lt_io_put_off(&listener->put_off_us, pending_deadline(listener))) {
        uv_timer_start(timer, on_timer, LT_IO_AFTER_INPUT_MS, 0);
        return;
    }
    livetcp_usec now = lt_io_now();
    reference(listener);
    expire_pending(listener, now);
    if (!listener->ended && listener->paused_until_us && listener->paused_until_us <= now) {
        listener->paused_until_us = 0;
        watch_sockets(listener, true);
    }
    arm_timer(listener);
    release(listener);
}

static void on_ready(uv_poll_t *poll, int status, int events)
{
    lt_io_listener_socket *socket = poll->data;
    livetcp_listener *listener = socket->listener;

    (void)status;
    (void)events;
    reference(listener);
    for (int i = 0; i < ACCEPTS_PER_WAKEUP && !listener->ended; i++) {
        uv_os_sock_t accepted;
        int failure = -lt_socket_accept(socket->socket, &accepted);
        if (failure == 0)
            take_connection(listener, accepted);
        else if (failure != EAGAIN)
            pause_accepting(listener, failure);
        if (failure)
            break;
    }
    arm_timer(listener);
    release(listener);
}

/* ---- bound: every address its host means, all on one port ---- */

static void close_sockets(livetcp_listener *listener)
{
    for (unsigned i = 0; i < listener->socket_count; i++)
        lt_socket_close(listener->sockets[i].socket);
    listener->socket_count = 0;
}

static livetcp_result add_socket(livetcp_listener *listener, const lt_address *address, bool dual,
                                 livetcp_error *error)
{
    lt_address bound = *address;
    uv_os_sock_t socket;

    if (listener->port)
        lt_address_set_port(&bound, listener->port);
    livetcp_result result = lt_io_socket_listen(&socket, &bound, dual, &listener->config, error);
    if (result != LIVETCP_OK)
        return result;
    if (lt_socket_address(socket, false, &bound) == 0)
        listener->port = lt_address_port(&bound);
    listener->sockets[listener->socket_count++].socket = socket;
    return LIVETCP_OK;
}

/* One socket takes IPv6 and IPv4; where IPv6 is off, IPv4 has to do. */
static livetcp_result bind_everywhere(livetcp_listener *listener, livetcp_error *error)
{
    lt_address any6 = lt_address_any(AF_INET6), any4 = lt_address_any(AF_INET);
    livetcp_result result;

    listener->port = listener->config.port;
    result = add_socket(listener, &any6, true, error);
    if (result == LIVETCP_ERR_ADDRESS_INVALID)
        result = add_socket(listener, &any4, false, error);
    return result;
}

static livetcp_result bind_each(livetcp_listener *listener, const lt_addresses *addresses,
                                livetcp_error *error)
{
    livetcp_result result = LIVETCP_OK;

    listener->port = listener->config.port;
    for (unsigned i = 0; i < addresses->count && listener->socket_count < LT_IO_LISTENER_SOCKETS;
         i++) {
        result = add_socket(listener, &addresses->items[i], false, error);
        /* A name may have an address of a family that this host does not have. */
        if (result == LIVETCP_ERR_ADDRESS_INVALID && addresses->count > 1)
            continue;
        if (result != LIVETCP_OK)
            break;
    }
    if (result == LIVETCP_ERR_ADDRESS_INVALID && listener->socket_count > 0)
        result = LIVETCP_OK;
    if (result != LIVETCP_OK)
        close_sockets(listener);
    return result;
}

/* Opens the sockets on the calling thread; resolving a name may wait for DNS. Sets the port. */
static livetcp_result bind_listener(livetcp_listener *listener, livetcp_error *error)
{
    const livetcp_config *config = &listener->config;
    lt_addresses addresses;
    livetcp_result result;

    if (!config->host[0])
        return bind_everywhere(listener, error);
    result = lt_lookup_addresses(&addresses, LT_LOOKUP_LISTEN, config->host, config->port, error);
    if (result != LIVETCP_OK)
        return result;
    for (int i = 0; i < ANY_PORT_ATTEMPTS; i++) {
        result = bind_each(listener, &addresses, error);
        if (result != LIVETCP_ERR_ADDRESS_IN_USE || config->port)
            break;
    }
    return result;
}

/* ---- made ---- */

typedef struct create_call {
    livetcp_listener *listener;
    livetcp_result result;
} create_call;

static void log_addresses(const livetcp_listener *listener)
{
    char text[LT_ADDRESS_TEXT];

    for (unsigned i = 0; i < listener->socket_count; i++) {
        lt_socket_text(listener->sockets[i].socket, false, text);
        LT_IO_LOG(&listener->context->log, LIVETCP_LOG_INFO, "listener", "listening on %s", text);
    }
}

/* Loop's thread: from here on the listener works. */
static void run_create(void *argument)
{
    create_call *call = argument;
    livetcp_listener *listener = call->listener;
    livetcp_context *context = listener->context;
    unsigned ready = 0;

    while (ready < listener->socket_count &&
           uv_poll_init_socket(context->loop, &listener->sockets[ready].poll,
                               listener->sockets[ready].socket) == 0) {
        listener->sockets[ready].listener = listener;
        listener->sockets[ready].poll.data = &listener->sockets[ready];
        ready++;
    }
    for (unsigned i = ready; i < listener->socket_count; i++)
        lt_socket_close(listener->sockets[i].socket);
    call->result = ready == listener->socket_count ? LIVETCP_OK : LIVETCP_ERR_SYSTEM;
    listener->socket_count = ready;
    uv_timer_init(context->loop, &listener->timer);
    listener->timer.data = listener;
    listener->references = 2 + ready; /* owner, timer, sockets */
    lt_io_context_reference(context);
    lt_list_insert_first(&context->members, &listener->member.in_context);
    if (call->result != LIVETCP_OK) {
        end_listener(listener);
        return;
    }
    watch_sockets(listener, true);
    log_addresses(listener);
}

static livetcp_result create(livetcp_context *context, const livetcp_config *config,
                             const livetcp_listener_callbacks *callbacks, void *user,
                             livetcp_listener **out, livetcp_error *error)
{
    livetcp_listener *listener = calloc(1, sizeof *listener);

    if (!listener)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "cannot make a listener: out of memory");
    listener->context = context;
    listener->member.end = end_member;
    listener->config = *config;
    listener->user = user;
    if (callbacks)
        lt_sized_read(&listener->callbacks, sizeof listener->callbacks, callbacks);
    lt_list_init(&listener->pending);
    lt_list_init(&listener->sessions);
    livetcp_result result = bind_listener(listener, error);
    if (result != LIVETCP_OK) {
        free(listener);
        return result;
    }
    create_call call = {.listener = listener};
    lt_io_context_run(context, run_create, &call);
    if (call.result != LIVETCP_OK)
        return lt_fail(error, call.result, "the event loop does not take the listening socket");
    *out = listener;
    return LIVETCP_OK;
}

livetcp_result livetcp_listener_create(livetcp_context *context, const livetcp_config *config,
                                       const livetcp_listener_callbacks *callbacks, void *user,
                                       livetcp_listener **listener, livetcp_error *error)
{
    livetcp_config copy;
    livetcp_result result;

    if (!listener)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "listener is NULL");
    *listener = NULL;
    if (!context || !config)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "context or config is NULL");
    if (callbacks && !lt_sized_valid(callbacks, 0))
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "the livetcp_listener_callbacks has struct_size %zu: set it to "
                       "sizeof(livetcp_listener_callbacks)",
                       callbacks->struct_size);
    result = lt_config_read(&copy, config, error);
    copy.mode = LIVETCP_MODE_LISTENER;
    if (result == LIVETCP_OK)
        result = livetcp_config_check(&copy, error);
    if (result == LIVETCP_OK)
        result = lt_io_socket_check(&copy, error);
    if (result == LIVETCP_OK)
        result = create(context, &copy, callbacks, user, listener, error);
    return result;
}

uint16_t livetcp_listener_port(const livetcp_listener *listener)
{
    return listener->port;
}

static void run_end(void *argument)
{
    end_listener(argument);
}

void livetcp_listener_destroy(livetcp_listener **owner)
{
    livetcp_listener *listener = *owner;

    if (!listener)
        return;
    *owner = NULL;
    lt_io_context_run(listener->context, run_end, listener);
}
