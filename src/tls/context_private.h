/* SPDX-License-Identifier: MIT */
/* A context as its connections see it. */
#ifndef LT_TLS_CONTEXT_PRIVATE_H
#define LT_TLS_CONTEXT_PRIVATE_H

#include "tls/context.h"

#include <openssl/ssl.h>

#include <stdatomic.h>

/* A host name (DNS: 253) or an address. */
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
    SSL_SESSION *psk;    /* what a shared key is to libssl; NULL without one */
    SSL_SESSION *ticket; /* caller: of the newest connection; used on one thread only */
};

#endif
