/* SPDX-License-Identifier: MIT */
/* Who may publish or subscribe to which stream: a file of tokens, and of keys that sign JWTs. */
#ifndef LT_ADMISSION_TOKENS_H
#define LT_ADMISSION_TOKENS_H

#include <livetcp/config.h>

typedef struct lt_tokens lt_tokens;

/* Reads the file's text: JSON, a set of keys as in RFC 7517 with two more members.
 *
 *     {"keys": [{"kty": "oct", "alg": "HS256", "k": "..."},
 *               {"kty": "OKP", "crv": "Ed25519", "x": "...", "kid": "..."}],
 *      "tokens": [{"token": "...", "sub": "studio", "roles": ["publish"], "exp": 1767225600}],
 *      "aud": "far.example"}
 *
 * `sub` is the stream id that a token is for, or the beginning of several and an asterisk. On
 * success the caller owns *tokens. Errors, which show no secrets: LIVETCP_ERR_INVALID_ARGUMENT,
 * LIVETCP_ERR_NO_MEMORY. */
livetcp_result lt_tokens_read(const char *text, size_t size, lt_tokens **tokens,
                              livetcp_error *error);

/* Wipes its secrets; clears *tokens, which may already be NULL. */
void lt_tokens_destroy(lt_tokens **tokens);

/* A caller's request. */
typedef struct lt_tokens_claim {
    const char *token;
    const char *stream_id;
    livetcp_role role;
} lt_tokens_claim;

/* 0 if the caller is admitted; else 401 or 403, and *why: one static sentence that the caller may
 * see. `now` is Unix time in seconds. */
unsigned lt_tokens_check(const lt_tokens *tokens, const lt_tokens_claim *claim, int64_t now,
                         const char **why);

#endif
