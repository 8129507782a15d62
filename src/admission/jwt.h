/* SPDX-License-Identifier: MIT */
/* JSON Web Tokens (RFC 7519) in compact serialization, signed by HS256 (RFC 7518) or EdDSA with
 * Ed25519 (RFC 8037). Before the signature is verified, only a token's header is parsed. */
#ifndef LT_ADMISSION_JWT_H
#define LT_ADMISSION_JWT_H

#include <livetcp/base.h>

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* Minimum key size of HS256 in bytes (RFC 7518 section 3.2), and the maximum accepted. */
#define LT_JWT_SECRET_MIN 32
#define LT_JWT_SECRET_MAX 256

#define LT_JWT_PUBLIC_KEY 32 /* of Ed25519 */

typedef enum lt_jwt_algorithm { LT_JWT_HS256, LT_JWT_EDDSA } lt_jwt_algorithm;

typedef struct lt_jwt_key {
    lt_jwt_algorithm algorithm;
    char id[64]; /* "kid"; "" = none */
    uint8_t bytes[LT_JWT_SECRET_MAX];
    size_t size;
} lt_jwt_key;

/* True if the text has the form of a JWT: three parts separated by periods. */
bool lt_jwt_is(const char *token);

/* The claims of a token that one of these keys has signed; the caller releases them with
 * json_decref(). NULL otherwise, and *why has the reason. */
json_t *lt_jwt_verify(const char *token, const lt_jwt_key *keys, size_t count, const char **why);

#endif
