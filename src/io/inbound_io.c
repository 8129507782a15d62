/* SPDX-License-Identifier: MIT */
/* From an accepted socket to a member of a session, or out. */
#include "io/inbound_io.h"

#include "base/error.h"
#include "io/clock.h"
#include "io/error_text.h"
#include "io/random.h"
#include "io/socket.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What is read of a connection at a time: all that a handshake may be. */
#define PENDING_READ 4096

/* ---- life ---- */

static void on_closed(uv_handle_t *handle)
{
    lt_inbound_io *inbound = handle->data;
    livetcp_listener *listener = inbound->listener;

    livetcp_pending_destroy(&inbound->state);
    free(inbound);
    lt_listener_release(listener);
}

/* Leaves the listener; the socket is the caller's. The struct lives until the loop turns. */
static int leave(lt_inbound_io *inbound)
{
    livetcp_listener *listener = inbound->listener;
    int fd = inbound->socket;

    TAILQ_REMOVE(&listener->inbounds, inbound, in_listener);
    listener->inbound_count--;
    inbound->socket = -1;
    uv_close((uv_handle_t *)&inbound->poll, on_closed);
    return fd;
}

void lt_inbound_io_drop(lt_inbound_io *inbound)
{
    close(leave(inbound));
}

static bool write_reply(int fd, const livetcp_reply *reply)
{
    return reply->size == 0 || lt_socket_write(fd, reply->frame, reply->size) == (long)reply->size;
}

/* Says why, if it can, and closes. `fd` has left the inbound. */
static void send_off(lt_inbound_io *inbound, int fd, const livetcp_error *error,
                     const livetcp_reply *reply)
{
    livetcp_listener *listener = inbound->listener;

    write_reply(fd, reply);
    lt_farewell_start(&listener->context->farewells, fd);
    lt_listener_rejected(listener, inbound->remote, error);
}

static void compose(const lt_inbound_io *inbound, livetcp_result reason, livetcp_error *error)
{
    lt_fail(error, reason, "connection from %s: %s%s", inbound->remote, livetcp_result_text(reason),
            lt_advice(reason));
}

static void turn_away(lt_inbound_io *inbound, livetcp_result reason, const livetcp_reply *reply)
{
    livetcp_error error;
    compose(inbound, reason, &error);
    send_off(inbound, leave(inbound), &error, reply);
}

static void reject_socket(lt_inbound_io *inbound, int fd, livetcp_result reason)
{
    livetcp_reply reply = {.size = 0};
    livetcp_error error;

    if (inbound->listener->config.wire == LIVETCP_WIRE_SESSION)
        livetcp_pending_reject(inbound->state, reason, &reply);
    compose(inbound, reason, &error);
    send_off(inbound, fd, &error, &reply);
}

static void reject(lt_inbound_io *inbound, livetcp_result reason)
{
    reject_socket(inbound, leave(inbound), reason);
}

static void lose(lt_inbound_io *inbound, int system_errno)
{
    livetcp_error error;

    if (system_errno)
        lt_fail(&error, lt_socket_result(system_errno, true), "connection from %s: %s",
                inbound->remote, strerror(system_errno));
    else
        lt_fail(&error, LIVETCP_ERR_CONNECTION_LOST,
                "connection from %s: closed before it said what it wanted", inbound->remote);
    close(leave(inbound));
    lt_listener_rejected(inbound->listener, inbound->remote, &error);
}

/* ---- into a session ---- */

/* The rest of the input is the session's. It may be gone after this. */
static void hand_over(lt_inbound_io *inbound, livetcp_session *session, unsigned index, int fd,
                      const livetcp_reply *reply, const uint8_t *data, size_t size)
{
    livetcp_result result = lt_session_io_attach(session, index, fd, false, reply);

    if (result != LIVETCP_OK) {
        reject_socket(inbound, fd, result);
        return;
    }
    if (size)
        lt_session_io_receive(session, index, data, size, NULL);
    else
        lt_session_io_service(session);
}

static void create_session(lt_inbound_io *inbound, const uint8_t *data, size_t size)
{
    livetcp_listener *listener = inbound->listener;
    unsigned index = livetcp_pending_index(inbound->state);
    livetcp_session *session = NULL;
    livetcp_reply reply = {.size = 0};
    livetcp_result result = LIVETCP_ERR_SESSION_EXISTS;

    if (!lt_listener_find_session(listener, livetcp_pending_session_id(inbound->state)))
        result = livetcp_pending_accept(inbound->state, lt_system_random, NULL, &reply);
    if (result != LIVETCP_OK) {
        reject(inbound, result);
        return;
    }
    /* The application is asked with the socket in our hands: it may end the listener. */
    int fd = leave(inbound);
    result = lt_listener_offer_session(listener, inbound->remote, inbound->state, &session);
    if (result != LIVETCP_OK)
        reject_socket(inbound, fd, result);
    else
        hand_over(inbound, session, index, fd, &reply, data, size);
}

static livetcp_session *find_session(const lt_inbound_io *inbound)
{
    return lt_listener_find_session(inbound->listener, livetcp_pending_session_id(inbound->state));
}

