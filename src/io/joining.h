/* SPDX-License-Identifier: MIT */
/*
 * The way of one connection into a session, by messages of the handshake: CREATE and PROOF make
 * one, JOIN and PROOF belong to one. Which connection waits for which is known here: a JOIN whose
 * session waits for its PROOF on another connection, or for the application's answer, is parked.
 *
 *   CREATE  ->  turn   ->  ACCEPT     ->  PROOF: a session is to be made
 *   JOIN  [ ->  turn ] [ ->  parked ]  ->  CHALLENGE  ->  PROOF: it belongs to a session
 *
 * Bytes in, steps out; no socket and no loop. Finds sessions in the listener's admission.
 */
#ifndef LT_IO_JOINING_H
#define LT_IO_JOINING_H

#include "io/held.h"
#include "io/listener.h"

#include <livetcp/engine.h>

typedef enum lt_io_joining_step {
    LT_IO_JOINING_MORE = 0, /* all is consumed: wait for more */
    LT_IO_JOINING_TURN,     /* a key agreement is asked for: go_on(), once it is its turn */
    LT_IO_JOINING_PARKED,   /* waits for another: go_on(), once next_resumed() returns it */
    LT_IO_JOINING_REPLY,    /* write the reply, and go on with the input */
    LT_IO_JOINING_CREATED,  /* proved: make its session; the reply is for when that exists */
    LT_IO_JOINING_JOINED,   /* proved: it belongs to lt_io_joining_session(); the same */
    LT_IO_JOINING_REFUSED   /* the reason, and a reply to write last */
} lt_io_joining_step;

typedef struct lt_io_joining_answer {
    livetcp_reply reply;
    livetcp_result reason;
    bool expected; /* the refusal is no news */
    bool costly;   /* a key agreement was made */
} lt_io_joining_answer;

typedef enum lt_io_joining_wait {
    LT_IO_JOINING_WAITS_NOT = 0,
    LT_IO_JOINING_WAITS_FOR_TURN,
    LT_IO_JOINING_WAITS_FOR_OTHER
} lt_io_joining_wait;

/* Part of each connection. */
typedef struct lt_io_joining {
    livetcp_listener *listener;
    livetcp_pending *state;
    lt_io_joining_wait wait;
    lt_io_held rest;     /* what came behind CREATE or JOIN, while it waits */
    bool unproved;       /* ACCEPT is sent; media is held until PROOF */
    lt_list in_unproved; /* then: of the listener */
    lt_list joins;       /* then: those that wait for it */
    lt_list in_joins;    /* of another, or `resumed` of the listener */
} lt_io_joining;

/* The listener outlives it; its config says when the handshake must have ended. Errors:
 * LIVETCP_ERR_NO_MEMORY. */
livetcp_result lt_io_joining_init(lt_io_joining *joining, livetcp_listener *listener,
                                  livetcp_usec now);
void lt_io_joining_clear(lt_io_joining *joining);

/* Takes plaintext of the handshake up to the next step, from a peer of this address; `blamed`: many
 * of it did not prove themselves lately, so that its JOINs wait for their turn, too. */
lt_io_joining_step lt_io_joining_receive(lt_io_joining *joining,
                                         const uint8_t address[LT_ADDRESS_KEY], bool blamed,
                                         const uint8_t **data, size_t *size,
                                         lt_io_joining_answer *answer);

/* What it waited for has come: PARKED again, REFUSED, or REPLY; then the input that came before is
 * take_rest(). */
lt_io_joining_step lt_io_joining_go_on(lt_io_joining *joining, lt_io_joining_answer *answer);
lt_io_held lt_io_joining_take_rest(lt_io_joining *joining);

/* A connection of the listener that is parked no more, NULL if there is none: go_on(). */
lt_io_joining *lt_io_joining_next_resumed(livetcp_listener *listener);

/* The connection leaves the listener: those that wait for it go on without it. */
void lt_io_joining_leave(lt_io_joining *joining);

/* Nothing is to be read. */
bool lt_io_joining_waits(const lt_io_joining *joining);
bool lt_io_joining_is_parked(const lt_io_joining *joining);
bool lt_io_joining_is_unproved(const lt_io_joining *joining);

/* The session that it asks for, or NULL. */
livetcp_session *lt_io_joining_session(const lt_io_joining *joining);

/* The joining's; after take_state() the caller's. */
livetcp_pending *lt_io_joining_state(const lt_io_joining *joining);
livetcp_pending *lt_io_joining_take_state(lt_io_joining *joining);

#endif
