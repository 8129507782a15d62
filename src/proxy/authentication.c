/* SPDX-License-Identifier: MIT */
#include "proxy/authentication.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- challenges ---- */

typedef struct parser {
    const char *p;
} parser;

/* Characters of a token or token68 (RFC 9110 section 11.2). */
static bool is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c && strchr("!#$%&'*+-.^_`|~/", c));
}

static void skip_blanks(parser *at)
{
    while (*at->p == ' ' || *at->p == '\t')
        at->p++;
}

/* Reads a word, truncated to fit `size`; empty if there is none. */
static void take_word(parser *at, char *out, size_t size)
{
    size_t used = 0;

    for (; is_word(*at->p); at->p++)
        if (used + 1 < size)
            out[used++] = *at->p;
    out[used] = '\0';
}

/* Reads a word or a quoted string. False if it does not fit or is not terminated. */
static bool take_value(parser *at, char *out, size_t size)
{
    size_t used = 0;
    bool quoted = *at->p == '"', fits = true;

    for (at->p += quoted; *at->p && (quoted ? *at->p != '"' : is_word(*at->p)); at->p++) {
        if (quoted && *at->p == '\\' && at->p[1])
            at->p++;
        fits = fits && used + 1 < size;
        if (fits)
            out[used++] = *at->p;
    }
    out[used] = '\0';
    if (quoted && *at->p != '"')
        return false;
    at->p += quoted;
    return fits;
}

/* A challenge while it is read. */
typedef struct draft {
    lt_proxy_challenge found;
    char scheme[32];
    char algorithm[32];
    bool auth; /* qop contains "auth" */
    bool whole;
} draft;

static bool has_auth(const char *qop)
{
    while (*qop) {
        size_t size;
        qop += strspn(qop, ", \t");
        size = strcspn(qop, ", \t");
        if (size == 4 && strncasecmp(qop, "auth", 4) == 0)
            return true;
        qop += size;
    }
    return false;
}

static void set_parameter(draft *now, const char *name, parser *at)
{
    char other[512];
    lt_proxy_challenge *found = &now->found;

    if (!strcasecmp(name, "realm")) {
        now->whole &= take_value(at, found->realm, sizeof found->realm);
    } else if (!strcasecmp(name, "nonce")) {
        now->whole &= take_value(at, found->nonce, sizeof found->nonce);
    } else if (!strcasecmp(name, "opaque")) {
        now->whole &= take_value(at, found->opaque, sizeof found->opaque);
        found->has_opaque = true;
    } else if (!strcasecmp(name, "algorithm")) {
        now->whole &= take_value(at, now->algorithm, sizeof now->algorithm);
    } else {
        bool whole = take_value(at, other, sizeof other);
        if (!strcasecmp(name, "qop"))
            now->auth = whole && has_auth(other);
        else if (!strcasecmp(name, "stale"))
            found->stale = whole && !strcasecmp(other, "true");
    }
}

static lt_proxy_scheme scheme_of(draft *now)
{
    char *algorithm = now->algorithm;
    size_t length = strlen(algorithm);

    if (!strcasecmp(now->scheme, "Basic"))
        return LT_PROXY_BASIC;
    if (strcasecmp(now->scheme, "Digest") != 0 || !now->auth || !now->whole || !now->found.nonce[0])
        return LT_PROXY_NO_SCHEME;
    if (length > 5 && !strcasecmp(algorithm + length - 5, "-sess")) {
        now->found.session = true;
        algorithm[length - 5] = '\0';
    }
    if (!algorithm[0] || !strcasecmp(algorithm, "MD5"))
        return LT_PROXY_DIGEST_MD5;
    return !strcasecmp(algorithm, "SHA-256") ? LT_PROXY_DIGEST_SHA256 : LT_PROXY_NO_SCHEME;
}

static void add_other(lt_proxy_challenge *challenge, const draft *now)
{
    size_t used = strlen(challenge->others);
    bool digest = !strcasecmp(now->scheme, "Digest");

    snprintf(challenge->others + used, sizeof challenge->others - used, "%s%.20s%s%.12s",
             used ? ", " : "", now->scheme, digest && now->algorithm[0] ? " " : "",
             digest ? now->algorithm : "");
}

/* The challenge is complete: keeps it if it is the strongest so far. */
static void end_draft(lt_proxy_challenge *challenge, draft *now)
{
    if (!now->scheme[0])
        return;
    now->found.scheme = scheme_of(now);
    if (now->found.scheme == LT_PROXY_NO_SCHEME) {
        add_other(challenge, now);
    } else if (now->found.scheme > challenge->scheme) {
        memcpy(now->found.others, challenge->others, sizeof challenge->others);
        *challenge = now->found;
    }
}

/* challenge = scheme [ 1*SP ( token68 / #( name = value ) ) ]. Challenges are separated by commas,
 * as their parameters are: a word without '=' starts a new challenge. */
void lt_proxy_challenge_read(lt_proxy_challenge *challenge, const char *value)
{
    parser at = {value};
    draft now = {.whole = true};
    char word[32];

    while (*at.p) {
        while (*at.p == ' ' || *at.p == '\t' || *at.p == ',')
            at.p++;
        if (!*at.p)
            break;
        if (!is_word(*at.p)) {
            at.p++; /* invalid, or the end of a token68 */
            continue;
        }
        take_word(&at, word, sizeof word);
        skip_blanks(&at);
        if (*at.p == '=') {
            at.p++;
            skip_blanks(&at);
            set_parameter(&now, word, &at);
        } else {
            end_draft(challenge, &now);
            now = (draft){.whole = true};
            memcpy(now.scheme, word, sizeof word);
        }
    }
    end_draft(challenge, &now);
}

