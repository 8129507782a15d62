/* SPDX-License-Identifier: MIT */
/*
 * TLS 1.3 (RFC 8446) and 1.2 on one connection, between plaintext and records: bytes in, bytes out.
 * No socket and no clock; time comes in as an argument. Each write becomes one record, or several
 * beyond 16 KiB. The owner writes output() after every call below that takes input or plaintext,
 * and also when the filter has failed: the peer gets an alert. One thread at a time.
 */
#ifndef LT_TLS_FILTER_H
#define LT_TLS_FILTER_H

#include "tls/context.h"

/* Keying material that only both ends of this very connection have (RFC 9266). */
#define LT_TLS_BINDING_SIZE 32

/* After so many of its records an end takes new keys (TLS 1.3), which libssl leaves to its user.
 * AES-GCM is good for 2^24.5 (RFC 8446 section 5.5); with fewer a key that leaks opens less. */
#define LT_TLS_RECORDS_PER_KEY 65536

typedef enum lt_tls_state {
    LT_TLS_HANDSHAKE = 0, /* no plaintext is taken or given yet */
    LT_TLS_OPEN,
    LT_TLS_ENDED, /* the peer ended it in order: nothing more comes */
    LT_TLS_FAILED /* see lt_tls_filter_error() */
} lt_tls_state;

/* What the handshake agreed. Strings are static or live as long as the filter; "" = nothing. */
typedef struct lt_tls_info {
    const char *version; /* "TLSv1.3" */
    const char *cipher;
    const char *subject;     /* of the peer's certificate, RFC 2253: "CN=camera 7,O=Example" */
    const char *fingerprint; /* of the same: "sha-256 AB:CD:..." */
    bool resumed;            /* by a ticket, without certificates on the wire */
    bool shared_key;         /* no certificates: both ends have the passphrase */
} lt_tls_info;

typedef struct lt_tls_filter lt_tls_filter;

/* A connection of this context, which it references. `wall_s`: seconds since 1970, by which
 * certificates are valid or not. A caller's has output() at once. Errors: LIVETCP_ERR_NO_MEMORY. */
livetcp_result lt_tls_filter_create(lt_tls_context *context, int64_t wall_s,
                                    lt_tls_filter **filter);
void lt_tls_filter_destroy(lt_tls_filter **filter);

/* Puts the filter into another, `outer`, which is open and taken over: what it has to say becomes
 * plaintext of that one, and output() is that one's. At once after create(). */
void lt_tls_filter_nest(lt_tls_filter *filter, lt_tls_filter *outer);

lt_tls_state lt_tls_filter_state(const lt_tls_filter *filter);

/* Takes bytes that came from the peer; goes on with the handshake. Follow with read() until it
 * returns 0. */
void lt_tls_filter_receive(lt_tls_filter *filter, const uint8_t *data, size_t size);

/* Plaintext that has come: number of bytes, 0 = no more for now. */
size_t lt_tls_filter_read(lt_tls_filter *filter, uint8_t *data, size_t size);

/* Takes plaintext whole. Errors: LIVETCP_ERR_BAD_STATE before the filter is open,
 * LIVETCP_ERR_TLS. */
livetcp_result lt_tls_filter_write(lt_tls_filter *filter, const void *data, size_t size);

/* Records to write to the peer; they stay valid until the next call. */
size_t lt_tls_filter_output(const lt_tls_filter *filter, const uint8_t **data);
void lt_tls_filter_written(lt_tls_filter *filter, size_t size);

/* Tells the peer that nothing follows (close_notify). */
void lt_tls_filter_end(lt_tls_filter *filter);

/* Once it has failed: LIVETCP_ERR_TLS with the cause and the remedy. */
const livetcp_error *lt_tls_filter_error(const lt_tls_filter *filter);

/* Of a filter that is or was open. False if libssl cannot. */
bool lt_tls_filter_binding(lt_tls_filter *filter, uint8_t binding[LT_TLS_BINDING_SIZE]);
void lt_tls_filter_info(const lt_tls_filter *filter, lt_tls_info *info);

#endif
