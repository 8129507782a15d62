/* SPDX-License-Identifier: MIT */
/*
 * State of a session, and its way from the decision to end to the end. This file decides when;
 * session.c does the work.
 *
 *   CONNECTING <-> OPEN  ->  [ closing: the queue drains, or the peer's last data arrives ]  ->
 *   CLOSED
 */
#ifndef LT_ENGINE_LIFE_H
#define LT_ENGINE_LIFE_H

#include "engine/events.h"

/* Private to these functions. */
typedef struct lt_life {
    lt_events *events;
    livetcp_session_state state;
    bool closing;    /* the queue drains, or the peer sent BYE */
    bool peer_ended; /* by a BYE: connections are read until each has ended */
    livetcp_result reason;
    livetcp_usec until_us;        /* latest time of the end, while closing */
    livetcp_usec abandoned_at_us; /* listener: end of a session without connections; LIVETCP_NEVER =
                                     not scheduled */
} lt_life;

/* State of the connections, as input to lt_life_update(). */
typedef struct lt_life_view {
    bool caller;
    bool open;              /* at least one is open */
    bool future;            /* caller: one may still open */
    livetcp_usec linger_us; /* listener: time for which a caller may come back */
    livetcp_result last_loss;
} lt_life_view;

void lt_life_init(lt_life *life, lt_events *events);

static inline livetcp_session_state lt_life_state(const lt_life *life)
{
    return life->state;
}

static inline bool lt_life_is_closed(const lt_life *life)
{
    return life->state == LIVETCP_SESSION_CLOSED;
}

static inline bool lt_life_is_closing(const lt_life *life)
{
    return life->closing;
}

/* Reason of the closing or closed session. */
static inline livetcp_result lt_life_reason(const lt_life *life)
{
    return life->reason;
}

/* The peer ended the session; its connections are still read. */
static inline bool lt_life_peer_ended(const lt_life *life)
{
    return life->peer_ended;
}

/* Derives the state from that of the connections. True if the session should end now, with the
 * reason of the last lost connection. */
bool lt_life_update(lt_life *life, const lt_life_view *view, livetcp_usec now);

/* Begins to close for this reason, until `until_us` at the latest. Replaces an earlier reason and
 * time. */
void lt_life_close(lt_life *life, livetcp_result reason, livetcp_usec until_us);

/* Begins to close because the peer sent BYE. False if it had sent one before. */
bool lt_life_on_goodbye(lt_life *life, livetcp_usec until_us);

/* True if closing is complete. `written`: everything is written; `open`: a connection is open. */
bool lt_life_is_over(const lt_life *life, bool written, bool open, livetcp_usec now);

/* Sets the state CLOSED. */
void lt_life_end(lt_life *life);

/* The caller has not come back in time. */
bool lt_life_is_abandoned(const lt_life *life, livetcp_usec now);

livetcp_usec lt_life_deadline(const lt_life *life);

#endif
