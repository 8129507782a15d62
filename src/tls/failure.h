/* SPDX-License-Identifier: MIT */
/* libssl's errors as texts with the next action. */
#ifndef LT_TLS_FAILURE_H
#define LT_TLS_FAILURE_H

#include <livetcp/base.h>

#include <stdbool.h>

/* The end that reports the error. */
typedef struct lt_tls_end {
    bool listener;
    bool shared_key;
    bool proxy;       /* caller: its peer is an HTTP proxy */
    const char *name; /* caller: the listener's name */
} lt_tls_end;

/* Writes LIVETCP_ERR_TLS and the text to *error. `verified`: result of the certificate's
 * verification (X509_V_OK = not refused); `code`: the first error in libssl's queue. */
void lt_tls_failure_text(const lt_tls_end *end, long verified, unsigned long code,
                         livetcp_error *error);

#endif
