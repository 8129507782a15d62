/* SPDX-License-Identifier: MIT */
/*
 * The handshake by which one connection gets into a session: CREATE and PROOF create a session,
 * JOIN and PROOF add a connection to one. Also decides which connection waits for which: a JOIN is
 * parked while its session waits for PROOF on another connection, or for the application's answer.
 *
 *   CREATE  ->  turn   ->  ACCEPT     ->  PROOF: create the session
 *   JOIN  [ ->  turn ] [ ->  parked ]  ->  CHALLENGE  ->  PROOF: attach to the session
 *
 * Bytes in, steps out; no socket and no loop. Looks sessions up in the listener's admission.
 */
#ifndef LT_IO_JOINING_H
#define LT_IO_JOINING_H

#include "io/held.h"
#include "io/listener.h"

#include <livetcp/engine.h>

typedef enum lt_io_joining_step {
    LT_IO_JOINING_MORE = 0, /* all input is consumed: wait for more */
    LT_IO_JOINING_TURN,     /* wants a key agreement: call go_on() when its turn comes */
    LT_IO_JOINING_PARKED,  /* waits for another connection: call go_on() once next_resumed() returns
                              it */
    LT_IO_JOINING_REPLY,   /* write the reply, then continue with the rest of the input */
    LT_IO_JOINING_CREATED, /* authenticated: create its session, then write the reply */
    LT_IO_JOINING_JOINED,  /* authenticated: attach it to lt_io_joining_session(), then write the
                              reply */
    LT_IO_JOINING_REFUSED  /* close with the reason, after the reply */
} lt_io_joining_step;

typedef struct lt_io_joining_answer {
    livetcp_reply reply;
    livetcp_result reason;
    bool expected; /* the refusal is a consequence of a reported one */
    bool costly;   /* a key agreement was computed */
} lt_io_joining_answer;

typedef enum lt_io_joining_wait {
    LT_IO_JOINING_WAITS_NOT = 0,
    LT_IO_JOINING_WAITS_FOR_TURN,
    LT_IO_JOINING_WAITS_FOR_OTHER
} lt_io_joining_wait;

/* Embedded in each pending connection. */
typedef struct lt_io_joining {
    livetcp_listener *listener;
    livetcp_pending *state;
    lt_io_joining_wait wait;
    lt_io_held rest;     /* input after CREATE or JOIN, while it waits */
    bool unproved;       /* ACCEPT is sent; media is held until PROOF */
    lt_list in_unproved; /* in the listener's list */
    lt_list joins;       /* JOINs that wait for this one */
    lt_list in_joins;    /* in another's `joins`, or in the listener's `resumed` */
} lt_io_joining;

/* The listener outlives it; its config has the handshake timeout. Errors: LIVETCP_ERR_NO_MEMORY. */
livetcp_result lt_io_joining_init(lt_io_joining *joining, livetcp_listener *listener,
                                  livetcp_usec now);
void lt_io_joining_clear(lt_io_joining *joining);

/* Consumes plaintext of the handshake up to the next step. `address` is the peer's; `blamed`: many
 * connections from there failed to authenticate lately, so that its JOINs wait for a turn, too. */
lt_io_joining_step lt_io_joining_receive(lt_io_joining *joining,
                                         const uint8_t address[LT_ADDRESS_KEY], bool blamed,
                                         const uint8_t **data, size_t *size,
                                         lt_io_joining_answer *answer);

/* Continues after a wait: returns PARKED again, REFUSED, or REPLY; after REPLY continue with the
 * input that take_rest() returns. */
lt_io_joining_step lt_io_joining_go_on(lt_io_joining *joining, lt_io_joining_answer *answer);
lt_io_held lt_io_joining_take_rest(lt_io_joining *joining);

/* A connection of the listener that is no longer parked, or NULL: call go_on() for it. */
lt_io_joining *lt_io_joining_next_resumed(livetcp_listener *listener);

/* The connection leaves the listener: JOINs that wait for it are resumed. */
void lt_io_joining_leave(lt_io_joining *joining);

/* True while no input may be consumed. */
bool lt_io_joining_waits(const lt_io_joining *joining);
bool lt_io_joining_is_parked(const lt_io_joining *joining);
bool lt_io_joining_is_unproved(const lt_io_joining *joining);

/* The session that it joins, or NULL. */
livetcp_session *lt_io_joining_session(const lt_io_joining *joining);

/* The handshake's state; take_state() transfers it to the caller. */
livetcp_pending *lt_io_joining_state(const lt_io_joining *joining);
livetcp_pending *lt_io_joining_take_state(lt_io_joining *joining);

#endif
