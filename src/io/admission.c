/* SPDX-License-Identifier: MIT */
#include "io/admission.h"

#include "io/clock.h"
#include "io/listener.h"
#include "io/session_slots.h"
#include "io/socket.h"
#include "wire/authenticator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A misconfigured peer retries for hours: minimum interval between two reports of the same
 * rejection. */
#define NOTICE_PAUSE_US (10 * (livetcp_usec)LIVETCP_USEC_SEC)

/* Limits on reports of all peers together: burst size, and reports per second. */
#define NOTICES_BURST 256
#define NOTICES_RATE  10

/* ---- references ---- */

void lt_io_listener_reference(livetcp_listener *listener)
{
    listener->references++;
}

void lt_io_listener_release(livetcp_listener *listener)
{
    livetcp_context *context = listener->context;

    if (--listener->references > 0)
        return;
    lt_io_tls_destroy(&listener->tls);
    free(listener);
    lt_io_context_release(context);
}

/* ---- those that were turned away ---- */

/* The peer speaks a protocol that this port does not serve. Retrying cannot help. */
static bool is_wrong_end(livetcp_result reason)
{
    return reason == LIVETCP_ERR_GARBAGE || reason == LIVETCP_ERR_PROTOCOL ||
           reason == LIVETCP_ERR_FRAME_TOO_LARGE || reason == LIVETCP_ERR_VERSION;
}

/* False if the same rejection of this address was reported recently. A peer that leaves without a
 * message is reported only if nothing else was reported of it: a caller that was refused also
 * closes its other connections. */
static bool is_news(livetcp_listener *listener, const char *remote, livetcp_result reason,
                    unsigned *unreported)
{
    const char *port = strrchr(remote, ':');
    int size = port ? (int)(port - remote) : 0;
    livetcp_usec now = lt_io_now();
    char key[LT_NOTICE_KEY_SIZE];
    unsigned others;

    *unreported = 0;
    snprintf(key, sizeof key, "%.*s", size, remote);
    bool quiet = !lt_notice_limit_allow(&listener->rejections, key, NOTICE_PAUSE_US, now, &others);
    if (reason == LIVETCP_ERR_CONNECTION_LOST)
        return !quiet;
    snprintf(key, sizeof key, "%.*s %s", size, remote, livetcp_result_name(reason));
    return !is_wrong_end(reason) ||
           lt_notice_limit_allow(&listener->rejections, key, NOTICE_PAUSE_US, now, unreported);
}

/* Bounds the number of notices, so that a flood of unauthenticated peers does not become a flood of
 * log lines. */
bool lt_io_admission_may_notify(livetcp_listener *listener)
{
    livetcp_usec now = lt_io_now();
    bool may = lt_bucket_level(&listener->notices, NOTICES_RATE, NOTICES_BURST, now) >= 1;

    if (may)
        lt_bucket_take(&listener->notices, NOTICES_RATE, NOTICES_BURST, now);
    else
        listener->unreported++;
    return may;
}

void lt_io_admission_rejected(livetcp_listener *listener, const char *remote,
                              const livetcp_error *why)
{
    if (lt_io_admission_may_notify(listener))
        lt_io_admission_notify(listener, remote, why);
}

