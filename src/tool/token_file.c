/* SPDX-License-Identifier: MIT */
#include "tool/token_file.h"

#include "base/error.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TOKENS_MAX (1024 * 1024)

/* The whole file; NULL if it cannot be read, or is too long. The caller wipes and frees it. */
static char *read_file(const char *name, size_t *size, livetcp_error *error)
{
    FILE *file = fopen(name, "rb");
    char *text = file ? malloc(TOKENS_MAX) : NULL;

    *size = text ? fread(text, 1, TOKENS_MAX, file) : 0;
    if (!file || !text || ferror(file) || *size == TOKENS_MAX) {
        lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT, "--tokens: cannot read %.120s: %s", name,
                *size == TOKENS_MAX ? "it has 1 MiB or more" : strerror(errno));
        free(text);
        text = NULL;
    }
    if (file)
        fclose(file);
    return text;
}

livetcp_result lt_token_file_read(const char *name, lt_tokens **tokens, livetcp_error *error)
{
    livetcp_result result;
    livetcp_error wrong;
    size_t size;
    char *text = read_file(name, &size, error);

    if (!text)
        return LIVETCP_ERR_INVALID_ARGUMENT;
    result = lt_tokens_read(text, size, tokens, &wrong);
    if (result != LIVETCP_OK)
        lt_fail(error, result, "--tokens %.100s: %s", name, wrong.message);
    OPENSSL_cleanse(text, size);
    free(text);
    return result;
}

livetcp_result lt_token_file_check(const livetcp_config *listener, livetcp_error *error)
{
    if (listener->tls != LIVETCP_TLS_OFF || listener->passphrase[0])
        return LIVETCP_OK;
    return lt_fail(error, LIVETCP_ERR_INVALID_ARGUMENT,
                   "--tokens: tokens come under TLS or a passphrase only: set tls-cert and "
                   "tls-key with tls=on, or passphrase");
}

unsigned lt_token_file_judge(const lt_tokens *tokens, const livetcp_caller *caller,
                             const char **why)
{
    const lt_tokens_claim claim = {caller->token, caller->stream_id, caller->role};

    return lt_tokens_judge(tokens, &claim, (int64_t)time(NULL), why);
}
