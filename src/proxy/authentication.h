/* SPDX-License-Identifier: MIT */
/* A caller's authentication at an HTTP proxy: Basic (RFC 7617) and Digest (RFC 7616, qop=auth, with
 * MD5 and SHA-256). */
#ifndef LT_PROXY_AUTHENTICATION_H
#define LT_PROXY_AUTHENTICATION_H

#include "proxy/url.h"

/* From the weakest to the strongest. */
typedef enum lt_proxy_scheme {
    LT_PROXY_NO_SCHEME = 0,
    LT_PROXY_BASIC,
    LT_PROXY_DIGEST_MD5,
    LT_PROXY_DIGEST_SHA256
} lt_proxy_scheme;

/* The proxy's challenge. It is shared by all connections to a proxy, so that later ones answer it
 * in their first request. Zeroed: none yet. */
typedef struct lt_proxy_challenge {
    lt_proxy_scheme scheme;
    bool session;    /* Digest: "-sess" algorithm */
    bool stale;      /* the last answer was right, but its nonce too old */
    bool accepted;   /* an answer was accepted */
    bool has_opaque; /* Digest */
    char realm[256];
    char nonce[512];
    char opaque[512];
    uint32_t count;  /* Digest: answers with this nonce (nc) */
    char others[64]; /* offered schemes that LiveTCP lacks: "Negotiate, NTLM" */
} lt_proxy_challenge;

/* Reads the value of one Proxy-Authenticate field, which may have several challenges, and keeps the
 * strongest. Zero the challenge before the first field of a response. */
void lt_proxy_challenge_read(lt_proxy_challenge *challenge, const char *value);

#define LT_PROXY_CNONCE 16

/* Size of the longest answer. */
#define LT_PROXY_AUTHORIZATION 4096

/* Writes the value of Proxy-Authorization for CONNECT to `target` ("host:port"), NUL-terminated,
 * and counts it. `cnonce` is random. The caller wipes the value. False if libcrypto fails or the
 * value does not fit. */
bool lt_proxy_authorize(lt_proxy_challenge *challenge, const lt_proxy *proxy, const char *target,
                        const uint8_t cnonce[LT_PROXY_CNONCE], char out[LT_PROXY_AUTHORIZATION]);

#endif
