/* SPDX-License-Identifier: MIT */
/* JSON Web Tokens (RFC 7519) in compact serialization, signed by HS256 (RFC 7518) or EdDSA with
 * Ed25519 (RFC 8037). Nothing of a token but its header is parsed before its signature is right. */
#ifndef LT_ADMISSION_JWT_H
#define LT_ADMISSION_JWT_H

#include <livetcp/base.h>

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* Least bytes of a key for HS256 (RFC 7518, section 3.2), and the most that are taken. */
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

/* True if the text is to be taken for a JWT: three parts, with a period between them. */
bool lt_jwt_is(const char *token);

/* The claims of a token that one of these keys has signed, which are the caller's to free with
 * json_decref(); NULL if none has, and *why says what is wrong with the token. */
json_t *lt_jwt_verify(const char *token, const lt_jwt_key *keys, size_t count, const char **why);

#endif
