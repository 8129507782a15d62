/* SPDX-License-Identifier: MIT */
/*
 * A session from the inside: the engine, its lock, a socket per slot, one timer.
 *
 * livetcp_session_send() runs on any thread: it takes the lock, passes the packet to the engine and
 * writes the bytes that the engine returns. All other work with sockets and timers happens on the
 * loop's thread, in lt_io_session_service(). Callbacks run there, without the lock.
 */
#ifndef LT_IO_SESSION_H
#define LT_IO_SESSION_H

#include "base/error.h"
#include "base/sized.h"
#include "io/channel.h"
#include "io/connector.h"
#include "io/context.h"
#include "io/handshake.h"
#include "io/link_watch.h"
#include "io/notify.h"
#include "io/outage.h"
#include "io/taps.h"
#include "wire/first_bytes.h"

#include <stdatomic.h>

typedef struct lt_io_slot {
    lt_io_channel *channel;     /* (lock) the socket; NULL without one */
    lt_io_connector *connector; /* loop's thread: connecting; NULL otherwise */
    lt_io_handshake *handshake; /* loop's thread: connected, filter not open; NULL otherwise */
    lt_first_bytes first;       /* loop's thread: protocol of the peer on this channel */
    lt_address peer;            /* loop's thread: the channel's remote address */
    livetcp_error error;        /* loop's thread: why the slot's connection was lost last */
} lt_io_slot;

/* The application's decision about a caller. */
typedef enum lt_io_decision {
    LT_IO_UNASKED = 0, /* not a listener's session, or not offered yet */
    LT_IO_ASKED,       /* within on_session */
    LT_IO_LATER,       /* decision deferred by livetcp_session_admit_later() */
    LT_IO_ADMITTED,
    LT_IO_REFUSED
} lt_io_decision;

/* Code and text that the refused caller receives. */
typedef struct lt_io_refusal {
    unsigned code; /* 0 = none */
    char text[LIVETCP_REJECTION_MAX + 1];
} lt_io_refusal;

typedef struct lt_io_undecided lt_io_undecided; /* undecided.h */

struct livetcp_session {
    lt_io_member member;  /* of the context's list */
    lt_io_work work;      /* calls lt_io_session_service() */
    lt_io_work burst_end; /* the same, at the timeout of an incomplete burst */

    /* lt_io_session_service(), called back by the files below session.c. */
    void (*service)(livetcp_session *session);

    livetcp_context *context;
    uint64_t number; /* sequence number within the context, from 1 */
    bool caller;
    livetcp_usec created_us;
    livetcp_config config;        /* as created; constant */
    lt_io_tls *tls;               /* caller: NULL without TLS */
    lt_io_proxy *proxy;           /* caller: NULL without one */
    char *websocket_headers;      /* secret header fields of WebSocket requests; NULL = none */
    char remote[LT_ADDRESS_TEXT]; /* listener: remote address of its first connection */

    /* Under the lock. */
    uv_mutex_t lock;
    livetcp_engine *engine;
    lt_io_slot slots[LIVETCP_MAX_CONNECTIONS]; /* their channels */
    livetcp_tls_info tls_info;                 /* struct_size: the library's */
    livetcp_usec armed_us;                     /* when the timer expires */
    size_t burst;                              /* bytes in an incomplete burst; 0 = none */
    bool channels_changed;   /* a channel needs other events watched, or has failed */
    bool unlimited;          /* the session ends: send buffers are not limited */
    atomic_bool closed_here; /* closed by the application */
    bool has_event;          /* `event` is taken from the engine and not yet delivered */
    livetcp_engine_event event;
    char policy[sizeof((livetcp_config *)0)->policy]; /* name of the current one */
    char changes[160]; /* changed settings, not yet logged; "" = none */