/* The answer to JOIN; false if the connection was turned away. */
static bool challenge(lt_inbound_io *inbound)
{
    livetcp_session *session = find_session(inbound);
    livetcp_reply reply = {.size = 0};
    livetcp_result result = LIVETCP_ERR_UNKNOWN_SESSION;

    if (session) {
        uv_mutex_lock(&session->lock);
        result = livetcp_pending_challenge(inbound->state, session->engine, lt_system_random, NULL,
                                           &reply);
        uv_mutex_unlock(&session->lock);
    }
    if (result == LIVETCP_OK && !write_reply(inbound->socket, &reply))
        result = LIVETCP_ERR_CONNECTION_LOST;
    if (result != LIVETCP_OK)
        reject(inbound, result);
    return result == LIVETCP_OK;
}

static void join_session(lt_inbound_io *inbound, const livetcp_reply *reply, const uint8_t *data,
                         size_t size)
{
    livetcp_session *session = find_session(inbound);
    unsigned index = livetcp_pending_index(inbound->state);

    if (!session)
        reject(inbound, LIVETCP_ERR_UNKNOWN_SESSION);
    else
        hand_over(inbound, session, index, leave(inbound), reply, data, size);
}

/* ---- input ---- */

static void take_input(lt_inbound_io *inbound, const uint8_t *data, size_t size)
{
    for (;;) {
        livetcp_reply reply = {.size = 0};
        livetcp_result error = LIVETCP_OK;
        switch (livetcp_pending_receive(inbound->state, &data, &size, &reply, &error)) {
        case LIVETCP_PENDING_MORE:
            return;
        case LIVETCP_PENDING_CREATE:
            create_session(inbound, data, size);
            return;
        case LIVETCP_PENDING_JOIN:
            if (!challenge(inbound))
                return;
            break;
        case LIVETCP_PENDING_PROVED:
            join_session(inbound, &reply, data, size);
            return;
        case LIVETCP_PENDING_FAILED:
            turn_away(inbound, error, &reply);
            return;
        }
    }
}

static void on_ready(uv_poll_t *poll, int status, int events)
{
    lt_inbound_io *inbound = poll->data;
    livetcp_listener *listener = inbound->listener;
    uint8_t *buffer = listener->context->read_buffer;

    (void)events;
    if (inbound->socket < 0)
        return;
    lt_listener_reference(listener);
    long n = lt_socket_read(inbound->socket, buffer, PENDING_READ);
    if (n > 0)
        take_input(inbound, buffer, (size_t)n);
    else if (n != -EAGAIN || status < 0)
        lose(inbound, n == -EAGAIN ? ECONNRESET : (int)-n);
    lt_listener_arm_timer(listener);
    lt_listener_release(listener);
}

/* ---- accepting ---- */

static livetcp_result watch(livetcp_listener *listener, lt_inbound_io *inbound)
{
    inbound->state = livetcp_pending_create(lt_now(), listener->config.handshake_timeout_us);
    if (!inbound->state)
        return LIVETCP_ERR_NO_MEMORY;
    if (uv_poll_init_socket(listener->context->loop, &inbound->poll, inbound->socket) != 0) {
        livetcp_pending_destroy(&inbound->state);
        return LIVETCP_ERR_SYSTEM;
    }
    inbound->poll.data = inbound;
    inbound->listener = listener;
    lt_listener_reference(listener);
    TAILQ_INSERT_TAIL(&listener->inbounds, inbound, in_listener);
    listener->inbound_count++;
    return LIVETCP_OK;
}

/* RFC 4571 and nothing else: nobody says anything first, the connection is the session. */
static void accept_plain(lt_inbound_io *inbound)
{
    livetcp_listener *listener = inbound->listener;
    livetcp_session *session = NULL;
    int fd = leave(inbound);
    livetcp_result result = lt_listener_offer_session(listener, inbound->remote, NULL, &session);

    if (result != LIVETCP_OK)
        reject_socket(inbound, fd, result);
    else
        hand_over(inbound, session, 0, fd, NULL, NULL, 0);
}

void lt_inbound_io_accept(livetcp_listener *listener, int fd)
{
    lt_inbound_io *inbound = calloc(1, sizeof *inbound);
    livetcp_result result = LIVETCP_ERR_NO_MEMORY;

    if (inbound) {
        inbound->socket = fd;
        lt_socket_text(fd, true, inbound->remote);
        result = lt_socket_prepare(fd, &listener->config);
        if (result == LIVETCP_OK)
            result = watch(listener, inbound);
    }
    if (result != LIVETCP_OK) {
        livetcp_error error;
        lt_fail(&error, result, "cannot take a connection: %s", livetcp_result_text(result));
        lt_listener_rejected(listener, inbound ? inbound->remote : "", &error);
        free(inbound);
        close(fd);
    } else if (listener->config.wire == LIVETCP_WIRE_PLAIN) {
        accept_plain(inbound);
    } else {
        uv_poll_start(&inbound->poll, UV_READABLE, on_ready);
        if (listener->inbound_count > LT_LISTENER_INBOUNDS)
            turn_away(TAILQ_FIRST(&listener->inbounds), LIVETCP_ERR_HANDSHAKE_TIMEOUT,
                      &(livetcp_reply){.size = 0});
    }
}

livetcp_usec lt_inbound_io_deadline(const livetcp_listener *listener)
{
    const lt_inbound_io *first = TAILQ_FIRST(&listener->inbounds);
    return first ? livetcp_pending_deadline(first->state) : LIVETCP_NEVER;
}

void lt_inbound_io_expire(livetcp_listener *listener, livetcp_usec now)
{
    while (!listener->ended && lt_inbound_io_deadline(listener) <= now)
        reject(TAILQ_FIRST(&listener->inbounds), LIVETCP_ERR_HANDSHAKE_TIMEOUT);
}
