/* SPDX-License-Identifier: MIT */
#include "io/joining.h"

#include "io/admission.h"
#include "io/process.h"
#include "io/undecided.h"

#include <string.h>

livetcp_result lt_io_joining_init(lt_io_joining *joining, livetcp_listener *listener,
                                  livetcp_usec now)
{
    *joining = (lt_io_joining){.listener = listener};
    lt_list_init(&joining->in_unproved);
    lt_list_init(&joining->joins);
    lt_list_init(&joining->in_joins);
    joining->state = livetcp_pending_create(now, listener->config.handshake_timeout_us);
    return joining->state ? LIVETCP_OK : LIVETCP_ERR_NO_MEMORY;
}

void lt_io_joining_clear(lt_io_joining *joining)
{
    livetcp_pending_destroy(&joining->state);
    lt_io_held_clear(&joining->rest);
}

void lt_io_joining_leave(lt_io_joining *joining)
{
    lt_list_remove(&joining->in_unproved);
    lt_list_remove(&joining->in_joins);
    lt_list_append(&joining->listener->resumed, &joining->joins);
}

static lt_io_joining_step refuse(const lt_io_joining *joining, livetcp_result reason,
                                 lt_io_joining_answer *answer)
{
    answer->reason = reason;
    livetcp_pending_reject(joining->state, reason, &answer->reply);
    return LT_IO_JOINING_REFUSED;
}

/* ---- who waits for whom ---- */

livetcp_session *lt_io_joining_session(const lt_io_joining *joining)
{
    return lt_io_admission_find(joining->listener, livetcp_pending_session_id(joining->state));
}

/* The connection with an unauthenticated CREATE for the same session id. */
static lt_io_joining *find_unproved(const lt_io_joining *joining)
{
    const livetcp_listener *listener = joining->listener;
    const uint8_t *id = livetcp_pending_session_id(joining->state);

    for (lt_list *link = lt_list_first(&listener->unproved); link;
         link = lt_list_next(&listener->unproved, link)) {
        lt_io_joining *other = LT_LIST_ELEMENT(link, lt_io_joining, in_unproved);
        if (memcmp(livetcp_pending_session_id(other->state), id, LIVETCP_SESSION_ID_SIZE) == 0)
            return other;
    }
    return NULL;
}

/* The list of JOINs to wait in: until the CREATE on another connection is authenticated, or until
 * the application answers. NULL if there is nothing to wait for. */
static lt_list *find_waiting(const lt_io_joining *joining)
{
    const livetcp_session *session = lt_io_joining_session(joining);
    lt_io_joining *creator;

    if (session)
        return lt_io_undecided_joins(session);
    creator = find_unproved(joining);
    return creator ? &creator->joins : NULL;
}

static lt_io_joining_step park(lt_io_joining *joining, lt_list *others)
{
    joining->wait = LT_IO_JOINING_WAITS_FOR_OTHER;
    lt_list_insert_last(others, &joining->in_joins);
    return LT_IO_JOINING_PARKED;
}

lt_io_joining *lt_io_joining_next_resumed(livetcp_listener *listener)
{
    lt_list *link = lt_list_first(&listener->resumed);

    if (!link)
        return NULL;
    lt_list_remove(link);
    return LT_LIST_ELEMENT(link, lt_io_joining, in_joins);
}

/* ---- answers ---- */

/* Answers CREATE. The session may exist by now, if the request had to wait. */
static lt_io_joining_step accept_create(lt_io_joining *joining, lt_io_joining_answer *answer)
{
    livetcp_result result;

    if (lt_io_joining_session(joining) || find_unproved(joining))
        return refuse(joining, LIVETCP_ERR_SESSION_EXISTS, answer);
    joining->listener->agreements++;
    answer->costly = true;
    result = livetcp_pending_accept(joining->state, lt_io_random, NULL, &answer->reply);
    if (result != LIVETCP_OK)
        return refuse(joining, result, answer);
    joining->unproved = true;
    lt_list_insert_first(&joining->listener->unproved, &joining->in_unproved);
    return LT_IO_JOINING_REPLY;
}

