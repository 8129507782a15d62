/* SPDX-License-Identifier: MIT */
/* Authenticators that show that a connection belongs to a session: a MAC over both nonces, the
 * session id and the index, keyed by an X25519 agreement of the first connection. Pure functions
 * over OpenSSL's libcrypto; randomness is an argument. */
#ifndef LT_WIRE_AUTHENTICATOR_H
#define LT_WIRE_AUTHENTICATOR_H

#include "wire/control.h"

/* Fills `size` bytes with random secrets: from the operating system, or in tests from a seed. */
typedef livetcp_result (*lt_random_fn)(void *user, uint8_t *bytes, size_t size);

typedef enum lt_authenticator_role {
    LT_AUTHENTICATOR_CALLER = 0,
    LT_AUTHENTICATOR_LISTENER = 1
} lt_authenticator_role;

/* One side's keys of a session. */
typedef struct lt_credentials {
    lt_authenticator_role role; /* side that owns them */
    uint8_t session_id[LT_SESSION_ID_SIZE];
    uint8_t private_key[LT_KEY_SIZE]; /* wiped after the key is derived */
    uint8_t public_key[LT_KEY_SIZE];
    uint8_t key[LT_KEY_SIZE]; /* valid if has_key */
    bool has_key;
} lt_credentials;

#define LT_BINDING_SIZE 32

/* Keying material exported from the TLS connection that carries the handshake (RFC 9266). */
typedef struct lt_channel_binding {
    bool known; /* false without TLS */
    uint8_t bytes[LT_BINDING_SIZE];
} lt_channel_binding;

/* The handshake's messages from before the key, which the MACs cover. */
typedef struct lt_transcript {
    bool known;            /* false if the peer lacks LT_CAPABILITY_INTRODUCTION, and after JOIN */
    uint8_t create[32];    /* SHA-256 of CREATE's packet */
    uint32_t capabilities; /* of ACCEPT */
} lt_transcript;

/* Sets the capabilities that ACCEPT announces: those of CREATE that this version has. Sets `known`
 * if LT_CAPABILITY_INTRODUCTION is among them. */
void lt_transcript_start(lt_transcript *transcript, uint32_t capabilities);

/* Adds the packet of CREATE; call it before lt_credentials_bind(). Errors: LIVETCP_ERR_SYSTEM when
 * libcrypto fails. */
livetcp_result lt_transcript_cover(lt_transcript *transcript, const uint8_t *create, size_t size);

/* Creates a session id and a key pair (caller), or a key pair for the given session id (listener).
 * Errors: those of `random`, and LIVETCP_ERR_SYSTEM when libcrypto fails; the credentials are
 * zeroed then. */
livetcp_result lt_credentials_create(lt_credentials *credentials, const uint8_t *session_id,
                                     lt_random_fn random, void *random_user);

/* Derives the key from the peer's public key: HKDF-SHA-256 of the X25519 secret, with the session
 * id as salt and both public keys as info. Errors: LIVETCP_ERR_BAD_PROOF for a public key of low
 * order, LIVETCP_ERR_BAD_STATE if there is a key already, LIVETCP_ERR_SYSTEM when libcrypto fails;
 * the credentials are unchanged then. */
livetcp_result lt_credentials_agree(lt_credentials *credentials,
                                    const uint8_t peer_public_key[LT_KEY_SIZE]);

/* Overwrites a secret; the compiler does not optimize this away. */
void lt_wipe(void *secret, size_t size);

/* Overwrites all secrets. */
void lt_credentials_wipe(lt_credentials *credentials);

/* Derives the credentials for one connection. With a channel binding they have another key, so that
 * an attacker between two TLS connections cannot relay the authenticator; with a transcript also,
 * so that alteration of the messages is detected. The caller wipes `bound`. Errors:
 * LIVETCP_ERR_BAD_STATE without a key, LIVETCP_ERR_SYSTEM when libcrypto fails. */
livetcp_result lt_credentials_bind(const lt_credentials *credentials,
                                   const lt_channel_binding *binding,
                                   const lt_transcript *transcript, lt_credentials *bound);

/* HMAC-SHA-256 of the sending side `role` over version, session id, index and both nonces. Errors:
 * LIVETCP_ERR_BAD_STATE without a key, LIVETCP_ERR_SYSTEM when libcrypto fails. */
livetcp_result lt_authenticator_compute(const lt_credentials *credentials,
                                        lt_authenticator_role role, unsigned index,
                                        const uint8_t caller_nonce[LT_NONCE_SIZE],
                                        const uint8_t listener_nonce[LT_NONCE_SIZE],
                                        uint8_t mac[LT_MAC_SIZE]);

/* Encodes a ticket in place of the listener's nonce. A random nonce begins with the same twelve
 * zero bytes with a probability of 2^-96. */
void lt_ticket_nonce(uint32_t ticket, uint8_t nonce[LT_NONCE_SIZE]);

/* Compares in constant time. Errors: LIVETCP_ERR_BAD_PROOF for another MAC, and those of
 * lt_authenticator_compute(). */
livetcp_result lt_authenticator_check(const lt_credentials *credentials, lt_authenticator_role role,
                                      unsigned index, const uint8_t caller_nonce[LT_NONCE_SIZE],
                                      const uint8_t listener_nonce[LT_NONCE_SIZE],
                                      const uint8_t mac[LT_MAC_SIZE]);

#endif