    /* Loop's thread. */
    livetcp_session_callbacks callbacks;
    void *user;
    uv_timer_t timer;
    livetcp_usec put_off_us; /* see lt_io_put_off() */
    lt_io_arrivals arrivals;
    lt_io_tap *taps;              /* called with each packet before the application */
    livetcp_error error;          /* of the last loss */
    lt_io_links *links;           /* caller; NULL for a listener's session */
    lt_io_link_watch *link_watch; /* caller with links that may vanish; NULL otherwise */
    lt_io_outage outage;          /* of a caller */
    unsigned spare, spare_link;   /* slot of the last answered outage probe, and its link */
    unsigned references;          /* owner, open handles, functions that call back */
    bool ended;                   /* destroyed: no more callbacks or work */
    bool closed_notified;         /* on_state(CLOSED) was called, or is not wanted */
    livetcp_result logged;  /* result of the last failed attempt since a connection was open */
    uint32_t notified_open; /* bit i: on_connection reported connection i as open */

    /* Set by its listener; loop's thread. on_ended removes the session from the listener; it is
     * called once, when the session closes or ends, and NULL afterwards or without a listener. */
    void (*on_ended)(livetcp_session *session);
    livetcp_listener *listener;
    lt_list in_listener;
    uint8_t id[LIVETCP_SESSION_ID_SIZE]; /* sent by joining connections */
    uint8_t address[LT_ADDRESS_KEY];     /* of its first connection's remote end */
    livetcp_usec last_input_us;          /* time of the last input, or of creation */
    livetcp_caller introduced;           /* (lock) struct_size: the library's */
    lt_io_decision decision;
    lt_io_refusal refusal;
    lt_io_undecided *undecided; /* NULL unless the decision is LT_IO_LATER and the caller waits */

    /* Called when the decision is no longer LT_IO_LATER, or the session ends without one. May be
     * NULL. */
    void (*on_answer)(livetcp_session *session);
    bool misuse_logged; /* media from a subscriber is logged once */
    bool told_insecure; /* so is tls-insecure, to the application too */
};

/* An error for NULL. */
static inline livetcp_result lt_io_session_check(const livetcp_session *session)
{
    return session ? LIVETCP_OK
                   : lt_fail(NULL, LIVETCP_ERR_INVALID_ARGUMENT, "the livetcp_session is NULL");
}

/* The lock, for getters with a const session. */
static inline uv_mutex_t *lt_io_session_lock_of(const livetcp_session *session)
{
    return (uv_mutex_t *)&session->lock;
}

/* Creates a session without connections; its owner holds one reference. `config` is valid;
 * `pending` is the connection with the CREATE, or NULL. */
livetcp_result lt_io_session_create(livetcp_context *context, const livetcp_config *config,
                                    bool caller, const livetcp_pending *pending,
                                    livetcp_session **session, livetcp_error *error);

/* Before connecting: TLS for all connections. Takes it over; NULL = none. */
void lt_io_session_use_tls(livetcp_session *session, lt_io_tls *tls);

/* Before connecting: the proxy for all connections. Takes it over; NULL = none. */
void lt_io_session_use_proxy(livetcp_session *session, lt_io_proxy *proxy);

/* Ends the session at once, without callbacks, and drops the owner's reference. */
void lt_io_session_end(livetcp_session *session);

void lt_io_session_reference(livetcp_session *session);
void lt_io_session_release(livetcp_session *session);

/* As reference() and release(), in the form of `hold` and `release` of an owner's function
 * table. */
void lt_io_session_hold_owner(void *session);
void lt_io_session_release_owner(void *session);

/* Does all work that the engine requests: writes, closes, connects, notifies the application, arms
 * the timer. */
void lt_io_session_service(livetcp_session *session);

/* Under the lock, any thread: passes path info to the engine and writes, until the engine has
 * nothing more to write. */
void lt_io_session_flush(livetcp_session *session);

/* Under the lock, outside the loop's thread and callbacks: wakes the loop if the engine needs
 * it. */
void lt_io_session_wake_if_needed(livetcp_session *session);

/* Wipes and frees the header fields; clears *headers. */
void lt_io_forget_headers(char **headers);

#endif
