/* SPDX-License-Identifier: MIT */
/* The TLS keys and rules of one end: which certificate it shows, which ones it takes, or the shared
 * key that replaces them; the session ticket by which further connections resume. OpenSSL's libssl
 * without a socket; wall-clock time comes in as an argument. */
#ifndef LT_TLS_CONTEXT_H
#define LT_TLS_CONTEXT_H

#include <livetcp/base.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of a key derived from a passphrase. */
#define LT_TLS_PSK_SIZE 32

/* The name by which both ends know each other's protocol (RFC 7301). */
#define LT_TLS_ALPN "livetcp"

/* An end's settings. Strings may be NULL or "" = not set; they are read during the call only. */
typedef struct lt_tls_setup {
    bool listener;
    bool proxy;              /* a caller whose peer is an HTTP proxy, not LiveTCP */
    const char *ca_file;     /* PEM: whose certificates the peer may have; a listener that has it
                                demands one. A caller without it trusts the system's */
    const char *cert_file;   /* PEM: own certificate, and the chain behind it */
    const char *key_file;    /* PEM: its private key; not set = in cert_file */
    const char *fingerprint; /* "sha-256 AB:CD:..." (RFC 8122) of the only certificate that the peer
                                may have, whoever signed it */
    const char *name;        /* caller: name or address that the listener's certificate must be for,
                                and that the listener is told (SNI) */
    bool websocket;          /* HTTP may be inside, which ALPN says */
    bool insecure;           /* caller: takes every certificate */
    const uint8_t *psk;      /* LT_TLS_PSK_SIZE bytes that replace certificates; NULL = none */
} lt_tls_setup;

typedef struct lt_tls_context lt_tls_context;

/* Reads the files. Errors name the file or the setting: LIVETCP_ERR_INVALID_ARGUMENT,
 * LIVETCP_ERR_NO_MEMORY. `previous` (may be NULL) is a listener's context that this one replaces:
 * its tickets stay valid. */
livetcp_result lt_tls_context_create(const lt_tls_setup *setup, const lt_tls_context *previous,
                                     lt_tls_context **context, livetcp_error *error);

/* References are counted, by any thread: a connection keeps its context alive. */
lt_tls_context *lt_tls_context_reference(lt_tls_context *context);
void lt_tls_context_release(lt_tls_context **context);

/* True once a caller's connection can resume what an earlier one agreed. */
bool lt_tls_context_has_ticket(const lt_tls_context *context);

/* Key from a passphrase by scrypt (RFC 7914; N = 2^15, r = 8, p = 1: 32 MiB, about 0.1 s). Errors:
 * LIVETCP_ERR_INVALID_ARGUMENT if it has fewer than LT_TLS_PASSPHRASE_MIN bytes,
 * LIVETCP_ERR_NO_MEMORY. */
#define LT_TLS_PASSPHRASE_MIN 10
livetcp_result lt_tls_derive_psk(const char *passphrase, uint8_t psk[LT_TLS_PSK_SIZE],
                                 livetcp_error *error);

/* Checks the form of a fingerprint. Errors: LIVETCP_ERR_INVALID_ARGUMENT. */
livetcp_result lt_tls_parse_fingerprint(const char *text, uint8_t digest[32], livetcp_error *error);

#endif
