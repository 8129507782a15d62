/* SPDX-License-Identifier: MIT */
/*
 * A session's life: its state, and the way from the wish to end to the end. Decides when; the work
 * that goes with it is the session's.
 *
 *   CONNECTING <-> OPEN  ->  [ closing: the queue drains, or the peer's last data comes ]  ->
 * CLOSED
 */
#ifndef LT_ENGINE_LIFE_H
#define LT_ENGINE_LIFE_H

#include "engine/events.h"

/* Of its own functions. */
typedef struct lt_life {
    lt_events *events;
    livetcp_session_state state;
    bool closing;    /* the queue drains, or the peer sent BYE */
    bool peer_ended; /* it did: connections are read until each has ended */
    livetcp_result reason;
    livetcp_usec until_us;        /* closing takes no longer */
    livetcp_usec abandoned_at_us; /* listener: when a session without connections ends */
} lt_life;

/* Its connections, as far as they decide. */
typedef struct lt_life_view {
    bool caller;
    bool open;              /* one is */
    bool future;            /* one may be again (caller) */
    livetcp_usec linger_us; /* a caller may come back for so long (listener) */
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

/* Why it closes, or has ended. */
static inline livetcp_result lt_life_reason(const lt_life *life)
{
    return life->reason;
}

/* The peer ended it, and its connections are still read. */
static inline bool lt_life_peer_ended(const lt_life *life)
{
    return life->peer_ended;
}

/* Works out the state from the connections'. True if there is nothing to wait for: it should end,
 * because of the last loss. */
bool lt_life_update(lt_life *life, const lt_life_view *view, livetcp_usec now);

/* It is to end for this reason, by then at the latest; instead of what was said before. */
void lt_life_close(lt_life *life, livetcp_result reason, livetcp_usec until_us);

/* The same, because the peer said so. False if that is known. */
bool lt_life_on_goodbye(lt_life *life, livetcp_usec until_us);

/* Of one that closes: true if it is over. `written`: all is; `open`: a connection is. */
bool lt_life_is_over(const lt_life *life, bool written, bool open, livetcp_usec now);

/* It is CLOSED from here on. */
void lt_life_end(lt_life *life);

/* Its caller has not come back in time. */
bool lt_life_is_abandoned(const lt_life *life, livetcp_usec now);

livetcp_usec lt_life_deadline(const lt_life *life);

#endif
