/* SPDX-License-Identifier: MIT */
/* Calls the application back for events and packets: in order, without a lock. */
#include "io/notify.h"

#include "base/error.h"
#include "io/error_text.h"
#include "io/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- collecting, under the session's lock ---- */

static bool grow(lt_io_arrivals *arrivals)
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

static bool in_input(const lt_io_arrivals *arrivals, const uint8_t *data)
{
    return (uintptr_t)data >= (uintptr_t)arrivals->input &&
           (uintptr_t)data < (uintptr_t)arrivals->input + arrivals->input_size;
}

/* The engine frees the packet after this callback. A packet outside the input is copied: its frame
 * came in two reads, or it was in the reorder buffer or rebuilt from parity. */
void lt_io_arrivals_collect(void *user, const livetcp_packet *packet)
{
    lt_io_arrivals *arrivals = user;
    uint8_t *copy = NULL;

    if (!grow(arrivals))
        return; /* out of memory: this packet is lost */
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

static void clear(lt_io_arrivals *arrivals)
{
    for (size_t i = 0; i < arrivals->count; i++)
        free(arrivals->copies[i]);
    arrivals->count = 0;
}

void lt_io_arrivals_free(lt_io_arrivals *arrivals)
{
    clear(arrivals);
    free(arrivals->items);
    free(arrivals->copies);
    arrivals->items = NULL;
    arrivals->copies = NULL;
    arrivals->capacity = 0;
}

/* ---- notifying, on the loop's thread ---- */

static const char *session_state_name(livetcp_session_state state)
{
    static const char *const names[] = {"connecting", "open", "closed"};
    return names[state];
}

static const char *connection_state_name(livetcp_connection_state state)
{
    switch (state) {
    case LIVETCP_CONNECTION_CONNECTING:
        return "connecting";
    case LIVETCP_CONNECTION_JOINING:
        return "joining";
    case LIVETCP_CONNECTION_OPEN:
        return "open";
    case LIVETCP_CONNECTION_CLOSED:
        return "closed";
    case LIVETCP_CONNECTION_IDLE:
        break;
    }
    return "idle";
}

void lt_io_log_changes(livetcp_session *session)
{
    char changes[sizeof session->changes];

    uv_mutex_lock(&session->lock);
    memcpy(changes, session->changes, sizeof changes);
    session->changes[0] = '\0';
    uv_mutex_unlock(&session->lock);
    LT_IO_LOG(&session->context->log, LIVETCP_LOG_DEBUG, "policy", "%s: %s",
              lt_io_peer_text(session).text, changes);
}

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

static void log_session_state(livetcp_session *session, const livetcp_engine_event *event,
                              const livetcp_error *error)
{
    const char *state = session_state_name(event->state.session);

    if (error)
        LT_IO_LOG(&session->context->log, LIVETCP_LOG_DEBUG, "session", "%s: %s", state,
                  error->message);
    else
        LT_IO_LOG(&session->context->log, LIVETCP_LOG_DEBUG, "session", "%s: %s",
                  lt_io_peer_text(session).text, state);
}

static void notify_session_state(livetcp_session *session, const livetcp_engine_event *event)
{
    const livetcp_error *why = NULL;
    livetcp_error error;

    if (is_end(event)) {
        session->closed_notified = true;
        if (session->on_answer)
            session->on_answer(session);
        if (session->on_ended)
            session->on_ended(session);
    }
    if (event->reason != LIVETCP_OK) {
        lt_io_session_error_text(session, event->reason, &error);
        why = &error;
    }
    log_session_state(session, event, why);
    if (session->callbacks.on_state)
        session->callbacks.on_state(session, event->state.session, why, session->user);
}

/* False for connections closed by the end of the session, and for an attempt that failed for the
 * same reason as the one before. */
static bool is_news(livetcp_session *session, const livetcp_error *error, bool was_open)
{
    bool ended = error->code == LIVETCP_ERR_CLOSED ||
                 (error->code == LIVETCP_ERR_CANCELLED && session->closed_here);
    bool again = !was_open && session->logged == error->code;

    session->logged = was_open ? LIVETCP_OK : error->code;
    return !ended && !again;
}

static void log_connection_state(livetcp_session *session, const livetcp_engine_event *event,
                                 const livetcp_error *error)
{
    const lt_io_log *log = &session->context->log;
    livetcp_log_level level = LIVETCP_LOG_DEBUG;
    uint32_t bit = UINT32_C(1) << event->connection;
    bool was_open = (session->notified_open & bit) != 0;
    bool open = event->state.connection == LIVETCP_CONNECTION_OPEN;

    session->notified_open = open ? session->notified_open | bit : session->notified_open & ~bit;
    if (error && is_news(session, error, was_open))
        level = LIVETCP_LOG_WARNING;
    if (error)
        LT_IO_LOG(log, level, "connection", "connection %u ended: %s", event->connection,
                  error->message);
    else
        LT_IO_LOG(log, LIVETCP_LOG_DEBUG, "connection", "connection %u, %s: %s", event->connection,
                  lt_io_peer_text(session).text, connection_state_name(event->state.connection));
}

static void notify_connection_state(livetcp_session *session, const livetcp_engine_event *event)
{
    const livetcp_error *why = NULL;
    livetcp_error error;

    if (event->reason != LIVETCP_OK) {
        lt_io_slot_error_text(session, event->connection, event->reason, &error);
        why = &error;
    }
    log_connection_state(session, event, why);
    if (session->callbacks.on_connection)
        session->callbacks.on_connection(session, event->connection, event->state.connection, why,
                                         session->user);
}

static void copy_policy_name(livetcp_session *session, char *name, size_t size)
{
    uv_mutex_lock(&session->lock);
    snprintf(name, size, "%s", session->policy);
    uv_mutex_unlock(&session->lock);
}

static void explain_warning(livetcp_session *session, const livetcp_engine_event *event,
                            livetcp_error *warning)
{
    char policy[sizeof session->policy];

    switch (event->reason) {
    case LIVETCP_ERR_INVALID_ARGUMENT:
        lt_fail(warning, event->reason,
                "max-send-delay is %.1f ms and the shortest round trip %.1f ms: no packet can "
                "arrive in time, and %.1f ms are used; set max-send-delay above one round trip, or "
                "to 0",
                (double)event->asked_us / LIVETCP_USEC_MSEC,
                (double)event->used_us / LIVETCP_USEC_MSEC,
                (double)event->used_us / LIVETCP_USEC_MSEC);
        break;
    case LIVETCP_ERR_TOO_SLOW:
        lt_fail(warning, event->reason,
                "min-bitrate is %.0f kbit/s and the path carries %.0f kbit/s of media: the "
                "excess is dropped, by importance; lower min-bitrate, or the stream's bit rate",
                event->min_bitrate / 1e3, event->bitrate / 1e3);
        break;
    case LIVETCP_ERR_KEYFRAME_DROPPED:
        lt_fail(warning, event->reason,
                "a key frame of SSRC %08x was dropped: the connections are too slow for the "
                "stream; lower its bit rate, or raise max-send-delay or queue-bytes",
                (unsigned)event->ssrc);
        break;
    case LIVETCP_ERR_CONNECTION_LOST:
        lt_fail(warning, event->reason,
                "a proxy or tunnel on the path ends TCP connections, and a connection broke with "
                "packets in it that it had acknowledged; those still kept are sent again: see "
                "acknowledged_lost and acknowledged_resent in the statistics");
        break;
    default:
        copy_policy_name(session, policy, sizeof policy);
        lt_fail(warning, event->reason, "policy '%s': %s; the packet took the first connection",
                policy, livetcp_result_text(event->reason));
        break;
    }
}

static void warn(livetcp_session *session, const char *category, const livetcp_error *warning)
{
    LT_IO_LOG(&session->context->log, LIVETCP_LOG_WARNING, category, "%s", warning->message);
    if (session->callbacks.on_warning)
        session->callbacks.on_warning(session, warning, session->user);
}

static void notify_warning(livetcp_session *session, const livetcp_engine_event *event)
{
    livetcp_error warning;

    explain_warning(session, event, &warning);
    warn(session, event->reason == LIVETCP_ERR_BAD_DECISION ? "policy" : "session", &warning);
}

static void notify_event(livetcp_session *session, const livetcp_engine_event *event)
{
    const livetcp_session_callbacks *callbacks = &session->callbacks;

    switch (event->type) {
    case LIVETCP_ENGINE_SESSION_STATE:
        notify_session_state(session, event);
        break;
    case LIVETCP_ENGINE_CONNECTION_STATE:
        notify_connection_state(session, event);
        break;
    case LIVETCP_ENGINE_DRAINED:
        if (callbacks->on_drained)
            callbacks->on_drained(session, session->user);
        break;
    case LIVETCP_ENGINE_WARNING:
        notify_warning(session, event);
        break;
    case LIVETCP_ENGINE_KEYFRAME_WANTED:
        if (callbacks->on_keyframe_wanted)
            callbacks->on_keyframe_wanted(session, event->ssrc, session->user);
        break;
    case LIVETCP_ENGINE_BITRATE:
        LT_IO_LOG(&session->context->log, LIVETCP_LOG_TRACE, "session", "bit rate: %u",
                  (unsigned)event->bitrate);
        if (callbacks->on_bitrate)
            callbacks->on_bitrate(session, event->bitrate, session->user);
        break;
    case LIVETCP_ENGINE_SENT:
        if (callbacks->on_sent)
            callbacks->on_sent(session, session->user);
        break;
    }
}

static bool may_notify(const livetcp_session *session)
{
    return !session->ended && !session->closed_notified;
}

/* Calls back for events up to the end of the session, which is left for the last call (`end`). */
static void notify_events(livetcp_session *session, bool end)
{
    while (may_notify(session)) {
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
        notify_event(session, &event);
    }
}

/* A caller may have been admitted to receive only. */
static bool may_send(livetcp_session *session, const livetcp_packet *packet)
{
    if (packet->rtcp || session->introduced.role != LIVETCP_ROLE_SUBSCRIBE)
        return true;
    if (!session->misuse_logged)
        LT_IO_LOG(&session->context->log, LIVETCP_LOG_WARNING, "session",
                  "%s: media of a caller with role=subscribe is dropped", session->remote);
    session->misuse_logged = true;
    return false;
}

static void notify_packets(livetcp_session *session)
{
    lt_io_arrivals *arrivals = &session->arrivals;

    for (size_t i = 0; i < arrivals->count && may_notify(session); i++) {
        if (!may_send(session, &arrivals->items[i]))
            continue;
        lt_io_taps_packet(session->taps, session, &arrivals->items[i]);
        if (session->callbacks.on_packet)
            session->callbacks.on_packet(session, &arrivals->items[i], session->user);
    }
    clear(arrivals);
}

/* Before anything else that the application hears. */
static void notify_insecure(livetcp_session *session)
{
    livetcp_error warning;

    if (!session->config.tls_insecure || session->told_insecure || !may_notify(session))
        return;
    session->told_insecure = true;
    lt_fail(&warning, LIVETCP_ERR_TLS,
            "tls-insecure: the certificate of %.120s is not checked; anybody on the way can read "
            "and change everything: give its authority with tls-ca, or its fingerprint",
            session->config.host);
    warn(session, "session", &warning);
}

void lt_io_notify(livetcp_session *session)
{
    notify_insecure(session);
    notify_events(session, false);
    notify_packets(session);
    notify_events(session, true);
}
