/* SPDX-License-Identifier: MIT */
/* libssl's reasons in words, with the next action. */
#ifndef LT_TLS_FAILURE_H
#define LT_TLS_FAILURE_H

#include <livetcp/base.h>

#include <stdbool.h>

/* Whose words they are. */
typedef struct lt_tls_end {
    bool listener;
    bool shared_key;
    bool proxy;       /* caller: its peer is an HTTP proxy */
    const char *name; /* caller: whom it wanted */
} lt_tls_end;

/* `verified`: why the peer's certificate was refused (X509_V_...), X509_V_OK = it was not; `code`:
 * the first error on libssl's queue. Writes LIVETCP_ERR_TLS and the text to *error. */
void lt_tls_failure_text(const lt_tls_end *end, long verified, unsigned long code,
                         livetcp_error *error);

#endif
