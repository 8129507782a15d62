/* SPDX-License-Identifier: MIT */
/* Tokens of strangers. The first byte chooses: the rest is the token; or it is the claims of a
 * token that our key has signed; or its header; or it is the file of keys. Nobody gets in without a
 * signature, and with one only for the stream that it names. */
#include "fuzz.h"

#include "admission/tokens.h"

#include <livetcp/config.h>

#include <openssl/evp.h>
#include <string.h>

#define NOW 1700000000

static const char secret[] = "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk";
static const char file[] =
    "{\"keys\":[{\"kty\":\"oct\",\"k\":\"a2tra2tra2tra2tra2tra2tra2tra2tra2tra2tra2s\"},"
    "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"a2tra2tra2tra2tra2tra2tra2tra2tra2tra2tra2s\"}]}";

static size_t encode(const uint8_t *data, size_t size, char *text)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    size_t used = 0;

    for (size_t i = 0; i < size; i += 3) {
        size_t left = size - i < 3 ? size - i : 3;
        uint32_t bits = 0;
        for (size_t j = 0; j < 3; j++)
            bits = bits << 8 | (j < left ? data[i + j] : 0);
        for (size_t j = 0; j <= left; j++)
            text[used++] = digits[bits >> (18 - 6 * j) & 63];
    }
    return used;
}

static unsigned judge(const lt_tokens *tokens, const char *token)
{
    const lt_tokens_claim claim = {token, "studio", LIVETCP_ROLE_PUBLISH};
    const char *why = NULL;
    unsigned code = lt_tokens_check(tokens, &claim, NOW, &why);

    FUZZ_REQUIRE(code == 0 || ((code == 401 || code == 403) && why && *why));
    return code;
}

/* `header` and `claims`, signed. */
static void judge_signed(const lt_tokens *tokens, const uint8_t *header, size_t header_size,
                         const uint8_t *claims, size_t claims_size)
{
    static char token[8192];
    uint8_t mac[32];
    size_t used, size = 0;

    used = encode(header, header_size, token);
    token[used++] = '.';
    used += encode(claims, claims_size, token + used);
    FUZZ_REQUIRE(EVP_Q_mac(NULL, "HMAC", NULL, "SHA256", NULL, secret, sizeof secret - 1,
                           (const uint8_t *)token, used, mac, sizeof mac, &size));
    token[used++] = '.';
    used += encode(mac, sizeof mac, token + used);
    token[used] = '\0';
    (void)judge(tokens, token);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t header[] = "{\"alg\":\"HS256\"}";
    static const uint8_t claims[] =
        "{\"sub\":\"studio\",\"roles\":[\"publish\"],\"exp\":1800000000}";
    char token[LIVETCP_TOKEN_MAX + 1];
    lt_tokens *tokens = NULL, *own = NULL;
    unsigned choice = size ? *data % 4 : 0;

    if (!size || size - 1 > LIVETCP_TOKEN_MAX)
        return 0;
    data++;
    size--;
    FUZZ_REQUIRE(lt_tokens_read(file, sizeof file - 1, &tokens, NULL) == LIVETCP_OK);
    if (choice == 0) {
        memcpy(token, data, size);
        token[size] = '\0';
        FUZZ_REQUIRE(judge(tokens, token) != 0);
    } else if (choice == 1) {
        judge_signed(tokens, header, sizeof header - 1, data, size);
    } else if (choice == 2) {
        judge_signed(tokens, data, size, claims, sizeof claims - 1);
    } else if (lt_tokens_read((const char *)data, size, &own, NULL) == LIVETCP_OK) {
        (void)judge(own, "0123456789abcdef");
    }
    lt_tokens_destroy(&own);
    lt_tokens_destroy(&tokens);
    return 0;
}
