/* SPDX-License-Identifier: MIT */
#include "admission/tokens.h"

#include "admission/base64url.h"
#include "admission/jwt.h"
#include "base/error.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

/* Allowed clock difference between two hosts, in seconds. */
#define LEEWAY 30

/* Minimum length of a token, against guessing: a client may try as often as it can connect. */
#define TOKEN_MIN 16

#define DIGEST 32

enum { PUBLISH = 1, SUBSCRIBE = 2 };

#define UNAUTHORIZED 401
#define FORBIDDEN    403

/* A token of the file by its digest: all have equal length and are compared in constant time. */
typedef struct listed_token {
    uint8_t digest[DIGEST];
    json_t *claims; /* borrowed from the document */
} listed_token;

struct lt_tokens {
    json_t *document;
    const char *audience; /* NULL = none */
    lt_jwt_key *keys;
    size_t key_count;
    listed_token *listed;
    size_t listed_count;
};

static bool digest_of(const char *token, uint8_t digest[DIGEST])
{
    size_t size = 0;

    return EVP_Q_digest(NULL, "SHA256", NULL, token, strlen(token), digest, &size) &&
           size == DIGEST;
}

/* ---- claims: those of a JWT, and those beside a token in the file ---- */

static int role_bits(const json_t *claims)
{
    const json_t *roles = json_object_get(claims, "roles"), *role;
    size_t i;
    int bits = 0;

    json_array_foreach(roles, i, role)
    {
        const char *name = json_string_value(role);
        if (name && strcmp(name, "publish") == 0)
            bits |= PUBLISH;
        else if (name && strcmp(name, "subscribe") == 0)
            bits |= SUBSCRIBE;
    }
    return bits;
}

static bool matches(const char *pattern, const char *stream_id)
{
    size_t size = strlen(pattern);

    if (size && pattern[size - 1] == '*')
        return strncmp(pattern, stream_id, size - 1) == 0;
    return strcmp(pattern, stream_id) == 0;
}

static bool has_audience(const json_t *claim, const char *audience)
{
    const json_t *one;
    size_t i;

    if (json_is_string(claim))
        return audience && strcmp(json_string_value(claim), audience) == 0;
    json_array_foreach(claim, i,
                       one) if (audience && json_is_string(one) &&
                                strcmp(json_string_value(one), audience) == 0) return true;
    return false;
}

/* Checks "nbf" and "exp". A time that is not a number counts as invalid. */
static const char *check_times(const json_t *claims, bool must_expire, int64_t now)
{
    const json_t *expires = json_object_get(claims, "exp"),
                 *begins = json_object_get(claims, "nbf");

    if (must_expire && !expires)
        return "the token has no time at which it expires (exp)";
    if (expires &&
        (!json_is_number(expires) || json_number_value(expires) <= (double)(now - LEEWAY)))
        return "the token has expired";
    if (begins && (!json_is_number(begins) || json_number_value(begins) > (double)(now + LEEWAY)))
        return "the token is not valid yet (nbf)";
    return NULL;
}

static const char *check_rights(const json_t *claims, const lt_tokens_claim *claim)
{
    const char *stream = json_string_value(json_object_get(claims, "sub"));
    int needed = claim->role == LIVETCP_ROLE_PUBLISH     ? PUBLISH
                 : claim->role == LIVETCP_ROLE_SUBSCRIBE ? SUBSCRIBE
                                                         : PUBLISH | SUBSCRIBE;
    int missing = needed & ~role_bits(claims);

    if (!stream || !matches(stream, claim->stream_id))
        return "the token is not for this stream (sub)";
    if (missing == needed)
        return "the token does not allow that (roles)";
    return missing ? "the token does not allow to publish and subscribe: set role" : NULL;
}

/* ---- judging ---- */

static const json_t *find_listed(const lt_tokens *tokens, const char *token)
{
    const json_t *found = NULL;
    uint8_t digest[DIGEST];

    if (!digest_of(token, digest))
        return NULL;
    for (size_t i = 0; i < tokens->listed_count; i++)
        if (CRYPTO_memcmp(digest, tokens->listed[i].digest, DIGEST) == 0)
            found = tokens->listed[i].claims;
    return found;
}

static unsigned check_claims(const lt_tokens *tokens, const json_t *claims, bool jwt,
                             const lt_tokens_claim *claim, int64_t now, const char **why)
{
    const json_t *audience = json_object_get(claims, "aud");

    *why = check_times(claims, jwt, now);
    if (!*why && jwt && (audience || tokens->audience) && !has_audience(audience, tokens->audience))
        *why = "the token is for another listener (aud)";
    if (*why)
        return UNAUTHORIZED;
    *why = check_rights(claims, claim);
    return *why ? FORBIDDEN : 0;
}

unsigned lt_tokens_check(const lt_tokens *tokens, const lt_tokens_claim *claim, int64_t now,
                         const char **why)
{
    const json_t *listed = find_listed(tokens, claim->token);
    unsigned code = UNAUTHORIZED;
    json_t *claims;

    if (!*claim->token) {
        *why = "this listener wants a token";
    } else if (listed) {
        code = check_claims(tokens, listed, false, claim, now, why);
    } else if (!lt_jwt_is(claim->token)) {
        *why = "the token is not known here";
    } else if ((claims = lt_jwt_verify(claim->token, tokens->keys, tokens->key_count, why))) {
        code = check_claims(tokens, claims, true, claim, now, why);
        json_decref(claims);
    }
    return code;
}

