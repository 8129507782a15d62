/* SPDX-License-Identifier: MIT */
/*
 * How a connection enters a session, one state machine a side.
 *
 *     caller                                        listener
 *     CREATE id, index, nonce, public key   --->             first connection; media may follow
 *            <---   ACCEPT nonce, public key, MAC(listener)
 *     PROOF MAC(caller)                     --->             session is confirmed
 *            <---   JOINED
 *
 *     JOIN id, index, nonce                 --->             every further connection
 *            <---   CHALLENGE nonce, MAC(listener)
 *     PROOF MAC(caller)                     --->             media may follow
 *            <---   JOINED
 */
#ifndef LT_CORE_HANDSHAKE_H
#define LT_CORE_HANDSHAKE_H

#include "core/proof.h"

/* A frame to write, RFC 4571 LENGTH included; size 0 = none. */
typedef struct lt_reply {
    uint8_t frame[LT_CONTROL_MAX];
    size_t size;
} lt_reply;

/* ---- caller ---- */

typedef struct lt_caller_handshake {
    uint8_t index, count;
    bool creating; /* sent CREATE, not JOIN */
    bool proved;   /* PROOF is sent */
    bool joined;   /* JOINED has come */
    uint8_t nonce[LT_NONCE_SIZE];
} lt_caller_handshake;

/* Starts on a fresh connection: CREATE if `credentials` has no key yet, else JOIN. Draws a nonce.
 * The reply is the first frame to write. */
livetcp_result lt_caller_start(lt_caller_handshake *handshake, const lt_credentials *credentials,
                               unsigned index, unsigned count, lt_random_fn random,
                               void *random_user, lt_reply *reply);

/* Takes ACCEPT, CHALLENGE, JOINED or REJECT. ACCEPT completes `credentials`. `reply` may hold the
 * PROOF to write. Errors end the connection: LIVETCP_ERR_BAD_PROOF if the listener's MAC is wrong,
 * LIVETCP_ERR_PROTOCOL for a message out of place, and for REJECT the reason it gives. */
livetcp_result lt_caller_receive(lt_caller_handshake *handshake, lt_credentials *credentials,
                                 const lt_control *message, lt_reply *reply);

/* ---- listener ---- */

typedef enum lt_inbound_step {
    LT_INBOUND_MORE = 0, /* all input consumed; wait for more, or for the deadline */
    LT_INBOUND_CREATE,   /* a new session is asked for: make one, then lt_inbound_accept() */
    LT_INBOUND_LOOKUP,   /* a session is to be joined: find it, then lt_inbound_challenge() */
    LT_INBOUND_PROVED,   /* the connection belongs to the session: adopt it at `index` */
    LT_INBOUND_FAILED    /* write the reply, close; `error` says why */
} lt_inbound_step;

/* A connection that belongs to no session yet. Holds at most LT_INBOUND_HELD bytes of input. */
#define LT_INBOUND_HELD 4096

typedef struct lt_inbound lt_inbound;

/* `now` starts the silence limit `timeout_us`. NULL if memory is out. */
lt_inbound *lt_inbound_create(livetcp_usec now, livetcp_usec timeout_us);
void lt_inbound_destroy(lt_inbound **inbound);

/* Consumes input up to the end of the frame that decides something; what is left of it belongs to
 * the session once the connection is adopted. The reply, if any, is to be written first. */
lt_inbound_step lt_inbound_receive(lt_inbound *inbound, const uint8_t **data, size_t *size,
                                   lt_reply *reply, livetcp_result *error);

/* What CREATE or JOIN said; valid after LT_INBOUND_CREATE or LT_INBOUND_LOOKUP. */
const lt_control *lt_inbound_request(const lt_inbound *inbound);

/* After LT_INBOUND_CREATE: makes the session's credentials from the request; `reply` is the
 * ACCEPT. The connection is adopted by the new session at once, which checks the PROOF that is to
 * come with lt_inbound_confirm(). */
livetcp_result lt_inbound_accept(lt_inbound *inbound, lt_credentials *credentials,
                                 lt_random_fn random, void *random_user, lt_reply *reply);

/* After LT_INBOUND_LOOKUP: `reply` is the CHALLENGE. `credentials` must stay valid until the
 * inbound is destroyed or proved. */
livetcp_result lt_inbound_challenge(lt_inbound *inbound, const lt_credentials *credentials,
                                    lt_random_fn random, void *random_user, lt_reply *reply);

/* Turns the connection away; `reply` is a REJECT. */
void lt_inbound_reject(lt_inbound *inbound, livetcp_result reason, lt_reply *reply);

/* When silence has lasted too long. */
livetcp_usec lt_inbound_deadline(const lt_inbound *inbound);

/* What a session needs to check the PROOF that answers its ACCEPT. */
typedef struct lt_pending_proof {
    bool pending;
    uint8_t index;
    uint8_t caller_nonce[LT_NONCE_SIZE];
    uint8_t listener_nonce[LT_NONCE_SIZE];
} lt_pending_proof;

/* After lt_inbound_accept(): the proof to wait for. */
void lt_inbound_pending(const lt_inbound *inbound, lt_pending_proof *proof);

/* Checks the PROOF of a created session; `reply` is JOINED. Errors: LIVETCP_ERR_BAD_PROOF,
 * LIVETCP_ERR_PROTOCOL if none is pending. */
livetcp_result lt_inbound_confirm(lt_pending_proof *proof, const lt_credentials *credentials,
                                  const lt_control *message, lt_reply *reply);

#endif
