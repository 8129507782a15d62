/* SPDX-License-Identifier: MIT */
#include "admission/jwt.h"

#include "admission/base64url.h"

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

/* Size of a decoded part; tokens are not longer than LIVETCP_TOKEN_MAX. */
#define PART_MAX 4096

#define HS256_SIZE 32
#define EDDSA_SIZE 64

/* Parts of a token; its first `signed_size` bytes are signed. */
typedef struct parts {
    const char *header, *claims, *signature;
    size_t header_size, claims_size, signature_size, signed_size;
} parts;

static bool split(const char *token, parts *p)
{
    const char *first = strchr(token, '.');
    const char *second = first ? strchr(first + 1, '.') : NULL;

    if (!second || strchr(second + 1, '.'))
        return false;
    *p = (parts){.header = token,
                 .header_size = (size_t)(first - token),
                 .claims = first + 1,
                 .claims_size = (size_t)(second - first - 1),
                 .signature = second + 1,
                 .signature_size = strlen(second + 1),
                 .signed_size = (size_t)(second - token)};
    return true;
}

bool lt_jwt_is(const char *token)
{
    parts p;

    return split(token, &p);
}

/* Decodes a JSON object in base 64; duplicate member names are an error. */
static json_t *read_object(const char *text, size_t size)
{
    uint8_t bytes[PART_MAX];
    long used = size <= sizeof bytes ? lt_base64url_decode(text, size, bytes) : -1;
    json_t *object =
        used > 0 ? json_loadb((const char *)bytes, (size_t)used, JSON_REJECT_DUPLICATES, NULL)
                 : NULL;

    if (object && !json_is_object(object)) {
        json_decref(object);
        object = NULL;
    }
    return object;
}

/* ---- signatures ---- */

static bool check_hs256(const lt_jwt_key *key, const parts *p, const uint8_t *signature)
{
    uint8_t mac[HS256_SIZE];
    size_t size = 0;

    return EVP_Q_mac(NULL, "HMAC", NULL, "SHA256", NULL, key->bytes, key->size,
                     (const uint8_t *)p->header, p->signed_size, mac, sizeof mac, &size) &&
           size == sizeof mac && CRYPTO_memcmp(mac, signature, sizeof mac) == 0;
}

static bool check_eddsa(const lt_jwt_key *key, const parts *p, const uint8_t *signature)
{
    EVP_PKEY *public =
        EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, key->bytes, LT_JWT_PUBLIC_KEY);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool right = public && context &&
                 EVP_DigestVerifyInit(context, NULL, NULL, NULL, public) == 1 &&
                 EVP_DigestVerify(context, signature, EDDSA_SIZE, (const uint8_t *)p->header,
                                  p->signed_size) == 1;

    EVP_MD_CTX_free(context);
    EVP_PKEY_free(public);
    return right;
}

/* Verifies the signature with the keys of that algorithm. The token's header selects among our
 * keys, and never which algorithm is used with a key. */
static bool check_signature(const lt_jwt_key *keys, size_t count, lt_jwt_algorithm algorithm,
                            const char *id, const parts *p)
{
    const size_t expected = algorithm == LT_JWT_HS256 ? HS256_SIZE : EDDSA_SIZE;
    uint8_t signature[EDDSA_SIZE];
    bool right = false;

    if (p->signature_size != (expected * 4 + 2) / 3 ||
        lt_base64url_decode(p->signature, p->signature_size, signature) != (long)expected)
        return false;
    ERR_set_mark(); /* discards libcrypto's errors: a wrong signature is not an error of the program
                     */
    for (size_t i = 0; i < count && !right; i++) {
        const lt_jwt_key *key = &keys[i];
        if (key->algorithm != algorithm || (*id && *key->id && strcmp(id, key->id) != 0))
            continue;
        right = algorithm == LT_JWT_HS256 ? check_hs256(key, p, signature)
                                          : check_eddsa(key, p, signature);
    }
    ERR_pop_to_mark();
    return right;
}

/* ---- tokens ---- */

static bool read_algorithm(const json_t *header, lt_jwt_algorithm *algorithm)
{
    const char *name = json_string_value(json_object_get(header, "alg"));

    if (!name)
        return false;
    *algorithm = strcmp(name, "EdDSA") == 0 ? LT_JWT_EDDSA : LT_JWT_HS256;
    return *algorithm == LT_JWT_EDDSA || strcmp(name, "HS256") == 0;
}

json_t *lt_jwt_verify(const char *token, const lt_jwt_key *keys, size_t count, const char **why)
{
    parts p;
    json_t *header = split(token, &p) ? read_object(p.header, p.header_size) : NULL;
    const char *id = json_string_value(json_object_get(header, "kid"));
    json_t *claims = NULL;
    lt_jwt_algorithm algorithm;

    *why = NULL;
    if (!header)
        *why = "the token is not a JWT";
    else if (!read_algorithm(header, &algorithm))
        *why = "the token's algorithm is neither HS256 nor EdDSA";
    else if (json_object_get(header, "crit"))
        *why = "the token needs extensions (crit) that are not known here";
    else if (!check_signature(keys, count, algorithm, id ? id : "", &p))
        *why = "the token's signature is wrong, or of a key that is not known here";
    else if (!(claims = read_object(p.claims, p.claims_size)))
        *why = "the token's claims are not a JSON object";
    json_decref(header);
    return claims;
}
