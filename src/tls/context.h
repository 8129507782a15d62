/* SPDX-License-Identifier: MIT */
/* TLS keys and rules of one end: its certificate, the certificates that it accepts, or the shared
 * key that replaces both; and the session ticket with which further connections resume. OpenSSL's
 * libssl without a socket; the wall-clock time is an argument. */
#ifndef LT_TLS_CONTEXT_H
#define LT_TLS_CONTEXT_H

#include <livetcp/base.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of a key derived from a passphrase. */
#define LT_TLS_PSK_SIZE 32

/* ALPN protocol name (RFC 7301). */
#define LT_TLS_ALPN "livetcp"

/* Settings of one end. Strings may be NULL or "" = not set; they are read during the call only. */
typedef struct lt_tls_setup {
    bool listener;
    bool proxy;          /* a caller whose peer is an HTTP proxy */
    const char *ca_file; /* PEM: certificate authorities of the peer. A listener with it requires a
                            certificate; a caller without it trusts the system's authorities */
    const char *cert_file;   /* PEM: own certificate, and the chain behind it */
    const char *key_file;    /* PEM: private key; not set = in cert_file */
    const char *fingerprint; /* "sha-256 AB:CD:..." (RFC 8122): the only certificate accepted from
                                the peer, whoever signed it */
    const char *name; /* caller: name or address in the listener's certificate, also sent as SNI */
    bool websocket;   /* the inner protocol may be HTTP: offered in ALPN */
    bool insecure;    /* caller: accepts any certificate */
    const uint8_t *psk; /* LT_TLS_PSK_SIZE bytes that replace certificates; NULL = none */
} lt_tls_setup;

typedef struct lt_tls_context lt_tls_context;

/* Reads the files. Errors name the file or the setting: LIVETCP_ERR_INVALID_ARGUMENT,
 * LIVETCP_ERR_NO_MEMORY. `previous` (may be NULL) is the listener's context that this one replaces:
 * its tickets stay valid. */
livetcp_result lt_tls_context_create(const lt_tls_setup *setup, const lt_tls_context *previous,
                                     lt_tls_context **context, livetcp_error *error);

/* Thread-safe reference count: each connection holds a reference. */
lt_tls_context *lt_tls_context_reference(lt_tls_context *context);
void lt_tls_context_release(lt_tls_context **context);

/* True if a caller's next connection can resume the TLS session of an earlier one. */
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
