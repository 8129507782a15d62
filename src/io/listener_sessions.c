/* SPDX-License-Identifier: MIT */
/* The sessions that a listener serves. There are few of them and they are looked up only when a
 * connection comes in, so a list will do. */
#include "io/clock.h"
#include "io/listener.h"

#include <stdio.h>
#include <string.h>

void lt_listener_forget_session(livetcp_session *session)
{
    if (!session->listener)
        return;
    LIST_REMOVE(session, in_listener);
    session->listener->session_count--;
    session->listener = NULL;
}

livetcp_session *lt_listener_find_session(const livetcp_listener *listener, const uint8_t *id)
{
    livetcp_session *session;

    LIST_FOREACH(session, &listener->sessions, in_listener)
    if (memcmp(session->id, id, sizeof session->id) == 0)
        return session;
    return NULL;
}

/* New sessions are put first, so the last one found has waited longest. */
static livetcp_session *find_unconnected(const livetcp_listener *listener)
{
    livetcp_session *session, *found = NULL;

    LIST_FOREACH(session, &listener->sessions, in_listener)
    if (livetcp_session_get_state(session) == LIVETCP_SESSION_CONNECTING)
        found = session;
    return found;
}

bool lt_listener_make_room(livetcp_listener *listener)
{
    livetcp_session *evicted;

    if (listener->session_count < listener->config.max_sessions)
        return true;
    evicted = find_unconnected(listener);
    if (!evicted)
        return false;
    lt_listener_forget_session(evicted);
    uv_mutex_lock(&evicted->lock);
    livetcp_engine_close(evicted->engine, LIVETCP_ERR_TOO_MANY_SESSIONS, 0, lt_now());
    uv_mutex_unlock(&evicted->lock);
    lt_context_attend(evicted->context, evicted);
    return true;
}

static bool ask_application(livetcp_listener *listener, livetcp_session *session,
                            const char *remote)
{
    return listener->callbacks.on_session &&
           listener->callbacks.on_session(listener, session, remote, listener->user);
}

livetcp_result lt_listener_offer_session(livetcp_listener *listener, const char *remote,
                                         const livetcp_pending *pending, livetcp_session **out)
{
    livetcp_session *session;
    livetcp_result result = LIVETCP_ERR_TOO_MANY_SESSIONS;

    *out = NULL;
    if (lt_listener_make_room(listener))
        result = lt_session_io_create(listener->context, &listener->config, false, pending,
                                      &session, NULL);
    if (result != LIVETCP_OK)
        return result;
    if (pending)
        memcpy(session->id, livetcp_pending_session_id(pending), sizeof session->id);
    snprintf(session->remote, sizeof session->remote, "%s", remote);
    session->listener = listener;
    LIST_INSERT_HEAD(&listener->sessions, session, in_listener);
    listener->session_count++;
    lt_session_io_reference(session);
    bool wanted = ask_application(listener, session, remote);
    if (!wanted)
        lt_session_io_end(session);
    if (session->ended)
        result = LIVETCP_ERR_CANCELLED;
    else
        *out = session;
    lt_session_io_release(session);
    return result;
}
