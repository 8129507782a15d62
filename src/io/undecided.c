/* SPDX-License-Identifier: MIT */
#include "io/undecided.h"

#include "io/clock.h"
#include "io/held.h"
#include "io/lingering_close.h"
#include "io/listener.h"
#include "io/reply.h"

#include <stdlib.h>
#include <string.h>

/* Interval of WAIT messages: well below the caller's handshake timeout, which is likely to equal
 * ours. */
#define LONGEST_PAUSE_US  (250 * (livetcp_usec)LIVETCP_USEC_MSEC)
#define PAUSES_IN_TIMEOUT 4
#define SHORTEST_PAUSE_US (20 * (livetcp_usec)LIVETCP_USEC_MSEC)

struct lt_io_undecided {
    livetcp_listener *listener; /* referenced until the handles have closed */
    livetcp_session *session;   /* referenced until the handles have closed */
    lt_list in_listener;
    lt_list joins;
    uv_os_sock_t socket;
    uv_poll_t poll;   /* watches for the peer's close */
    uv_timer_t timer; /* sends WAIT; end of the time to decide */
    unsigned handles;
    lt_io_filter *filter;
    livetcp_pending *state;
    livetcp_reply joined;
    lt_io_held rest; /* input after PROOF */
    livetcp_usec decide_by_us;
    void (*on_decided)(livetcp_listener *listener);
};

lt_list *lt_io_undecided_joins(const livetcp_session *session)
{
    return session->undecided ? &session->undecided->joins : NULL;
}

/* ---- leaving ---- */

static void on_handle_closed(uv_handle_t *handle)
{
    lt_io_undecided *undecided = handle->data;

    if (--undecided->handles > 0)
        return;
    lt_io_session_release(undecided->session);
    lt_io_listener_release(undecided->listener);
    lt_io_filter_destroy(&undecided->filter);
    livetcp_pending_destroy(&undecided->state);
    lt_io_held_clear(&undecided->rest);
    free(undecided);
}

/* Stops watching; the socket is the caller's. The struct is freed on the loop's next turn. */
static uv_os_sock_t leave(lt_io_undecided *undecided)
{
    undecided->session->undecided = NULL;
    undecided->session->on_answer = NULL;
    lt_list_remove(&undecided->in_listener);
    lt_list_append(&undecided->listener->resumed, &undecided->joins);
    uv_close((uv_handle_t *)&undecided->poll, on_handle_closed);
    uv_close((uv_handle_t *)&undecided->timer, on_handle_closed);
    return undecided->socket;
}

static void turn_away(lt_io_undecided *undecided, livetcp_result reason,
                      const lt_io_refusal *refusal)
{
    livetcp_listener *listener = undecided->listener;
    livetcp_reply reply;
    uv_os_sock_t fd = leave(undecided);

    lt_io_admission_note_refused(listener, livetcp_pending_session_id(undecided->state));
    livetcp_pending_reject_with(undecided->state, reason, refusal->code, refusal->text, &reply);
    lt_io_reply_write(fd, undecided->filter, &reply);
    lt_io_close_lingering(listener->context, fd, NULL, 0);
    if (!listener->ended)
        undecided->on_decided(listener);
}

/* The session ends before it was established; the application is notified. */
static void end_session(livetcp_session *session, livetcp_result reason)
{
    uv_mutex_lock(&session->lock);
    livetcp_engine_close(session->engine, reason, 0, lt_io_now());
    uv_mutex_unlock(&session->lock);
    lt_io_context_schedule(session->context, &session->work);
}

/* ---- the answer ---- */

static void hand_over(lt_io_undecided *undecided)
{
    lt_io_first_connection first = {.index = livetcp_pending_index(undecided->state),
                                    .socket = leave(undecided),
                                    .filter = undecided->filter,
                                    .state = undecided->state,
                                    .reply = &undecided->joined,
                                    .data = undecided->rest.data,
                                    .size = undecided->rest.size};
    livetcp_listener *listener = undecided->listener;
    livetcp_session *session = undecided->session;

    lt_io_listener_reference(listener);
    lt_io_session_reference(session);
    livetcp_result result = lt_io_admission_attach(listener, session, &first);
    if (result == LIVETCP_OK) {
        undecided->filter = NULL;
        lt_io_admission_feed(session, &first);
    } else {
        livetcp_reply reply;
        livetcp_pending_reject(undecided->state, result, &reply);
        lt_io_reply_write(first.socket, undecided->filter, &reply);
        lt_io_close_lingering(listener->context, first.socket, NULL, 0);
        end_session(session, result);
    }
    if (!listener->ended)
        undecided->on_decided(listener);
    lt_io_session_release(session);
    lt_io_listener_release(listener);
}

