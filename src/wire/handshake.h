/* SPDX-License-Identifier: MIT */
/*
 * Handshake by which a connection enters a session, one state machine a side.
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
#ifndef LT_WIRE_HANDSHAKE_H
#define LT_WIRE_HANDSHAKE_H

#include "wire/authenticator.h"
#include "wire/introduction.h"

/* A frame to write, RFC 4571 LENGTH included; size 0 = none. Every function below that takes a
 * reply sets it, and to "none" where it fails. */
typedef struct lt_reply {
    uint8_t frame[LT_CONTROL_MAX];
    size_t size;
} lt_reply;

/* ---- caller ---- */

typedef struct lt_caller_handshake {
    uint8_t index;
    uint8_t count;
    bool creating;   /* sent CREATE, not JOIN */
    bool proved;     /* PROOF is sent */
    bool joined;     /* JOINED has come */
    bool introduced; /* CREATE has a stream id or a token, which the listener must know */
    bool unanswered; /* JOIN had a ticket, and the listener has not proved itself yet */
    uint8_t nonce[LT_NONCE_SIZE];
    uint32_t ticket; /* if there was one */
    lt_channel_binding binding;
    lt_transcript transcript; /* of CREATE */
} lt_caller_handshake;

/* The first frame of a connection. */
typedef struct lt_opening {
    uint8_t frame[LT_CREATE_MAX];
    size_t size;
} lt_opening;

/* Starts on a fresh connection: CREATE if `credentials` has no key yet, with this introduction
 * (NULL = none), else JOIN. Draws a nonce. Errors: those of `random`, LIVETCP_ERR_SYSTEM when
 * libcrypto fails. */
livetcp_result lt_caller_start(lt_caller_handshake *handshake, const lt_credentials *credentials,
                               const lt_introduction *introduction, unsigned index, unsigned count,
                               lt_random_fn random, void *random_user, lt_opening *opening);

/* After lt_caller_start(): the connection is TLS. */
void lt_caller_bind(lt_caller_handshake *handshake, const lt_channel_binding *binding);

/* After lt_caller_bind(), where `opening` is a JOIN: this one proves itself with a number above all
 * that were used in the session, and nothing has to be waited for. Errors: LIVETCP_ERR_BAD_STATE
 * without a key, LIVETCP_ERR_SYSTEM when libcrypto fails. */
livetcp_result lt_caller_use_ticket(lt_caller_handshake *handshake,
                                    const lt_credentials *credentials, uint32_t ticket,
                                    lt_opening *opening);

/* Takes ACCEPT, CHALLENGE, JOINED or REJECT. ACCEPT completes `credentials`. `reply` may hold the
 * PROOF to write. Errors end the connection: LIVETCP_ERR_BAD_PROOF if the listener's MAC is wrong,
 * LIVETCP_ERR_NO_INTRODUCTION if the listener would ignore our stream id and token,
 * LIVETCP_ERR_PROTOCOL for a message out of place, and for REJECT its reason; the credentials are
 * unchanged then. */
livetcp_result lt_caller_receive(lt_caller_handshake *handshake, lt_credentials *credentials,
                                 const lt_control *message, lt_reply *reply);

/* ---- listener ---- */

typedef enum lt_pending_step {
    LT_PENDING_MORE = 0, /* all input consumed; wait for more, or for the deadline */
    LT_PENDING_CREATE, /* a new session is asked for: make one, then lt_pending_connection_accept()
                        */
    LT_PENDING_LOOKUP, /* a session is to be joined: find it, then lt_pending_connection_challenge()
                        */
    LT_PENDING_PROVED, /* the connection belongs to the session, a new one after CREATE: adopt it at
                          `index`, write the reply, receive what was held, then the rest */
    LT_PENDING_FAILED  /* write the reply, if any, and close; `error` has the reason */
} lt_pending_step;

/* A connection that belongs to no session yet. It may send this many bytes up to its request, and
 * in the handshake of a JOIN, and so never makes us hold more. */
#define LT_PENDING_HELD 4096

/* Media may follow CREATE at once. It is held until PROOF has come: at most this many bytes, which
 * is more than TCP lets a caller send in the round trip between the two. */
#define LT_PENDING_MEDIA (256 * 1024)

typedef struct lt_pending_connection lt_pending_connection;

/* `now` starts the limit `timeout_us`, within which the handshake has to be done: sending a little
 * now and then does not extend it. NULL if memory is out. */
lt_pending_connection *lt_pending_connection_create(livetcp_usec now, livetcp_usec timeout_us);
void lt_pending_connection_destroy(lt_pending_connection **pending);

/* Before anything is received: the connection is TLS. */
void lt_pending_connection_bind(lt_pending_connection *pending, const lt_channel_binding *binding);

/* Consumes input up to the end of the frame that decides something; the rest belongs to the session
 * once the connection is adopted, and to the next call after a challenge. The reply, if any, is to
 * be written first. Errors: LIVETCP_ERR_GARBAGE for input other than RTP,
 * LIVETCP_ERR_FRAME_TOO_LARGE for a frame that no handshake needs, LIVETCP_ERR_PROTOCOL for media,
 * somebody else's RTCP, a message out of place or too many bytes, LIVETCP_ERR_TLS for a token
 * without TLS, LIVETCP_ERR_VERSION, LIVETCP_ERR_BAD_PROOF, LIVETCP_ERR_NO_MEMORY, and the peer's
 * reason if it rejected the connection. */
