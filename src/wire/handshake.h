/* SPDX-License-Identifier: MIT */
/*
 * Handshake by which a connection enters a session, with one state machine per side.
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
 * reply sets it; to none on failure. */
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
    bool joined;     /* JOINED was received */
    bool introduced; /* CREATE has a stream id or a token, which the listener must support */
    bool unanswered; /* JOIN had a ticket, and the listener is not authenticated yet */
    uint8_t nonce[LT_NONCE_SIZE];
    uint32_t ticket; /* 0 = none */
    lt_channel_binding binding;
    lt_transcript transcript; /* of CREATE */
} lt_caller_handshake;

/* The first frame of a connection. */
typedef struct lt_opening {
    uint8_t frame[LT_CREATE_MAX];
    size_t size;
} lt_opening;

/* Starts the handshake on a new connection: CREATE with this introduction (NULL = none) if
 * `credentials` has no key yet, otherwise JOIN. Draws a nonce. Errors: those of `random`,
 * LIVETCP_ERR_SYSTEM when libcrypto fails. */
livetcp_result lt_caller_start(lt_caller_handshake *handshake, const lt_credentials *credentials,
                               const lt_introduction *introduction, unsigned index, unsigned count,
                               lt_random_fn random, void *random_user, lt_opening *opening);

/* Call after lt_caller_start() if the connection is TLS. */
void lt_caller_bind(lt_caller_handshake *handshake, const lt_channel_binding *binding);

/* Call after lt_caller_bind() if `opening` is a JOIN that is to prove itself with a ticket, a
 * number above all that were used in the session; media may follow at once. Errors:
 * LIVETCP_ERR_BAD_STATE without a key, LIVETCP_ERR_SYSTEM when libcrypto fails. */
livetcp_result lt_caller_use_ticket(lt_caller_handshake *handshake,
                                    const lt_credentials *credentials, uint32_t ticket,
                                    lt_opening *opening);

/* Takes ACCEPT, CHALLENGE, JOINED or REJECT. ACCEPT completes `credentials`; `reply` may be the
 * PROOF to write. Errors end the connection, with unchanged credentials: LIVETCP_ERR_BAD_PROOF if
 * the listener's MAC is wrong, LIVETCP_ERR_NO_INTRODUCTION if the listener would ignore our stream
 * id and token, LIVETCP_ERR_PROTOCOL for an unexpected message, and the reason of a REJECT. */
livetcp_result lt_caller_receive(lt_caller_handshake *handshake, lt_credentials *credentials,
                                 const lt_control *message, lt_reply *reply);

/* ---- listener ---- */

typedef enum lt_pending_step {
    LT_PENDING_MORE = 0, /* all input is consumed; wait for more, or for the deadline */
    LT_PENDING_CREATE, /* a session is requested: create it, then lt_pending_connection_accept() */
    LT_PENDING_LOOKUP, /* a session is to be joined: find it, then lt_pending_connection_challenge()
                        */
    LT_PENDING_PROVED, /* the connection belongs to the session, after CREATE a new one: adopt it at
                          `index`, write the reply, process the held bytes, then the rest */
    LT_PENDING_FAILED  /* write the reply, if any, and close; `error` is the reason */
} lt_pending_step;

/* Maximum number of bytes that a connection without a session may send up to its request, and in
 * the handshake of a JOIN. This bounds the memory for it. */
#define LT_PENDING_HELD 4096

/* Maximum number of bytes of media after CREATE that are held until PROOF: more than TCP lets a
 * caller send in the round trip between the two. */
#define LT_PENDING_MEDIA (256 * 1024)

typedef struct lt_pending_connection lt_pending_connection;

/* The handshake must be complete within `timeout_us` of `now`, whatever the peer sends meanwhile.
 * NULL without memory. */
lt_pending_connection *lt_pending_connection_create(livetcp_usec now, livetcp_usec timeout_us);
void lt_pending_connection_destroy(lt_pending_connection **pending);

/* Call before the first input if the connection is TLS. */
void lt_pending_connection_bind(lt_pending_connection *pending, const lt_channel_binding *binding);

/* Consumes input up to the end of the frame that decides the next step. The remaining input belongs
 * to the session once the connection is adopted, and to the next call after a challenge. Write the
 * reply first, if any. Errors: LIVETCP_ERR_GARBAGE for input other than RTP,
 * LIVETCP_ERR_FRAME_TOO_LARGE for a frame longer than any of the handshake, LIVETCP_ERR_PROTOCOL
 * for media, foreign RTCP, an unexpected message or too many bytes, LIVETCP_ERR_TLS for a token
 * without TLS, LIVETCP_ERR_VERSION, LIVETCP_ERR_BAD_PROOF, LIVETCP_ERR_NO_MEMORY, and the reason of
 * a peer that rejected the connection. */