/* ---- answers ---- */

typedef struct text {
    char *out;
    size_t size, used;
    bool fits;
} text;

static void add(text *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(text *to, const char *format, ...)
{
    va_list arguments;
    int n;

    va_start(arguments, format);
    n = vsnprintf(to->out + to->used, to->size - to->used, format, arguments);
    va_end(arguments);
    if (n < 0 || (size_t)n >= to->size - to->used) {
        to->fits = false;
        to->out[to->used] = '\0';
        return;
    }
    to->used += (size_t)n;
}

/* Adds name="value" as a quoted string. */
static void add_quoted(text *to, const char *name, const char *value)
{
    add(to, "%s=\"", name);
    for (; *value; value++)
        add(to, "%s%c", *value == '"' || *value == '\\' ? "\\" : "", *value);
    add(to, "\"");
}

static bool answer_basic(const lt_proxy *proxy, text *to)
{
    char pair[2 * LT_PROXY_WORD + 1];
    unsigned char encoded[4 * sizeof pair / 3 + 8];

    int size = snprintf(pair, sizeof pair, "%s:%s", proxy->user, proxy->password);
    EVP_EncodeBlock(encoded, (const unsigned char *)pair, size);
    add(to, "Basic %s", (const char *)encoded);
    OPENSSL_cleanse(pair, sizeof pair);
    OPENSSL_cleanse(encoded, sizeof encoded);
    return to->fits;
}

#define HASH_TEXT (2 * EVP_MAX_MD_SIZE + 1)

static void to_hex(const uint8_t *bytes, size_t size, char *out)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < size; i++) {
        *out++ = digits[bytes[i] >> 4];
        *out++ = digits[bytes[i] & 15];
    }
    *out = '\0';
}

/* Hexadecimal digest of words joined by colons. */
static bool hash(lt_proxy_scheme scheme, char out[HASH_TEXT], const char *const *words, int count)
{
    const EVP_MD *type = scheme == LT_PROXY_DIGEST_SHA256 ? EVP_sha256() : EVP_md5();
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    uint8_t digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    bool good = context && EVP_DigestInit_ex(context, type, NULL) == 1;

    for (int i = 0; i < count && good; i++)
        good = (!i || EVP_DigestUpdate(context, ":", 1) == 1) &&
               EVP_DigestUpdate(context, words[i], strlen(words[i])) == 1;
    good = good && EVP_DigestFinal_ex(context, digest, &size) == 1;
    EVP_MD_CTX_free(context);
    to_hex(digest, good ? size : 0, out);
    return good;
}

static bool answer_digest(lt_proxy_challenge *challenge, const lt_proxy *proxy, const char *target,
                          const char *cnonce, text *to)
{
    char a1[HASH_TEXT], a2[HASH_TEXT], response[HASH_TEXT], count[9];
    const char *secret[] = {proxy->user, challenge->realm, proxy->password};
    const char *sess[] = {a1, challenge->nonce, cnonce};
    const char *request[] = {"CONNECT", target};
    const char *all[] = {a1, challenge->nonce, count, cnonce, "auth", a2};
    lt_proxy_scheme scheme = challenge->scheme;

    snprintf(count, sizeof count, "%08" PRIx32, ++challenge->count);
    bool good = hash(scheme, a1, secret, 3);
    if (challenge->session)
        good = good && hash(scheme, a1, sess, 3);
    good = good && hash(scheme, a2, request, 2) && hash(scheme, response, all, 6);
    OPENSSL_cleanse(a1, sizeof a1);
    if (!good)
        return false;
    add_quoted(to, "Digest username", proxy->user);
    add_quoted(to, ", realm", challenge->realm);
    add_quoted(to, ", nonce", challenge->nonce);
    add_quoted(to, ", uri", target);
    add(to, ", algorithm=%s%s, qop=auth, nc=%s, cnonce=\"%s\", response=\"%s\"",
        scheme == LT_PROXY_DIGEST_SHA256 ? "SHA-256" : "MD5", challenge->session ? "-sess" : "",
        count, cnonce, response);
    if (challenge->has_opaque)
        add_quoted(to, ", opaque", challenge->opaque);
    return to->fits;
}

bool lt_proxy_authorize(lt_proxy_challenge *challenge, const lt_proxy *proxy, const char *target,
                        const uint8_t cnonce[LT_PROXY_CNONCE], char out[LT_PROXY_AUTHORIZATION])
{
    text to = {out, LT_PROXY_AUTHORIZATION, 0, true};
    char nonce[2 * LT_PROXY_CNONCE + 1];

    out[0] = '\0';
    if (challenge->scheme == LT_PROXY_BASIC)
        return answer_basic(proxy, &to);
    to_hex(cnonce, LT_PROXY_CNONCE, nonce);
    return challenge->scheme != LT_PROXY_NO_SCHEME &&
           answer_digest(challenge, proxy, target, nonce, &to);
}
