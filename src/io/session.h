/* SPDX-License-Identifier: MIT */
/*
 * A session from the inside: the engine, its lock, a socket a slot, one timer.
 *
 * send() may run on any thread: it locks, gives the packet to the engine and writes the bytes that
 * the engine names. Everything else that sockets and timers need happens on the loop's thread, in
 * lt_io_session_service(). Callbacks run there, without the lock.
 */
#ifndef LT_IO_SESSION_H
#define LT_IO_SESSION_H

#include "base/sized.h"
#include "io/channel.h"
#include "io/connector.h"
#include "io/context.h"
#include "io/notify.h"
#include "io/playout_attach.h"

typedef struct lt_io_slot {
    lt_io_channel *channel;     /* (lock) the socket; NULL without one */
    lt_io_connector *connector; /* loop's thread: connecting; NULL otherwise */
    livetcp_error error;        /* loop's thread: why it was last lost, in words */
} lt_io_slot;

struct livetcp_session {
    lt_io_member member; /* of the context */
    lt_io_work work;     /* calls lt_io_session_service() */

    livetcp_context *context;
    livetcp_config config;        /* as it was made: never changes */
    char remote[LT_ADDRESS_TEXT]; /* on a listener: where its first connection came from */

    /* Under the lock. */
    uv_mutex_t lock;
    livetcp_engine *engine;
    lt_io_slot slots[LIVETCP_MAX_CONNECTIONS]; /* the channels */
    livetcp_usec armed_us;                     /* what the timer waits for */
    bool channels_changed; /* some channel wants to be watched otherwise, or has failed */
    bool unlimited;        /* it ends: send buffers take what they can */
    bool has_event;        /* taken from the engine, the application does not know it yet */
    livetcp_engine_event event;
    char policy[sizeof((livetcp_config *)0)->policy]; /* name of the present one */
    char changes[160]; /* of settings, for the log; "" = all are logged */

    /* Loop's thread. */
    livetcp_session_callbacks callbacks;
    void *user;
    uv_timer_t timer;
    livetcp_usec put_off_us; /* see lt_io_put_off() */
    lt_io_arrivals arrivals;
    lt_io_tap *taps;      /* get packets before the application */
    livetcp_error error;  /* the last loss, in words */
    bool has_peer;        /* where the present connections go: a name that means several */
    lt_address peer;      /* hosts must not spread one session over them */
    unsigned references;  /* the owner, open handles, and functions that call back */
    bool ended;           /* destroyed: no more callbacks, no more work */
    bool closed_notified; /* on_state(CLOSED) was called, or is not wanted */

    /* Of the listener that serves it: loop's thread. on_ended is NULL without one, or after it; it
     * takes the session from the listener, and is called once, when the session is closed or ends.
     */
    void (*on_ended)(livetcp_session *session);
    livetcp_listener *listener;
    lt_list in_listener;
    uint8_t id[LIVETCP_SESSION_ID_SIZE]; /* what joining connections name */
};

/* Makes a session without connections; its owner holds one reference. `config` was checked;
 * `pending` is the connection that asked for it, or NULL. */
livetcp_result lt_io_session_create(livetcp_context *context, const livetcp_config *config,
                                    bool caller, const livetcp_pending *pending,
                                    livetcp_session **session, livetcp_error *error);

/* Ends it without waiting, without callbacks, and gives up the owner's reference. */
void lt_io_session_end(livetcp_session *session);

void lt_io_session_reference(livetcp_session *session);
void lt_io_session_release(livetcp_session *session);

/* Does everything the engine wants done: writes, closes, connects, notifies the application, arms
 * the timer. */
void lt_io_session_service(livetcp_session *session);

/* Gives a connected socket to a slot: connected() tells the engine if `caller`, else adopt(), and
 * `reply` (may be NULL) is the first thing written. On failure the socket stays the caller's.
 * Follow with lt_io_session_service(). */
livetcp_result lt_io_session_attach(livetcp_session *session, unsigned index, uv_os_sock_t socket,
                                    bool caller, const livetcp_reply *reply);

/* The socket of a slot delivered bytes, which came to this host as *timestamp says (may be NULL);
 * they stay valid until this returns. Calls back. */
void lt_io_session_receive(livetcp_session *session, unsigned index, const uint8_t *data,
                           size_t size, const livetcp_rx_timestamp *timestamp);

/* Under the lock, any thread: brings path information and writes, as long as the engine wants. */
void lt_io_session_flush(livetcp_session *session);

/* Under the lock, not on the loop's thread or within a callback: wakes the loop if the engine
 * waits for something only the loop can do. */
void lt_io_session_wake_if_needed(livetcp_session *session);

#endif
