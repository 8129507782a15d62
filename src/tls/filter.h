/* SPDX-License-Identifier: MIT */
/*
 * TLS 1.3 (RFC 8446) and 1.2 on one connection, between plaintext and records: bytes in, bytes out.
 * No socket and no clock; the time is an argument. Each write becomes one record; above 16 KiB,
 * several. After every call that takes input or plaintext the owner writes output(), also after a
 * failure: the peer gets an alert. One thread at a time.
 */
#ifndef LT_TLS_FILTER_H
#define LT_TLS_FILTER_H

#include "tls/context.h"

/* Size of the channel binding: keying material that only the two ends of this connection have (RFC
 * 9266). */
#define LT_TLS_BINDING_SIZE 32

/* After so many of its records an end takes new keys (TLS 1.3), which libssl leaves to its user.
 * AES-GCM is good for 2^24.5 (RFC 8446 section 5.5); with fewer a key that leaks opens less. */
#define LT_TLS_RECORDS_PER_KEY 65536

typedef enum lt_tls_state {
    LT_TLS_HANDSHAKE = 0, /* plaintext is neither accepted nor delivered */
    LT_TLS_OPEN,
    LT_TLS_ENDED, /* orderly end by the peer: no more plaintext */
    LT_TLS_FAILED /* see lt_tls_filter_error() */
} lt_tls_state;

/* Result of the handshake. Strings are static or live as long as the filter; "" = none. */
typedef struct lt_tls_info {
    const char *version; /* "TLSv1.3" */
    const char *cipher;
    const char *subject;     /* of the peer's certificate, RFC 2253: "CN=camera 7,O=Example" */
    const char *fingerprint; /* of that certificate: "sha-256 AB:CD:..." */
    bool resumed;            /* by a ticket, without certificates in the handshake */
    bool shared_key;         /* by passphrase, without certificates */
} lt_tls_info;

typedef struct lt_tls_filter lt_tls_filter;

/* Creates a connection of this context, which it references. `wall_s`: Unix time for the validity
 * of certificates. A caller's has output() at once. Errors: LIVETCP_ERR_NO_MEMORY. */
livetcp_result lt_tls_filter_create(lt_tls_context *context, int64_t wall_s,
                                    lt_tls_filter **filter);
void lt_tls_filter_destroy(lt_tls_filter **filter);

/* Nests the filter within `outer`, which is open and is taken over: this filter's records are
 * plaintext of `outer`, whose output() is returned. Directly after create(). */
void lt_tls_filter_nest(lt_tls_filter *filter, lt_tls_filter *outer);

lt_tls_state lt_tls_filter_state(const lt_tls_filter *filter);

/* Takes bytes received from the peer and continues the handshake. Follow with read() until it
 * returns 0. */
void lt_tls_filter_receive(lt_tls_filter *filter, const uint8_t *data, size_t size);

/* Reads received plaintext: number of bytes, 0 = no more for now. */
size_t lt_tls_filter_read(lt_tls_filter *filter, uint8_t *data, size_t size);

/* Writes all of the plaintext. Errors: LIVETCP_ERR_BAD_STATE before the filter is open,
 * LIVETCP_ERR_TLS. */
livetcp_result lt_tls_filter_write(lt_tls_filter *filter, const void *data, size_t size);

/* Records to write to the peer; they stay valid until the next call. */
size_t lt_tls_filter_output(const lt_tls_filter *filter, const uint8_t **data);
void lt_tls_filter_written(lt_tls_filter *filter, size_t size);

/* Sends close_notify. */
void lt_tls_filter_end(lt_tls_filter *filter);

/* After a failure: LIVETCP_ERR_TLS with cause and remedy. */
const livetcp_error *lt_tls_filter_error(const lt_tls_filter *filter);

/* The channel binding, of a filter that is or was open. False if libssl fails. */
bool lt_tls_filter_binding(lt_tls_filter *filter, uint8_t binding[LT_TLS_BINDING_SIZE]);
void lt_tls_filter_info(const lt_tls_filter *filter, lt_tls_info *info);

#endif