lt_pending_step lt_pending_connection_receive(lt_pending_connection *pending, const uint8_t **data,
                                              size_t *size, lt_reply *reply, livetcp_result *error);

/* The CREATE or JOIN message; valid after LT_PENDING_CREATE or LT_PENDING_LOOKUP. */
const lt_control *lt_pending_connection_request(const lt_pending_connection *pending);

/* What both sides can do; valid after lt_pending_connection_accept(). */
uint32_t lt_pending_connection_capabilities(const lt_pending_connection *pending);

/* The stream id, token and role of CREATE; valid after LT_PENDING_CREATE, and no more than a
 * stranger's words before LT_PENDING_PROVED. The texts live as long as the pending, or until
 * lt_pending_connection_forget_token(). */
lt_introduction lt_pending_connection_introduction(const lt_pending_connection *pending);

/* The token is not needed any more: overwrites it. */
void lt_pending_connection_forget_token(lt_pending_connection *pending);

/* After LT_PENDING_CREATE: makes the session's credentials from the request; `reply` is the ACCEPT.
 * `credentials` must stay valid until the pending is destroyed or proved. Then either goes on with
 * lt_pending_connection_receive() until PROOF has come, which holds media meanwhile, or lets a
 * session adopt the connection at once, which checks the PROOF with
 * lt_pending_authenticator_confirm(). Errors: LIVETCP_ERR_BAD_PROOF for a public key of low order,
 * LIVETCP_ERR_BAD_STATE, LIVETCP_ERR_SYSTEM, those of `random`; the credentials are wiped then, and
 * the connection is to be turned away with lt_pending_connection_reject(). */
livetcp_result lt_pending_connection_accept(lt_pending_connection *pending,
                                            lt_credentials *credentials, lt_random_fn random,
                                            void *random_user, lt_reply *reply);

/* After LT_PENDING_LOOKUP: `reply` is the CHALLENGE. `credentials` must stay valid until the
 * pending is destroyed or proved. Errors: LIVETCP_ERR_BAD_STATE, LIVETCP_ERR_SYSTEM, those of
 * `random`; reject it then. */
livetcp_result lt_pending_connection_challenge(lt_pending_connection *pending,
                                               const lt_credentials *credentials,
                                               lt_random_fn random, void *random_user,
                                               lt_reply *reply);

/* After LT_PENDING_LOOKUP, where the JOIN has a ticket that was not used before: `reply` is the
 * CHALLENGE, which is answered already: the next lt_pending_connection_receive() returns
 * LT_PENDING_PROVED. Errors: as lt_pending_connection_challenge(), and LIVETCP_ERR_BAD_PROOF. */
livetcp_result lt_pending_connection_redeem(lt_pending_connection *pending,
                                            const lt_credentials *credentials, lt_reply *reply);

/* The ticket that the connection has proved itself with; 0 = it has answered a CHALLENGE. */
uint32_t lt_pending_connection_ticket(const lt_pending_connection *pending);

/* What came between CREATE and PROOF, frames with their LENGTH; *size is 0 if nothing. Valid until
 * the next call. */
const uint8_t *lt_pending_connection_held(const lt_pending_connection *pending, size_t *size);

/* Turns the connection away, whatever its state; `reply` is a REJECT. Nothing more is consumed. */
void lt_pending_connection_reject(lt_pending_connection *pending, livetcp_result reason,
                                  lt_reply *reply);

/* The same with a code and words of the application, which a caller that has introduced itself
 * reads; of a text that is too long or not UTF-8, the beginning or nothing. */
void lt_pending_connection_reject_with(lt_pending_connection *pending, livetcp_result reason,
                                       unsigned code, const char *text, lt_reply *reply);

/* After LT_PENDING_PROVED of a CREATE: the caller knows WAIT, which `reply` is, unless it is none.
 */
void lt_pending_connection_wait(const lt_pending_connection *pending, lt_reply *reply);

/* When the handshake has taken too long. */
livetcp_usec lt_pending_connection_deadline(const lt_pending_connection *pending);

/* State with which a session checks the PROOF that answers its ACCEPT. */
typedef struct lt_pending_authenticator {
    bool pending;
    uint8_t index;
    uint8_t caller_nonce[LT_NONCE_SIZE];
    uint8_t listener_nonce[LT_NONCE_SIZE];
    lt_channel_binding binding;
    lt_transcript transcript;
} lt_pending_authenticator;

/* After lt_pending_connection_accept(): the state for the expected PROOF. Without one, or after it,
 * `pending` is false. */
void lt_pending_connection_authenticator(const lt_pending_connection *pending,
                                         lt_pending_authenticator *proof);

/* Checks the PROOF of a created session; `reply` is JOINED, and `proof` is pending no more. Errors:
 * LIVETCP_ERR_BAD_PROOF, LIVETCP_ERR_PROTOCOL if none is pending or it is another message. */
livetcp_result lt_pending_authenticator_confirm(lt_pending_authenticator *proof,
                                                const lt_credentials *credentials,
                                                const lt_control *message, lt_reply *reply);

#endif