/* ---- reading ---- */

static livetcp_result refuse(livetcp_error *error, const char *where, size_t i, const char *what)
{
    return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "%s, number %zu: %s", where, i + 1, what);
}

static const char *member(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text ? text : "";
}

/* Returns the error, or NULL. */
static const char *read_key(const json_t *object, lt_jwt_key *key)
{
    bool secret = strcmp(member(object, "kty"), "oct") == 0;
    const char *algorithm = member(object, "alg"), *bytes = member(object, secret ? "k" : "x");
    size_t length = strlen(bytes);
    long size;

    if (!secret &&
        (strcmp(member(object, "kty"), "OKP") || strcmp(member(object, "crv"), "Ed25519")))
        return "a key is of kty \"oct\", or \"OKP\" with crv \"Ed25519\"";
    if (*algorithm && strcmp(algorithm, secret ? "HS256" : "EdDSA") != 0)
        return "alg is HS256 for kty \"oct\", and EdDSA for Ed25519";
    if (length > sizeof key->bytes / 3 * 4 ||
        (size = lt_base64url_decode(bytes, length, key->bytes)) < 0)
        return secret ? "k is not base64url of at most 255 bytes" : "x is not base64url";
    if (secret && size < LT_JWT_SECRET_MIN)
        return "k has less than 32 bytes: openssl rand 32 | basenc --base64url";
    if (!secret && size != LT_JWT_PUBLIC_KEY)
        return "x has not the 32 bytes of a public key";
    if (strlen(member(object, "kid")) >= sizeof key->id)
        return "kid has more than 63 bytes";
    strcpy(key->id, member(object, "kid"));
    key->algorithm = secret ? LT_JWT_HS256 : LT_JWT_EDDSA;
    key->size = (size_t)size;
    return NULL;
}

static const char *read_listed(json_t *object, listed_token *listed)
{
    const char *token = member(object, "token");

    if (strlen(token) < TOKEN_MIN || strlen(token) > LIVETCP_TOKEN_MAX)
        return "token has less than 16 bytes, or more than 2048: openssl rand -base64 24";
    if (!json_is_string(json_object_get(object, "sub")))
        return "sub is missing: the stream id, or \"*\" for all";
    if (!role_bits(object))
        return "roles is not an array of \"publish\" and \"subscribe\"";
    if (json_object_get(object, "exp") && !json_is_number(json_object_get(object, "exp")))
        return "exp is not a number of seconds since 1970";
    listed->claims = object;
    return digest_of(token, listed->digest) ? NULL : "libcrypto cannot make its digest";
}

static livetcp_result read_keys(lt_tokens *tokens, livetcp_error *error)
{
    const json_t *keys = json_object_get(tokens->document, "keys"), *key;
    size_t i;

    tokens->keys = calloc(json_array_size(keys) + 1, sizeof *tokens->keys);
    if (!tokens->keys)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "out of memory");
    json_array_foreach(keys, i, key)
    {
        const char *wrong = read_key(key, &tokens->keys[tokens->key_count]);
        if (wrong)
            return refuse(error, "keys", i, wrong);
        tokens->key_count++;
    }
    return LIVETCP_OK;
}

static livetcp_result read_list(lt_tokens *tokens, livetcp_error *error)
{
    const json_t *list = json_object_get(tokens->document, "tokens");
    json_t *token;
    size_t i;

    tokens->listed = calloc(json_array_size(list) + 1, sizeof *tokens->listed);
    if (!tokens->listed)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "out of memory");
    json_array_foreach(list, i, token)
    {
        const char *wrong = read_listed(token, &tokens->listed[tokens->listed_count]);
        if (wrong)
            return refuse(error, "tokens", i, wrong);
        tokens->listed_count++;
    }
    return LIVETCP_OK;
}

static livetcp_result read_document(lt_tokens *tokens, const char *text, size_t size,
                                    livetcp_error *error)
{
    json_error_t where;
    livetcp_result result;

    tokens->document = json_loadb(text, size, JSON_REJECT_DUPLICATES, &where);
    if (!tokens->document) /* where.text would quote the file */
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "not JSON at line %d, column %d",
                       where.line, where.column);
    result = read_keys(tokens, error);
    if (result == LIVETCP_OK)
        result = read_list(tokens, error);
    tokens->audience = json_string_value(json_object_get(tokens->document, "aud"));
    if (result == LIVETCP_OK && !tokens->key_count && !tokens->listed_count)
        return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                       "there are neither \"keys\" nor \"tokens\", so no caller could be admitted");
    return result;
}

livetcp_result lt_tokens_read(const char *text, size_t size, lt_tokens **out, livetcp_error *error)
{
    lt_tokens *tokens = calloc(1, sizeof *tokens);
    livetcp_result result;

    *out = NULL;
    if (!tokens)
        return lt_fail(error, LIVETCP_ERR_NO_MEMORY, "out of memory");
    result = read_document(tokens, text, size, error);
    if (result == LIVETCP_OK)
        *out = tokens;
    else
        lt_tokens_destroy(&tokens);
    return result;
}

void lt_tokens_destroy(lt_tokens **owner)
{
    lt_tokens *tokens = *owner;

    if (!tokens)
        return;
    if (tokens->keys)
        OPENSSL_cleanse(tokens->keys, tokens->key_count * sizeof *tokens->keys);
    free(tokens->keys);
    free(tokens->listed);
    json_decref(tokens->document);
    free(tokens);
    *owner = NULL;
}
