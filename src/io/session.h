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
    lt_first_bytes first;       /* loop's thread: protocol of this channel's peer */
    lt_address peer;            /* loop's thread: of the channel */
    livetcp_error error;        /* loop's thread: text of the last loss */
} lt_io_slot;

/* The application's answer to a caller. */
typedef enum lt_io_decision {
    LT_IO_UNASKED = 0, /* not a listener's session, or not shown to the application yet */
    LT_IO_ASKED,       /* within on_session */
    LT_IO_LATER,       /* it will answer */
    LT_IO_ADMITTED,
    LT_IO_REFUSED
} lt_io_decision;

/* What the caller is told. */
typedef struct lt_io_refusal {
    unsigned code; /* 0 = none */
    char text[LIVETCP_REJECTION_MAX + 1];
} lt_io_refusal;

typedef struct lt_io_undecided lt_io_undecided; /* undecided.h */

struct livetcp_session {
    lt_io_member member;  /* of the context */
    lt_io_work work;      /* calls lt_io_session_service() */
    lt_io_work burst_end; /* the same, where a burst does not go on */

    /* lt_io_session_service(), for the files that it calls. */
    void (*service)(livetcp_session *session);

    livetcp_context *context;
    uint64_t number; /* of the context's sessions, from 1 */
    bool caller;
    livetcp_usec created_us;
    livetcp_config config;        /* as it was made: never changes */
    lt_io_tls *tls;               /* caller: NULL without TLS */
    lt_io_proxy *proxy;           /* caller: NULL without one */
    char *websocket_headers;      /* of the requests, secrets; NULL = none */
    char remote[LT_ADDRESS_TEXT]; /* on a listener: where its first connection came from */

    /* Under the lock. */
    uv_mutex_t lock;
    livetcp_engine *engine;
    lt_io_slot slots[LIVETCP_MAX_CONNECTIONS]; /* the channels */
    livetcp_tls_info tls_info;                 /* struct_size: the library's */
    livetcp_usec armed_us;                     /* expiry of the timer */
    size_t burst;            /* bytes that wait for the rest of their burst; 0 = none */
    bool channels_changed;   /* some channel wants to be watched otherwise, or has failed */
    bool unlimited;          /* it ends: send buffers are unlimited */
    atomic_bool closed_here; /* the application has closed it */
    bool has_event;          /* taken from the engine, the application does not know it yet */
    livetcp_engine_event event;
    char policy[sizeof((livetcp_config *)0)->policy]; /* name of the present one */
    char changes[160]; /* of settings, for the log; "" = all are logged */

    /* Loop's thread. */
    livetcp_session_callbacks callbacks;
    void *user;
    uv_timer_t timer;
    livetcp_usec put_off_us; /* see lt_io_put_off() */
    lt_io_arrivals arrivals;
    lt_io_tap *taps;              /* get packets before the application */
    livetcp_error error;          /* the last loss, in words */
    lt_io_links *links;           /* of a caller; NULL of a listener's session */
    lt_io_link_watch *link_watch; /* with links that may vanish; NULL otherwise */
    lt_io_outage outage;          /* of a caller */
    unsigned spare, spare_link;   /* the slot of the last one that was answered, and its link */
    unsigned references;          /* the owner, open handles, and functions that call back */
    bool ended;                   /* destroyed: no more callbacks, no more work */
    bool closed_notified;         /* on_state(CLOSED) was called, or is not wanted */
    livetcp_result logged;        /* why an attempt last failed, since a connection was open */
    uint32_t notified_open;       /* bit i: connection i is open, as the application knows */

    /* Of the listener that serves it: loop's thread. on_ended is NULL without one, or after it; it
     * takes the session from the listener, and is called once, when the session is closed or ends.
     */
    void (*on_ended)(livetcp_session *session);
    livetcp_listener *listener;
    lt_list in_listener;
    uint8_t id[LIVETCP_SESSION_ID_SIZE]; /* sent by joining connections */
    uint8_t address[LT_ADDRESS_KEY];     /* where its first connection came from */
    livetcp_usec heard_us;               /* when something last came, or it was made */
    livetcp_caller introduced;           /* (lock) struct_size: the library's */
    lt_io_decision decision;
    lt_io_refusal refusal;
    lt_io_undecided *undecided; /* NULL unless the decision is LT_IO_LATER and its caller waits */

    /* NULL, or the decision has changed from LT_IO_LATER, or the session ends without one. */
    void (*on_answer)(livetcp_session *session);
    bool told_misuse; /* media from a subscriber is logged once */
};

/* Refuses NULL, with words. */
static inline livetcp_result lt_io_session_check(const livetcp_session *session)
{
    return session ? LIVETCP_OK
                   : lt_fail(NULL, LIVETCP_ERR_INVALID_ARGUMENT, "the livetcp_session is NULL");
}

/* Getters take a const session, but must lock it. */
static inline uv_mutex_t *lt_io_session_lock_of(const livetcp_session *session)
{
    return (uv_mutex_t *)&session->lock;
}

/* Makes a session without connections; its owner holds one reference. `config` was checked;
 * `pending` is the connection that asked for it, or NULL. */
livetcp_result lt_io_session_create(livetcp_context *context, const livetcp_config *config,
                                    bool caller, const livetcp_pending *pending,
                                    livetcp_session **session, livetcp_error *error);

/* Before it connects: every connection is TLS. Takes it over; NULL is none. */
void lt_io_session_use_tls(livetcp_session *session, lt_io_tls *tls);

/* Before it connects: every connection goes through the proxy. Takes it over; NULL is none. */
void lt_io_session_use_proxy(livetcp_session *session, lt_io_proxy *proxy);

/* Ends it without waiting, without callbacks, and drops the owner's reference. */
void lt_io_session_end(livetcp_session *session);

void lt_io_session_reference(livetcp_session *session);
void lt_io_session_release(livetcp_session *session);

/* The same as `hold` and `release` of what calls a session back. */
void lt_io_session_hold_owner(void *session);
void lt_io_session_release_owner(void *session);

/* Does everything the engine wants done: writes, closes, connects, notifies the application, arms
 * the timer. */
void lt_io_session_service(livetcp_session *session);

/* Under the lock, any thread: brings path information and writes, as long as the engine wants. */
void lt_io_session_flush(livetcp_session *session);

/* Under the lock, not on the loop's thread or within a callback: wakes the loop if the engine
 * waits for something only the loop can do. */
void lt_io_session_wake_if_needed(livetcp_session *session);

/* Wipes and frees them; clears *headers. */
void lt_io_forget_headers(char **headers);

#endif