void lt_io_admission_notify(livetcp_listener *listener, const char *remote,
                            const livetcp_error *why)
{
    livetcp_error error = *why;
    size_t length = strlen(error.message);
    unsigned unreported;

    bool news = is_news(listener, remote, error.code, &unreported);
    /* A session that ends cancels the connections that were about to join it. */
    bool expected = error.code == LIVETCP_ERR_CANCELLED || error.code == LIVETCP_ERR_CLOSED;

    if (unreported)
        snprintf(error.message + length, sizeof error.message - length,
                 " (and %u more like it from there)", unreported);
    else if (news && listener->unreported)
        snprintf(error.message + length, sizeof error.message - length,
                 " (and %u others were refused)", listener->unreported);
    if (news && !unreported)
        listener->unreported = 0;
    LT_IO_LOG(&listener->context->log, news && !expected ? LIVETCP_LOG_WARNING : LIVETCP_LOG_DEBUG,
              "listener", "port %u: %s", listener->port, error.message);
    if (news && !listener->ended && listener->callbacks.on_rejected)
        listener->callbacks.on_rejected(listener, remote, &error, listener->user);
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

livetcp_session *lt_io_admission_find(const livetcp_listener *listener, const uint8_t *id)
{
    for (lt_list *link = lt_list_first(&listener->sessions); link;
         link = lt_list_next(&listener->sessions, link))
        if (memcmp(session_at(link)->id, id, LIVETCP_SESSION_ID_SIZE) == 0)
            return session_at(link);
    return NULL;
}

static bool is_idle_plain(const livetcp_listener *listener, const livetcp_session *session)
{
    return session->config.wire == LIVETCP_WIRE_PLAIN && listener->config.peer_sends &&
           lt_io_now() - session->last_input_us > listener->config.peer_timeout_us;
}

/* An address in a message could be forged; a TCP connection from the address proves that the peer
 * receives there. */
static bool was_left(const livetcp_session *session, const uint8_t address[LT_ADDRESS_KEY])
{
    return memcmp(session->address, address, LT_ADDRESS_KEY) == 0 && !session->undecided &&
           livetcp_session_get_state(session) == LIVETCP_SESSION_CONNECTING;
}

/* New sessions are inserted first, so the last match is the oldest. A plain peer cannot be
 * authenticated, so it never evicts a session-mode session. */
static livetcp_session *find_evictable(const livetcp_listener *listener,
                                       const uint8_t address[LT_ADDRESS_KEY], bool plain)
{
    livetcp_session *found = NULL;

    for (lt_list *link = lt_list_first(&listener->sessions); link;
         link = lt_list_next(&listener->sessions, link)) {
        livetcp_session *session = session_at(link);
        if (is_idle_plain(listener, session) || (!plain && was_left(session, address)))
            found = session;
    }
    return found;
}

bool lt_io_admission_has_room(const livetcp_listener *listener,
                              const uint8_t address[LT_ADDRESS_KEY], bool plain)
{
    return listener->session_count < listener->config.max_sessions ||
           find_evictable(listener, address, plain);
}

static bool make_room(livetcp_listener *listener, const uint8_t address[LT_ADDRESS_KEY], bool plain)
{
    livetcp_session *evicted;

    if (listener->session_count < listener->config.max_sessions)
        return true;
    evicted = find_evictable(listener, address, plain);
    if (!evicted)
        return false;
    forget_session(evicted);
    uv_mutex_lock(&evicted->lock);
    livetcp_engine_close(evicted->engine, LIVETCP_ERR_TOO_MANY_SESSIONS, 0, lt_io_now());
    uv_mutex_unlock(&evicted->lock);
    lt_io_context_schedule(evicted->context, &evicted->work);
    return true;
}

/* ---- the sessions that were refused last ---- */

void lt_io_admission_note_refused(livetcp_listener *listener, const uint8_t *id)
{
    memcpy(listener->refused[listener->next_refused++ % LT_IO_LISTENER_REFUSED], id,
           LIVETCP_SESSION_ID_SIZE);
}

bool lt_io_admission_was_refused(const livetcp_listener *listener, const uint8_t *id)
{
    for (unsigned i = 0; i < LT_IO_LISTENER_REFUSED; i++)
        if (memcmp(listener->refused[i], id, LIVETCP_SESSION_ID_SIZE) == 0)
            return true;
    return false;
}

/* ---- the application's consent ---- */

static void introduce(livetcp_session *session, const char *remote, const livetcp_pending *pending)
{
    livetcp_caller *caller = &session->introduced;

    snprintf(caller->remote, sizeof caller->remote, "%s", remote);
    if (!pending)
        return;
    caller->role = livetcp_pending_role(pending);
    snprintf(caller->stream_id, sizeof caller->stream_id, "%s", livetcp_pending_stream_id(pending));
    snprintf(caller->token, sizeof caller->token, "%s", livetcp_pending_token(pending));
}

/* Fills in the fields of *result that only the application's answer determines. */
static livetcp_result ask_application(livetcp_listener *listener, livetcp_session *session,
                                      const char *remote, lt_io_refusal *refusal)
{
    session->decision = LT_IO_ASKED;
    bool wanted = listener->callbacks.on_session &&
                  listener->callbacks.on_session(listener, session, remote, listener->user);
    bool refused = session->decision == LT_IO_REFUSED;

    *refusal = session->refusal;
    if (session->decision == LT_IO_ASKED)
        session->decision = wanted ? LT_IO_ADMITTED : LT_IO_REFUSED;
    if (!wanted) {
        lt_io_session_end(session);
    } else if (refused && !session->ended) { /* the application still owns it; it ends later */
        session->closed_here = true;
        uv_mutex_lock(&session->lock);
        livetcp_engine_close(session->engine, LIVETCP_ERR_CANCELLED, 0, lt_io_now());
        uv_mutex_unlock(&session->lock);
        lt_io_context_schedule(session->context, &session->work);
    }
    return session->ended || refused ? LIVETCP_ERR_CANCELLED : LIVETCP_OK;
}

livetcp_result lt_io_admission_offer(livetcp_listener *listener, const char *remote,
                                     const uint8_t address[LT_ADDRESS_KEY],
                                     const lt_io_filter *filter, const livetcp_pending *pending,
                                     livetcp_session **out, lt_io_refusal *refusal)
{
    livetcp_config config = listener->config;
    livetcp_session *session;
    livetcp_result result = LIVETCP_ERR_TOO_MANY_SESSIONS;

    *out = NULL;
    *refusal = (lt_io_refusal){.code = 0};
    config.wire = pending ? LIVETCP_WIRE_SESSION : LIVETCP_WIRE_PLAIN;
    if (make_room(listener, address, !pending))
        result = lt_io_session_create(listener->context, &config, false, pending, &session, NULL);
    if (result != LIVETCP_OK)
        return result;
    if (pending)
        memcpy(session->id, livetcp_pending_session_id(pending), sizeof session->id);
    memcpy(session->address, address, sizeof session->address);
    session->last_input_us = lt_io_now();
    snprintf(session->remote, sizeof session->remote, "%s", remote);
    remember_session(listener, session);
    lt_io_session_reference(session);
    lt_io_session_note_tls(session, filter);
    introduce(session, remote, pending);
    result = ask_application(listener, session, remote, refusal);
    if (result == LIVETCP_OK)
        *out = session;
    lt_io_session_release(session);
    return result;
}

/* ---- the first connection ---- */

livetcp_result lt_io_admission_attach(livetcp_listener *listener, livetcp_session *session,
                                      const lt_io_first_connection *first)
{
    livetcp_result result = LIVETCP_OK;

    uv_mutex_lock(&session->lock);
    lt_wipe(session->introduced.token, sizeof session->introduced.token);
    uv_mutex_unlock(&session->lock);
    if (!first->filter) /* Otherwise the socket was prepared when TLS or the WebSocket began. */
        result = lt_io_socket_prepare(first->socket, &listener->config);
    if (result == LIVETCP_OK)
        result = lt_io_session_attach(session, first->index, first->socket, first->filter, false,
                                      first->state, first->reply);
    return result;
}

void lt_io_admission_feed(livetcp_session *session, const lt_io_first_connection *first)
{
    const uint8_t *held = NULL;
    size_t held_size = 0;

    if (first->state)
        held = livetcp_pending_held(first->state, &held_size);
    lt_io_session_reference(session);
    if (held_size)
        lt_io_session_receive(session, first->index, held, held_size, NULL);
    if (first->size && !session->ended)
        lt_io_session_receive(session, first->index, first->data, first->size, NULL);
    if (!session->ended)
        lt_io_session_service(session);
    lt_io_session_drain(session, first->index);
    lt_io_session_release(session);
}

void lt_io_admission_end(livetcp_listener *listener)
{
    livetcp_session *session;

    while ((session = session_at(lt_list_first(&listener->sessions))) != NULL)
        forget_session(session);
}