/* Answers JOIN. */
static lt_io_joining_step challenge(lt_io_joining *joining, lt_io_joining_answer *answer)
{
    livetcp_session *session = lt_io_joining_session(joining);
    livetcp_result result;

    if (!session) { /* Creation may have failed; its first connection got the reason. */
        answer->expected = lt_io_admission_was_refused(joining->listener,
                                                       livetcp_pending_session_id(joining->state));
        return refuse(joining, LIVETCP_ERR_UNKNOWN_SESSION, answer);
    }
    uv_mutex_lock(&session->lock);
    result = livetcp_pending_challenge(joining->state, session->engine, lt_io_random, NULL,
                                       &answer->reply);
    uv_mutex_unlock(&session->lock);
    return result == LIVETCP_OK ? LT_IO_JOINING_REPLY : refuse(joining, result, answer);
}

lt_io_joining_step lt_io_joining_go_on(lt_io_joining *joining, lt_io_joining_answer *answer)
{
    lt_list *others;

    *answer = (lt_io_joining_answer){.reply.size = 0};
    joining->wait = LT_IO_JOINING_WAITS_NOT;
    if (livetcp_pending_is_create(joining->state))
        return accept_create(joining, answer);
    others = find_waiting(joining);
    return others ? park(joining, others) : challenge(joining, answer);
}

/* ---- messages ---- */

static lt_io_joining_step want_turn(lt_io_joining *joining, const uint8_t *data, size_t size,
                                    lt_io_joining_answer *answer)
{
    if (!lt_io_held_set(&joining->rest, data, size))
        return refuse(joining, LIVETCP_ERR_NO_MEMORY, answer);
    joining->wait = LT_IO_JOINING_WAITS_FOR_TURN;
    return LT_IO_JOINING_TURN;
}

static lt_io_joining_step on_join(lt_io_joining *joining, bool blamed, const uint8_t *data,
                                  size_t size, lt_io_joining_answer *answer)
{
    lt_list *others;

    if (blamed)
        return want_turn(joining, data, size, answer);
    others = find_waiting(joining);
    if (!others)
        return challenge(joining, answer);
    if (!lt_io_held_set(&joining->rest, data, size))
        return refuse(joining, LIVETCP_ERR_NO_MEMORY, answer);
    return park(joining, others);
}

lt_io_joining_step lt_io_joining_receive(lt_io_joining *joining,
                                         const uint8_t address[LT_ADDRESS_KEY], bool blamed,
                                         const uint8_t **data, size_t *size,
                                         lt_io_joining_answer *answer)
{
    *answer = (lt_io_joining_answer){.reply.size = 0};
    switch (livetcp_pending_receive(joining->state, data, size, &answer->reply, &answer->reason)) {
    case LIVETCP_PENDING_MORE:
        break;
    case LIVETCP_PENDING_CREATE: /* checks that need no key agreement */
        if (!lt_io_admission_has_room(joining->listener, address, false))
            return refuse(joining, LIVETCP_ERR_TOO_MANY_SESSIONS, answer);
        return want_turn(joining, *data, *size, answer);
    case LIVETCP_PENDING_JOIN:
        return on_join(joining, blamed, *data, *size, answer);
    case LIVETCP_PENDING_PROVED:
        return joining->unproved ? LT_IO_JOINING_CREATED : LT_IO_JOINING_JOINED;
    case LIVETCP_PENDING_FAILED:
        return LT_IO_JOINING_REFUSED;
    }
    return LT_IO_JOINING_MORE;
}

lt_io_held lt_io_joining_take_rest(lt_io_joining *joining)
{
    return lt_io_held_take(&joining->rest);
}

/* ---- questions ---- */

bool lt_io_joining_waits(const lt_io_joining *joining)
{
    return joining->wait != LT_IO_JOINING_WAITS_NOT;
}

bool lt_io_joining_is_parked(const lt_io_joining *joining)
{
    return joining->wait == LT_IO_JOINING_WAITS_FOR_OTHER;
}

bool lt_io_joining_is_unproved(const lt_io_joining *joining)
{
    return joining->unproved;
}

livetcp_pending *lt_io_joining_state(const lt_io_joining *joining)
{
    return joining->state;
}

livetcp_pending *lt_io_joining_take_state(lt_io_joining *joining)
{
    livetcp_pending *state = joining->state;

    joining->state = NULL;
    return state;
}