lt_pending_step lt_pending_connection_receive(lt_pending_connection *pending, const uint8_t **data,
                                              size_t *size, lt_reply *reply, livetcp_result *error);

/* CREATE or JOIN; valid after LT_PENDING_CREATE or LT_PENDING_LOOKUP. */
const lt_control *lt_pending_connection_request(const lt_pending_connection *pending);

/* Capabilities of both sides; valid after lt_pending_connection_accept(). */
uint32_t lt_pending_connection_capabilities(const lt_pending_connection *pending);

/* Stream id, token and role of CREATE; valid after LT_PENDING_CREATE, and unauthenticated before
 * LT_PENDING_PROVED. The texts live as long as `pending`, the token until
 * lt_pending_connection_forget_token(). */
lt_introduction lt_pending_connection_introduction(const lt_pending_connection *pending);

/* Overwrites the token, which is not needed any more. */
void lt_pending_connection_forget_token(lt_pending_connection *pending);

/* After LT_PENDING_CREATE: derives the session's credentials from the request; `reply` is ACCEPT.
 * `credentials` must stay valid until `pending` is destroyed or proved. Afterwards either call
 * lt_pending_connection_receive() until PROOF, which holds media meanwhile; or let a session adopt
 * the connection at once and check the PROOF with lt_pending_authenticator_confirm(). Errors:
 * LIVETCP_ERR_BAD_PROOF for a public key of low order, LIVETCP_ERR_BAD_STATE, LIVETCP_ERR_SYSTEM,
 * those of `random`. The credentials are wiped then; call lt_pending_connection_reject(). */
livetcp_result lt_pending_connection_accept(lt_pending_connection *pending,
                                            lt_credentials *credentials, lt_random_fn random,
                                            void *random_user, lt_reply *reply);

/* After LT_PENDING_LOOKUP: `reply` is CHALLENGE. `credentials` must stay valid until `pending` is
 * destroyed or proved. Errors: LIVETCP_ERR_BAD_STATE, LIVETCP_ERR_SYSTEM, those of `random`; call
 * lt_pending_connection_reject() then. */
livetcp_result lt_pending_connection_challenge(lt_pending_connection *pending,
                                               const lt_credentials *credentials,
                                               lt_random_fn random, void *random_user,
                                               lt_reply *reply);

/* After LT_PENDING_LOOKUP of a JOIN with an unused ticket: `reply` is CHALLENGE, which the JOIN has
 * answered in advance. The next lt_pending_connection_receive() returns LT_PENDING_PROVED. Errors:
 * as lt_pending_connection_challenge(), and LIVETCP_ERR_BAD_PROOF. */
livetcp_result lt_pending_connection_redeem(lt_pending_connection *pending,
                                            const lt_credentials *credentials, lt_reply *reply);

/* The ticket by which the connection has proved itself; 0 = it answered a CHALLENGE. */
uint32_t lt_pending_connection_ticket(const lt_pending_connection *pending);

/* Frames with their LENGTH that were held between CREATE and PROOF; *size = 0 if there are none.
 * Valid until the next call. */
const uint8_t *lt_pending_connection_held(const lt_pending_connection *pending, size_t *size);

/* Rejects the connection in any state; `reply` is REJECT. No more input is consumed. */
void lt_pending_connection_reject(lt_pending_connection *pending, livetcp_result reason,
                                  lt_reply *reply);

/* lt_pending_connection_reject() with a code and a text of the application, for a caller that sent
 * an introduction. A text that is too long is truncated; one that is not UTF-8 is dropped. */
void lt_pending_connection_reject_with(lt_pending_connection *pending, livetcp_result reason,
                                       unsigned code, const char *text, lt_reply *reply);

/* After LT_PENDING_PROVED of a CREATE: `reply` is WAIT, or none if the caller does not support it.
 */
void lt_pending_connection_wait(const lt_pending_connection *pending, lt_reply *reply);

/* Time at which the handshake times out. */
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

/* After lt_pending_connection_accept(): sets the state for the expected PROOF. `pending` is false
 * if none is expected. */
void lt_pending_connection_authenticator(const lt_pending_connection *pending,
                                         lt_pending_authenticator *authenticator);

/* Checks the PROOF of the session's first connection; `reply` is JOINED, and nothing is pending any
 * more. Errors: LIVETCP_ERR_BAD_PROOF; LIVETCP_ERR_PROTOCOL if none is pending, or for another
 * message. */
livetcp_result lt_pending_authenticator_confirm(lt_pending_authenticator *authenticator,
                                                const lt_credentials *credentials,
                                                const lt_control *message, lt_reply *reply);

#endif
