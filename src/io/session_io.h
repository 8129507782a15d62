/* SPDX-License-Identifier: MIT */
/*
 * A session from the inside: the engine, its lock, a socket a slot, one timer.
 *
 * send() may run on any thread: it locks, gives the packet to the engine and writes what the engine
 * names. Everything else that sockets and timers need happens on the loop's thread, in
 * lt_session_io_service(). Callbacks run there, without the lock.
 */
#ifndef LT_IO_SESSION_IO_H
#define LT_IO_SESSION_IO_H

#include "io/address.h"
#include "io/context.h"
#include "io/deliver.h"
#include "io/playout_attach.h"

#include <uv.h>

struct lt_channel;
struct lt_connector;

typedef struct lt_slot {
    struct lt_channel *channel;     /* (lock) the socket; NULL without one */
    struct lt_connector *connector; /* loop's thread: connecting; NULL otherwise */
    livetcp_error error;            /* loop's thread: why it was last lost, in words */
} lt_slot;

struct livetcp_session {
    LIST_ENTRY(livetcp_session) in_context;
    LIST_ENTRY(livetcp_session) in_listener;
    TAILQ_ENTRY(livetcp_session) in_attention;
    bool attended; /* (context's lock) in the attention list */

    livetcp_context *context;
    livetcp_config config;        /* never changes */
    char remote[LT_ADDRESS_TEXT]; /* on a listener: where its first connection came from */

    /* Under the lock. */
    uv_mutex_t lock;
    livetcp_engine *engine;
    lt_slot slots[LIVETCP_MAX_CONNECTIONS]; /* the channels */
    livetcp_usec armed_us;                  /* what the timer waits for */
    bool channels_changed; /* some channel wants to be watched otherwise, or has failed */
    bool unlimited;        /* it ends: send buffers take what they can */
    bool has_event;        /* taken from the engine, not told yet */
    livetcp_engine_event event;

    /* Loop's thread. */
    livetcp_session_callbacks callbacks;
    void *user;
    uv_timer_t timer;
    livetcp_usec put_off_us; /* see lt_put_off() */
    lt_arrivals arrivals;
    lt_io_tap *taps;            /* get packets before the application */
    livetcp_error error;        /* the last loss, in words */
    bool has_peer;              /* where the present connections go: a name that means several */
    lt_address peer;            /* hosts must not spread one session over them */
    unsigned references;        /* the owner, open handles, and functions that call back */
    bool ended;                 /* destroyed: no more callbacks, no more work */
    bool closed_told;           /* on_state(CLOSED) was called, or is not wanted */
    livetcp_listener *listener; /* that serves it, or NULL */
    uint8_t id[LIVETCP_SESSION_ID_SIZE]; /* on a listener: what joining connections name */
};

/* Makes a session without connections; its owner holds one reference. `config` was checked;
 * `pending` is the connection that asked for it, or NULL. */
livetcp_result lt_session_io_create(livetcp_context *context, const livetcp_config *config,
                                    bool caller, const livetcp_pending *pending,
                                    livetcp_session **session, livetcp_error *error);

/* Ends it without waiting, without callbacks, and gives up the owner's reference. */
void lt_session_io_end(livetcp_session *session);

void lt_session_io_reference(livetcp_session *session);
void lt_session_io_release(livetcp_session *session);

/* Does everything the engine wants done: writes, closes, connects, tells the application, arms the
 * timer. */
void lt_session_io_service(livetcp_session *session);

/* Gives a connected socket to a slot: the engine is told with connected() if `caller`, else with
 * adopt(), and `reply` (may be NULL) is the first thing written. On failure the socket stays the
 * caller's. Follow with lt_session_io_service(). */
livetcp_result lt_session_io_attach(livetcp_session *session, unsigned index, int socket,
                                    bool caller, const livetcp_reply *reply);

/* The socket of a slot delivered bytes, which came to this host as *stamp says; they stay valid
 * until this returns. Calls back. */
void lt_session_io_receive(livetcp_session *session, unsigned index, const uint8_t *data,
                           size_t size, const livetcp_rx_timestamp *stamp);

/* The slot's socket, or the attempt to get one, failed. Follow with lt_session_io_service(). */
void lt_session_io_lost(livetcp_session *session, unsigned index, const livetcp_error *error);

/* ---- flush.c ---- */

/* Under the lock, any thread: asks for facts and writes, as long as the engine wants. */
void lt_session_io_flush(livetcp_session *session);

/* Under the lock, not on the loop's thread or within a callback: wakes the loop if the engine
 * waits for something only the loop can do. */
void lt_session_io_wake_if_needed(livetcp_session *session);

/* ---- deliver.c ---- */

/* Tells the application about events and collected packets, in order. */
void lt_session_io_tell(livetcp_session *session);

#endif
