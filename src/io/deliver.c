/* SPDX-License-Identifier: MIT */
/* Telling the application: events and packets, in order, without a lock. */
#include "io/deliver.h"

#include "base/error.h"
#include "io/error_text.h"
#include "io/listener.h"
#include "io/session_io.h"

#include <stdlib.h>
#include <string.h>

/* ---- collecting, under the session's lock ---- */

static bool make_room(lt_arrivals *arrivals)
{
    if (arrivals->count < arrivals->capacity)
        return true;
    size_t capacity = arrivals->capacity ? 2 * arrivals->capacity : 64;
    livetcp_packet *items = realloc(arrivals->items, capacity * sizeof *items);
    if (!items)
        return false;
    arrivals->items = items;
    uint8_t **copies = realloc(arrivals->copies, capacity * sizeof *copies);
    if (!copies)
        return false;
    arrivals->copies = copies;
    arrivals->capacity = capacity;
    return true;
}

static bool in_input(const lt_arrivals *arrivals, const uint8_t *data)
{
    return (uintptr_t)data >= (uintptr_t)arrivals->input &&
           (uintptr_t)data < (uintptr_t)arrivals->input + arrivals->input_size;
}

/* What does not lie in the input, the engine forgets before we can tell: a frame that came in two
 * reads, a packet that was held back or rebuilt. */
void lt_arrivals_collect(void *user, const livetcp_packet *packet)
{
    lt_arrivals *arrivals = user;
    uint8_t *copy = NULL;

    if (!make_room(arrivals))
        return; /* out of memory: this packet is lost, as on any live path */
    if (!in_input(arrivals, packet->data)) {
        copy = malloc(packet->size);
        if (!copy)
            return;
        memcpy(copy, packet->data, packet->size);
    }
    livetcp_packet *item = &arrivals->items[arrivals->count];
    *item = *packet;
    if (copy)
        item->data = copy;
    arrivals->copies[arrivals->count++] = copy;
}

static void clear(lt_arrivals *arrivals)
{
    for (size_t i = 0; i < arrivals->count; i++)
        free(arrivals->copies[i]);
    arrivals->count = 0;
}

void lt_arrivals_free(lt_arrivals *arrivals)
{
    clear(arrivals);
    free(arrivals->items);
    free(arrivals->copies);
    arrivals->items = NULL;
    arrivals->copies = NULL;
    arrivals->capacity = 0;
}

/* ---- telling, on the loop's thread ---- */

static bool next_event(livetcp_session *session, livetcp_engine_event *event)
{
    bool found = session->has_event;

    if (found) {
        *event = session->event;
        session->has_event = false;
    } else {
        found = livetcp_engine_next_event(session->engine, event);
    }
    return found;
}

static bool is_end(const livetcp_engine_event *event)
{
    return event->type == LIVETCP_ENGINE_SESSION_STATE &&
           event->state.session == LIVETCP_SESSION_CLOSED;
}

static void tell_session_state(livetcp_session *session, const livetcp_engine_event *event)
{
    bool end = is_end(event);
    livetcp_error error;

    if (end) {
        session->closed_told = true;
        lt_listener_forget_session(session);
    }
    if (!session->callbacks.on_state)
        return;
    if (event->reason != LIVETCP_OK)
        lt_session_error_text(session, event->reason, &error);
    session->callbacks.on_state(session, event->state.session,
                                event->reason != LIVETCP_OK ? &error : NULL, session->user);
}

static void tell_connection_state(livetcp_session *session, const livetcp_engine_event *event)
{
    livetcp_error error;

    if (!session->callbacks.on_connection)
        return;
    if (event->reason != LIVETCP_OK)
        lt_slot_error_text(session, event->connection, event->reason, &error);
    session->callbacks.on_connection(session, event->connection, event->state.connection,
                                     event->reason != LIVETCP_OK ? &error : NULL, session->user);
}

static void explain_warning(const livetcp_session *session, const livetcp_engine_event *event,
                            livetcp_error *warning)
{
    switch (event->reason) {
    case LIVETCP_ERR_INVALID_ARGUMENT:
        lt_fail(warning, event->reason,
                "max-send-delay is %.1f ms and the shortest round trip %.1f ms: nothing arrives so "
                "soon, and %.1f ms are used; set max-send-delay above one round trip, or to 0",
                (double)event->asked_us / LIVETCP_USEC_MSEC,
                (double)event->used_us / LIVETCP_USEC_MSEC,
                (double)event->used_us / LIVETCP_USEC_MSEC);
        break;
    case LIVETCP_ERR_KEYFRAME_DROPPED:
        lt_fail(warning, event->reason,
                "a key frame of SSRC %08x was dropped: the connections are too slow for the "
                "stream; lower its bit rate, or raise max-send-delay or queue-bytes",
                (unsigned)event->ssrc);
        break;
    default:
        lt_fail(warning, event->reason, "policy '%s': %s; the packet took the first connection",
                session->config.policy, livetcp_result_text(event->reason));
        break;
    }
}

static void tell_warning(livetcp_session *session, const livetcp_engine_event *event)
{
    livetcp_error warning;

    if (!session->callbacks.on_warning)
        return;
    explain_warning(session, event, &warning);
    session->callbacks.on_warning(session, &warning, session->user);
}

static void tell_event(livetcp_session *session, const livetcp_engine_event *event)
{
    switch (event->type) {
    case LIVETCP_ENGINE_SESSION_STATE:
        tell_session_state(session, event);
        break;
    case LIVETCP_ENGINE_CONNECTION_STATE:
        tell_connection_state(session, event);
        break;
    case LIVETCP_ENGINE_DRAINED:
        if (session->callbacks.on_drained)
            session->callbacks.on_drained(session, session->user);
        break;
    case LIVETCP_ENGINE_WARNING:
        tell_warning(session, event);
        break;
    case LIVETCP_ENGINE_KEYFRAME_WANTED:
        if (session->callbacks.on_keyframe_wanted)
            session->callbacks.on_keyframe_wanted(session, event->ssrc, session->user);
        break;
    case LIVETCP_ENGINE_BITRATE:
        if (session->callbacks.on_bitrate)
            session->callbacks.on_bitrate(session, event->bitrate, session->user);
        break;
    }
}

static bool may_tell(const livetcp_session *session)
{
    return !session->ended && !session->closed_told;
}

/* Tells events up to the end of the session, which is left for later unless `end`. */
static void tell_events(livetcp_session *session, bool end)
{
    while (may_tell(session)) {
        livetcp_engine_event event;
        uv_mutex_lock(&session->lock);
        bool found = next_event(session, &event);
        if (found && is_end(&event) && !end) {
            session->event = event;
            session->has_event = true;
            found = false;
        }
        uv_mutex_unlock(&session->lock);
        if (!found)
            return;
        tell_event(session, &event);
    }
}

static void tell_packets(livetcp_session *session)
{
    lt_arrivals *arrivals = &session->arrivals;

    for (size_t i = 0; i < arrivals->count && may_tell(session); i++) {
        lt_io_taps_packet(session->taps, session, &arrivals->items[i]);
        if (session->callbacks.on_packet)
            session->callbacks.on_packet(session, &arrivals->items[i], session->user);
    }
    clear(arrivals);
}

/* A connection opens before its packets come; the session ends after its last one. */
void lt_session_io_tell(livetcp_session *session)
{
    tell_events(session, false);
    tell_packets(session);
    tell_events(session, true);
}