/* The session's on_answer. */
static void on_answer(livetcp_session *session)
{
    lt_io_undecided *undecided = session->undecided;

    switch (session->decision) {
    case LT_IO_ADMITTED:
        hand_over(undecided);
        break;
    case LT_IO_REFUSED:
        session->closed_here = true;
        turn_away(undecided, LIVETCP_ERR_CANCELLED, &session->refusal);
        end_session(session, LIVETCP_ERR_CANCELLED);
        break;
    default: /* destroyed by the application */
        turn_away(undecided, LIVETCP_ERR_CANCELLED, &(lt_io_refusal){.code = 0});
        break;
    }
}

/* ---- events ---- */

static void lose(lt_io_undecided *undecided)
{
    livetcp_listener *listener = undecided->listener;
    livetcp_session *session = undecided->session;

    session->decision = LT_IO_REFUSED;
    lt_socket_close(leave(undecided));
    end_session(session, LIVETCP_ERR_CONNECTION_LOST);
    if (!listener->ended)
        undecided->on_decided(listener);
}

static void on_end(uv_poll_t *poll, int status, int events)
{
    (void)status;
    (void)events;
    lose(poll->data);
}

static void refuse(lt_io_undecided *undecided, livetcp_result reason, const char *text)
{
    lt_io_refusal refusal = {.code = 503};
    livetcp_session *session = undecided->session;

    session->decision = LT_IO_REFUSED;
    strcpy(refusal.text, text);
    turn_away(undecided, reason, &refusal);
    end_session(session, reason);
}

static livetcp_usec pause_of(const livetcp_listener *listener)
{
    livetcp_usec pause = listener->config.handshake_timeout_us / PAUSES_IN_TIMEOUT;

    if (pause > LONGEST_PAUSE_US)
        pause = LONGEST_PAUSE_US;
    return pause < SHORTEST_PAUSE_US ? SHORTEST_PAUSE_US : pause;
}

static void on_timer(uv_timer_t *timer);

static void arm(lt_io_undecided *undecided)
{
    livetcp_usec due = lt_io_now() + pause_of(undecided->listener);

    if (due > undecided->decide_by_us)
        due = undecided->decide_by_us;
    uv_timer_start(&undecided->timer, on_timer,
                   lt_io_timeout_ms(undecided->listener->context->loop, due), 0);
}

static bool ask_to_wait(lt_io_undecided *undecided)
{
    livetcp_reply reply;

    livetcp_pending_wait(undecided->state, &reply);
    return lt_io_reply_write(undecided->socket, undecided->filter, &reply);
}

static void on_timer(uv_timer_t *timer)
{
    lt_io_undecided *undecided = timer->data;

    if (lt_io_now() >= undecided->decide_by_us)
        refuse(undecided, LIVETCP_ERR_HANDSHAKE_TIMEOUT,
               "the application has not decided within admission-timeout");
    else if (!ask_to_wait(undecided))
        lose(undecided);
    else
        arm(undecided);
}

/* ---- life ---- */

livetcp_result lt_io_undecided_start(livetcp_listener *listener, livetcp_session *session,
                                     const lt_io_undecided_parts *parts)
{
    lt_io_undecided *undecided = calloc(1, sizeof *undecided);

    if (!undecided || !lt_io_held_set(&undecided->rest, parts->rest, parts->rest_size)) {
        free(undecided);
        return LIVETCP_ERR_NO_MEMORY;
    }
    if (uv_poll_init_socket(listener->context->loop, &undecided->poll, parts->socket) != 0) {
        lt_io_held_clear(&undecided->rest);
        free(undecided);
        return LIVETCP_ERR_SYSTEM;
    }
    uv_timer_init(listener->context->loop, &undecided->timer);
    undecided->poll.data = undecided->timer.data = undecided;
    undecided->handles = 2;
    undecided->listener = listener;
    undecided->session = session;
    undecided->socket = parts->socket;
    undecided->filter = parts->filter;
    undecided->state = parts->state;
    undecided->joined = parts->joined;
    undecided->on_decided = parts->on_decided;
    undecided->decide_by_us = lt_io_now() + listener->config.admission_timeout_us;
    lt_list_init(&undecided->joins);
    lt_list_insert_last(&listener->undecided, &undecided->in_listener);
    lt_io_listener_reference(listener);
    lt_io_session_reference(session);
    session->undecided = undecided;
    session->on_answer = on_answer;
    uv_poll_start(&undecided->poll, UV_DISCONNECT, on_end);
    (void)ask_to_wait(undecided); /* a broken connection is noticed by the poll handle */
    arm(undecided);
    return LIVETCP_OK;
}

void lt_io_undecided_end(livetcp_listener *listener)
{
    lt_list *link;

    while ((link = lt_list_first(&listener->undecided)) != NULL)
        refuse(LT_LIST_ELEMENT(link, lt_io_undecided, in_listener), LIVETCP_ERR_CLOSED,
               "the listener has ended");
}
