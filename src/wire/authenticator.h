/* SPDX-License-Identifier: MIT */
/* The authenticator that shows that a connection belongs to a session: a MAC over both nonces, the
 * session and the index, keyed by an X25519 agreement made on the first connection. Pure functions
 * over OpenSSL's libcrypto; randomness comes in as an argument. */
#ifndef LT_WIRE_AUTHENTICATOR_H
#define LT_WIRE_AUTHENTICATOR_H

#include "wire/control.h"

/* Fills `size` bytes with secrets, from the operating system or, in tests, from a seed. */
typedef livetcp_result (*lt_random_fn)(void *user, uint8_t *bytes, size_t size);

typedef enum lt_authenticator_role {
    LT_AUTHENTICATOR_CALLER = 0,
    LT_AUTHENTICATOR_LISTENER = 1
} lt_authenticator_role;

/* One side's keys of a session. */
typedef struct lt_credentials {
    lt_authenticator_role role; /* of the owner */
    uint8_t session_id[LT_SESSION_ID_SIZE];
    uint8_t private_key[LT_KEY_SIZE]; /* wiped once the key is derived */
    uint8_t public_key[LT_KEY_SIZE];
    uint8_t key[LT_KEY_SIZE]; /* valid if has_key */
    bool has_key;
} lt_credentials;

#define LT_BINDING_SIZE 32

/* Keying material of the TLS connection that carries the handshake (RFC 9266). */
typedef struct lt_channel_binding {
    bool known; /* false without TLS */
    uint8_t bytes[LT_BINDING_SIZE];
} lt_channel_binding;

/* What both sides said before they had a key, for the MACs to cover. */
typedef struct lt_transcript {
    bool known; /* false with a peer that knows no LT_CAPABILITY_INTRODUCTION, and after JOIN */
    uint8_t create[32];    /* SHA-256 of CREATE's packet */
    uint32_t capabilities; /* of ACCEPT */
} lt_transcript;

/* Takes in those of CREATE's capabilities that we have, too: what ACCEPT is to say. `known` is set
 * if LT_CAPABILITY_INTRODUCTION is one of them. */
void lt_transcript_start(lt_transcript *transcript, uint32_t capabilities);

/* Takes in CREATE, whose packet this is, before anything is bound. Errors: LIVETCP_ERR_SYSTEM when
 * libcrypto fails. */
livetcp_result lt_transcript_cover(lt_transcript *transcript, const uint8_t *create, size_t size);

/* New session id and key pair (a caller), or for a listener, with `session_id` given, a key pair
 * for that session. Errors: those of `random`, or LIVETCP_ERR_SYSTEM when libcrypto fails; the
 * credentials are all zero then. */
livetcp_result lt_credentials_create(lt_credentials *credentials, const uint8_t *session_id,
                                     lt_random_fn random, void *random_user);

/* Derives the key from the peer's public key: HKDF-SHA-256 of the X25519 secret, salted with the
 * session id, bound to both public keys. Errors: LIVETCP_ERR_BAD_PROOF for a public key of low
 * order, LIVETCP_ERR_BAD_STATE if there is a key already, LIVETCP_ERR_SYSTEM when libcrypto fails;
 * the credentials are unchanged then. */
livetcp_result lt_credentials_agree(lt_credentials *credentials,
                                    const uint8_t peer_public_key[LT_KEY_SIZE]);

/* Overwrites a secret, which the compiler leaves in. */
void lt_wipe(void *secret, size_t size);

/* Overwrites all secrets. */
void lt_credentials_wipe(lt_credentials *credentials);

/* The credentials as one connection uses them: with a binding, another key takes the place of the
 * session's, so that nobody between two TLS connections can pass the authenticator on; and with a
 * transcript, so that nobody changes it. `bound` is the caller's to wipe. Errors:
 * LIVETCP_ERR_BAD_STATE without a key, LIVETCP_ERR_SYSTEM when libcrypto fails. */
livetcp_result lt_credentials_bind(const lt_credentials *credentials,
                                   const lt_channel_binding *binding,
                                   const lt_transcript *transcript, lt_credentials *bound);

/* HMAC-SHA-256 by `role`, the side that sends it, over version, session id, index and both nonces.
 * Errors: LIVETCP_ERR_BAD_STATE without a key, LIVETCP_ERR_SYSTEM when libcrypto fails. */
livetcp_result lt_authenticator_compute(const lt_credentials *credentials,
                                        lt_authenticator_role role, unsigned index,
                                        const uint8_t caller_nonce[LT_NONCE_SIZE],
                                        const uint8_t listener_nonce[LT_NONCE_SIZE],
                                        uint8_t mac[LT_MAC_SIZE]);

/* A ticket in the place of the listener's nonce, which is random and begins with twelve zeros once
 * in 2^96 times. */
void lt_ticket_nonce(uint32_t ticket, uint8_t nonce[LT_NONCE_SIZE]);

/* Compares in constant time. LIVETCP_ERR_BAD_PROOF if it is another MAC, and the errors of
 * lt_authenticator_compute(). */
livetcp_result lt_authenticator_check(const lt_credentials *credentials, lt_authenticator_role role,
                                      unsigned index, const uint8_t caller_nonce[LT_NONCE_SIZE],
                                      const uint8_t listener_nonce[LT_NONCE_SIZE],
                                      const uint8_t mac[LT_MAC_SIZE]);

#endif
