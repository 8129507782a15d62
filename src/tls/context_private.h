/* SPDX-License-Identifier: MIT */
/* Members of a context, for the files of this folder. */
#ifndef LT_TLS_CONTEXT_PRIVATE_H
#define LT_TLS_CONTEXT_PRIVATE_H

#include "tls/context.h"

#include <openssl/ssl.h>

#include <stdatomic.h>

/* Size of a host name (DNS: at most 253 characters) or address. */
#define LT_TLS_NAME 256

struct lt_tls_context {
    atomic_uint references;
    SSL_CTX *ctx;
    bool listener;
    bool proxy;
    bool websocket;
    bool insecure;
    bool has_fingerprint;
    uint8_t fingerprint[32];
    char name[LT_TLS_NAME];
    SSL_SESSION *psk;    /* shared key in libssl's form; NULL = none */
    SSL_SESSION *ticket; /* caller: of the newest connection; used by one thread only */
};

#endif
